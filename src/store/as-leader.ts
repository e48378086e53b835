/**
 * The one way by which a gateway does something alone. On a shared store, it does so as the leader of a task; a gateway that has its store
 * to itself always leads.
 */

import type { Shared } from './shared.ts'

/**
 * Makes this gateway the only one on the store that has the task, for `leaseMs` from now. `false`: another gateway has the task. Rejects
 * with a StoreFault.
 */
export type Lead = (task: string, leaseMs: number) => Promise<boolean>

/**
 * Returns the function that makes this gateway the leader of a task. `shared`: absent where the store serves one gateway, which then leads
 * in every task.
 */
export const leadOf = (shared: Pick<Shared, 'lead'> | undefined): Lead =>
  shared ? (task, leaseMs) => shared.lead(task, leaseMs) : async () => true

/** Does the work where this gateway leads in the task. Where the store does not answer, nobody knows who leads, and nothing is done. */
export const asLeader = async (lead: Lead, task: string, leaseMs: number, work: () => Promise<void>): Promise<void> => {
  if (await lead(task, leaseMs).catch(() => false)) await work()
}
