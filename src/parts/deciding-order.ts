/** Which of several schemes decides on a request. */

import type { Headers } from '../core/request.ts'
import type { Scheme } from './schemes/scheme.ts'

/**
 * In the order in which they are asked. A scheme without a header of its own (its signature stands in the body or the address) shows in every
 * request, so that it comes last: those behind it would never be asked.
 */
export const inDecidingOrder = (schemes: readonly Scheme[]): readonly Scheme[] => {
  const always = schemes.filter((scheme) => scheme.shows(noHeaders))
  return always.length === 0 ? schemes : [...schemes.filter((scheme) => !always.includes(scheme)), ...always]
}

const noHeaders: Headers = {}
