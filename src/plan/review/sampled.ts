/** The results of running sample payloads through a route, with the server's own code. */

import type { RouteSource } from '../../config/config.ts'
import type { Path } from '../../core/diagnostic.ts'
import { ExactNumber } from '../../core/exact-number.ts'
import type { ExactJson } from '../../core/json.ts'
import type { Event } from '../../core/request.ts'
import type { Filled } from '../../expr/template.ts'
import type { Route } from '../../generated/config.ts'

/** The kind of a value, as findings name it. */
export type Kind = 'a text' | 'a number' | 'true or false' | 'a list' | 'a map' | 'null'

export const kindOf = (value: ExactJson): Kind => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (value instanceof ExactNumber) return 'a number'
  const kinds: { readonly [type: string]: Kind } = { string: 'a text', number: 'a number', boolean: 'true or false' }
  return kinds[typeof value] ?? 'a map'
}

/** What an expression gives on a sample. `kind`: the kind of its value, of a condition. `failed`: why its evaluation failed. */
export type ExpressionResult = { readonly missing?: true; readonly kind?: Kind; readonly failed?: string }

/** A sample that the route can take: its event is one of the route's. */
export type TakenSample = {
  readonly name: string
  /** The event as filters see it. */
  readonly event: Event
  readonly passes: boolean
  /** Whether each condition holds, by its dotted path below `filters`. */
  readonly holds: ReadonlyMap<string, boolean>
  /** The results of the expressions of conditions (`jsonata`), by their source. Absent for samples that nobody chose. */
  readonly results?: ReadonlyMap<string, ExpressionResult>
  /** What the route's transform gives on the sample. Absent where it did not run, or ran on the result of a script. */
  readonly transformed?: ExpressionResult
  /** Present if the route's script ran. `silent`: why the script stopped the event; `undefined` where it let the event on. */
  readonly script?: { readonly silent: string | undefined }
  /**
   * The event whose values fill in the texts: the result of the route's script and transform, or without these `event`. Absent where the
   * script did not run, or one of them stopped the event.
   */
  readonly textEvent?: Event
  /** The filled placeholders, each with the key of the route under which its text stands. Present where `textEvent` is. */
  readonly texts?: readonly (Filled & { readonly where: string })[]
  /** Why the reply of the agent can be delivered nowhere. Absent if it can be, and for an event that starts no run. */
  readonly undeliverable?: string
  /** Whether the event joined a group (`coalesce`). */
  readonly merged?: boolean
}

/** The samples that a route can take, and their paths. */
export type Sampled = {
  readonly taken: readonly TakenSample[]
  /** Returns every dotted path of the payloads, as filters (`event`) or as texts (`textEvent`) see them. */
  readonly paths: (of: 'event' | 'textEvent') => readonly string[]
}

type SampledRoute = {
  readonly route: RouteSource
  readonly samples?: ReadonlyMap<RouteSource, Sampled>
  readonly senderSamples?: ReadonlyMap<RouteSource, Sampled>
}

/** Returns the samples that say what events of a route have: those that the user chose, else those of its sender. */
export const samplesOf = ({ samples, senderSamples, route }: SampledRoute): Sampled | undefined => {
  const asked = samples?.get(route)
  return asked && asked.taken.length > 0 ? asked : senderSamples?.get(route)
}

/** Returns `in none of 2 samples (github/push, github/fork)`, or of one sample `not in the sample github/push`. */
export const inNoneOf = (taken: readonly TakenSample[]): string =>
  taken.length === 1 ? `not in the sample ${sampleNames(taken)}` : `in none of ${taken.length} samples (${sampleNames(taken)})`

/** Returns `in all 2 samples that have it (github/push, github/fork)`, or of one sample `in the sample github/push`. */
export const inAllOf = (taken: readonly TakenSample[]): string =>
  taken.length === 1 ? `in the sample ${sampleNames(taken)}` : `in all ${taken.length} samples that have it (${sampleNames(taken)})`

/** Returns `with each of 2 samples (github/push, github/fork)`, or of one sample `with the sample github/push`. */
export const withNames = (taken: readonly TakenSample[]): string =>
  taken.length === 1 ? `with the sample ${sampleNames(taken)}` : `with each of ${taken.length} samples (${sampleNames(taken)})`

const sampleNames = (taken: readonly TakenSample[]): string => {
  const names = taken.slice(0, 3).map(({ name }) => name)
  return `${names.join(', ')}${taken.length > names.length ? ', …' : ''}`
}

/** Whether there is a sample of each event type in `events`. Otherwise a key that no sample has may be in events of another type. */
export const coversEvents = ({ taken }: Sampled, { events = [] }: Pick<Route, 'events'>): boolean =>
  events.every((name) => taken.some(({ event }) => event.eventType === name || event.eventAlias === name))

/**
 * Whether a sample fulfils the conditions that must hold beside the condition at `path`. Where it does not, the condition is about events
 * of another kind than the sample.
 */
export const reaches = ({ holds }: TakenSample, path: Path): boolean => {
  const own = path.slice(1)
  return [...holds].every(([key, held]) => {
    const parts = key.split('.')
    const list = parts.slice(0, -1)
    const isBeside =
      list.length < own.length && list.every((part, i) => part === String(own[i])) && parts.at(-1) !== String(own[list.length])
    const isAll = list.length === 0 || list.at(-1) === 'all'
    return held || !isBeside || !isAll || !/^\d+$/.test(parts.at(-1) ?? '')
  })
}
