/**
 * Lets a change of subscriptions, jobs or pauses count in the running gateway before a command answers, and knows which other gateways
 * follow.
 */

import { systemClock } from '../../core/clock.ts'
import { sharedConfig, withShared } from '../attach-store.ts'
import { readReplicas, replicaName } from '../replica-view.ts'
import type { GatewayFinder } from '../running-gateway.ts'
import type { Workspace } from '../workspace.ts'

/**
 * Resolves when the gateway of this data directory applies what the files have now. Returns the other gateways on the shared store, by
 * machine and process: they follow within two seconds. An older gateway polls the files itself, each second. Never rejects: the change is
 * made.
 */
export const takeEntries = async (workspace: Workspace, gateway: GatewayFinder): Promise<readonly string[]> => {
  try {
    const taken = await (await gateway.find())?.takeEntries().catch(() => undefined)
    if (taken) return taken.others
    const config = await sharedConfig(workspace)
    return config ? (await withShared(config, 'read', (shared) => readReplicas(shared, systemClock.now()))).map(replicaName) : []
  } catch {
    return []
  }
}

/** The most gateways that are named. */
const maxNamed = 8

/** Says which gateways follow; no sentence where none does. */
export const followSentences = (others: readonly string[]): readonly string[] => {
  if (others.length === 0) return []
  const names = others.slice(0, maxNamed).join(', ')
  const more = others.length > maxNamed ? ` and ${others.length - maxNamed} more` : ''
  return [
    `${others.length === 1 ? 'the other gateway follows' : `${others.length} other gateways follow`} within two seconds: ${names}${more}`,
  ]
}
