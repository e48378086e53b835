/**
 * The contract of stores. What a method does to one event, run or session is one atomic step, so that a store on another machine can keep
 * the contract too. Callers give and get durations in milliseconds, and the store counts them by its own clock, because the clocks of two
 * machines differ. Leases are fenced: a worker that finishes after it lost its lease is refused.
 */

import type { DeliveryProgress, KeptEvents, NewRun } from '../core/new-run.ts'
import type { RunEnd } from '../core/run-end.ts'
import type { ChatAddress, Session, SessionFilter, SessionMessage, SessionName } from '../core/session.ts'

/**
 * Begins the keys in `positions` that belong to no schedule: those of the times up to which routes have caught up with their senders. No
 * schedule has such a key, because no profile has a name with `@`.
 */
const prefix = '@catch-up/'

export const catchUpKey = ({ profile, route }: { readonly profile: string; readonly route: string }): string =>
  `${prefix}${profile}/${route}`

export const isCatchUpKey = (key: string): boolean => key.startsWith(prefix)

type HeldKey = {
  /** A text that differs for each event, target and time that can be claimed. */
  readonly key: string
  /** How long the claim lasts from when the store has it, in milliseconds. */
  readonly holdMs: number
}

/**
 * A hold on a delivery id of a route (rules: Duplicates 2), on one target of a direct delivery, or on a time of a schedule. `beside`: a
 * second claim of the event, on what the event says (rules: Duplicates 8). Both are made in one commit, or neither: where the second is held,
 * the id alone is claimed at once for its whole time, so that a repeat is a duplicate, and no work is taken.
 */
export type Claim = HeldKey & { readonly beside?: HeldKey }

/**
 * The unfinished work that an event ends: the groups and runs that have this key in `endKeys`, but for the group that the event joins, and
 * for runs whose replies are being delivered. `by`: the id of the event, which the runs keep.
 */
export type Ending = { readonly key: string; readonly by: string }

/**
 * The answer for an event that was taken and has an `ending`. `ended`: the events of the runs and groups that were ended. `isMore`:
 * there is more work of the key than one commit ends (`maxEnded` in bounds.ts), and the rest goes on.
 */
export type Ended<Taken> = { readonly taken: Taken; readonly ended: readonly string[]; readonly isMore: boolean }

/** Whether an answer says what an event has ended. */
export const isEnded = <Taken>(answer: Taken | Ended<Taken>): answer is Ended<Taken> =>
  typeof answer === 'object' && answer !== null && 'taken' in answer

/**
 * Runs that take turns: of a lane, at most `limit` runs have begun and not ended. A run that waits for its next attempt counts as begun.
 */
export type Lane = {
  readonly key: string
  readonly limit: number
  /**
   * `wait`: the run waits until earlier runs of the lane have ended. `refuse`: the run is not accepted, and its delivery id not claimed.
   */
  readonly whenFull: 'wait' | 'refuse'
}

/**
 * `duplicate`: the delivery id is claimed already. `repeated`: the id was free, and the claim beside it is held. `busy`: the lane is full,
 * and the run was refused.
 */
export type Accepted = 'accepted' | 'duplicate' | 'repeated' | 'busy'

/** `unsettled`: the id, or the claim beside it, is held for work whose end is not known yet. */
export type Claimed = 'claimed' | 'duplicate' | 'repeated' | 'unsettled'

/** Events that wait to become one run (rules: Coalescing 1). */
export type Group = {
  /** A text that differs for each combination of profile, route and key of the group. */
  readonly key: string
  /** How long the group waits for a further event after its latest event. */
  readonly windowMs: number
  /** How long the group waits at most after its first event. */
  readonly maxWaitMs: number
  /** With so many events the group becomes a run at once, in the commit of the last of them. Absent: however many may join. */
  readonly maxEvents?: number
  readonly keep: KeptEvents
  /** The lane of the group's run. */
  readonly lane?: Lane
  /**
   * Only an event whose claim beside is held joins the group, whatever the claim: the group becomes a run when that claim ends. An event that
   * makes the claim is a run of its own at once, in the lane.
   */
  readonly afterClaim?: true
}

