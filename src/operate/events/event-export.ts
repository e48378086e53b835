/**
 * Renders stored events as texts for use elsewhere: samples, tests, curl command lines, or JSON lines. Values that are masked in the
 * journal stay masked, and secret headers are masked here.
 */

import { loadConfig } from '../../config/load.ts'
import type { JsonObject } from '../../core/json.ts'
import { jsonText } from '../../datadir/json-text.ts'
import { openRecords, withRecords } from '../../datadir/records/open-records.ts'
import { routeUrl } from '../../datadir/route-address.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { yamlText } from '../../datadir/yaml-text.ts'
import { curlOfRequest } from '../../dryrun/requests/curl.ts'
import { exportedTest } from '../../dryrun/route-tests/exported-test.ts'
import { renderSample } from '../../dryrun/samples/sample-file.ts'
import { configuredSecrets } from '../samples/add-sample.ts'
import { describePayload, payloadOf } from './event-payload.ts'
import { describeEvent, type EventStatus } from './event-status.ts'

export type ExportForm = 'sample' | 'test' | 'curl' | 'jsonl'

/**
 * Yields a text for each event, in the order of the events. For the form `test`, yields a single text with all tests at the end. Returns
 * the number of events that were left out because their request was not kept; none is left out of `jsonl`. Events are read one after the
 * other, because a thousand bodies need not be in memory at once; only tests are gathered.
 */
export async function* exportEvents(
  workspace: Workspace,
  events: readonly EventStatus[],
  form: ExportForm,
): AsyncGenerator<string, number, void> {
  const config = form === 'curl' ? loadConfig(workspace).config : undefined
  const secrets = form === 'test' ? configuredSecrets(workspace) : []
  const tests: JsonObject[] = []
  let missing = 0
  const records = await openRecords(workspace)
  try {
    for (const known of events) {
      const { event } = known
      const payload = await payloadOf(records, event)
      if (form === 'jsonl') yield `${jsonText({ ...describeEvent(known), ...describePayload(payload) })}\n`
      else if (typeof payload === 'string') missing++
      else if (form === 'test') tests.push(exportedTest(event, payload, secrets))
      else yield config ? curlOfRequest(payload, routeUrl(config, event.route, event.profile)) : renderSample({}, payload)
    }
  } finally {
    await records.close()
  }
  if (tests.length > 0) yield yamlText({ tests }, { lineWidth: 120 })
  return missing
}

/** Returns each event with its payload as JSON, for programs. */
export const describeEvents = (workspace: Workspace, events: readonly EventStatus[]): Promise<JsonObject[]> =>
  withRecords(workspace, async (records) => {
    const whole: JsonObject[] = []
    for (const known of events) whole.push({ ...describeEvent(known), ...describePayload(await payloadOf(records, known.event)) })
    return whole
  })
