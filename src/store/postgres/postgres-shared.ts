/**
 * The shared store's implementation of `Shared`: replicas, leaders, records, rate limits, entries and agreed values, in tables of the
 * store's schema.
 */

import type { BeatAnswer, RateShare, ReloadRequest, Replica, ReplicaState, Shared, SharedEntries } from '../shared.ts'
import type { SharedRecords } from '../shared-records.ts'
import { agreeKind, entryRevisionsKind, readEntriesKind, replaceEntriesKind } from './calls/entry-calls.ts'
import { rateShareKind } from './calls/rate-calls.ts'
import { askReloadKind, beatKind, forgetReplicasKind, leadKind, leaveKind, replicasKind } from './calls/replica-calls.ts'
import { keyOf } from './keys.ts'
import type { Links } from './links.ts'
import { PostgresRecords } from './postgres-records.ts'

type UsedLinks = Pick<Links, 'work' | 'slow' | 'records' | 'marks'>

export class PostgresShared implements Shared {
  readonly replica: string
  readonly records: SharedRecords
  readonly #links: UsedLinks

  constructor(links: UsedLinks) {
    this.#links = links
    this.records = new PostgresRecords(links.records, links.marks)
    this.replica = String(links.marks.owner)
  }

  beat(state: ReplicaState): Promise<BeatAnswer> {
    return this.#links.work.call(beatKind, { id: this.replica, about: JSON.stringify(state) })
  }

  leave(): Promise<void> {
    return this.#links.work.call(leaveKind, this.replica)
  }

  replicas(): Promise<readonly Replica[]> {
    return this.#links.slow.call(replicasKind, undefined)
  }

  askReload(request: ReloadRequest): Promise<readonly string[]> {
    return this.#links.slow.call(askReloadKind, JSON.stringify(request))
  }

  forgetReplicas(): Promise<void> {
    return this.#links.slow.call(forgetReplicasKind, undefined)
  }

  lead(task: string, leaseMs: number): Promise<boolean> {
    return this.#links.slow.call(leadKind, { task, id: this.replica, leaseMs })
  }

  takeRateShare(route: string, requests: number, limit: number): Promise<RateShare> {
    return this.#links.work.call(rateShareKind, { key: keyOf(route), requests, limit })
  }

  entryRevisions(): Promise<ReadonlyMap<string, string>> {
    return this.#links.slow.call(entryRevisionsKind, undefined)
  }

  readEntries(name: string): Promise<SharedEntries | undefined> {
    return this.#links.slow.call(readEntriesKind, name)
  }

  replaceEntries(name: string, before: string | undefined, after: SharedEntries): Promise<boolean> {
    return this.#links.slow.call(replaceEntriesKind, { name, before, after })
  }

  agree(name: string, value: string): Promise<string> {
    return this.#links.slow.call(agreeKind, { name, value })
  }
}
