/** Drafts a route from one request: the scheme of its sender, the type of its event, and the fields that its prompt can name. */

import { defaultProfile } from '../config/config.ts'
import { exit, Fault } from '../core/fault.ts'
import { isObject, type Json, type JsonObject, parseObject, valueAt } from '../core/json.ts'
import { withRecords } from '../datadir/records/open-records.ts'
import { readRoutes } from '../datadir/routes.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { asReceived } from '../dryrun/requests/prepare-test.ts'
import { routeOfSender } from '../dryrun/requests/sender-route.ts'
import { findSample, readSample, sampleNameOf } from '../dryrun/samples/gallery.ts'
import { partsOf } from '../expr/path-parts.ts'
import type { Route } from '../generated/config.ts'
import type { EventRecords } from '../journal/event-records.ts'
import { payloadOf } from '../operate/events/event-payload.ts'
import { eventReader } from '../operate/events/event-reader.ts'
import { compileTypeList } from '../parts/listed-types.ts'
import { presets, schemes } from '../parts/schemes/index.ts'

/** The traits of a request that the draft of a route is made from: the scheme for `verify`, the event type, and the payload. */
type RequestTraits = { readonly verify?: Json | undefined; readonly event?: string | undefined; readonly payload: JsonObject }

/**
 * Drafts the route. `like`: the name of a sample (`github/push`), or the id of a recorded event. Where the event's payload was not kept,
 * none of its fields are in the draft. Throws a Fault where there is no such sample or event.
 */
export const routeLike = async (workspace: Workspace, like: string): Promise<JsonObject> => {
  const { verify, event, payload } =
    sampleNameOf(like) === undefined ? await traitsOfRecord(workspace, like.trim()) : traitsOfSample(workspace, like)
  const known = typeof verify === 'string' ? routeOfSender(verify) : undefined
  // The prompt of the sender's preset names fields of the events that the preset lists, so the prompt fits no other event.
  if (known && Array.isArray(known.events) && event !== undefined && known.events.includes(event)) return { ...known, events: [event] }
  const prompt = promptFor(event, payload)
  return {
    ...(verify === undefined ? {} : { verify }),
    ...(event === undefined ? {} : { events: [event] }),
    ...(prompt === undefined ? {} : { prompt }),
  }
}

const traitsOfSample = (workspace: Workspace, like: string): RequestTraits => {
  const sample = findSample(workspace, like)
  const { event, body, headers } = readSample(sample)
  const [sender = ''] = sample.name.split('/')
  const scheme = [...schemes, ...presets].find(({ name, aliases }) => name === sender || aliases?.includes(sender))
  const payload = parseObject(body) ?? {}
  if (!scheme) return { verify: undefined, event, payload }
  const verify = scheme.name as NonNullable<Route['verify']> & string
  const source = { name: '', profile: defaultProfile, spec: { verify } }
  const read = eventReader(source, [scheme])({ headers: asReceived(headers), body: Buffer.from(body) })
  // The event in the name of a sample is only a label. For some senders, the type that the gateway reads differs from the label.
  const isRead = read !== undefined && event !== undefined && compileTypeList([event])(read)
  return { verify, event: isRead ? event : knownType(read?.eventType), payload: isObject(read?.payload) ? read.payload : payload }
}

const knownType = (type: string | undefined): string | undefined => (type === 'unknown' ? undefined : type)

/** Reads the traits of a recorded request. The route that took the event says which scheme verifies it. */
const traitsOfRecord = (workspace: Workspace, id: string): Promise<RequestTraits> =>
  withRecords(workspace, (records) => traitsOfEvent(records, workspace, id))

const traitsOfEvent = async (records: EventRecords, workspace: Workspace, id: string): Promise<RequestTraits> => {
  const lookup = await records.event(id)
  if (lookup.kind !== 'found') {
    const hint = `a sample has a slash in its name: ${workspace.self} samples list; events: ${workspace.self} events list`
    throw new Fault('not_found', `there is neither a sample nor an event "${id}"`, { exitCode: exit.notFound, hint })
  }
  const { event } = lookup
  const request = await payloadOf(records, event)
  const route = readRoutes(workspace).routes.find(({ name }) => name === event.route)
  const verify = route && isObject(route.written) ? route.written.verify : undefined
  const body = typeof request === 'string' ? '' : Buffer.from(request.body).toString('utf8')
  return { verify: isObject(verify ?? null) ? undefined : verify, event: event.event_type ?? undefined, payload: parseObject(body) ?? {} }
}

/** The paths of the values that a person reads first in an event. The events of each sender have some of these paths. */
const promptPaths = [
  ...['action', 'object_attributes.action', 'repository.full_name', 'project.path_with_namespace', 'number', 'ref'],
  ...[
    'pull_request.title',
    'issue.title',
    'object_attributes.title',
    'release.name',
    'title',
    'subject',
    'summary',
    'message',
    'text',
    'name',
  ],
  ...['sender.login', 'user.name', 'pusher.name', 'actor.display_name', 'status', 'id'],
] as const
const maxPromptPaths = 6
/** The most characters of a text that a prompt names. */
const maxValueChars = 200

/** Returns a prompt with placeholders for the values at `promptPaths`; `undefined` where the payload has no such value. */
const promptFor = (event: string | undefined, payload: JsonObject): string | undefined => {
  const isNamed = (path: string): boolean => {
    const value = valueAt(payload, partsOf(path))
    return (typeof value === 'string' && value !== '' && value.length <= maxValueChars) || typeof value === 'number'
  }
  const lines = promptPaths
    .filter(isNamed)
    .slice(0, maxPromptPaths)
    .map((path) => `${path.split('.').slice(-2).join(' ').replaceAll('_', ' ')}: {${path}}`)
  const what = event === undefined ? 'An event came.' : `"${event.replace(/[{}]/g, '')}" came.`
  return lines.length === 0 ? undefined : `${what}\n${lines.join('\n')}\n`
}
