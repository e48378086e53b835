/** Finds the places in which a request of a described scheme has a secret, so that the secrets are masked. */

import type { SignatureScheme } from '../../../generated/config.ts'
import type { Scheme } from '../scheme.ts'
import { signatureSourceOf } from './description.ts'
import type { ValueSource } from './request-view.ts'

/**
 * Returns the headers, the parameters of the query and the fields of the body in which a sender sends the route's secret, or the
 * `verify_token` of a handshake.
 */
export const secretPlaces = (description: SignatureScheme): Pick<Scheme, 'secretHeaders' | 'secretQuery' | 'secretFields'> => {
  const { algorithm, handshakes = [] } = description
  const places: ValueSource[] = handshakes.flatMap(({ token }) => token ?? [])
  if (algorithm === 'token' || algorithm === 'basic') places.push(signatureSourceOf(description))
  const secretHeaders = places.flatMap(({ header }) => header?.toLowerCase() ?? [])
  const secretQuery = places.flatMap(({ query }) => query ?? [])
  const secretFields = places.flatMap(({ body }) => body ?? [])
  return {
    ...(secretHeaders.length > 0 ? { secretHeaders } : {}),
    ...(secretQuery.length > 0 ? { secretQuery } : {}),
    ...(secretFields.length > 0 ? { secretFields } : {}),
  }
}
