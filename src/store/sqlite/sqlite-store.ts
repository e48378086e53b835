/** The embedded, durable store of one process. Calls become the steps of a batch, and each batch is one commit. */

import type { Clock } from '../../core/clock.ts'
import { StoreFault } from '../../core/fault.ts'
import type { NewRun, Progress } from '../../core/new-run.ts'
import type { ChatAddress, Session, SessionFilter, SessionMessage, SessionName } from '../../core/session.ts'
import { checkWorks, isNumbers, maxQueues, maxStandings } from '../bounds.ts'
import type {
  Accepted,
  Cancelled,
  Claim,
  Claimed,
  GivenBack,
  Group,
  Joined,
  Lane,
  Lease,
  Queues,
  RunEnd,
  RunId,
  Spent,
  StoredStanding,
  StoreTotals,
  Work,
  WorkAnswer,
} from '../ports.ts'
import type { Erased, ErasedRun, Erasure, HeldFile, OpenStore } from '../store-part.ts'
import { BatchQueue, type BatchQueueOptions, type Link, type StartLink } from './batch-queue.ts'
import { type Disk, LedgerLink } from './ledger-link.ts'
import type { PlanEntry } from './plans.ts'
import { acceptStep, joinStep, laneStep } from './steps/accept-steps.ts'
import type { CancelledPage, ErasedPage, LedgerTotals, StandingsPage } from './steps.ts'
import { replyText } from './stored.ts'
import { chatKey, hashKey, sessionColumnsOf, storedMessage } from './stored-session.ts'

class SqliteStore implements OpenStore {
  readonly #queue: BatchQueue
  readonly #clock: Clock
  /**
   * The fences of the runs that this process has taken and not finished. After a fault, any other leased run counts as taken by the failed
   * batch.
   */
  readonly #held = new Map<RunId, number>()
  #marks = 0

  constructor(options: BatchQueueOptions, start: StartLink, link: Link, backlog: number) {
    this.#clock = options.clock
    this.#queue = new BatchQueue(options, start, { link, backlog }, () => [...this.#held.keys()].map(Number))
  }

  async backlog(): Promise<number> {
    return this.#queue.backlog
  }

