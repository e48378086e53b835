/**
 * Sends a text to one target, with the settings of its profile, unless a breaker holds it back. A failure is returned as an answer
 * (`Sending`), never thrown.
 */

import type { Profile } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Facts } from '../core/facts/facts.ts'
import { messageOf } from '../core/fault.ts'
import { isObject, type Json, type JsonObject, own } from '../core/json.ts'
import { pluginNamePattern } from '../core/names.ts'
import type { NewRun } from '../core/new-run.ts'
import { type SpanPlace, spanPlaceBelow } from '../core/telemetry/trace-context.ts'
import { cut } from '../core/text.ts'
import { within } from '../core/turns/within.ts'
import type { Route } from '../generated/config.ts'
import { deliveriesOf, deliveryLabel, secretsOfDelivery, withStoredSecrets } from '../parts/destination.ts'
import type { OwnComments } from '../parts/own-comment.ts'
import { callbackAsDeliver } from '../parts/respond/callback.ts'
import { originOf, receiverAddress } from '../parts/targets/delivery/receiver.ts'
import { obstacleOf, settingSecrets, settingsOf } from '../parts/targets/delivery/settings.ts'
import type { Keep, Outgoing, Sent, TargetPart, Unsent } from '../parts/targets/target.ts'
import { permanentFailure } from '../parts/targets/target.ts'
import { writtenTargets } from '../parts/written-targets.ts'
import { createRedactor } from '../secrets/redact.ts'
import { secretsOfSettings } from '../secrets/settings-secrets.ts'
import type { Breakers, Sending } from './breaker/breakers.ts'

export type SenderOptions = {
  readonly targets: ReadonlyMap<string, TargetPart>
  readonly profile: (name: string) => Pick<Profile, 'env' | 'platforms'> | undefined
  readonly facts: Pick<Facts, 'emit'>
  readonly keep: Keep
  readonly clock: Clock
  readonly ownComments: Pick<OwnComments, 'mark'>
  /** Holds texts back whose target is down. Absent where each text is sent. */
  readonly breakers?: Breakers
}

/** The delivery settings that the route or job has now. The secrets of a delivery are read from here, because the store never has them. */
export type DeliverySettings = Pick<Route, 'deliver' | 'deliver_extra' | 'callback'> | undefined
/** Sends a text. `written`: the delivery settings that the route or job has now; `undefined` where it is no longer configured. */
export type Sender = (outgoing: Outgoing, written?: DeliverySettings) => Promise<Sending>

export const createSender = (options: SenderOptions): Sender => {
  const { facts, keep, clock, ownComments } = options
  const log = (outgoing: Outgoing): void => facts.emit({ kind: 'text_logged', cause: outgoing, text: outgoing.text })
  return async (outgoing, written) => {
    const goal = goalOf(options, outgoing, written)
    if (typeof goal === 'string') return permanentFailure(goal)
    const { part, env, settings, extra, knownSecrets } = goal
    const placed = withSpan(outgoing)
    const onlyOnce = (why: string): void => {
      outgoing.onlyOnce?.(why)
      facts.emit({ kind: 'text_goes_once', cause: placed, target: part.name, why })
    }
    // Secrets are redacted before the text is cut: `cut` could leave half a secret, which the redactor would not find.
    const shown = (sent: Unsent): Unsent => ({
      ...sent,
      why: cut(createRedactor(knownSecrets())(sent.why), maxAnswerChars),
    })
    const send = async (postponed: NonNullable<Outgoing['postponed']> = () => {}): Promise<Sent> => {
      const whole = {
        ...placed,
        delivery: { ...outgoing.delivery, extra },
        onlyOnce,
        postponed: (failed: Unsent) => postponed(shown(failed)),
      }
      const [startedAt, begun] = [clock.now(), clock.monotonic()]
      const kit = { settings, env, log, clock, keep, mark: ownComments.mark }
      const sent = await sendWithin(outgoing.budgetMs + graceMs, clock, async () => checkedAnswer(await part.send(whole, kit), part))
      const chat = part.chat?.(extra, settings)
      const chatAddress = chat && { platform: part.name, ...chat }
      facts.emit({
        kind: 'text_sent',
        cause: placed,
        target: part.name,
        ok: sent.ok,
        text: outgoing.text,
        startedAt,
        ms: clock.monotonic() - begun,
        ...(chatAddress ? { chatAddress } : {}),
      })
      return sent.ok ? sent : shown(sent)
    }
    if (!options.breakers) return send()
    return options.breakers.send({ target: part.name, address: receiverAddress(part, extra, settings) }, outgoing, send)
  }
}

/** Where texts go: the targets, and the profiles with the settings of the targets. */
type World = Pick<SenderOptions, 'targets' | 'profile'>
/** The members of a text that decide where it is sent. */
type Addressed = Pick<Outgoing, 'profile' | 'job' | 'callback' | 'delivery' | 'position'>

/** The target of a text with its settings. `extra`: the `deliver_extra` with its secrets. `knownSecrets` returns what no error may show. */
type Goal = {
  readonly part: TargetPart
  readonly env: Profile['env']
  readonly settings: JsonObject
  readonly extra: JsonObject
  readonly knownSecrets: () => readonly string[]
}

