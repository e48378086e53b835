/** The store that several processes share, in a schema of a PostgreSQL database. */

import { StoreFault } from '../../core/fault.ts'
import type { DeliveryProgress, NewRun } from '../../core/new-run.ts'
import type { RunEnd } from '../../core/run-end.ts'
import type { ChatAddress, Session, SessionFilter, SessionMessage, SessionName } from '../../core/session.ts'
import { isEventId, isNumbers, maxQueues, maxStandings, unsettledMs } from '../bounds.ts'
import type { Accepted, Claim, Claimed, Group, Joined, Lane, Lease, Queues, Spent, StoredStanding, StoreTotals } from '../ports.ts'
import type { Shared } from '../shared.ts'
import type { Erased, Erasure, OpenStore } from '../store-part.ts'
import { chatText, replyText, storedMessage } from '../stored.ts'
import { Backlog, backlogKind } from './backlog.ts'
import { acceptAll } from './calls/accept-all.ts'
import { unsettledRow } from './calls/beside-calls.ts'
import { type ClaimFields, heldKind, keepKind, releaseKind } from './calls/claim-calls.ts'
import { eraseOver } from './calls/erasing.ts'
import { joinCall, joinKind } from './calls/lane-calls.ts'
import { queuesKind } from './calls/queue-calls.ts'
import { keepReplyKind, lastingKind, renewKind } from './calls/run-calls.ts'
import {
  conversationKind,
  converseCall,
  converseKind,
  forgetSessionsKind,
  mirrorKind,
  sessionKind,
  sessionsKind,
  trimSessionsKind,
} from './calls/session-calls.ts'
import { pruneExpiredKind, pruneRunsKind, standingsKind, totalsKind } from './calls/standing-calls.ts'
import { keepPositionsKind, positionsKind, spendKind, trimSumsKind } from './calls/sum-calls.ts'
import { keyOf } from './keys.ts'
import { type Links, openLinks, type PostgresOptions } from './links.ts'
import { PostgresShared } from './postgres-shared.ts'
import { WaitingRuns } from './waiting-runs.ts'

const countEveryMs = 1_000
/** The most rows of each kind that are counted at a start. */
const firstCount = 100_000

