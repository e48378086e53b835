/** Traces an event through a route of a data directory as it stands in the files now; no gateway needs to run. */

import { randomUUID } from 'node:crypto'
import type { RouteSource } from '../../config/config.ts'
import { systemClock } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'
import { journalFolder } from '../../journal/folder.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { quietBook } from '../../plan/check.ts'
import { runScript } from '../../process/script.ts'
import { requestAgain } from '../events/request-again.ts'
import { findRoute, readRoutes } from '../routes/routes.ts'
import { schemeOf, signedAs } from '../routes/sign-test.ts'
import type { Workspace } from '../workspace.ts'
import { type Trace, type Traced, trace } from './trace.ts'

export type TraceWish = {
  /** A recorded event by its id, or a body to sign and post; `headers` are what its sender adds to the signature's. */
  readonly of:
    | { readonly eventId: string }
    | { readonly body: string; readonly event?: string; readonly headers?: { readonly [name: string]: string } }
  /** Scripts run too: the one thing of a trace that may touch the world. */
  readonly runScripts: boolean
}

/** Throws a Fault: there is no such route or event, or the route is not valid. */
export const traceRoute = async (workspace: Workspace, name: string, { of, runScripts }: TraceWish): Promise<Trace> => {
  const known = readRoutes(workspace)
  const { route: source } = findRoute(known, name)
  if (!source)
    throw new Fault('invalid_route', `"${name}" is not served: its entry is not valid`, {
      exitCode: exit.no,
      hint: `${workspace.self} validate`,
    })
  const { config } = known.loaded
  const { catalogue } = await catalogueOf(config)
  const traced = 'eventId' in of ? await recorded(workspace, of.eventId) : posted(source, of)
  return trace(traced, {
    source,
    config,
    catalogue,
    effects: { jobs: quietBook(config, catalogue), clock: systemClock, ...(runScripts ? { script: runScript } : {}) },
  })
}

const recorded = async ({ dataDir, self }: Workspace, eventId: string): Promise<Traced> => {
  const again = await requestAgain(journalFolder(dataDir), eventId, { at: systemClock.now(), sameId: true })
  if (again.found) return { kind: 'verified', request: again.request }
  throw new Fault('not_found', again.why, { exitCode: exit.notFound, hint: `${self} events list` })
}

type Posted = Exclude<TraceWish['of'], { readonly eventId: string }>

/** Signed with the route's own secret, as `webhook test` does. */
const posted = ({ name, secrets: [secret], spec }: RouteSource, { body, event = spec.events?.[0], headers }: Posted): Traced => {
  if (secret === undefined) throw new Fault('invalid_route', `"${name}" is not served: it has no secret`, { exitCode: exit.no })
  const unsigned = { secret, body, id: randomUUID(), at: systemClock.now(), ...(event === undefined ? {} : { event }) }
  const signed = signedAs(schemeOf('auto', spec.verify, secret), unsigned)
  const all = { host: '127.0.0.1', 'content-type': 'application/json', ...headers, ...signed.headers }
  const lower = Object.fromEntries(Object.entries(all).map(([key, value]) => [key.toLowerCase(), value]))
  return { kind: 'post', headers: lower, body: Buffer.from(signed.body) }
}
