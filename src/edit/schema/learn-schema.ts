/** Makes a payload schema for a route of the events that the route recorded, or of samples. */

import { exit, Fault } from '../../core/fault.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Headers } from '../../core/request.ts'
import { withRecords } from '../../datadir/records/open-records.ts'
import { findRoute, readRoutes } from '../../datadir/routes.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { asReceived } from '../../dryrun/requests/prepare-test.ts'
import { findSample, readSample } from '../../dryrun/samples/gallery.ts'
import { learnSchema } from '../../expr/schema/learn.ts'
import { payloadOf } from '../../operate/events/event-payload.ts'
import { eventReader, type RequestContent } from '../../operate/events/event-reader.ts'
import { compileTypeList } from '../../parts/listed-types.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { allSchemes } from '../../plan/route-schemes.ts'

/** `samples`: names of samples to learn from, in place of recorded events. `limit`: the most events. `isClosed`: further keys do not fit. */
export type LearnOptions = { readonly samples: readonly string[]; readonly limit: number; readonly isClosed: boolean }

/** `payloads`: how many payloads the schema is made of. */
export type Learned = { readonly schema: JsonObject; readonly payloads: number }

/**
 * Learns from the newest verified events whose type the route lists. Throws a Fault where there is no such route or sample, and where no
 * payload is there to learn from.
 */
export const learnPayloadSchema = async (workspace: Workspace, asked: string, options: LearnOptions): Promise<Learned> => {
  const entries = readRoutes(workspace)
  const { name, route } = findRoute(entries, asked)
  const { catalogue } = await catalogueOf(entries.loaded.config)
  const read = eventReader(route, allSchemes(catalogue, route?.spec ?? {}))
  const { events = [] } = route?.spec ?? {}
  const isListed = events.length === 0 ? () => true : compileTypeList(events)
  const payloadIn = (content: RequestContent): Json | undefined => {
    const event = read(content)
    return event && isListed(event) ? event.payload : undefined
  }
  const payloads =
    options.samples.length > 0
      ? samplePayloads(workspace, options.samples, payloadIn)
      : await recorded(workspace, name, options.limit, payloadIn)
  if (payloads.length === 0) throw nothingLearned(name, options.samples.length > 0)
  return { schema: learnSchema(payloads, options.isClosed ? 'closed' : 'open'), payloads: payloads.length }
}

type PayloadIn = (content: RequestContent) => Json | undefined

const samplePayloads = (workspace: Workspace, names: readonly string[], payloadIn: PayloadIn): Json[] =>
  names.flatMap((name) => {
    const { headers, body } = readSample(findSample(workspace, name))
    return payloadIn({ headers: asReceived(headers), body: Buffer.from(body) }) ?? []
  })

const recorded = (workspace: Workspace, route: string, limit: number, payloadIn: PayloadIn): Promise<Json[]> =>
  withRecords(workspace, async (records) => {
    const { events } = await records.events({
      fits: (event) => event.route === route && event.raw !== undefined && event.unverified === undefined,
      limit,
    })
    const payloads: Json[] = []
    for (const event of events) {
      const request = await payloadOf(records, event)
      const payload = typeof request === 'string' ? undefined : payloadIn({ ...request, headers: request.headers as Headers })
      if (payload !== undefined) payloads.push(payload)
    }
    return payloads
  })

const nothingLearned = (route: string, bySamples: boolean): Fault =>
  new Fault(
    'not_found',
    bySamples
      ? `none of the samples is an event that route "${route}" lists`
      : `no event of route "${route}" with its payload is on record`,
    {
      exitCode: exit.notFound,
      hint: 'learn from samples: headgate schema learn <route> --sample <name>; headgate samples list has the names',
    },
  )
