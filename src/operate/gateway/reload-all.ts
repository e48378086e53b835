/** Asks all replicas of a shared store for a reload, and waits at most half a minute until the reload of each replica has ended. */

import { pause, systemClock } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'
import { sharedConfig, withShared } from '../../datadir/attach-store.ts'
import { readReplicas } from '../../datadir/replica-view.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { Replica } from '../../generated/control.ts'
import { askReload } from '../../serve/replicas/replicas.ts'

/** How long to wait for the ends of all reloads. A replica sees the request within five seconds, with its next heartbeat. */
const reloadWaitMs = 30_000
const lookMs = 500

/**
 * How the reload of a replica ended. `silent`: the replica did not answer in time. `gone`: the replica ended before it answered. `reason`:
 * why the reload was refused or failed.
 */
export type ReplicaReloaded = {
  readonly replica: Replica
  readonly result: 'reloaded' | 'refused' | 'silent' | 'gone'
  readonly reason?: string
}

/**
 * How the replicas are reached. `list`: returns the replicas; `null` where the store does not answer now. `ask`: asks the replicas for the
 * reload, and returns the ids of those that were asked.
 */
type ReloadPort = { readonly list: () => Promise<readonly Replica[] | null>; readonly ask: () => Promise<readonly string[]> }

/**
 * Asks the replicas through the gateway of the data directory; where no gateway runs there, through the shared store. `force`: reloads even
 * where most of the routes would be removed. Throws a Fault where the store is not shared, or no replica runs.
 */
export const reloadAll = async (finder: GatewayFinder, workspace: Workspace, force: boolean): Promise<readonly ReplicaReloaded[]> => {
  const gateway = await finder.find()
  if (gateway) {
    if ((await gateway.status()).replicas === undefined) throw oneGateway()
    const list = async (): Promise<readonly Replica[] | null> => (await gateway.status()).replicas ?? null
    return await untilAllEnd({ list, ask: async () => (await gateway.reloadAll({ force })).replicas })
  }
  const config = await sharedConfig(workspace)
  const ended =
    config &&
    (await withShared(config, 'change', (shared) =>
      untilAllEnd({ list: () => readReplicas(shared, systemClock.now()), ask: () => askReload(shared, { force }) }),
    ))
  if (ended === undefined || ended.length === 0) await finder.need()
  return ended ?? []
}

const oneGateway = (): Fault =>
  new Fault('one_gateway', 'this store has one gateway', { exitCode: exit.no, hint: 'leave --all out: headgate gateway reload' })

/** Asks for the reload, and polls the replicas until each asked replica has answered or ended, or the time is over. */
const untilAllEnd = async ({ list, ask }: ReloadPort): Promise<readonly ReplicaReloaded[]> => {
  const asked = new Set(await ask())
  const last = new Map<string, Replica>()
  let present: readonly Replica[] = []
  for (const end = Date.now() + reloadWaitMs; ; await pause(lookMs, systemClock)) {
    present = (await list()) ?? present
    for (const replica of present) if (asked.has(replica.id)) last.set(replica.id, replica)
    const waits = present.some(({ id, reload }) => asked.has(id) && (reload === null || reload.ok === null))
    if ((!waits && last.size > 0) || asked.size === 0 || Date.now() > end) break
  }
  const ids = new Set(present.map(({ id }) => id))
  return [...last.values()].map((replica) => reloadEnd(replica, ids.has(replica.id)))
}

const reloadEnd = (replica: Replica, isPresent: boolean): ReplicaReloaded => {
  const { ok = null, reason } = replica.reload ?? {}
  const result = ok === null ? (isPresent ? 'silent' : 'gone') : ok ? 'reloaded' : 'refused'
  return { replica, result, ...(reason === undefined ? {} : { reason }) }
}
