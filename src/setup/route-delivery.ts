/** Targets whose settings a route holds, because the route says where to post. `gateway setup` offers them only together with a route. */

import { defaultProfile } from '../config/config.ts'
import type { Path } from '../core/diagnostic.ts'
import type { JsonObject } from '../core/json.ts'
import { isTemplate } from '../expr/placeholder.ts'
import { http } from '../parts/targets/http.ts'
import type { TargetPart } from '../parts/targets/target.ts'
import { hasProgram, searchPathOf } from '../process/find-program.ts'
import { checkEnvValue } from './checks.ts'
import type { SetupProvider } from './providers.ts'
import { error, type Objection, type Question, type SetupDraft } from './question.ts'

const urlId = 'target.url'
const secretId = 'target.secret'

/** Whether a route for this sender says where the target posts: to an address, or as a comment on the subject of the event. */
export const routeSaysWhereToPost = ({ name }: TargetPart, provider: SetupProvider | undefined): boolean =>
  provider !== undefined && (name === http.name || provider.comment?.target === name)

/** Returns the questions about settings that only the route can have. */
export const deliveryQuestions = ({ name }: TargetPart, draft: SetupDraft): readonly Question[] =>
  name === http.name ? [urlQuestion, signingQuestion(draft)] : []

const urlQuestion: Question = {
  id: urlId,
  flag: '--target-setting url=<address>',
  kind: 'text',
  text: 'To which address should it post? Placeholders may stand after the host: https://example.com/{number}',
  check: (answer) => objectionToSettings({ url: answer.trim() }),
}

const signingQuestion = (draft: SetupDraft): Question => {
  const variable = signingVariable(draft)
  return {
    id: secretId,
    flag: '--target-secret-file secret=<file>',
    kind: 'secret',
    text: 'With which secret should it sign what it posts (Standard Webhooks)? Enter leaves it unsigned.',
    initial: '',
    check: (answer) =>
      answer === '' ? undefined : (checkEnvValue(variable, answer) ?? objectionToSettings({ url: 'https://x/', secret: answer })),
    writes: (answer) => (answer === '' ? [] : [{ to: 'env', name: variable, value: answer, isSecret: true }]),
  }
}

/** Returns the variable for the secret with which the `http` target signs. */
const signingVariable = ({ answers }: SetupDraft): string =>
  `${(answers['route.name'] ?? '').toUpperCase().replace(/[^A-Z0-9]/g, '_')}_TARGET_SECRET`

/**
 * Returns the objection of the `http` target to its settings; `undefined` where there is none. The finding about an unsigned post (WH708)
 * is no objection.
 */
const objectionToSettings = (extra: JsonObject): Objection | undefined => {
  const found: Objection[] = []
  http.check?.(extra, (code, _: Path, message, help) => {
    if (code !== 'WH708') found.push(error(message, help))
  })
  return found[0]
}

/**
 * Returns the keys of the route for its target (`deliver`, `deliver_extra`); none without a target, and where the target needs a setting
 * that is not known.
 */
export const deliverySettings = (part: TargetPart | undefined, provider: SetupProvider, draft: SetupDraft): JsonObject => {
  if (!part) return {}
  if (!part.requires) return { deliver: part.name }
  const extra = part.name === http.name ? httpExtra(draft) : provider.comment?.target === part.name ? provider.comment.extra : undefined
  return extra ? { deliver: part.name, deliver_extra: extra } : {}
}

const httpExtra = (draft: SetupDraft): JsonObject => ({
  url: (draft.answers[urlId] ?? '').trim(),
  ...(draft.answers[secretId] ? { secret: `\${${signingVariable(draft)}}` } : {}),
})

/** Returns the settings of the target for a test message; `undefined` where only an event can fill in the settings. */
export const trialExtra = ({ name, requires }: TargetPart, { answers }: SetupDraft): JsonObject | undefined => {
  if (!requires) return {}
  const url = (answers[urlId] ?? '').trim()
  if (name !== http.name || isTemplate(url)) return undefined
  return { url, ...(answers[secretId] ? { secret: answers[secretId] } : {}) }
}

/** Returns a hint on whether the program of a target is there; no hint for a target without a program. */
export const programHint = ({ program }: TargetPart, { loaded }: SetupDraft['present']): { readonly hint?: string } => {
  if (program === undefined) return {}
  const isThere = hasProgram(program, searchPathOf(loaded.config.profiles.get(defaultProfile)?.env ?? {}))
  return { hint: isThere ? `${program} is there` : `${program} is not on the PATH` }
}
