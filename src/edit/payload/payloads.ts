/** Lists the payloads with which a route can be tried, which are samples and recorded events, and reads one payload. */

import { isUtf8 } from 'node:buffer'
import { basename } from 'node:path'
import type { Config, RouteSource } from '../../config/config.ts'
import { pathAndQueryOf } from '../../core/address/path-and-query.ts'
import { systemClock } from '../../core/clock.ts'
import { exactOf } from '../../core/exact-json.ts'
import type { Event, Headers } from '../../core/request.ts'
import { cut } from '../../core/text.ts'
import { prettyJson } from '../../datadir/json-text.ts'
import { withRecords } from '../../datadir/records/open-records.ts'
import { readRoutes } from '../../datadir/routes.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { asReceived } from '../../dryrun/requests/prepare-test.ts'
import { findSample, readSample } from '../../dryrun/samples/gallery.ts'
import { trace } from '../../dryrun/trace/trace.ts'
import { recordedRequest, requestToTrace } from '../../dryrun/trace/trace-route.ts'
import type { EventSummary } from '../../journal/record.ts'
import { eventReader, type RequestContent } from '../../operate/events/event-reader.ts'
import { outcomeOf } from '../../operate/events/event-status.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { quietBook } from '../../plan/check.ts'
import type { Catalogue } from '../../plan/compile.ts'
import { allSchemes } from '../../plan/route-schemes.ts'
import { maskHeaders, maskQuery } from '../../secrets/mask.ts'
import type { Payload, PayloadChoice, PayloadRow } from '../service.ts'
import { contentOfChoice, withWholePath } from './payload-choice.ts'
import { payloadValues } from './payload-values.ts'
import { type RankedSample, rankedSamples } from './ranked-samples.ts'
import { schemaValues } from './schema-values.ts'

const maxRecorded = 100
const maxBody = 200_000

/** The most samples that are tried to find a sample that no stage of the route stops. The best samples are tried first. */
const maxTried = 12

/** A route with its configuration. `source`: absent for a new route, and for a route whose entry is not valid. */
type RouteContext = { readonly source: RouteSource | undefined; readonly catalogue: Catalogue; readonly config: Config }

/** Finds the route of a name. `source` is absent where no valid route has the name, or no name is given. */
const routeNamed = async (workspace: Workspace, name: string | undefined): Promise<RouteContext> => {
  const { loaded, routes } = readRoutes(workspace)
  const { catalogue } = await catalogueOf(loaded.config)
  return { source: routes.find((known) => known.name === name)?.route, catalogue, config: loaded.config }
}

/** Returns the rows: samples first if the best sample shows an event that the route is about, otherwise recorded events first. */
export const payloadRows = async (workspace: Workspace, { route }: { readonly route?: string }): Promise<readonly PayloadRow[]> => {
  const context = await routeNamed(workspace, route)
  const samples = await passingFirst(workspace, rankedSamples(workspace, context.source, allSchemes(context.catalogue)), context)
  const rows = samples.map(
    ({ name, type, bytes, fits, problem }): PayloadRow => ({
      choice: { from: 'sample', name },
      group: 'samples',
      title: name,
      detail: problem ?? `${type}  ${sizeText(bytes)}`,
      fits,
    }),
  )
  const recorded = await recordedRows(workspace, route)
  return samples[0]?.isLike ? [...rows, ...recorded] : [...recorded, ...rows]
}

/** Moves a sample to the front: the first of the fitting samples that passes all stages of the route. Tries `maxTried` of them at most. */
const passingFirst = async (
  workspace: Workspace,
  samples: readonly RankedSample[],
  { source, catalogue, config }: RouteContext,
): Promise<readonly RankedSample[]> => {
  if (!source) return samples
  const effects = { jobs: quietBook(config, catalogue), clock: systemClock }
  for (const each of samples.filter(({ fits }) => fits).slice(0, maxTried)) {
    try {
      const traced = await requestToTrace(workspace, source, { config, catalogue }, { of: { sample: each.name }, set: [], unset: [] })
      const { stoppedAt } = await trace(traced, { source, config, catalogue, effects })
      if (stoppedAt === null) return [each, ...samples.filter((other) => other !== each)]
    } catch {
      // A route that is not valid takes no sample, so the order stays as it is.
      return samples
    }
  }
  return samples
}

