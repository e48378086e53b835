/**
 * `events export`: writes stored events to stdout as samples, tests, curl lines or JSON lines. Values that are masked in the journal stay
 * masked. Exit 1 when the payload of some of the events was not kept, 5 when no payload was.
 */

import { exit, Fault } from '../../core/fault.ts'
import { describeEvents, type ExportForm, exportEvents } from '../../operate/events/event-export.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { chosenEvents } from './bulk.ts'
import type { SelectionOptions } from './selection.ts'

export type ExportOptions = SelectionOptions & { readonly as?: ExportForm }

export const eventsExport = async (ids: readonly string[], { as = 'sample', ...selection }: ExportOptions, cli: Cli): Promise<number> => {
  const { workspace, io } = cli
  const events = await chosenEvents(ids, selection, cli)
  if (cli.json) return answer(cli, { kind: 'events.export', data: { events: await describeEvents(workspace, events) }, text: '' })
  if (as === 'curl') note(cli, 'signatures and tokens in these are masked: only a route without verification takes them as they are')
  const texts = exportEvents(workspace, events, as)
  let next = await texts.next()
  for (; !next.done; next = await texts.next()) io.stdout(next.value)
  const missing = next.value
  if (missing === 0) return exit.ok
  if (missing === events.length) throw new Fault('not_found', 'no payload was kept of what was asked for', { exitCode: exit.notFound })
  note(cli, `${missing} left out: their payload was not kept, or is gone`)
  return exit.no
}
