/** The embedded, durable store of one process. Calls become the steps of a batch, and each batch is one commit. */

import type { Clock } from '../../core/clock.ts'
import { Fault, messageOf, StoreFault } from '../../core/fault.ts'
import type { DeliveryProgress, NewRun } from '../../core/new-run.ts'
import type { RunEnd } from '../../core/run-end.ts'
import type { ChatAddress, Session, SessionFilter, SessionMessage, SessionName } from '../../core/session.ts'
import { checkWorks, isEventId, isNumbers, maxQueues, maxStandings } from '../bounds.ts'
import type {
  Accepted,
  Cancelled,
  Claim,
  Claimed,
  GivenBack,
  Group,
  Handed,
  Joined,
  Lane,
  Lease,
  PendingWork,
  Queues,
  RunId,
  Spent,
  StoredStanding,
  StoreTotals,
  WorkAnswer,
} from '../ports.ts'
import type { Erased, Erasure, HeldFile, OpenStore, StoreOptions } from '../store-part.ts'
import { chatText, keptPrompt, replyText, sessionTexts, storedMessage } from '../stored.ts'
import { BatchQueue } from './batch-queue.ts'
import { DurableDatabase } from './durable-database.ts'
import type { JoiningEvent } from './groups.ts'
import { hashKey } from './keys.ts'
import { type Accept, Ledger, type LedgerStep } from './ledger.ts'

type SqliteOptions = Pick<StoreOptions, 'folder' | 'durability' | 'clock' | 'committed'>

class SqliteStore implements OpenStore {
  readonly #queue: BatchQueue
  readonly #clock: Clock
  /**
   * The fences of the runs that this process has taken and not finished. After a fault, any other leased run counts as taken by the failed
   * batch.
   */
  readonly #held = new Map<RunId, number>()
  #marks = 0

  constructor(options: SqliteOptions, database: DurableDatabase, ledger: Ledger) {
    this.#clock = options.clock
    this.#queue = new BatchQueue(options, database, ledger, () => this.#heldIds)
  }

  get #heldIds(): number[] {
    return [...this.#held.keys()].map(Number)
  }

  async backlog(): Promise<number> {
    return this.#queue.backlog
  }

  totals(): Promise<StoreTotals> {
    return this.#queue.call((ledger) => ledger.totals(this.#clock.now()))
  }

  queues(max: number): Promise<Queues> {
    const most = Math.min(max, maxQueues)
    return this.#queue.call(({ groups, runs }, now) => ({ groups: groups.queued(most, now), lanes: runs.queuedLanes(most) }))
  }

  hasRoom(max: number): boolean {
    return this.#queue.backlog < max
  }

  accept(run: NewRun, claim: Claim, lane?: Lane): Promise<Accepted> {
    const accept = acceptOf(run, claim)
    return lane === undefined ? this.#queue.accept(accept) : this.#queue.callOnClaims(acceptInLane(accept, lane))
  }

  join(run: NewRun, claim: Claim, group: Group): Promise<Joined> {
    return this.#queue.callOnClaims(join(acceptOf(run, claim), group))
  }

  async acceptAll(works: readonly PendingWork[]): Promise<readonly WorkAnswer[]> {
    checkWorks(works)
    const accepts = works.flatMap(({ run, claim, lane, group, ending }) => (run && !lane && !group && !ending ? acceptOf(run, claim) : []))
    if (accepts.length === works.length) {
      return this.#queue.callOnClaims((ledger, now) => ledger.accept(accepts, now))
    }
    const steps = works.map(acceptWork)
    return this.#queue.callOnClaims((ledger, now) => steps.map((step) => step(ledger, now)))
  }

  claim(claim: Claim): Promise<Claimed> {
    const [hashed, mark] = [hashClaim(claim), ++this.#marks]
    const { key, beside } = hashed
    const step: LedgerStep<Claimed> = ({ claims }, now) => {
      if (beside && !claims.isHeld(key, now) && claims.isUnsettled(beside.key, now)) return 'unsettled'
      const held = claims.claimBoth(hashed, mark, now)
      return held === 'duplicate' && claims.isUnsettled(key, now) ? 'unsettled' : (held ?? 'claimed')
    }
    return this.#queue.callOnClaims(
      step,
      (beside ? [hashed, beside] : [hashed]).map(({ key }) => ({ key, mark })),
    )
  }

  held(keys: readonly string[]): Promise<readonly boolean[]> {
    const hashes = keys.map(hashKey)
    return this.#queue.callOnClaims(({ claims }, now) => hashes.map((key) => claims.isHeld(key, now)))
  }

