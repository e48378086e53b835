/** Finds the key that a new route still needs for its sender, and writes it into the route as a reference to an environment variable. */

import type { Config } from '../../config/config.ts'
import type { JsonObject } from '../../core/json.ts'
import { hasOwnKeys } from '../../datadir/routes.ts'
import { presets, schemes } from '../../parts/schemes/index.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'

/** The key that a route lacks. `into`: the setting that gets the key. `variable`: the environment variable that is to hold the key. */
export type KeyWanted = { readonly scheme: Scheme; readonly into: 'secret' | 'public_key'; readonly variable: string }

/**
 * Returns the key that a route for one sender lacks; `undefined` for a route that has a key, for a sender without one, and where the secret
 * of all routes serves, because the operator chooses the key at this sender.
 */
export const keyWanted = (name: string, settings: JsonObject, { routes, globalSecret }: Config): KeyWanted | undefined => {
  const scheme = [...schemes, ...presets].find((each) => each.name === settings.verify || each.aliases?.includes(String(settings.verify)))
  if (!scheme || scheme.keys === 'none' || hasOwnKeys(settings)) return undefined
  if (scheme.senderKey === undefined && globalSecret !== undefined) return undefined
  const into = scheme.keys === 'public' ? 'public_key' : 'secret'
  // A second route of a sender has a key of its own there.
  const isSecond = [...routes.values()].some(({ spec }) => spec.verify === settings.verify)
  const variable = `${(isSecond ? name : scheme.name).toUpperCase().replace(/[^A-Z0-9]/g, '_')}_${into === 'secret' ? 'SIGNING_SECRET' : 'PUBLIC_KEY'}`
  return { scheme, into, variable }
}

/** Puts the key behind `verify`, where people look for it. */
export const withKey = (settings: JsonObject, key: KeyWanted | undefined): JsonObject =>
  key
    ? Object.fromEntries(
        Object.entries(settings).flatMap((each) => (each[0] === 'verify' ? [each, [key.into, `\${${key.variable}}`]] : [each])),
      )
    : settings
