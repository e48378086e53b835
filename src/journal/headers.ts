/** Headers as the journal keeps them: values that open doors become `***`, everything else stays for filters at a replay. */

import type { RawRequest } from './record.ts'

const secret = /^(?:set-)?cookie$|token|secret|password|api-?key|authorization|signature/i

/** A copy with the values of secret headers masked; own properties only. */
export const maskHeaders = (headers: RawRequest['headers']): RawRequest['headers'] => {
  // A spread defines an own `__proto__` instead of setting it, so a hostile name is one like any other.
  const masked = { ...headers }
  for (const name of Object.keys(masked)) if (secret.test(name)) masked[name] = '***'
  return masked
}