/**
 * Returns the recorded events of one route, or of all routes, the newest first. Events whose request was not kept, or not verified, are
 * left out.
 */
const recordedRows = async (workspace: Workspace, route: string | undefined): Promise<readonly PayloadRow[]> => {
  const fits = (event: EventSummary): boolean =>
    (route === undefined || event.route === route) && event.raw !== undefined && event.unverified === undefined
  const { events } = await withRecords(workspace, (records) => records.events({ fits, limit: maxRecorded }))
  return [...events]
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .map((event) => ({
      choice: { from: 'event', id: event.event_id },
      group: 'recorded',
      title: shortTime(event.at),
      detail: [
        ...(route === undefined ? [event.route] : []),
        event.event_type ?? 'unknown',
        outcomeOf(event),
        sizeText(event.raw?.body_bytes ?? 0),
        event.event_id.slice(0, 8),
      ].join('  '),
      fits: true,
    }))
}

/** Returns a time like `2026-11-22 10:02:11`, in UTC as in the journal. */
const shortTime = (at: string): string => at.slice(0, 19).replace('T', ' ')

const sizeText = (bytes: number): string => (bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(1)} kB`)

/**
 * Reads a payload with its headers as the route would get them. Throws a Fault: there is no such sample, event or file, it cannot be read
 * or signed, or the event's request was not kept or not verified.
 */
export const readPayload = async (
  workspace: Workspace,
  { choice, route }: { readonly choice: PayloadChoice; readonly route: string },
): Promise<Payload> => {
  const whole = withWholePath(choice)
  const context = await routeNamed(workspace, route)
  const request = await previewRequest(workspace, whole, context)
  const { method, headers, body, pathAndQuery } = request
  const event = eventReader(context.source, allSchemes(context.catalogue))(request)
  const shown = shownHeaders(headers)
  return {
    choice: whole,
    title: payloadTitle(whole),
    ...bodyOf(body, event),
    bytes: body.length,
    headers: shown,
    values: payloadValues(event && exactOf(event), event?.eventType, shown, {
      method,
      pathAndQuery: pathAndQuery && maskQuery(pathAndQuery),
    }),
  }
}

/** As `readPayload`, with the paths that only the payload schema of the route names. */
export const readTrialPayload: typeof readPayload = async (workspace, of) => {
  const payload = await readPayload(workspace, of)
  const { source, config } = await routeNamed(workspace, of.route)
  return { ...payload, values: [...payload.values, ...schemaValues(source, config, payload.values)] }
}

const shownHeaders = (headers: Headers): Payload['headers'] => {
  const texts = Object.entries(headers).map(([name, value = '']) => [name, String(value)] as const)
  return maskHeaders(Object.fromEntries(texts)) as Payload['headers']
}

/** Returns the request of a payload. A recorded request stays as it came; any other is signed where the route has a secret to sign with. */
const previewRequest = async (
  workspace: Workspace,
  choice: PayloadChoice,
  { source, catalogue, config }: RouteContext,
): Promise<RequestContent> => {
  const of = contentOfChoice(choice)
  if ('eventId' in of) return recordedRequest(workspace, of.eventId)
  if (source && source.secrets.length > 0) {
    const traced = await requestToTrace(workspace, source, { config, catalogue }, { of, set: [], unset: [] })
    return traced.kind === 'post' ? { ...traced, pathAndQuery: traced.url && pathAndQueryOf(traced.url) } : traced.request
  }
  const { headers, body } =
    'sample' in of ? readSample(findSample(workspace, of.sample)) : 'payload' in of ? { headers: {}, body: of.payload } : of
  return { headers: asReceived(headers), body: Buffer.from(body) }
}

const bodyOf = (body: Buffer, event: Event | undefined): Pick<Payload, 'body' | 'isCut'> => {
  if (!isUtf8(body)) return { body: `(${body.length} bytes that are no text)`, isCut: true }
  const text = body.toString('utf8')
  const shown = event?.text === text ? prettyJson(text, maxBody + 1) : text
  return { body: cut(shown, maxBody), isCut: shown.length > maxBody }
}

const payloadTitle = (choice: PayloadChoice): string => {
  switch (choice.from) {
    case 'sample':
      return choice.name
    case 'event':
      return `event ${choice.id.slice(0, 8)}`
    case 'file':
      return basename(choice.file)
    case 'text':
      return choice.headers ? 'edited' : 'pasted'
  }
}
