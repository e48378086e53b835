/** Replays recorded events, and turns them into curl command lines, samples and tests. */

import { join } from 'node:path'
import { dump } from 'js-yaml'
import { replaceText, textOfFile } from '../config/writing/replace-text.ts'
import { editYaml } from '../config/yaml/edit/edit.ts'
import { parseSource } from '../config/yaml/source.ts'
import { exit, Fault } from '../core/fault.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import { withRecords } from '../datadir/records/open-records.ts'
import { routeUrl } from '../datadir/route-address.ts'
import { readRoutes } from '../datadir/routes.ts'
import type { GatewayFinder } from '../datadir/running-gateway.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { curlOfRequest } from '../dryrun/requests/curl.ts'
import { exportedTest } from '../dryrun/route-tests/exported-test.ts'
import { renderSample } from '../dryrun/samples/sample-file.ts'
import type { EventView, RawRequest } from '../journal/record.ts'
import { payloadOf } from '../operate/events/event-payload.ts'
import { addSample, configuredSecrets } from '../operate/samples/add-sample.ts'
import type { Tested } from './service.ts'

type Recorded = { readonly view: EventView; readonly request: RawRequest }

/** Reads a recorded event and its request. Throws a Fault where there is no such event, and where its request was not kept. */
export const readRecorded = (workspace: Workspace, eventId: string): Promise<Recorded> =>
  withRecords(workspace, async (records) => {
    const found = await records.event(eventId)
    if (found.kind !== 'found') throw new Fault('not_found', `there is no event ${eventId}`, { exitCode: exit.notFound })
    const request = await payloadOf(records, found.event)
    if (typeof request !== 'string') return { view: found.event, request }
    throw new Fault('not_found', `of event ${eventId} no request was kept: ${request}`, { exitCode: exit.notFound })
  })

/**
 * Replays an event in the running gateway. `ok`: the event was answered with a status below 400. Throws a Fault (exit 4) when no gateway
 * runs.
 */
export const replayRecorded = async (finder: GatewayFinder, eventId: string): Promise<Tested> => {
  const replayed = await (await finder.need()).replay({ id: eventId })
  if (!replayed.found) return { ok: false, message: replayed.why }
  const { status, outcome, reason, event_id } = replayed
  const said = `${status} ${outcome}${reason === undefined ? '' : `: ${reason}`}`
  return { ok: status < 400, message: said, ...(event_id === undefined ? {} : { eventId: event_id }) }
}

/** Returns the event's request as a curl command line, with signatures and tokens masked. */
export const curlOfRecorded = async (workspace: Workspace, eventId: string): Promise<string> => {
  const { view, request } = await readRecorded(workspace, eventId)
  return curlOfRequest(request, routeUrl(readRoutes(workspace).loaded.config, view.route, view.profile))
}

/** Saves the request of an event as a sample of the given name. Returns a sentence that names the sample's file. */
export const sampleOfRecorded = async (workspace: Workspace, eventId: string, name: string): Promise<string> => {
  const { view, request } = await readRecorded(workspace, eventId)
  const about = view.event_type === undefined ? {} : { event: view.event_type }
  const added = await addSample(workspace, name, renderSample(about, request), false)
  return `saved as ${added.file}; ${added.replaced.length} texts were scrubbed`
}

/** Adds an event to the tests of its route in the file `<data_dir>/<route>.webhook-test.yaml`. Returns a sentence that names the file. */
export const testOfRecorded = async (workspace: Workspace, eventId: string): Promise<string> => {
  const { view, request } = await readRecorded(workspace, eventId)
  const test = exportedTest(view, request, configuredSecrets(workspace))
  const file = join(workspace.dataDir, `${view.route}.webhook-test.yaml`)
  const before = textOfFile(file)
  const after = before === '' ? dump({ routes: 'config.yaml', tests: [test] }, { lineWidth: 120 }) : withTest(file, before, test)
  await replaceText(file, before, after)
  return `added to ${file}`
}

const withTest = (file: string, text: string, test: JsonObject): string => {
  const data = parseSource(file, text).source?.data
  const tests = isObject(data) && Array.isArray(data.tests) ? data.tests : []
  const edited = editYaml(text, { kind: 'insert', path: ['tests'], at: tests.length, value: test })
  if (edited.ok) return edited.text
  throw new Fault('conflict', `${file}: no test can be added: ${edited.why}`, { exitCode: exit.conflict })
}