/**
 * The result of joining a group. `full`: the store takes no further group, and nothing was claimed. `accepted`: with `afterClaim` only. An object: the id of the event that
 * opened the group, and the number of events that the group has now.
 */
export type Joined = 'accepted' | 'duplicate' | 'repeated' | 'full' | { readonly group: string; readonly count: number }

/** What became of the work of one event. */
export type Handed = Accepted | Joined

/** The answer of `acceptAll` for one event: `Ended` only where the event has an `ending`. */
export type WorkAnswer = Handed | Ended<Handed>

/**
 * The work of one event of a batch: a run and its claim. The run may have a lane, or join a group. `ending`: the work that ends in the same
 * commit, where the event is taken. Without a run, the event only ends other work, and is `accepted` where its id is free.
 */
export type PendingWork = {
  readonly run?: NewRun
  readonly claim: Claim
  readonly lane?: Lane | undefined
  readonly group?: Group | undefined
  readonly ending?: Ending | undefined
}

/** The store's name of a run. Only the store knows its meaning; other code compares it and hands it back. */
export type RunId = string

/** A worker's hold on a run. */
export type Lease = {
  readonly runId: RunId
  /** A number that goes up each time that the run is taken. A worker that finishes with an older fence is refused. */
  readonly fence: number
  /**
   * The number of the attempt, from 1. It is counted when the run is taken, so that a run that kills the process at each attempt ends as
   * dead.
   */
  readonly attempt: number
  readonly run: NewRun
  /** Whether the attempt before this one has no known end: its process crashed, or its lease ran out. */
  readonly interrupted: boolean
  /** The agent's reply, once it is stored. Then only its delivery is left to do. */
  readonly reply?: string
  /** The progress of the reply's delivery, where there are several targets. */
  readonly progress?: DeliveryProgress
}

/** The part of a lease that says which run its worker gave back to the store (`finish` with `again`). */
export type GivenBack = Pick<Lease, 'runId' | 'fence'>

/** The result of a cancel. `delivering`: the reply of the run is being delivered. `none`: the event has no run that has not ended. */
export type Cancelled = 'cancelled' | 'delivering' | 'none'

/** The state of an event in the store: of its run, or of the group that will become its run. Done runs are deleted. */
export type StoredStanding = {
  readonly eventId: string
  /** `waiting`: a group, or a run that is due or waits for its next attempt or its turn. */
  readonly state: 'waiting' | 'running' | 'dead'
  readonly attempt: number
  /**
   * The time until the next attempt, in milliseconds; below 0, the time since it was due. Present only for a group, and for a waiting run
   * that was tried before or is not due yet.
   */
  readonly dueInMs?: number
  readonly error?: string
}

/** The usage in one window of time: tokens, and money in the operator's currency. */
export type Spent = { readonly tokens: number; readonly cost: number }

/**
 * How many runs, groups and sessions a store has, and how old its oldest run is. A shared store stops each of these counts at a million.
 */
export type StoreTotals = {
  /** The runs that are neither done nor dead, those in lanes among them. */
  readonly runs: number
  /** The runs that wait for their turn in a lane. */
  readonly inLanes: number
  readonly groups: number
  readonly dead: number
  readonly sessions: number
  /** The time since the oldest run that is neither done nor dead was accepted, in milliseconds. Absent where there is no such run. */
  readonly oldestMs?: number
}

/** The event that names a group or a run that waits for its turn. */
export type QueuedEvent = Pick<NewRun, 'eventId' | 'profile' | 'route'>

/** A group that waits: the number of its events, and the time until it becomes a run. `eventId` is the id that `standings` finds. */
export type QueuedGroup = QueuedEvent & { readonly count: number; readonly dueInMs: number }

/** A lane in which runs wait. `eventId`: the event of the run that begins next. `open`: the number of runs that have begun. */
export type QueuedLane = QueuedEvent & { readonly waiting: number; readonly open: number; readonly limit: number }

