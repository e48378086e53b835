/** Reads run-time routes from the entries of `webhook_subscriptions.json`. */

import { type Diagnostic, diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'
import { exit, Fault } from '../core/fault.ts'
import type { Json } from '../core/json.ts'
import type { Subscription } from '../generated/config.ts'
import { checkSubscription } from '../generated/validators.js'
import { routeSourceOf } from './adapter.ts'
import { type Config, defaultProfile, type RouteSource } from './config.ts'
import { definition } from './schema-walk.ts'
import type { References } from './secrets/reference.ts'
import { isUnresolved, resolveSecrets } from './secrets/resolve-secrets.ts'
import { checkShape } from './shape.ts'
import type { Source } from './yaml/source.ts'

export const subscriptionsFileName = 'webhook_subscriptions.json'
/** Subscription names are lower case (rules: Names 4). */
const subscriptionName = /^[a-z0-9][a-z0-9._-]{0,63}$/

const schema = definition('Subscription')

/** Returns the name under which a subscription is stored (rules: Names 4). Throws a Fault for a text that cannot be a name. */
export const subscriptionNameOf = (text: string): string => {
  const name = text.trim().toLowerCase().replaceAll(' ', '-')
  if (subscriptionName.test(name)) return name
  const hint = 'use letters, digits, dot, underscore and hyphen; at most 64, the first a letter or digit'
  throw new Fault('bad_name', `${JSON.stringify(text.slice(0, 80))} cannot be a name`, { exitCode: exit.usage, hint })
}

/** Reads one entry as a route. Where there is no `route`, the Diagnostics say why. */
export const readSubscription = (
  name: string,
  entry: Json,
  config: Pick<Config, 'globalSecret' | 'globalReference' | 'profiles'>,
  source: Pick<Source, 'place'>,
): { readonly route?: RouteSource; readonly diagnostics: readonly Diagnostic[] } => {
  const base: Path = [name]
  if (!subscriptionName.test(name)) {
    const help = 'a name has lower-case letters, digits, dot, underscore or hyphen, at most 64'
    return {
      diagnostics: [
        diagnostic('WH108', `"${name}" cannot be a name`, {
          route: name,
          pointer: pointerOf(base),
          place: source.place(base, 'key'),
          help,
        }),
      ],
    }
  }
  const shape = checkShape(checkSubscription, schema, entry, source, base)
  if (shape.length > 0) return { diagnostics: shape.map((each) => ({ ...each, route: name })) }
  const profile = (entry as Subscription).profile ?? defaultProfile
  const from: References = config.profiles.get(profile) ?? { env: {} }
  const resolved = resolveSecrets(schema, entry, from, source, base)
  const diagnostics = resolved.diagnostics.map((each) => ({ ...each, route: name }))
  if (diagnostics.some(isUnresolved)) return { diagnostics }
  const written = { name, origin: 'subscription', spec: resolved.data as Subscription, place: source.place, base } as const
  return { route: routeSourceOf(written, entry, { ...config, secrets: from.secrets }), diagnostics }
}
