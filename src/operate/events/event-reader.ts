/** Makes an event of a request as a route would, without checking who signed the request. */

import type { RouteSource } from '../../config/config.ts'
import { systemClock } from '../../core/clock.ts'
import { originHeader, pulled } from '../../core/headers.ts'
import type { Event, Headers } from '../../core/request.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'
import { compileParser } from '../../parts/stages/json.ts'
import { routePath } from '../../plan/compile.ts'

export type RequestContent = {
  readonly method?: string | undefined
  readonly pathAndQuery?: string | undefined
  readonly headers: Headers
  readonly body: Buffer
}

/**
 * Returns a function that makes the event of a request, as the route `source` would; without a route, as a route without settings would.
 * The function returns `undefined` for a body that the route could not read.
 */
export const eventReader = (
  source: Pick<RouteSource, 'name' | 'profile' | 'spec'> | undefined,
  schemes: readonly Scheme[],
): ((request: RequestContent) => Event | undefined) => {
  const { name = '', profile = '', spec } = source ?? {}
  const parse = compileParser({ name, profile, path: source ? routePath(source) : '', schemes }, spec)
  const verification = { scheme: '', secret: 0, signedId: undefined }
  return (request) => {
    const isPulled = request.headers[originHeader] === pulled
    const event = parse({ ...request, eventId: '', remote: () => '', at: systemClock.now(), verification, isPulled })
    return 'kind' in event ? undefined : event
  }
}
