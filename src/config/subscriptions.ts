/** Run-time routes: the text of `webhook_subscriptions.json` → the entries that can be served and what is wrong with the others. */

import { type Diagnostic, diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import type { Subscription } from '../generated/config.ts'
import { checkSubscription } from '../generated/validators.js'
import { type Config, defaultProfile, type RouteSource } from './config.ts'
import { jsonErrorPlace } from './json-place.ts'
import { resolveSecrets } from './secrets.ts'
import { checkShape } from './shape.ts'
import type { Source } from './source.ts'
import { definition } from './walk.ts'
import { secretsOf } from './webhook.ts'

export const subscriptionsFileName = 'webhook_subscriptions.json'
/** Subscription names are lower case (contract 7). */
export const subscriptionName = /^[a-z0-9][a-z0-9._-]{0,63}$/

const schema = definition('Subscription')

/** The entries of a subscriptions file by name, unchecked. Throws with a sentence when the file as a whole is not usable. */
export const parseSubscriptions = (text: string): JsonObject => {
  let data: Json
  try {
    data = JSON.parse(text) as Json
  } catch {
    // The engine's own message quotes the text around the mistake, and that may be a secret.
    const { line, column } = jsonErrorPlace(text)
    throw new Error(`not valid JSON at ${line}:${column}`)
  }
  if (!isObject(data)) throw new Error('not a JSON object of routes by name')
  return data
}

/** One entry as a route; `undefined` route when its shape does not hold. Diagnostics tell why, in either case. */
export const readSubscription = (
  name: string,
  entry: Json,
  config: Pick<Config, 'globalSecret' | 'profiles'>,
  source: Pick<Source, 'place'>,
): { readonly route?: RouteSource; readonly diagnostics: readonly Diagnostic[] } => {
  const base: Path = [name]
  if (!subscriptionName.test(name)) {
    const help = 'a name has lower-case letters, digits, dot, underscore or hyphen, at most 64'
    return {
      diagnostics: [
        diagnostic('WH108', `"${name}" cannot be a name`, { pointer: pointerOf(base), place: source.place(base, 'key'), help }),
      ],
    }
  }
  const shape = checkShape(checkSubscription, schema, entry, source, base)
  if (shape.length > 0) return { diagnostics: shape.map((each) => ({ ...each, route: name })) }
  const profile = (entry as Subscription).profile ?? defaultProfile
  const env = config.profiles.get(profile)?.env ?? {}
  const { data, diagnostics } = resolveSecrets(schema, entry, env, source, base)
  const spec = data as Subscription
  const route: RouteSource = {
    name,
    origin: 'subscription',
    profile,
    enabled: spec.enabled !== false,
    spec,
    secrets: secretsOf(spec, config.globalSecret),
    place: source.place,
    base,
  }
  return diagnostics.length > 0 ? { diagnostics } : { route, diagnostics }
}
