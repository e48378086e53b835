/**
 * What is kept of accepted work, as a port: every method is one atomic step, so that a store elsewhere can offer the same.
 * Callers hand over and get durations, in milliseconds, and the store counts them by a clock of its own: clocks of two machines differ.
 * Leases are fenced, a late finisher is refused.
 */

import type { Prompt, Span } from '../core/agent/prompt.ts'
import type { ChatAddress, Session, SessionFilter, SessionMessage, SessionName } from '../core/agent/session.ts'
import type { Clock } from '../core/clock.ts'
import type { JsonObject } from '../core/json.ts'

/** A hold on one delivery id of one route, for an hour (rules: Duplicates 2), or on one time of a schedule. */
export type Claim = {
  /** Unambiguous over (profile, route, delivery id). */
  readonly key: string
  /** How long it holds, from when the store has it. */
  readonly holdMs: number
}

/** Where a text goes: a target's name and its settings after their templates were filled in. */
export type Delivery = {
  readonly target: string
  readonly extra: JsonObject
  /** Settings that are secret: never stored, read from the route again when the text is sent. */
  readonly withheld?: readonly string[]
}

/** Where a text goes: to one target, or to several. */
export type Destination = Delivery | Several

export type Several = {
  /** `all`: to each of them. `first_success`: in order, until one has it. */
  readonly mode: 'all' | 'first_success'
  readonly to: readonly Delivery[]
}

/** What became of each of several deliveries: done (`true`), given up (why), failed for now (`false`), or not ended in this attempt (`null`). */
export type Progress = readonly (boolean | string | null)[]

/** Which of a group's events its run is about (`keep` on the route; rules: Coalescing 2). */
export type KeptEvents = 'latest' | 'first' | 'all'

/** What a run was merged from: absent for a run of one event that waited for no others. */
export type Merged = {
  /** The event that opened the group; each member's record names it. */
  readonly group: string
  /** Events in all. */
  readonly count: number
  readonly keep: KeptEvents
  /**
   * With `keep: all`, the prompts in the order of their events; the oldest are left out past the bounds of the store. One of which no
   * sender wrote more than a line is its text alone.
   */
  readonly prompts?: readonly (string | Prompt)[]
}

/** Work that was accepted. It is small, because it is committed before the answer. */
export type NewRun = {
  readonly eventId: string
  readonly profile: string
  /** Empty for a run that a schedule started. */
  readonly route: string
  readonly event: string
  readonly deliveryId: string
  readonly prompt: string
  /** Where the prompt has more than a line that a sender wrote; absent: nowhere. */
  readonly untrusted?: readonly Span[]
  readonly delivery: Destination
  readonly acceptedAt: number
  /** The id of the scheduled job that this is a run of. */
  readonly job?: string
  readonly merged?: Merged
  /** The session that it belongs to: its key and its name. */
  readonly session?: Pick<SessionName, 'key' | 'name'>
}

/** Runs that take turns: of one lane at most `limit` have begun and not ended. A run that waits to be tried again keeps its turn. */
export type Lane = {
  readonly key: string
  readonly limit: number
  /** `wait`: the run waits behind the others, in the order of acceptance. `refuse`: it is not accepted, and its id is not claimed. */
  readonly whenFull: 'wait' | 'refuse'
}

export type Accepted = 'accepted' | 'duplicate' | 'busy'

/** Events that wait to become one run (rules: Coalescing 1). */
export type Group = {
  /** Unambiguous over (profile, route, key). */
  readonly key: string
  /** Quiet time after the latest event. */
  readonly windowMs: number
  /** Longest wait, from the first event. */
  readonly maxWaitMs: number
  readonly keep: KeptEvents
  /** The group's run takes turns with others of this lane. */
  readonly lane?: Lane
}

/** `full`: as many groups wait as may, and nothing was claimed. Else which event opened the group, and how many events it has now. */
export type Joined = 'duplicate' | 'full' | { readonly group: string; readonly count: number }

/** What a store calls a run: nobody else reads anything into it. */
export type RunId = string

/** One worker's hold on one run. */
export type Lease = {
  readonly runId: RunId
  /** Goes up with each taking. A worker that finishes with an older one is refused. */
  readonly fence: number
  /** 1 for the first try. It is counted when the run is taken, so that a run that kills the process each time ends as dead. */
  readonly attempt: number
  readonly run: NewRun
  /** Nobody said how the taking before this one ended: the process died, or its lease ran out. */
  readonly interrupted: boolean
  /** The agent's reply, once it is stored: then only its delivery is left to do. */
  readonly reply?: string
  /** How far the delivery of the reply got, where it goes to several targets. */
  readonly progress?: Progress
}

export type RunEnd =
  /** `silent`: the agent asked for nothing to be sent. `to`: the targets that have it. */
  | { readonly kind: 'done'; readonly silent?: true; readonly to?: readonly string[] }
  /** `uncounted`: the attempt does not count, for it was broken off from outside. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly error: string; readonly uncounted?: true }
  | { readonly kind: 'dead'; readonly error: string }

/** How the run of one event stands in the store; done ones are not in it any more. */
export type Standing = {
  readonly eventId: string
  /** `waiting`: due, or for another try, or for its turn. */
  readonly state: 'waiting' | 'running' | 'dead'
  readonly attempt: number
  /** In how long it is tried again; below 0 it has been due for so long. */
  readonly dueInMs?: number
  /** How the last attempt ended. */
  readonly error?: string
}

/** What was used in one window. */
export type Spent = { readonly tokens: number; readonly cost: number }