/** Returns the target of a text, or a sentence on why there is none that could send now. */
const goalOf = ({ targets, profile }: World, text: Addressed, written: DeliverySettings): Goal | string => {
  const { target, extra: stored, withheld } = text.delivery
  const part = targets.get(target)
  if (!part) return whyNoTarget(target)
  const owner = profile(text.profile)
  if (!owner) return `profile "${text.profile}" is no longer served`
  const settings = settingsOf(part, owner.platforms, owner.env)
  const obstacle = obstacleOf(part, settings)
  if (obstacle !== undefined) return obstacle
  const secrets = withheldSettings(text, written)
  if (!secrets)
    return `the ${text.job === undefined ? 'route' : 'job'} no longer says its ${withheld?.join(', ')}, and nothing goes out without`
  const extra = withStoredSecrets(stored, secrets)
  const knownSecrets = () => [...settingSecrets(part.settings ?? [], settings), ...valuesAsTexts(secrets), ...secretsOfSettings(extra)]
  return { part, env: owner.env, settings, extra, knownSecrets }
}

/**
 * Returns why the reply of a run could go to none of its targets, as the targets and their settings are now; `undefined` where one of them
 * may take it. Nothing is called: a target that is down may take it.
 */
export const whyUndeliverable = (
  world: World,
  { delivery, ...run }: Pick<NewRun, 'profile' | 'job' | 'delivery'>,
  written: DeliverySettings,
): string | undefined => {
  const to = deliveriesOf(delivery)
  const reasons = to.flatMap((each, position) => {
    const why = refusalOf(goalOf(world, { ...run, delivery: each, position }, written))
    return why === undefined ? [] : [`delivery to ${deliveryLabel(to, position)}: ${why}`]
  })
  return reasons.length < to.length ? undefined : reasons.join('; ')
}

/** Whether replies of a route go to somebody besides its targets: to its callback, or to the sender that waits for the reply. */
export const hasOtherTaker = (route: Pick<Route, 'callback' | 'respond'> | undefined): boolean =>
  route?.callback !== undefined || route?.respond?.wait_seconds !== undefined

const refusalOf = (goal: Goal | string): string | undefined => {
  if (typeof goal === 'string') return goal
  const { part, extra, settings, knownSecrets } = goal
  const why = (part.undeliverable ?? part.unaddressed)?.(extra, settings)
  return why === undefined ? undefined : cut(createRedactor(knownSecrets())(why), maxAnswerChars)
}

/** Gives a sending a span of its own, a child of the span of its attempt or request. While traces are off, returns `outgoing` unchanged. */
const withSpan = (outgoing: Outgoing): Outgoing & { readonly span?: SpanPlace } => {
  const span = spanPlaceBelow(outgoing.traceparent)
  return span ? { ...outgoing, span, traceparent: span.traceparent } : outgoing
}

/** Returns all values inside a map as texts, at any depth; of any other value its text. */
const valuesAsTexts = (value: Json): string[] => (isObject(value) ? Object.values(value).flatMap(valuesAsTexts) : [String(value)])

/**
 * Returns the settings of a delivery that are never stored (`withheld`), from the delivery settings that the route or job has now;
 * `undefined` when one of them is missing there.
 */
const withheldSettings = (outgoing: Addressed, written: DeliverySettings): JsonObject | undefined => {
  const { target, extra, withheld = [] } = outgoing.delivery
  if (withheld.length === 0) return {}
  const now = outgoing.callback ? callbackTargets(written) : writtenTargets(written ?? {})
  const [host, at] = [originOf(own(extra, 'url')), outgoing.position]
  // The route's list of targets, or an address in it, may have changed since the run was stored. So the target is looked for by its name
  // and the host of its address, first at its old position: a secret goes only to the host that it is configured for.
  const candidates = host === undefined ? now.slice(at, at + 1) : [...now.slice(at), ...now]
  const same = candidates.find((each) => each.target === target && originOf(own(each.extra, 'url')) === host)
  const secrets = same ? secretsOfDelivery(same.extra, withheld) : {}
  return Object.keys(secrets).length < withheld.length ? undefined : secrets
}

/** Returns the target of the route's `callback` as a list; empty where the route has no `callback` any more. */
const callbackTargets = (written: DeliverySettings) => (written?.callback ? writtenTargets(callbackAsDeliver(written.callback)) : [])

const whyNoTarget = (target: string): string =>
  pluginNamePattern.test(target) ? `no plugin brings the target "${target}"` : `the target "${target}" is not built in this version`

/** The time that a target has to answer after its budget is over: it can still say whether it has the text. */
const graceMs = 500
/** The most characters of a target's answer, or of the reason of a failure. */
const maxAnswerChars = 1_000

/** Returns the answer of `send`; a failure that is not repeated when `send` throws, rejects or takes too long. Never rejects. */
const sendWithin = (ms: number, clock: Clock, send: () => Promise<Sent>): Promise<Sent> =>
  within(send(), ms, clock, () => noAnswer(ms)).catch((error) => permanentFailure(messageOf(error)))

const noAnswer = (ms: number): Sent => ({
  ok: false,
  why: `no answer in ${Math.ceil(ms / 1000)} seconds`,
  repeatable: false,
  receiver: 'down',
})

/** Checks an answer, because a plugin may return anything. Without a clear `ok: true` the text counts as not sent. */
const checkedAnswer = (answer: unknown, { name }: TargetPart): Sent => {
  const { ok, detail, why, repeatable, retryAfterMs, receiver } = (answer ?? {}) as { readonly [key: string]: unknown }
  if (ok === true) return typeof detail === 'string' ? { ok, detail: cut(detail, maxAnswerChars) } : { ok }
  if (ok !== false || typeof why !== 'string') return permanentFailure(`the target "${name}" did not say whether it was sent`)
  const said = (['down', 'up', 'unknown'] as const).find((state) => state === receiver)
  const failure = { ok, why, repeatable: repeatable === true, ...(said ? { receiver: said } : {}) }
  const waits = typeof retryAfterMs === 'number' && Number.isFinite(retryAfterMs) && retryAfterMs >= 0
  return waits ? { ...failure, retryAfterMs } : failure
}
