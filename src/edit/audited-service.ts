/** Wraps the editor service, so that the audit gets a line for each change that a user makes. */

import type { JsonObject } from '../core/json.ts'
import type { Audit } from '../features/audit/audit.ts'
import type { EditorService } from './service.ts'

type Change<Ask extends keyof EditorService> = {
  readonly action: string
  readonly on: (of: Parameters<EditorService[Ask]>[0]) => JsonObject
}

/** The questions that change something. */
const changes: { readonly [Ask in keyof EditorService]?: Change<Ask> } = {
  save: {
    action: 'save_route',
    on: ({ draft: { opened }, as }) => ({ route: opened.name, file: as ?? opened.file, source: opened.source }),
  },
  replay: { action: 'replay', on: ({ eventId }) => ({ event: eventId }) },
  addSample: { action: 'add_sample', on: ({ eventId, name }) => ({ event: eventId, name }) },
  addTest: { action: 'add_test', on: ({ eventId }) => ({ event: eventId }) },
}

/** Wraps a service. `by`: who uses it. */
export const auditedService = (service: EditorService, audit: Audit, by: string): EditorService =>
  new Proxy(service, {
    get(_, ask: keyof EditorService) {
      const change = Object.hasOwn(changes, ask) ? (changes[ask] as Change<never>) : undefined
      const answer = service[ask] as (of: unknown) => Promise<unknown>
      if (!change) return answer
      return (of: never) => audit.of({ by, action: change.action, on: change.on(of) }, () => answer(of), describe)
    },
  })

/** A change that the service refuses is an answer, not an error. */
const describe = (answer: unknown): JsonObject => {
  const { ok, message } = answer as { readonly ok?: boolean; readonly message?: string }
  return ok === false ? { result: 'failed', error: message ?? 'refused' } : {}
}
