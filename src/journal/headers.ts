/** Masks the headers that the journal keeps: secrets become `***`, the others stay, because a replay's filters may read them. */

import type { RawRequest } from './record.ts'

const secret = /^(?:set-)?cookie$|token|secret|password|api-?key|authorization|signature|hmac/i

/** A copy with the values of secret headers masked. */
export const maskHeaders = (headers: RawRequest['headers']): RawRequest['headers'] => {
  // A spread copies a header named `__proto__` as an own property, so that name does no harm.
  const masked = { ...headers }
  // V8 compiles an assignment for the hidden class of one sender's headers, and throws the code away, with all around it, for the next sender's.
  for (const name of Object.keys(masked)) if (secret.test(name)) Reflect.set(masked, name, '***')
  return masked
}