  settle(claim: Claim, kept: boolean): Promise<void> {
    const { beside, ...own } = hashClaim(claim)
    return this.#queue.callOnClaims(({ claims }) => {
      for (const { key, holdMs } of beside ? [own, beside] : [own]) claims.settle(key, holdMs, kept)
    })
  }

  async take(max: number, leaseMs: number, only?: 'groups'): Promise<readonly Lease[]> {
    const leases = await this.#queue.call((ledger, now) => ledger[only ? 'takeGroups' : 'take'](max, leaseMs, now))
    for (const { runId, fence } of leases) this.#held.set(runId, fence)
    return leases
  }

  renew(leases: readonly Lease[], leaseMs: number): Promise<readonly RunId[]> {
    const fences = fencesOf(leases)
    return this.#queue.call(({ runs }, now) => runs.renew(fences, now + leaseMs))
  }

  makeDue(leases: readonly GivenBack[]): Promise<void> {
    const fences = fencesOf(leases)
    return this.#queue.call(({ runs }, now) => runs.makeDue(fences, now))
  }

  keepReply({ runId, fence }: Lease, reply: string, progress?: DeliveryProgress): Promise<boolean> {
    const text = replyText(reply, progress)
    return this.#queue.call(({ runs }) => runs.keepReply(Number(runId), fence, text))
  }

  async finish({ runId, fence }: Lease, end: RunEnd): Promise<boolean> {
    const kept = await this.#queue.call(({ runs }, now) => runs.finish(Number(runId), fence, end, now))
    // The run is forgotten after `false` too: an earlier call that seemed to fail may have been committed.
    if (this.#held.get(runId) === fence) this.#held.delete(runId)
    return kept
  }

  dueInMs(): Promise<number | undefined> {
    return this.#queue.call((ledger, now) => ledger.dueInMs(now))
  }

  revive(eventId: string): Promise<boolean> {
    return this.#queue.call(({ runs }, now) => isEventId(eventId) && runs.revive(eventId, now))
  }

  async cancel(eventId: string): Promise<Cancelled> {
    if (!isEventId(eventId)) return 'none'
    const pages = await this.#pages((ledger, after, now) => ledger.cancel(eventId, after, now))
    return (['cancelled', 'delivering'] as const).find((wanted) => pages.some(({ result }) => result === wanted)) ?? 'none'
  }

  async standings(eventIds: readonly string[]): Promise<readonly StoredStanding[]> {
    if (eventIds.length > maxStandings) throw new StoreFault(`asked for more than ${maxStandings} events at once`)
    const [first, ...later] = await this.#pages((ledger, after, now) => ledger.standings(eventIds, after, now))
    const laterRuns = later.flatMap(({ runs }) => runs)
    // A group on the first page may have become a run on a later page.
    const become = new Set(laterRuns.map(({ eventId }) => eventId))
    return [...(first?.runs ?? []), ...laterRuns, ...(first?.groups ?? []).filter(({ eventId }) => !become.has(eventId))]
  }

  prune(maxAgeMs: number, maxDead: number): Promise<number> {
    return this.#queue.call(({ runs, sums }, now) => {
      sums.prune(now)
      return runs.prune(now - maxAgeMs, maxDead)
    })
  }

  positions(): Promise<ReadonlyMap<string, number>> {
    return this.#queue.call(({ positions }) => positions.all())
  }

  keepPositions(of: ReadonlyMap<string, number | undefined>): Promise<void> {
    return this.#queue.call(({ positions }) => positions.note(of))
  }

  converse(session: SessionName, turn: string, messages: readonly SessionMessage[]): Promise<boolean> {
    const { about, place, chat } = sessionTexts(session)
    const columns = { key: hashKey(session.key), about, place, at: chat === null ? null : hashKey(chat) }
    const [turnKey, stored] = [hashKey(turn), messages.map(storedMessage)]
    return this.#queue.call(({ sessions }, now) => sessions.converse(columns, turnKey, stored, now))
  }

  conversation(key: string, max: number): Promise<readonly SessionMessage[]> {
    const hashed = hashKey(key)
    return this.#queue.call(({ sessions }) => sessions.conversation(hashed, max))
  }

  mirror(profile: string, chatAddress: ChatAddress, message: SessionMessage): Promise<'none' | 'several' | 'written'> {
    const [at, stored] = [hashKey(chatText(profile, chatAddress)), storedMessage(message)]
    return this.#queue.call(({ sessions }, now) => sessions.mirror(at, stored, now))
  }

  sessions(of: SessionFilter, max: number): Promise<readonly Session[]> {
    return this.#queue.call(({ sessions }, now) => sessions.list(of, max, now))
  }

  session(key: string): Promise<Session | undefined> {
    const hashed = hashKey(key)
    return this.#queue.call(({ sessions }, now) => sessions.session(hashed, now))
  }

  forgetSessions(maxIdleMs: number): Promise<number> {
    return this.#queue.call(({ sessions }, now) => sessions.forget(now - maxIdleMs))
  }

  async spend(key: string, leftMs: number, add: Spent): Promise<Spent> {
    if (!isNumbers(leftMs, add.tokens, add.cost)) throw new StoreFault('a sum takes numbers only')
    const hashed = hashKey(key)
    return this.#queue.call(({ sums }, now) => sums.spend(hashed, leftMs, add, now))
  }

  async erase({ ids, groups }: Erasure): Promise<Erased> {
    const lists = { ids: JSON.stringify(ids), groups: JSON.stringify(groups), turns: JSON.stringify(ids.map(hashKey)) }
    const pages = await this.#pages((ledger, after, now) => ledger.erase({ ...lists, held: this.#heldIds }, after, now))
    await this.#queue.between((database) => database.compact())
    return { runs: pages.flatMap(({ runs }) => runs), running: pages.flatMap(({ running }) => running) }
  }

  /** Runs a step for each page of all runs, in batches of their own: others need not wait for the search through a long backlog. */
  async #pages<Page extends { readonly next: number | undefined }>(
    step: (ledger: Ledger, after: number, now: number) => Page,
  ): Promise<readonly Page[]> {
    const pages: Page[] = []
    for (let next: number | undefined = 0; next !== undefined; next = pages.at(-1)?.next) {
      const after = next
      pages.push(await this.#queue.call((ledger, now) => step(ledger, after, now)))
    }
    return pages
  }

  hold(): Promise<HeldFile> {
    return this.#queue.between((database) => database.hold())
  }

  recovered(): Promise<void> {
    return this.#queue.recovered()
  }

  close(): Promise<void> {
    return this.#queue.close()
  }
}

