/** Orders the schemes of a route by which decides on a request. */

import type { Headers } from '../core/request.ts'
import type { Scheme } from './schemes/scheme.ts'

/**
 * Returns the schemes in the order in which they are asked. A scheme without a header of its own (its signature is in the body or the
 * address) shows in every request, so it comes last: schemes after it would never be asked.
 */
export const inDecidingOrder = (schemes: readonly Scheme[]): readonly Scheme[] => {
  const always = schemes.filter((scheme) => scheme.shows(noHeaders))
  return always.length === 0 ? schemes : [...schemes.filter((scheme) => !always.includes(scheme)), ...always]
}

const noHeaders: Headers = {}
