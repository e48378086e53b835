/**
 * Orders the schemes of a route. The first scheme in this order that shows in the headers of a request verifies the request, and no other
 * scheme is tried.
 */

import type { Headers } from '../core/request.ts'
import type { Scheme } from './schemes/scheme.ts'

/**
 * Returns the schemes in the order in which they are looked for in a request. A scheme without a header of its own (its signature is in the
 * body or the address) shows in every request. Such a scheme comes last, because a scheme after it would never be used.
 */
export const inDecidingOrder = (schemes: readonly Scheme[]): readonly Scheme[] => {
  const always = schemes.filter((scheme) => scheme.shows(noHeaders))
  return always.length === 0 ? schemes : [...schemes.filter((scheme) => !always.includes(scheme)), ...always]
}

const noHeaders: Headers = {}
