/** Chooses the scheme for a test request, and signs the request as a sender of that scheme would. */

import { insecure } from '../../config/config.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { Headers } from '../../core/request.ts'
import { v2 } from '../../parts/schemes/generic.ts'
import { schemes } from '../../parts/schemes/index.ts'
import type { Signed, Unsigned } from '../../parts/schemes/scheme.ts'

/** Names that are no scheme: `none` posts without a signature, `bad` with a wrong one. */
const pretended: ReadonlyMap<string, (request: Unsigned) => Signed> = new Map([
  [
    'none',
    ({ id, body, event }) => ({ headers: { ...(event === undefined ? {} : { 'X-GitHub-Event': event }), 'X-Request-ID': id }, body }),
  ],
  ['bad', (request) => v2.sign({ ...request, secret: `not ${request.secret}` })],
])

const byName = (asked: string) => schemes.find(({ name, aliases = [] }) => name === asked || aliases.includes(asked))

const names = ['auto', ...schemes.map(({ name }) => name), ...pretended.keys(), ...schemes.flatMap(({ aliases = [] }) => aliases)]

/**
 * The scheme that is asked for; else the one that `headers`, those of a sample, show, where the route takes it; else the first one that the
 * route verifies; else V2.
 */
export const schemeOf = (asked: string, verify: string | readonly string[] | undefined, secret: string, headers: Headers = {}): string => {
  if (asked !== 'auto') return byName(asked)?.name ?? asked
  if (secret === insecure) return 'none'
  const shown = schemes.find(({ shows }) => shows(headers))?.name
  const taken = (typeof verify === 'string' ? [verify] : (verify ?? [])).map((name) => byName(name)?.name ?? name)
  if (shown !== undefined && (taken.length === 0 || taken.includes(shown))) return shown
  return taken[0] ?? v2.name
}

/** The request as a sender of this scheme posts it. Throws a Fault for an unknown scheme, and for a secret that the scheme cannot use. */
export const signedAs = (scheme: string, request: Unsigned): Signed => {
  const sign = byName(scheme)?.sign ?? pretended.get(scheme)
  if (sign) return sign(request)
  throw new Fault('bad_scheme', `unknown scheme "${scheme}"`, { exitCode: exit.usage, hint: `one of: ${names.join(', ')}` })
}
