/** Reads the secrets of a route, and gives a subscription a new secret. */

import { insecure } from '../../config/config.ts'
import { shownPlace } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { Refusal } from '../../datadir/refusal.ts'
import { findRoute, hasOwnKeys, readRoutes, readRoutesFor, shadowWarning } from '../../datadir/routes.ts'
import { utcAt } from '../../datadir/subscription-record.ts'
import type { Warning } from '../../datadir/warning.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { fingerprint } from '../../secrets/mask.ts'
import { type SubscribeDialogue, type Subscribed, subscribe } from './subscribe.ts'

export type RouteSecrets = {
  readonly name: string
  /** Where the secrets are set: in the route, or globally, for all routes without a secret of their own. */
  readonly from: 'route' | 'global'
  /** `until`: when a replaced secret stops to verify, UTC. */
  readonly secrets: readonly { readonly fingerprint: string; readonly secret: string; readonly until?: string }[]
  readonly warnings: readonly Warning[]
}

/**
 * Reads the secrets of a route, or its public keys where it has such keys instead. Throws a Fault where there is no such route, and for a
 * route with a mistake, which is not served.
 */
export const readSecrets = async (workspace: Workspace, asked: string): Promise<RouteSecrets> => {
  const entry = findRoute(await readRoutesFor(workspace, asked), asked)
  const { name, route, written } = entry
  if (!route)
    throw new Fault('invalid', `"${name}" has a mistake: it is not served`, { exitCode: exit.no, hint: `${workspace.self} validate` })
  return {
    name,
    from: hasOwnKeys(written) ? 'route' : 'global',
    secrets: route.secrets.map((secret, i) => ({
      fingerprint: secret === insecure ? insecure : fingerprint(secret),
      secret,
      ...(route.overlap && i >= route.overlap.from ? { until: utcAt(route.overlap.untilMs) } : {}),
    })),
    warnings: entry.shadowed ? [shadowWarning(entry)] : [],
  }
}

/**
 * Gives a subscription a new random secret. Where the sender makes its key itself, the user is asked for the new key instead.
 * `overlapMs`: how long the old secret still verifies requests. Throws a Fault for a configured route, and where there is no such route.
 */
export const renewSecret = async (
  workspace: Workspace,
  asked: string,
  dialogue: SubscribeDialogue,
  overlapMs?: number,
): Promise<Subscribed | Refusal> => {
  const name = renewableSubscription(workspace, asked)
  const input = { fields: {}, rotate: true, overlapMs, replace: false }
  return subscribe(workspace, name, { ...dialogue, readInput: async () => input, dryRun: false })
}

const renewableSubscription = (workspace: Workspace, asked: string): string => {
  const { name, source, route } = findRoute(readRoutes(workspace), asked)
  if (source === 'subscription') return name
  const hint = route ? `change it at ${shownPlace(route.place(route.base, 'key'))}` : 'change it in config.yaml'
  throw new Fault('configured', `"${name}" is a route of config.yaml: its secret is set there`, { exitCode: exit.no, hint })
}
