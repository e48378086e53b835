/**
 * Makes the request that a sender would post to a route, for a trace or a test of the route: signed, or taken as verified where only the
 * sender can sign, and for a route without an address.
 */

import { randomUUID } from 'node:crypto'
import type { RouteSource } from '../../config/config.ts'
import { pathAndQueryOf } from '../../core/address/path-and-query.ts'
import { Fault } from '../../core/fault.ts'
import { allSchemes } from '../../plan/route-schemes.ts'
import { asReceived, type RequestInput, requestTo } from '../requests/prepare-test.ts'
import { cannotSign } from '../requests/sign-test.ts'
import { type DryWorld, withSecret } from './dry-plan.ts'
import type { Traced } from './trace.ts'

/** The configuration around a route, which says how its senders sign and which address they sign. */
export type AroundRoute = Pick<DryWorld, 'config' | 'catalogue'>

/** Makes the request from a sample or a body. Throws a Fault where the request cannot be made. */
export const asPosted = (
  source: RouteSource,
  { config, catalogue }: AroundRoute,
  content: Omit<RequestInput, 'schemes' | 'publicUrl'>,
): Traced => {
  const input = { ...content, schemes: allSchemes(catalogue, source.spec), publicUrl: config.adapter.public_url }
  if (source.spec.address === false) return asVerified(withSecret(source), input)
  try {
    const { method, headers, body, url } = requestTo(source, input)
    return { kind: 'post', method, headers: asReceived(headers), body: Buffer.from(body), url }
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== cannotSign || input.scheme !== undefined) throw error
    return asVerified(source, input)
  }
}

const asVerified = (source: RouteSource, input: RequestInput): Traced => {
  const { method, headers, body, url } = requestTo(source, { ...input, scheme: 'none' })
  const verification = { scheme: 'sample', secret: 0, signedId: undefined }
  const request = {
    eventId: randomUUID(),
    method,
    pathAndQuery: pathAndQueryOf(url),
    headers: asReceived(headers),
    body: Buffer.from(body),
    at: input.at,
    remote: () => '127.0.0.1',
    verification,
  }
  return { kind: 'verified', request }
}
