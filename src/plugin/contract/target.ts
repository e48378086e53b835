/**
 * The contract suite for targets: a target names each of its settings once, its `check` takes any `deliver_extra` without throwing, and its
 * `send` says in time that a text is sent, or why not.
 */

import { systemClock } from '../../core/clock.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Adopt } from '../../core/scope.ts'
import { createKeep } from '../../parts/targets/delivery/keep.ts'
import type { Outgoing, TargetKit, TargetPart } from '../../parts/targets/target.ts'
import { isMap, isText } from '../shape.ts'
import { attempt, type ContractOptions, problemsOf, type ReportProblem, settleOrReport } from './problems.ts'

/** One text to send, with the target's settings, which should name a stand-in of the platform, and the `deliver_extra`. */
export type TargetSending = { readonly settings?: JsonObject; readonly extra?: JsonObject; readonly text?: string }

export type TargetOptions = ContractOptions & {
  /** The texts that are sent. A sending may fail, if the target's answer says so. */
  readonly sends?: readonly TargetSending[]
}

/**
 * Values of all types, which are tried for each key of `deliver_extra` that a list of the target names (`requires`, `addresses`, `lists`,
 * `withheld`), and for `chat_id`.
 */
const oddValues: readonly Json[] = [null, true, -1.5, '', '{x}', 'text', [], ['a', 1], {}, { a: null }]
const budgetMs = 5_000

/** Resolves to what is wrong with a target, in sentences; empty when it keeps the contract. */
export const checkTarget = (target: TargetPart, options: TargetOptions = {}): Promise<readonly string[]> =>
  problemsOf('target', target, options, async (say, adopt) => {
    checkSettings(target, say)
    checkExtras(target, say)
    for (const sending of options.sends ?? []) await checkSend(target, sending, kitWith(sending, adopt), say)
  })

/** Checks that no setting, no environment variable, and no setting of a list in `needs` is named twice. */
const checkSettings = ({ settings = [], needs = [] }: TargetPart, say: ReportProblem): void => {
  const names = settings.flatMap(({ key, env = [] }) => [`the setting ${key}`, ...env.map((name) => `${name} of the environment`)])
  for (const name of repeated(names)) say(`${name} is named twice`)
  for (const keys of needs) for (const key of repeated(keys)) say(`a way to connect it needs ${key} twice`)
}

const repeated = (names: readonly string[]): readonly string[] => [...new Set(names.filter((name, i) => names.indexOf(name) !== i))]

/**
 * Checks that `check` never throws, answers at once, and reports paths and texts; that `unaddressed` and `undeliverable` give a text or
 * nothing, and `chat` a chat or nothing.
 */
const checkExtras = (target: TargetPart, say: ReportProblem): void => {
  const keys = [...(target.requires ?? []), ...(target.addresses ?? []), ...(target.lists ?? []), ...(target.withheld ?? []), 'chat_id']
  for (const extra of [{}, ...keys.flatMap((key) => oddValues.map((value) => ({ [key]: value })))]) {
    const what = `its check of ${JSON.stringify(extra)}`
    const answer: unknown = attempt(what, say, () =>
      target.check?.(extra, (_code, path, message) => {
        if (!Array.isArray(path) || typeof message !== 'string') say(`${what} reports something else than a path and a text`)
      }),
    )
    if (answer instanceof Promise) say(`${what} is not made at once`)
    for (const name of ['unaddressed', 'undeliverable'] as const) {
      const why: unknown = attempt(`its ${name} for ${JSON.stringify(extra)}`, say, () => target[name]?.(extra, {}))
      if (why !== undefined && typeof why !== 'string') say(`${name} gives neither a text nor undefined`)
    }
    const chat: unknown = attempt(`its chat for ${JSON.stringify(extra)}`, say, () => target.chat?.(extra, {}))
    if (chat !== undefined && !(isMap(chat) && isText(chat.chat) && (chat.thread === undefined || isText(chat.thread))))
      say('chat gives neither { chat, thread? } of texts nor undefined')
  }
}

/** Checks that `send` resolves in time to a result of the right form. */
const checkSend = async (
  target: TargetPart,
  { extra = {}, text = 'ping' }: TargetSending,
  kit: TargetKit,
  say: ReportProblem,
): Promise<void> => {
  const delivery = { target: target.name, extra }
  const outgoing: Outgoing = { text, profile: 'default', route: 'r', deliveryId: 'd', delivery, position: 0, budgetMs }
  const answer = await settleOrReport('send', say, async () => [await target.send(outgoing, kit)], budgetMs + 500)
  if (answer === undefined) return
  const [sent]: readonly unknown[] = answer
  const { ok, why, repeatable } = isMap(sent) ? sent : {}
  if (ok !== true && !(ok === false && typeof why === 'string' && typeof repeatable === 'boolean'))
    say('send gives neither { ok: true } nor { ok: false, why, repeatable }')
}

const kitWith = ({ settings = {} }: TargetSending, adopt: Adopt): TargetKit => ({
  settings,
  env: {},
  log: () => {},
  clock: systemClock,
  keep: createKeep(adopt),
  mark: (delivery) => `<!-- headgate:${delivery} -->`,
})
