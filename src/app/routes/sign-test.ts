/** Which scheme a test request is signed with, and the request as its real sender would post it. */

import { insecure } from '../../config/config.ts'
import { exit, Fault } from '../../core/fault.ts'
import { v2 } from '../../parts/schemes/generic.ts'
import { schemes } from '../../parts/schemes/index.ts'
import type { Signed, Unsigned } from '../../parts/schemes/scheme.ts'

/** Not schemes: a post without a signature, and one whose signature is wrong. */
const pretended: ReadonlyMap<string, (request: Unsigned) => Signed> = new Map([
  [
    'none',
    ({ id, body, event }) => ({ headers: { ...(event === undefined ? {} : { 'X-GitHub-Event': event }), 'X-Request-ID': id }, body }),
  ],
  ['bad', (request) => v2.sign({ ...request, secret: `not ${request.secret}` })],
])

const byName = (asked: string) => schemes.find(({ name, aliases = [] }) => name === asked || aliases.includes(asked))

const names = ['auto', ...schemes.map(({ name }) => name), ...pretended.keys(), ...schemes.flatMap(({ aliases = [] }) => aliases)]

/** The scheme a request to this route is signed with: as asked, else the first one it verifies, else V2. */
export const schemeOf = (asked: string, verify: string | readonly string[] | undefined, secret: string): string => {
  if (asked !== 'auto') return byName(asked)?.name ?? asked
  if (secret === insecure) return 'none'
  const [first] = typeof verify === 'string' ? [verify] : (verify ?? [])
  return first === undefined ? v2.name : (byName(first)?.name ?? first)
}

/** The request as a sender of this scheme posts it. Throws a Fault for a name that is none, and for a secret that cannot serve it. */
export const signedAs = (scheme: string, request: Unsigned): Signed => {
  const sign = byName(scheme)?.sign ?? pretended.get(scheme)
  if (sign) return sign(request)
  throw new Fault('bad_scheme', `unknown scheme "${scheme}"`, { exitCode: exit.usage, hint: `one of: ${names.join(', ')}` })
}
