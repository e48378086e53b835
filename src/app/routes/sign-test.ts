/** Chooses the scheme for a test request, and signs the request as a sender of that scheme would. */

import { insecure } from '../../config/config.ts'
import { exit, Fault } from '../../core/fault.ts'
import { pluginName } from '../../core/names.ts'
import type { Headers } from '../../core/request.ts'
import type { Route } from '../../generated/config.ts'
import { inDecidingOrder } from '../../parts/deciding-order.ts'
import { ownScheme } from '../../parts/schemes/index.ts'
import type { Scheme, Signed, Unsigned } from '../../parts/schemes/scheme.ts'
import { verifyNames } from '../../parts/verify-names.ts'

/** Names that are no scheme: `none` posts without a signature, `bad` with a wrong one. */
const pretended: ReadonlyMap<string, (request: Unsigned) => Signed> = new Map<string, (request: Unsigned) => Signed>([
  [
    'none',
    ({ id, body, event }) => ({ headers: { ...(event === undefined ? {} : { 'X-GitHub-Event': event }), 'X-Request-ID': id }, body }),
  ],
  ['bad', (request) => ownScheme.sign({ ...request, secret: `not ${request.secret}` })],
])

/** The code of the Fault for a scheme that only its sender can sign with. */
export const cannotSign = 'cannot_sign'

type Schemes = readonly Scheme[]

const byName = (asked: string, schemes: Schemes) => schemes.find(({ name, aliases = [] }) => name === asked || aliases.includes(asked))

/** Whether the scheme serves routes that name no scheme. A preset, a scheme of the configuration or a plugin serves only those that name it. */
export const serves = ({ name, byName: isNamed }: Scheme): boolean => isNamed !== true && !pluginName.test(name)

/**
 * The scheme that is asked for; else the one that `headers`, those of a sample, show, where the route takes it; else the first one that the
 * route verifies; else the one of senders that may choose.
 */
export const schemeOf = (asked: string, route: Pick<Route, 'verify'>, secret: string, schemes: Schemes, headers: Headers = {}): string => {
  if (asked !== 'auto') return byName(asked, schemes)?.name ?? asked
  if (secret === insecure) return 'none'
  const taken = verifyNames(route).map((name) => byName(name, schemes)?.name ?? name)
  const mayServe = (scheme: Scheme): boolean => (taken.length === 0 ? serves(scheme) : taken.includes(scheme.name))
  return inDecidingOrder(schemes.filter(mayServe)).find((scheme) => scheme.shows(headers))?.name ?? taken[0] ?? ownScheme.name
}

/** The request as a sender of this scheme posts it. Throws a Fault for an unknown scheme, and for a secret that the scheme cannot use. */
export const signedAs = (scheme: string, request: Unsigned, schemes: Schemes): Signed => {
  const sign = byName(scheme, schemes)?.sign ?? pretended.get(scheme)
  if (sign) return sign(request)
  // Several schemes of one sender share an alias, as an old and a new way of signing.
  const names = new Set([
    'auto',
    ...schemes.map(({ name }) => name),
    ...pretended.keys(),
    ...schemes.flatMap(({ aliases = [] }) => aliases),
  ])
  throw new Fault('bad_scheme', `unknown scheme "${scheme}"`, { exitCode: exit.usage, hint: `one of: ${[...names].join(', ')}` })
}