class PostgresStore implements OpenStore {
  readonly shared: Shared
  readonly warning: string | undefined
  readonly #links: Links
  readonly #backlog: Backlog
  readonly #runs: WaitingRuns
  readonly acceptAll: OpenStore['acceptAll'] = (works) => acceptAll(this.#links, this.#backlog, works)

  constructor(links: Links, backlog: number, { clock, pollEveryMs }: PostgresOptions) {
    this.#links = links
    this.shared = new PostgresShared(links)
    this.warning = links.warning
    this.#runs = new WaitingRuns(links, clock, pollEveryMs)
    this.#backlog = new Backlog(clock, countEveryMs, backlog, (max) => links.work.call(backlogKind, { max, bounds: links.due.bounds }))
  }

  async accept(run: NewRun, claim: Claim, lane?: Lane): Promise<Accepted> {
    if (claim.beside) return (await this.acceptAll([{ run, claim, lane }]))[0] as Accepted
    const call = this.#claimCall(claim, JSON.stringify(run))
    const hasMoved = this.#hasMoved(call.key)
    if (hasMoved && (await hasMoved)) return 'duplicate'
    const accepted = await (lane ? this.#runs.acceptInLane(call, lane) : this.#runs.enqueue(run, call))
    if (accepted === 'accepted') this.#backlog.change(1)
    return accepted
  }

  async join(run: NewRun, claim: Claim, group: Group): Promise<Joined> {
    if (claim.beside) return (await this.acceptAll([{ run, claim, group }]))[0] as Joined
    const call = this.#claimCall(claim, JSON.stringify(run))
    const hasMoved = this.#hasMoved(call.key)
    if (hasMoved && (await hasMoved)) return 'duplicate'
    const joined = await this.#links.claims.call(joinKind, joinCall(call, run, group))
    if (typeof joined === 'object' && joined.count === 1) this.#backlog.change(1)
    this.#links.due.changed()
    return joined
  }

  async claim(claim: Claim): Promise<Claimed> {
    if (claim.beside) return this.#claimBeside(claim)
    const { key, holdMs, mark } = this.#claimCall(claim, '')
    const hasMoved = this.#hasMoved(key)
    if (hasMoved && (await hasMoved)) return 'duplicate'
    // Until it is settled, a claim has a negative mark and lasts for `unsettledMs` at most. `settle` adds the rest of its time.
    const call = { key, holdMs: Math.min(holdMs, unsettledMs), mark: -mark, run: '', eventId: '', leaseMs: 0 }
    const claimed = await this.#links.claims.call(this.#links.claimKind, call)
    return typeof claimed === 'string' ? claimed : 'claimed'
  }

  async held(ids: readonly string[]): Promise<readonly boolean[]> {
    const keys = ids.map(keyOf)
    const { claims, movedClaims } = this.#links
    const held = await claims.call(heldKind, keys)
    if (!movedClaims.mayHold) return held
    const moved = await movedClaims.held(keys)
    return held.map((isHeld, i) => isHeld || moved[i] === true)
  }

  async settle(claim: Claim, kept: boolean): Promise<void> {
    const { claims, marks } = this.#links
    const settle = ({ key, holdMs }: Claim): Promise<void> =>
      claims.call(kept ? keepKind : releaseKind, { key: keyOf(key), moreMs: holdMs - unsettledMs, owner: marks.owner })
    // Both are one statement, because they are called in one turn.
    await Promise.all((claim.beside ? [claim, claim.beside] : [claim]).map(settle))
  }

  take(max: number, leaseMs: number, only?: 'groups'): Promise<readonly Lease[]> {
    return this.#runs.take(max, leaseMs, only)
  }

  renew(leases: readonly Lease[], leaseMs: number): Promise<readonly string[]> {
    return this.#links.work.call(renewKind, { leases, leaseMs })
  }

  lasting(leases: readonly Lease[]): Promise<readonly string[]> {
    return this.#links.work.call(lastingKind, leases)
  }

  makeDue(leases: readonly Pick<Lease, 'runId' | 'fence'>[]): Promise<void> {
    return this.#runs.makeDue(leases)
  }

  keepReply({ runId, fence }: Lease, reply: string, progress?: DeliveryProgress): Promise<boolean> {
    return this.#links.work.call(keepReplyKind, { runId, fence, reply: replyText(reply, progress) })
  }

  async finish(lease: Lease, end: RunEnd): Promise<boolean> {
    const isEnded = await this.#runs.end(lease, end)
    if (isEnded && end.kind !== 'again') this.#backlog.change(-1)
    return isEnded
  }

  dueInMs(): Promise<number> {
    return this.#runs.dueInMs()
  }

  async revive(eventId: string): Promise<boolean> {
    const isRevived = await this.#runs.revive(isEventId(eventId) ? eventId : '')
    if (isRevived) this.#backlog.change(1)
    return isRevived
  }

  cancel(eventId: string): ReturnType<WaitingRuns['cancel']> {
    return this.#runs.cancel(isEventId(eventId) ? eventId : '')
  }

  async standings(eventIds: readonly string[]): Promise<readonly StoredStanding[]> {
    if (eventIds.length > maxStandings) throw new StoreFault(`asked for more than ${maxStandings} events at once`)
    return this.#links.slow.call(standingsKind, eventIds.filter(isEventId))
  }

  async erase(of: Erasure): Promise<Erased> {
    const erased = await eraseOver(this.#links.slow, of)
    this.#backlog.change(-erased.runs.filter(({ ended }) => ended !== undefined).length)
    // The end of a run may make the next run of its lane due, which may have been accepted long ago.
    this.#links.due.changed({ isOldRun: true })
    return erased
  }

  async prune(maxAgeMs: number, maxDead: number): Promise<number> {
    const { slow } = this.#links
    const pruned = await slow.call(pruneRunsKind, { maxAgeMs, maxDead })
    while (await slow.call(pruneExpiredKind, undefined)) {}
    return pruned
  }

  async positions(): Promise<ReadonlyMap<string, number>> {
    return new Map(await this.#links.slow.call(positionsKind, undefined))
  }

  keepPositions(positions: ReadonlyMap<string, number | undefined>): Promise<void> {
    const entries = [...positions].map(([name, at]) => ({ key: keyOf(JSON.stringify(name)), name: JSON.stringify(name), at: at ?? null }))
    return this.#links.slow.call(keepPositionsKind, entries)
  }

  async converse(session: SessionName, turn: string, messages: readonly SessionMessage[]): Promise<boolean> {
    const { slow } = this.#links
    const { isNew, isAdded } = await slow.call(converseKind, converseCall(session, turn, messages))
    if (isNew) await slow.call(trimSessionsKind, undefined)
    return isAdded
  }

  conversation(key: string, max: number): Promise<readonly SessionMessage[]> {
    return this.#links.slow.call(conversationKind, { key: keyOf(key), max })
  }

  mirror(profile: string, chatAddress: ChatAddress, message: SessionMessage): Promise<'none' | 'several' | 'written'> {
    return this.#links.slow.call(mirrorKind, { addressKey: keyOf(chatText(profile, chatAddress)), ...storedMessage(message) })
  }

  sessions({ profile, route }: SessionFilter, max: number): Promise<readonly Session[]> {
    const call = { profile: profile === undefined ? null : keyOf(profile), route: route === undefined ? null : keyOf(route), max }
    return this.#links.slow.call(sessionsKind, call)
  }

  session(key: string): Promise<Session | undefined> {
    return this.#links.slow.call(sessionKind, keyOf(key))
  }

  async forgetSessions(maxIdleMs: number): Promise<number> {
    let forgotten = 0
    for (let more = 1; more > 0; forgotten += more) more = await this.#links.slow.call(forgetSessionsKind, maxIdleMs)
    return forgotten
  }

  async spend(key: string, leftMs: number, add: Spent): Promise<Spent> {
    if (!isNumbers(leftMs, add.tokens, add.cost)) throw new StoreFault('a sum takes numbers only')
    const { isNew, spent } = await this.#links.slow.call(spendKind, { key: keyOf(key), leftMs, add })
    if (isNew) await this.#links.slow.call(trimSumsKind, undefined)
    return spent
  }

  backlog(): Promise<number> {
    return this.#backlog.ask()
  }

  totals(): Promise<StoreTotals> {
    return this.#links.slow.call(totalsKind, undefined)
  }

  queues(max: number): Promise<Queues> {
    return this.#links.slow.call(queuesKind, Math.min(max, maxQueues))
  }

  hasRoom(max: number): boolean {
    return this.#backlog.hasRoom(max)
  }

  recovered(): Promise<void> {
    return this.#links.recovered()
  }

  async close(): Promise<void> {
    this.#backlog.close()
    await this.#runs.putBackAll()
    await this.#links.close()
  }

  async #claimBeside(claim: Claim): Promise<Claimed> {
    const { claims, besideKind, marks, movedClaims } = this.#links
    const hashed = movedClaims.hashed([claim])
    const rows = (hashed instanceof Promise ? await hashed : hashed).map((each) => unsettledRow(each, marks.next()))
    return (await claims.call(besideKind, rows))[0] as Claimed
  }

  #claimCall({ key, holdMs }: Claim, run: string): ClaimFields {
    return { key: keyOf(key), holdMs, mark: this.#links.marks.next(), run }
  }

  /**
   * Whether a move brought a claim of this key, which the claiming statement may miss: the store may know only a shorter hash of its key.
   * `false` at once where no such claim is left, so that calls are sent in the order in which they come.
   */
  #hasMoved(key: string): Promise<boolean> | false {
    const { movedClaims } = this.#links
    return movedClaims.mayHold && movedClaims.holds(key)
  }
}

/** Opens the store. Throws a Fault or a StoreFault. */
export const openPostgres = async (options: PostgresOptions): Promise<OpenStore> => {
  const links = await openLinks(options)
  try {
    return new PostgresStore(links, await links.work.call(backlogKind, { max: firstCount, bounds: links.due.bounds }), options)
  } catch (error) {
    await links.close()
    throw error
  }
}