/** The groups of a store, those that are due first at the front, and the lanes in which runs wait, those with most runs at the front. */
export type Queues = { readonly groups: readonly QueuedGroup[]; readonly lanes: readonly QueuedLane[] }

/** A store. A method whose work fails rejects with a StoreFault. */
export interface Store {
  /** Claims the delivery id and enqueues the run in one commit. */
  accept(run: NewRun, claim: Claim, lane?: Lane): Promise<Accepted>
  /** Claims the delivery id, and adds the event to its group or opens the group, in one commit. */
  join(run: NewRun, claim: Claim, group: Group): Promise<Joined>
  /**
   * Takes the work of several events, at most `maxWorks` (bounds.ts), in one commit: all of the work, or with a StoreFault none. Returns
   * the answer of `accept` or `join` for each event, in order: those that are duplicates, or that a lane or the groups have no room for, do
   * not keep the others from being taken. An event may end the work of one before it.
   */
  acceptAll(works: readonly PendingWork[]): Promise<readonly WorkAnswer[]>
  /**
   * Makes a claim that waits to be settled: for an event that ends before the answer (delivered directly, or ignored), or for a target that
   * has its text. When its process crashes, the claim stays unsettled. In a sole store the next start releases such a claim; in a shared
   * store it ends by itself after half a minute (`unsettledMs`). After that, a repeat by the sender is accepted.
   */
  claim(claim: Claim): Promise<Claimed>
  /** Returns for each key whether a claim holds it now, settled or not. */
  held(keys: readonly string[]): Promise<readonly boolean[]>
  /** Settles a claim that `claim` made: keeps the claim for its whole time, or releases it so that a repeat by the sender is accepted. */
  settle(claim: Claim, kept: boolean): Promise<void>
  /**
   * Takes up to `max` runs that are due, each leased for `leaseMs`. First come the runs that were tried before, in the order in which they
   * are due; then the oldest of the others, where a priority counts as an earlier or a later acceptance (priority.ts). After the start of a
   * sole store, the runs that the dead process had taken come before all others, and of these the runs with the most attempts come first. A
   * group that is due becomes a run here. With `only: 'groups'`, groups become runs, due or not, and of these the runs that need not wait
   * for their turn are taken; no other run is taken.
   *
   * Where a shared store finds fewer runs than `max`, it may take further runs, up to `max`, as soon as this process accepts them. The next
   * call returns these runs. A call with `max` 0 puts them back. A call before the time of `dueInMs` may leave out what other processes
   * have accepted.
   */
  take(max: number, leaseMs: number, only?: 'groups'): Promise<readonly Lease[]>
  /**
   * Lets leases last for `leaseMs` from now, even expired leases whose runs nobody has taken since. Where another worker has taken the run,
   * or the run was cancelled, the old lease stays lost, and the next `keepReply` or `finish` with it returns `false`. Resolves to the ids
   * of the runs whose leases last.
   */
  renew(leases: readonly Lease[], leaseMs: number): Promise<readonly RunId[]>
  /**
   * Resolves to the ids of the runs whose leases last, and changes nothing. Absent in a sole store, whose process knows of each cancel.
   */
  lasting?(leases: readonly Lease[]): Promise<readonly RunId[]>
  /** Makes runs due that were given back with these leases (`again`). A run that was taken since, or has ended, is not touched. */
  makeDue(leases: readonly GivenBack[]): Promise<void>
  /** Stores the reply before it is delivered, and the progress of its delivery to several targets. `false`: the lease is lost. */
  keepReply(lease: Lease, reply: string, progress?: DeliveryProgress): Promise<boolean>
  /** Stores the end of an attempt. `false`: the lease is lost. */
  finish(lease: Lease, end: RunEnd): Promise<boolean>
  /**
   * Returns the time until the next waiting run or group is due, or the next lease runs out, 0 for now; `undefined` where there is none of
   * these. A shared store gives only the time after which it is worth asking again, because other processes add work too.
   */
  dueInMs(): Promise<number | undefined>
  /**
   * Revives the dead run of an event: the run is due, or waits for its turn in its lane, and may use all its attempts again. A stored reply
   * is kept. `false`: the event has no dead run.
   */
  revive(eventId: string): Promise<boolean>
  /**
   * Cancels the run of an event, or the group that would become its run: marks the run (`cancelled` in `NewRun`), takes it out of its lane and
   * makes it due, so that the worker that takes the run records its end. A worker that has the run loses its lease. A run that is leased and
   * has its reply is not cancelled, because its delivery may have begun.
   */
  cancel(eventId: string): Promise<Cancelled>
  /**
   * Returns the states of these events, at most `maxStandings` (bounds.ts). Of the events of a group, only one is found: the first with
   * `keep: first`, else the latest. Events that are not in the store are left out.
   */
  standings(eventIds: readonly string[]): Promise<readonly StoredStanding[]>
  /**
   * Deletes dead runs that ended longer than `maxAgeMs` ago, and the oldest past `maxDead` dead runs. Resolves to their number. Ended sums
   * of usage are deleted too, and in a shared store expired claims.
   */
  prune(maxAgeMs: number, maxDead: number): Promise<number>
  /**
   * Returns the next time of each schedule, and the time up to which each route has caught up, as last stored by `keepPositions`, in
   * milliseconds since 1970, by the key of the schedule.
   */
  positions(): Promise<ReadonlyMap<string, number>>
  /**
   * Stores the next times of schedules, in milliseconds since 1970, by the key of the schedule. `undefined` deletes the time of a schedule.
   * Past the bound of the store, the times of further schedules are not stored.
   */
  keepPositions(positions: ReadonlyMap<string, number | undefined>): Promise<void>
  /**
   * Adds messages to a session, and makes the session when there is none. `turn`: the id of the event that the messages come from. `false`:
   * the session has the messages of this turn already. Past the bounds of the store, the oldest messages are dropped, and the sessions
   * whose last message is the oldest.
   */
  converse(session: SessionName, turn: string, messages: readonly SessionMessage[]): Promise<boolean>
  /** Returns the newest messages of a session, at most `max`, in their order. */
  conversation(key: string, max: number): Promise<readonly SessionMessage[]>
  /**
   * Adds a message to the only session of this profile and chat. Writes nothing when there is no such session, or when there are several.
   */
  mirror(profile: string, chatAddress: ChatAddress, message: SessionMessage): Promise<'none' | 'several' | 'written'>
  /** Returns at most `max` sessions, of the profile and route where they are given. The session with the latest message comes first. */
  sessions(of: SessionFilter, max: number): Promise<readonly Session[]>
  session(key: string): Promise<Session | undefined>
  /** Deletes sessions whose last message is older than `maxIdleMs`. Resolves to their number. */
  forgetSessions(maxIdleMs: number): Promise<number>
  /**
   * Adds usage to the sum of a key's window, and returns the new sum. With zeros in `add`, the sum is only read. A window opens with the
   * first call that adds, and lasts for the `leftMs` of this call. Past the bounds of the store, the sums whose windows end first are
   * dropped. Rejects with a StoreFault for values that are not finite.
   */
  spend(key: string, leftMs: number, add: Spent): Promise<Spent>
  /** Returns the backlog: the number of groups plus the number of runs that are neither done nor dead. */
  backlog(): Promise<number>
  /** Counts the runs, groups and sessions of the store. */
  totals(): Promise<StoreTotals>
  /** Returns at most `max` groups and at most `max` lanes, with at most `maxQueues` (bounds.ts) of each. Damaged runs are left out. */
  queues(max: number): Promise<Queues>
  /**
   * Whether the backlog is below `max`. Each request that makes work asks this, so the answer does not wait for the store: it leaves out
   * what other processes have added to a shared store, or ended in it, since the store last counted the backlog.
   */
  hasRoom(max: number): boolean
  /**
   * After a StoreFault: resolves when a call may succeed again. All callers that waited here go on together, so that their calls can share
   * one commit.
   */
  recovered(): Promise<void>
  close(): Promise<void>
}