export interface Store {
  /** Claims the delivery id and enqueues its run in one commit. Throws StoreFault. */
  accept(run: NewRun, claim: Claim, lane?: Lane): Promise<Accepted>
  /** Claims the delivery id and adds its event to a group, or opens one, in one commit. */
  join(run: NewRun, claim: Claim, group: Group): Promise<Joined>
  /**
   * Claims an id for work that is done before the answer. A process that dies leaves it unsettled: in a sole store the next start releases
   * it, in a shared one it holds for its time.
   */
  claim(claim: Claim): Promise<boolean>
  /** For each id whether it is held now, settled or not. */
  held(keys: readonly string[]): Promise<readonly boolean[]>
  /** Ends what `claim` began: kept until it expires, or released for the sender's retry. */
  settle(key: string, kept: boolean): Promise<void>
  /**
   * Up to `max` runs that are due, each leased for `leaseMs`. Runs that a dead process had in hand come first, of these the most tried
   * first; then the oldest. A group that is due becomes a run here. `only: 'groups'`: only the runs of waiting groups, due or not.
   */
  take(max: number, leaseMs: number, only?: 'groups'): Promise<readonly Lease[]>
  /**
   * Lets leases last for `leaseMs` from now, also those that ran out and that nobody took since. What was lost stays lost: the next call
   * with that lease says so.
   */
  renew(leases: readonly Lease[], leaseMs: number): Promise<void>
  /** Stores the reply before it is delivered, and how far its delivery to several got. `false`: the lease is lost. */
  keepReply(lease: Lease, reply: string, progress?: Progress): Promise<boolean>
  /** `false`: the lease is lost. */
  finish(lease: Lease, end: RunEnd): Promise<boolean>
  /**
   * In how long the next waiting run or group is due, 0 for now; `undefined` when none waits. A shared store says no more than the time
   * after which it is worth asking again, for others bring work too.
   */
  dueInMs(): Promise<number | undefined>
  /** Puts the dead run of an event back, with all its attempts; a stored reply is kept. `false`: no dead run has this event. */
  revive(eventId: string): Promise<boolean>
  /** How the runs of these events stand; those that are not in the store are left out. */
  standings(eventIds: readonly string[]): Promise<readonly Standing[]>
  /** Forgets dead runs that ended longer than `maxAgeMs` ago, and the oldest of more than `maxDead`; resolves to how many. */
  prune(maxAgeMs: number, maxDead: number): Promise<number>
  /** The next time of each schedule, as last noted by `plan`: wall time, milliseconds. */
  plans(): Promise<ReadonlyMap<string, number>>
  /** Notes the next times of schedules; `undefined` forgets one. */
  plan(times: ReadonlyMap<string, number | undefined>): Promise<void>
  /**
   * Adds the messages of one turn to a session, and makes the session when there is none. `false`: it has this turn already. Past the bounds
   * of the store the oldest messages are dropped, and the sessions whose last message is the longest ago.
   */
  converse(session: SessionName, turn: string, messages: readonly SessionMessage[]): Promise<boolean>
  /** The newest messages of a session, at most `max` of them, in their order. */
  conversation(key: string, max: number): Promise<readonly SessionMessage[]>
  /** Adds a message to the one session of this profile and place. Nothing is written when there is none, or when there are several. */
  mirror(profile: string, place: ChatAddress, message: SessionMessage): Promise<'none' | 'several' | 'written'>
  /** At most `max` sessions, of this profile and route where they are given; the one with the latest message first. */
  sessions(of: SessionFilter, max: number): Promise<readonly Session[]>
  session(key: string): Promise<Session | undefined>
  /** Forgets sessions without a message for longer than this; resolves to how many. */
  forgetSessions(maxIdleMs: number): Promise<number>
  /**
   * Adds to the sum of a key's window and gives the new sum; an `add` of zeros only reads. A window opens with its first `add`, and lasts
   * for the `leftMs` of that call. Past the bounds of the store the sums that end first are dropped. Throws StoreFault for what is no number.
   */
  spend(key: string, leftMs: number, add: Spent): Promise<Spent>
  /** Runs that are accepted and neither done nor dead, and groups. Throws StoreFault. */
  backlog(): Promise<number>
  /**
   * Whether the backlog is below `max`. Each request asks, so it is answered at once, from what the store heard last: what others
   * accepted in a shared store since then is not in it.
   */
  hasRoom(max: number): boolean
  /** After a StoreFault: resolves when it is worth asking again. All that wait when the store works again share its first commit. */
  recovered(): Promise<void>
  close(): Promise<void>
}

export type StoreOptions = {
  /** A folder that no other store uses. */
  readonly folder: string
  /** `fsync`: on disk before a call resolves. `commit`: a power loss may take the last moments. */
  readonly durability: 'fsync' | 'commit'
  /** The process's: the time of a store that has none of its own. */
  readonly clock: Clock
}

/** One kind of store, as a configuration names it. */
export type StorePart = {
  /** What `storage.kind` calls it. */
  readonly name: string
  /** For people, where editors list the stores. */
  readonly title: string
  /**
   * `sole`: one process has it, and everything that a dead process had in hand is free at the next start. `shared`: several have it,
   * and what one of them had in hand is free when its lease runs out.
   */
  readonly ownership: 'sole' | 'shared'
  /** What it holds is there after a restart. */
  readonly isLasting: boolean
  /** Throws a Fault. */
  open(options: StoreOptions): Promise<Store>
  /** Looks at what lies in its folder, without opening a database or changing anything. Only called while no gateway has it open. */
  inspect?(folder: string): Promise<Inspected>
}

/** How a store looks that is not open. `fix`: what to do. */
export type Inspected =
  | { readonly result: 'ok'; readonly message: string }
  | { readonly result: 'warn' | 'fail'; readonly message: string; readonly fix: string }
