/** What the faults find and change: the replicas, their servers, and what has happened to them so far. */

import type { AgentLog } from '../durability/agent-log.ts'
import type { Random } from '../durability/random.ts'
import type { Replica } from './replica.ts'
import type { ServerPair } from './server-pair.ts'

export type World = {
  readonly replicas: readonly Replica[]
  readonly servers: ServerPair
  /** The schema of the gateways in the database. */
  readonly schema: string
  readonly agents: AgentLog
  readonly random: Random
  /** The time of the last answer to an event that need not be sent again. Most of these answers are 202. */
  readonly lastAcceptedAt: () => number
  /** The faults that go on beside later faults. Each promise resolves at the end of its fault. */
  readonly background: Promise<void>[]
  /** The breaks so far. A fault adds its break before it resolves, also when the fault goes on in the background. */
  readonly breaks: Break[]
  /** When the database could not be reached, or a replica was paused for a short while, in the order of their begin. */
  readonly outages: Outage[]
  /** What a fault found to be wrong. */
  readonly failures: string[]
}

/**
 * The death of a replica, or a pause of a replica that is longer than its leases. Both may break runs off. Times are of
 * `performance.now()`.
 */
export type Break = { readonly life: number; readonly from: number; readonly until: number }
export type Outage = { readonly from: number; readonly until: number }
