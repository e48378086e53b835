/** `events export`: stored events as samples, tests, curl lines or JSON lines; what was masked in them stays masked. */

import { describePayload, payloadOf } from '../../app/events/event-payload.ts'
import { describeEvent, type KnownEvent } from '../../app/events/known-event.ts'
import { jsonText } from '../../app/json-text.ts'
import { exportedTest } from '../../app/route-tests/exported-test.ts'
import { curlOfRequest } from '../../app/routes/curl.ts'
import { routeUrl } from '../../app/routes/route-address.ts'
import { secretsOf } from '../../app/samples/add-sample.ts'
import { renderSample } from '../../app/samples/sample-file.ts'
import { yamlText } from '../../app/yaml-text.ts'
import { loadConfig } from '../../config/load.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { chosen } from './bulk.ts'
import type { SelectionOptions } from './selection.ts'

export type ExportOptions = SelectionOptions & { readonly as?: 'sample' | 'test' | 'curl' | 'jsonl' }

export const eventsExport = async (ids: readonly string[], { as = 'sample', ...selection }: ExportOptions, cli: Cli): Promise<number> => {
  const events = await chosen(ids, selection, cli)
  if (cli.json) {
    const whole: JsonObject[] = []
    for (const known of events) whole.push(await wholeOf(known, cli))
    return answer(cli, { kind: 'events.export', data: { events: whole }, text: '' })
  }
  const urlOf = as === 'curl' ? urls(cli) : () => ''
  const secrets = as === 'test' ? secretsOf(cli.workspace) : []
  const tests: JsonObject[] = []
  let missing = 0
  // One after the other: a thousand bodies need not be in memory at once.
  for (const known of events) {
    const payload = await payloadOf(cli.workspace, known.event)
    if (as === 'jsonl') cli.io.stdout(`${jsonText({ ...describeEvent(known), ...describePayload(payload) })}\n`)
    else if (typeof payload === 'string') missing++
    else if (as === 'test') tests.push(exportedTest(known.event, payload, secrets))
    else cli.io.stdout(as === 'sample' ? renderSample({}, payload) : curlOfRequest(payload, urlOf(known)))
  }
  if (tests.length > 0) cli.io.stdout(yamlText({ tests }, { lineWidth: 120 }))
  if (missing === 0) return exit.ok
  if (missing === events.length) throw new Fault('not_found', 'no payload was kept of what was asked for', { exitCode: exit.notFound })
  note(cli, `${missing} left out: their payload was not kept, or is gone`)
  return exit.no
}

const wholeOf = async (known: KnownEvent, cli: Cli): Promise<JsonObject> => ({
  ...describeEvent(known),
  ...describePayload(await payloadOf(cli.workspace, known.event)),
})

const urls = (cli: Cli): ((known: KnownEvent) => string) => {
  const { config } = loadConfig(cli.workspace)
  note(cli, 'signatures and tokens in these are masked: only a route without verification takes them as they are')
  return ({ event }) => routeUrl(config, event.route, event.profile)
}
