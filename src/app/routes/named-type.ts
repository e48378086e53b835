/** The event's type that a test request names itself, read as the route reads it. */

import type { RouteSource } from '../../config/config.ts'
import type { Headers } from '../../core/request.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'
import { parserOf, untyped } from '../../parts/stages/json.ts'
import { verifyNames } from '../../parts/verify-names.ts'
import { serves } from './sign-test.ts'

/** `scheme` signs the request. The function gives `undefined` where headers and body name no type, or the body cannot be read. */
export const typeReader = (
  { name, profile, spec }: Pick<RouteSource, 'name' | 'profile' | 'spec'>,
  schemes: readonly Scheme[],
  scheme: string,
): ((headers: Headers, body: string) => string | undefined) => {
  const named = verifyNames(spec)
  const read = schemes.filter((each) => serves(each) || named.includes(each.name))
  const parse = parserOf({ name, profile, schemes: read }, spec)
  const verification = { scheme, secret: 0, signedId: undefined }
  return (headers, body) => {
    const known = { eventId: '', at: 0, remote: () => '', verification }
    const event = parse({ ...known, headers, body: Buffer.from(body) })
    return 'kind' in event || event.eventType === untyped ? undefined : event.eventType
  }
}