const hashClaim = ({ key, holdMs, beside }: Claim): Claim =>
  beside ? { key: hashKey(key), holdMs, beside: { ...beside, key: hashKey(beside.key) } } : { key: hashKey(key), holdMs }

const acceptOf = (run: NewRun, claim: Claim): Accept =>
  claim.beside ? { ...hashClaim(claim), run } : { key: hashKey(claim.key), holdMs: claim.holdMs, run }

const acceptInLane = (accept: Accept, lane: Lane): LedgerStep<Accepted> => {
  const [hashed, text] = [{ ...lane, key: hashKey(lane.key) }, JSON.stringify(accept.run)]
  return (ledger, now) => ledger.acceptInLane(accept, text, hashed, now)
}

const join = (accept: Accept, { key, windowMs, maxWaitMs, maxEvents, keep, lane, afterClaim }: Group): LedgerStep<Joined> => {
  const { run } = accept
  const joining: JoiningEvent = {
    group: hashKey(key),
    event: JSON.stringify(run.eventId),
    windowMs,
    maxWaitMs,
    maxEvents,
    keep,
    lane: lane === undefined ? null : hashKey(lane.key),
    limit: lane === undefined ? null : lane.limit,
    run: JSON.stringify(run),
    ...(keep === 'all' ? { prompt: { text: JSON.stringify(keptPrompt(run)), chars: run.prompt.length } } : {}),
  }
  if (!afterClaim) return (ledger, now) => ledger.join(accept, joining, now)
  // The lane of a group refuses nothing, so no event is `busy`.
  const atOnce = acceptOne(accept, lane && { ...lane, whenFull: 'wait' })
  return (ledger, now) => ledger.joinAfter(accept, joining, atOnce, now) as Joined
}

const acceptOne = (accept: Accept, lane: Lane | undefined): LedgerStep<Accepted> =>
  lane ? acceptInLane(accept, lane) : (ledger, now) => ledger.accept([accept], now)[0] as Accepted

const acceptWork = ({ run, claim, lane, group, ending }: PendingWork): LedgerStep<WorkAnswer> => {
  const take = run ? (group ? join(acceptOf(run, claim), group) : acceptOne(acceptOf(run, claim), lane)) : claimOnly(hashClaim(claim))
  if (!ending) return take
  const groupKey = group ? hashKey(group.key) : ''
  return (ledger, now) => {
    const upTo = ledger.runs.lastId
    const taken = take(ledger, now)
    if (typeof taken === 'string' && taken !== 'accepted') return taken
    return { taken, ...ledger.endWork(ending, upTo, typeof taken === 'object' ? groupKey : '', now) }
  }
}

const claimOnly =
  (claim: Claim): LedgerStep<Handed> =>
  ({ claims }, now) =>
    claims.claimBoth(claim, 0, now) ?? 'accepted'

/** Returns the JSON list of `[runId, fence]`. */
const fencesOf = (leases: readonly GivenBack[]): string => JSON.stringify(leases.map(({ runId, fence }) => [Number(runId), fence]))

/**
 * Opens the store in a folder. `open`: opens its database. Throws a Fault, for example where another process has the database open, or a
 * StoreFault.
 */
export const openSqlite = async (
  options: SqliteOptions,
  open = (): DurableDatabase => new DurableDatabase(options.folder, options.durability),
): Promise<OpenStore> => {
  const database = open()
  try {
    const ledger = await database.commit(() => new Ledger(database.db, options.clock.monotonic()))
    return new SqliteStore(options, database, ledger)
  } catch (thrown) {
    await database.close().catch(() => {})
    throw thrown instanceof Fault || thrown instanceof StoreFault ? thrown : new StoreFault(messageOf(thrown), { cause: thrown })
  }
}
