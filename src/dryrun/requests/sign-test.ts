/** Chooses the scheme for a test request, and signs the request as a sender of that scheme would. */

import { insecure } from '../../config/config.ts'
import { exit, Fault } from '../../core/fault.ts'
import { pluginNamePattern } from '../../core/names.ts'
import type { Headers } from '../../core/request.ts'
import type { Route } from '../../generated/config.ts'
import { inDecidingOrder } from '../../parts/deciding-order.ts'
import { ownScheme } from '../../parts/schemes/index.ts'
import type { Scheme, Signed, Unsigned } from '../../parts/schemes/scheme.ts'
import { verifyNames } from '../../parts/written-names.ts'

/** Names that stand in the place of a scheme's name: `none` posts without a signature, `bad` with a wrong signature. */
const pseudoSchemes: ReadonlyMap<string, (request: Unsigned) => Signed> = new Map<string, (request: Unsigned) => Signed>([
  [
    'none',
    ({ id, body, event }) => ({ headers: { ...(event === undefined ? {} : { 'X-GitHub-Event': event }), 'X-Request-ID': id }, body }),
  ],
  ['bad', (request) => ownScheme.sign({ ...request, secret: `not ${request.secret}` })],
])

/** The code of the Fault for a scheme with which only the sender can sign. */
export const cannotSign = 'cannot_sign'

type Schemes = readonly Scheme[]

const byName = (asked: string, schemes: Schemes) => schemes.find(({ name, aliases = [] }) => name === asked || aliases.includes(asked))

/**
 * Whether the scheme serves routes that name no scheme. A preset, a scheme of the configuration or a plugin's scheme serves only routes
 * that name it.
 */
export const servesUnnamed = ({ name, byName: isNamed }: Scheme): boolean => isNamed !== true && !pluginNamePattern.test(name)

/**
 * Returns the name of the scheme that is asked for. For `auto`: `none` for a route without verification; else the scheme that the `headers`
 * of the sample show, where the route takes that scheme; else the first scheme of the route's `verify`; else headgate's own scheme.
 */
export const schemeOf = (asked: string, route: Pick<Route, 'verify'>, secret: string, schemes: Schemes, headers: Headers = {}): string => {
  if (asked !== 'auto') return byName(asked, schemes)?.name ?? asked
  if (secret === insecure) return 'none'
  const taken = verifyNames(route).map((name) => byName(name, schemes)?.name ?? name)
  const mayServe = (scheme: Scheme): boolean => (taken.length === 0 ? servesUnnamed(scheme) : taken.includes(scheme.name))
  return inDecidingOrder(schemes.filter(mayServe)).find((scheme) => scheme.shows(headers))?.name ?? taken[0] ?? ownScheme.name
}

/**
 * Returns the request as a sender of the scheme posts it. Throws a Fault for an unknown scheme, for a request or a secret that the scheme
 * cannot sign, and (`cannotSign`) for a scheme with which only the sender can sign.
 */
export const signedAs = (scheme: string, request: Unsigned, schemes: Schemes): Signed => {
  const sign = byName(scheme, schemes)?.sign ?? pseudoSchemes.get(scheme)
  if (sign) return sign(request)
  // Several schemes of a sender may share an alias, for example its old and its new way of signing.
  const names = new Set([
    'auto',
    ...schemes.map(({ name }) => name),
    ...pseudoSchemes.keys(),
    ...schemes.flatMap(({ aliases = [] }) => aliases),
  ])
  throw new Fault('bad_scheme', `unknown scheme "${scheme}"`, { exitCode: exit.usage, hint: `one of: ${[...names].join(', ')}` })
}
