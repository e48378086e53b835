/**
 * `events list --follow`: prints the newest events, and then each event when it comes, and again at each step of its run. Ctrl-C ends the
 * command.
 */

import { usage } from '../../core/fault.ts'
import { jsonText } from '../../datadir/json-text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { describeEvent, type EventStatus } from '../../operate/events/event-status.ts'
import { followEvents } from '../../operate/events/follow-events.ts'
import { aligned } from '../shell/columns.ts'
import { type Cli, note } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'
import { untilStopped } from '../shell/until-stopped.ts'
import { criteriaOf, type PageOptions } from './selection.ts'
import { eventCells, tableHead } from './table.ts'
import { shortIds } from './view.ts'

const defaultLimit = 10
/** The most rows, the new row among them, whose texts decide how wide the columns of a new row are. */
const maxRows = 50

export const eventsFollow = async (options: PageOptions & { readonly wide: boolean }, cli: Cli): Promise<number> => {
  const { workspace, io } = cli
  if (options.cursor !== undefined || options.until !== undefined)
    throw usage('--follow goes on with what comes: without --cursor and --until')
  if (options.text !== undefined || options.field !== undefined)
    throw usage('--follow shows events before their requests are recorded: without --text and --field')
  const { wide, ...page } = options
  const stopped = io.stopped()
  const { newest, notices, coming, close } = await followEvents(workspace, gatewayAt(workspace), criteriaOf(page), defaultLimit)
  note(cli, ...notices)
  const show = cli.json ? jsonPrinter(cli) : rowPrinter(wide, cli)
  for (const known of newest) show(known)
  return untilStopped({ things: coming, show, close, isJson: cli.json }, stopped, cli)
}

const jsonPrinter = ({ io }: Cli): ((known: EventStatus) => void) => {
  io.stdout(`${jsonText({ type: 'init', at: new Date().toISOString() })}\n`)
  return (known) => io.stdout(`${jsonText({ type: 'event', ...describeEvent(known) })}\n`)
}

const rowPrinter = (wide: boolean, { io }: Cli): ((known: EventStatus) => void) => {
  const idOf = wide ? (id: string) => id : shortIds([])
  const rows: (readonly string[])[] = [tableHead(wide)]
  if (io.isTty) io.stdout(`${paintWith(io.colour).dim(aligned(rows).join(''))}\n`)
  return (known) => {
    if (rows.push(eventCells(known, wide, idOf)) > maxRows) rows.shift()
    io.stdout(`${aligned(rows).at(-1)}\n`)
  }
}