  async totals(): Promise<StoreTotals> {
    const { oldestAt, ...totals } = await this.#queue.call<LedgerTotals>({ op: 'totals' })
    return { ...totals, ...(oldestAt === undefined ? {} : { oldestMs: this.#clock.now() - oldestAt }) }
  }

  queues(max: number): Promise<Queues> {
    return this.#queue.call({ op: 'queues', max: Math.min(max, maxQueues) })
  }

  hasRoom(max: number): boolean {
    return this.#queue.backlog < max
  }

  accept(run: NewRun, claim: Claim, lane?: Lane): Promise<Accepted> {
    if (lane === undefined) return this.#queue.accept({ key: hashKey(claim.key), holdMs: claim.holdMs, run })
    return this.#queue.call(laneStep(run, claim, lane))
  }

  join(run: NewRun, claim: Claim, group: Group): Promise<Joined> {
    return this.#queue.call(joinStep(run, claim, group))
  }

  async acceptAll(works: readonly Work[]): Promise<readonly WorkAnswer[]> {
    checkWorks(works)
    return this.#queue.call({ op: 'acceptAll', steps: works.map(acceptStep) })
  }

  claim({ key, holdMs }: Claim): Promise<Claimed> {
    return this.#queue.call({ op: 'claim', key: hashKey(key), holdMs, mark: ++this.#marks })
  }

  held(keys: readonly string[]): Promise<readonly boolean[]> {
    return this.#queue.call({ op: 'held', keys: keys.map(hashKey) })
  }

  settle({ key, holdMs }: Claim, kept: boolean): Promise<void> {
    return this.#queue.call({ op: 'settle', key: hashKey(key), holdMs, kept })
  }

  async take(max: number, leaseMs: number, only?: 'groups'): Promise<readonly Lease[]> {
    const leases = await this.#queue.call<readonly Lease[]>({ op: 'take', max, leaseMs, onlyGroups: only === 'groups' })
    for (const { runId, fence } of leases) this.#held.set(runId, fence)
    return leases
  }

  renew(leases: readonly Lease[], leaseMs: number): Promise<readonly RunId[]> {
    return this.#queue.call({ op: 'renew', fences: fencesOf(leases), leaseMs })
  }

  makeDue(leases: readonly GivenBack[]): Promise<void> {
    return this.#queue.call({ op: 'makeDue', fences: fencesOf(leases) })
  }

  keepReply({ runId, fence }: Lease, reply: string, progress?: Progress): Promise<boolean> {
    return this.#queue.call({ op: 'keepReply', runId: Number(runId), fence, reply: replyText(reply, progress) })
  }

  async finish({ runId, fence }: Lease, end: RunEnd): Promise<boolean> {
    const kept = await this.#queue.call<boolean>({ op: 'finish', runId: Number(runId), fence, end })
    // The run is forgotten after `false` too: an earlier call that seemed to fail may have been committed.
    if (this.#held.get(runId) === fence) this.#held.delete(runId)
    return kept
  }

  dueInMs(): Promise<number | undefined> {
    return this.#queue.call({ op: 'dueInMs' })
  }

  revive(eventId: string): Promise<boolean> {
    return this.#queue.call({ op: 'revive', eventId })
  }

  async cancel(eventId: string): Promise<Cancelled> {
    const results: Cancelled[] = []
    for (let next: number | undefined = 0; next !== undefined; ) {
      const page: CancelledPage = await this.#queue.call({ op: 'cancel', eventId, after: next })
      results.push(page.result)
      next = page.next
    }
    return (['cancelled', 'delivering'] as const).find((result) => results.includes(result)) ?? 'none'
  }

  async standings(eventIds: readonly string[]): Promise<readonly StoredStanding[]> {
    if (eventIds.length > maxStandings) throw new StoreFault(`asked for more than ${maxStandings} events at once`)
    const pageFrom = (after: number): Promise<StandingsPage> => this.#queue.call({ op: 'standings', eventIds, after })
    const first = await pageFrom(0)
    const later: StoredStanding[] = []
    for (let { next } = first; next !== undefined; ) {
      const page = await pageFrom(next)
      later.push(...page.runs)
      next = page.next
    }
    // A group on the first page may have become a run on a later page.
    const become = new Set(later.map(({ eventId }) => eventId))
    return [...first.runs, ...later, ...first.groups.filter(({ eventId }) => !become.has(eventId))]
  }

  prune(maxAgeMs: number, maxDead: number): Promise<number> {
    return this.#queue.call({ op: 'prune', maxAgeMs, maxDead })
  }

  async plans(): Promise<ReadonlyMap<string, number>> {
    return new Map(await this.#queue.call<readonly (readonly [string, number])[]>({ op: 'plans' }))
  }

  plan(times: ReadonlyMap<string, number | undefined>): Promise<void> {
    const entries: readonly PlanEntry[] = [...times]
    return this.#queue.call({ op: 'plan', times: entries })
  }

  converse(session: SessionName, turn: string, messages: readonly SessionMessage[]): Promise<boolean> {
    return this.#queue.call({
      op: 'converse',
      session: sessionColumnsOf(session),
      turn: hashKey(turn),
      messages: messages.map(storedMessage),
    })
  }

  conversation(key: string, max: number): Promise<readonly SessionMessage[]> {
    return this.#queue.call({ op: 'conversation', key: hashKey(key), max })
  }

  mirror(profile: string, chatAddress: ChatAddress, message: SessionMessage): Promise<'none' | 'several' | 'written'> {
    return this.#queue.call({ op: 'mirror', at: chatKey(profile, chatAddress), message: storedMessage(message) })
  }

  sessions(of: SessionFilter, max: number): Promise<readonly Session[]> {
    return this.#queue.call({ op: 'sessions', of, max })
  }

  session(key: string): Promise<Session | undefined> {
    return this.#queue.call({ op: 'session', key: hashKey(key) })
  }

  forgetSessions(maxIdleMs: number): Promise<number> {
    return this.#queue.call({ op: 'forgetSessions', maxIdleMs })
  }

  spend(key: string, leftMs: number, add: Spent): Promise<Spent> {
    if (!isNumbers(leftMs, add.tokens, add.cost)) return Promise.reject(new StoreFault('a sum takes numbers only'))
    return this.#queue.call({ op: 'spend', key: hashKey(key), leftMs, add })
  }

  async erase({ ids, groups }: Erasure): Promise<Erased> {
    const lists = { ids: JSON.stringify(ids), groups: JSON.stringify(groups), turns: JSON.stringify(ids.map(hashKey)) }
    const runs: ErasedRun[] = []
    const running: string[] = []
    for (let next: number | undefined = 0; next !== undefined; ) {
      const held = [...this.#held.keys()].map(Number)
      const page: ErasedPage = await this.#queue.call({ op: 'erase', ...lists, held, after: next })
      runs.push(...page.runs)
      running.push(...page.running)
      next = page.next
    }
    await this.#queue.between((link) => link.compact())
    return { runs, running }
  }

  hold(): Promise<HeldFile> {
    return this.#queue.between((link) => link.hold())
  }

  recovered(): Promise<void> {
    return this.#queue.recovered()
  }

  close(): Promise<void> {
    return this.#queue.close()
  }
}

/** Makes links that share one database. */
const linksOf = (): StartLink => {
  const disk: Disk = { database: undefined }
  return (start) => new LedgerLink(start, disk)
}

/** Returns the JSON list of `[runId, fence]`. */
const fencesOf = (leases: readonly GivenBack[]): string => JSON.stringify(leases.map(({ runId, fence }) => [Number(runId), fence]))

/** Opens the store in a folder. Throws a Fault, for example where another process has the database open, or a StoreFault. */
export const openSqlite = async (options: BatchQueueOptions, start: StartLink = linksOf()): Promise<OpenStore> => {
  const { folder, durability, clock } = options
  const link = start({ folder, durability, now: clock.monotonic() })
  return new SqliteStore(options, start, link, await link.opened())
}
