/**
 * Reports a `secret` or `public_key` of a route with which its schemes cannot check signatures, and the notes of these schemes for an
 * operator.
 */

import type { Route } from '../../../generated/config.ts'
import { namesProvider } from '../../../secrets/secret-place.ts'
import type { Scheme } from '../../schemes/scheme.ts'
import type { StageKit } from '../stage.ts'

/** Reports all findings on the secrets and the public key of a route, and the notes of its schemes. */
export const reportKeys = (route: Route, schemes: readonly Scheme[], kit: StageKit): void => {
  for (const scheme of schemes) {
    for (const { code, message, help } of scheme.notes ?? []) kit.report(code, ['verify'], message, help)
    if (scheme.byName) reportKind(route, scheme, kit)
  }
  reportUnusable(route, schemes, kit)
}

/**
 * Reports a key of another kind than the scheme checks with: a public key where the scheme does not check with one, or none where the
 * scheme needs one.
 */
const reportKind = (route: Route, { name, keys }: Scheme, { report }: StageKit): void => {
  const hasPublicKey = route.public_key !== undefined
  if (keys === 'public' && !hasPublicKey)
    report('WH314', ['verify'], `${name} checks with the public key of the sender`, 'put that key in "public_key" of the route')
  if (keys !== 'public' && hasPublicKey)
    report(
      'WH314',
      ['public_key'],
      `${name} checks with ${keys === 'none' ? 'keys that it fetches' : 'a secret'}, not with a public key`,
      'use "secret"',
    )
}

/**
 * Reports keys that a scheme cannot use, because they are not in the form of its sender. A message that several schemes share is reported
 * once.
 */
const reportUnusable = (route: Route, schemes: readonly Scheme[], { secrets, report, adopt }: StageKit): void => {
  const known = secrets.filter((secret) => !namesProvider(secret))
  const problems = new Map<string, { readonly help: string; readonly byName: boolean }>()
  for (const { badSecret, compile, keys, byName = false } of schemes) {
    if (!badSecret || keys === 'none' || (keys === 'public' && route.public_key === undefined)) continue
    if (known.some((secret) => !adopt(compile(secret)))) problems.set(badSecret.message, { help: badSecret.help, byName })
  }
  const at = route.public_key === undefined ? 'secret' : 'public_key'
  for (const [message, { help, byName }] of problems) report(byName ? 'WH314' : 'WH307', [at], message, help)
}
