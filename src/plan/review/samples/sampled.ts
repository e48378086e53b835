/** What came of sample payloads in a route, as the server's code ran them. */

import type { Event } from '../../../core/request.ts'
import type { Filled } from '../../../expr/template.ts'
import type { Route } from '../../../generated/config.ts'

/** A sample that the route can take: its event is one of the route's. */
export type TakenSample = {
  /** The sample's name. */
  readonly name: string
  /** As filters see it. */
  readonly event: Event
  /** The filters let it on. */
  readonly passes: boolean
  /** Which conditions hold, by their paths below `filters`, dotted. */
  readonly holds: ReadonlyMap<string, boolean>
  /** Why the route's script stopped it; `undefined` where it ran and let it on. Absent: it did not run. */
  readonly script?: { readonly silent: string | undefined }
  /** As texts are filled in with it: what its script made of it. Absent where nobody can know. */
  readonly sent?: Event
  /** How its texts were filled in, by the key of the route they stand under; there where `sent` is. */
  readonly texts?: readonly (Filled & { readonly where: string })[]
  /** It joined a group (`coalesce`). */
  readonly merged?: boolean
}

export type Sampled = {
  readonly taken: readonly TakenSample[]
  /** Every dotted path of their payloads, as filters or as texts see them. */
  readonly paths: (of: 'event' | 'sent') => readonly string[]
}

/** `in none of 2 samples (github/push, github/fork)` */
export const inNone = (taken: readonly TakenSample[]): string =>
  taken.length === 1 ? `not in the sample ${listed(taken)}` : `in none of ${taken.length} samples (${listed(taken)})`

/** `in all 2 samples that have it (github/push, github/fork)` */
export const inAll = (taken: readonly TakenSample[]): string =>
  taken.length === 1 ? `in the sample ${listed(taken)}` : `in all ${taken.length} samples that have it (${listed(taken)})`

const listed = (taken: readonly TakenSample[]): string => {
  const names = taken.slice(0, 3).map(({ name }) => name)
  return `${names.join(', ')}${taken.length > names.length ? ', …' : ''}`
}

/** Whether each event of the route is among the samples: else what they lack may be in another event. */
export const coversEvents = ({ taken }: Sampled, { events = [] }: Pick<Route, 'events'>): boolean =>
  events.every((name) => taken.some(({ event }) => event.eventType === name || event.eventAlias === name))
