/** Reads the parameters of an address as the payload of a request without a body. */

import { mapOfNamed, maxQueryParts } from '../../core/address/path-and-query.ts'
import type { BodyContent } from '../../core/request.ts'

/**
 * Returns the parameters as a map of texts: a repeated name has the list of its values. `hidden`: names that are left out, because their
 * values are secrets. An address with 64 parameters or more has too many: where its secrets were masked, the ones past the 64th are gone,
 * and what is read is never a part of what was sent.
 */
export const queryContent = (pathAndQuery: string, hidden: ReadonlySet<string>): BodyContent => {
  const query = /^[^?#]*\?([^#]*)/.exec(pathAndQuery)?.[1] ?? ''
  if (query.split('&', maxQueryParts).length === maxQueryParts)
    return { kind: 'unread', why: 'too many', detail: `more than ${maxQueryParts - 1} parameters in the address` }
  const payload = mapOfNamed([...new URLSearchParams(query)].filter(([name]) => !hidden.has(name)))
  return { kind: 'json', text: JSON.stringify(payload), payload }
}
