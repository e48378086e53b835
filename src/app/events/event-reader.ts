/** Reads the event in a request as its route does, for any signer. */

import type { RouteSource } from '../../config/config.ts'
import { systemClock } from '../../core/clock.ts'
import type { Event, Headers } from '../../core/request.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'
import { compileParser } from '../../parts/stages/json.ts'

export type Request = { readonly headers: Headers; readonly body: Buffer }

/** Returns a function that reads a request. The function returns `undefined` for a body that the route could not read. */
export const eventReader = (source: RouteSource | undefined, schemes: readonly Scheme[]): ((request: Request) => Event | undefined) => {
  const parse = compileParser({ name: source?.name ?? '', profile: source?.profile ?? '', schemes }, source?.spec)
  const verification = { scheme: '', secret: 0, signedId: undefined }
  return (request) => {
    const event = parse({ ...request, eventId: '', remote: () => '', at: systemClock.now(), verification })
    return 'kind' in event ? undefined : event
  }
}
