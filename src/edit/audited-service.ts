/** Wraps the editor service, so that the audit gets a line for each change that a user makes. */

import type { Json, JsonObject } from '../core/json.ts'
import type { Audit } from '../features/audit/audit.ts'
import type { consoleQuestions } from '../generated/console.ts'
import type { EditorChanges, EditorService } from './service.ts'

type Declared = Extract<(typeof consoleQuestions)[keyof typeof consoleQuestions], { readonly audit: object }>['audit']
/** An action of the console with the members of its subject: the audit has the same of it from the terminal editor. */
type Change<Question, Audited = Declared> = Audited extends { readonly action: infer Action; readonly on: infer On }
  ? { readonly action: Action; readonly on: (of: Question) => JsonObject & { readonly [Member in keyof On]: Json } }
  : never

const changes: { readonly [Ask in keyof EditorChanges]: Change<Parameters<EditorChanges[Ask]>[0]> } = {
  save: {
    action: 'save_route',
    on: ({ draft: { opened }, as }) => ({ route: opened.name, file: as ?? opened.file, source: opened.source }),
  },
  replay: { action: 'replay', on: ({ eventId }) => ({ event: eventId, edited: false }) },
  addSample: { action: 'add_sample', on: ({ eventId, name }) => ({ event: eventId, sample: name }) },
  addTest: { action: 'add_test', on: ({ eventId }) => ({ event: eventId }) },
}

/** Wraps a service. `by`: who uses it. */
export const auditedService = (service: EditorService, audit: Audit, by: string): EditorService =>
  new Proxy(service, {
    get(_, ask: keyof EditorService) {
      const change = Object.hasOwn(changes, ask) ? (changes[ask as keyof EditorChanges] as Change<never>) : undefined
      const answer = service[ask] as (of: unknown) => Promise<unknown>
      if (!change) return answer
      return (of: never) => audit.of({ by, action: change.action, on: change.on(of) }, () => answer(of))
    },
  })
