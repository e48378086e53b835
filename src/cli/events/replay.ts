/**
 * `events replay`: sends stored requests through the configuration as it is now, as new events. A dry run only shows what each event would
 * start.
 */

import { exit, usage } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { jsonText } from '../../datadir/json-text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import type { EventResult } from '../../operate/events/event-batch.ts'
import { editableBody, planReplay } from '../../operate/events/event-replay.ts'
import { type EventStatus, outcomeOf } from '../../operate/events/event-status.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { withPayloadByHand } from '../webhook/payload-by-hand.ts'
import { chosenEvents, confirmStart, countsBySource, idAndSource, progressOf } from './bulk.ts'
import type { SelectionOptions } from './selection.ts'
import { printableStart, tableCell } from './view.ts'

export type EventsReplayOptions = Omit<SelectionOptions, 'route'> & {
  readonly fromRoute?: string
  /** The route that the requests go through, in place of their own. */
  readonly route?: string
  readonly sameId?: boolean
  readonly edit?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export const eventsReplay = async (ids: readonly string[], options: EventsReplayOptions, cli: Cli): Promise<number> => {
  const { fromRoute, route, sameId = false, dryRun = false, yes = false, edit = false, ...rest } = options
  const [only, ...others] = ids
  if (edit && (only === undefined || others.length > 0)) throw usage('--edit takes one event', 'give its id')
  const isSelection = ids.length === 0
  const selected = await chosenEvents(ids, { ...rest, ...(fromRoute === undefined ? {} : { route: fromRoute }) }, cli)
  const plan = await planReplay(gatewayAt(cli.workspace), selected, isSelection)
  const { events, leftOut } = plan
  if (leftOut > 0) note(cli, `${leftOut} left out: their payload was not kept`)
  const how = { ...(route === undefined ? {} : { route }), same_id: sameId }
  const run = (dry: boolean, body?: string): Promise<readonly EventResult[]> =>
    plan.run({ ...how, dry_run: dry, ...(body === undefined ? {} : { body }) }, progressOf(events.length, cli))
  const [event] = events
  if (edit && event) return replayEdited(event, run, dryRun, cli)
  if (dryRun) return answerReplays(await run(true), true, cli)
  if (isSelection && !yes && events.length > 0) {
    if (cli.io.ask) cli.io.stderr(replayTable(await run(true), true))
    await confirmStart(`replay ${countsBySource(events)}?`, yes, cli)
  }
  return answerReplays(await run(false), false, cli)
}

/**
 * Replays an event with the payload that the user edits. An event that cannot be replayed at all is refused before the user's editor
 * opens. `run`: replays the event, or only tries to (`dry`), with another body where it is given.
 */
const replayEdited = async (
  status: EventStatus,
  run: (dry: boolean, body?: string) => Promise<readonly EventResult[]>,
  dryRun: boolean,
  cli: Cli,
): Promise<number> => {
  const { event } = status
  const before = await editableBody(cli.workspace, status)
  const would = await run(true)
  if (would.some(({ replayed }) => !replayed)) return answerReplays(would, dryRun, cli)
  const instead = `${cli.workspace.self} events show ${event.event_id} --raw, and webhook test --payload @file`
  return withPayloadByHand({ name: event.route || 'event', instead }, cli, async (byHand) => {
    const body = await byHand(before)
    const results = await run(dryRun, body === before ? undefined : body)
    return { result: answerReplays(results, dryRun, cli), done: results.every(({ replayed }) => replayed) }
  })
}

const answerReplays = (results: readonly EventResult[], dryRun: boolean, cli: Cli): number => {
  const failed = results.filter(({ ok }) => !ok).length
  const replayed = results.length - failed
  const word = dryRun ? 'would be replayed' : 'replayed'
  return answer(cli, {
    kind: 'events.replay',
    data: { dry_run: dryRun, replays: results.map(replayData), summary: { replayed: dryRun ? 0 : replayed, failed } },
    text: `${replayTable(results, dryRun)}${replayed} ${word}${failed > 0 ? `, ${failed} failed` : ''}\n`,
    exitCode: failed > 0 ? exit.no : exit.ok,
  })
}

const replayData = ({ known, ok, why, replayed }: EventResult): JsonObject => ({
  of: known.event.event_id,
  ok,
  why: why ?? null,
  event_id: replayed?.event_id ?? null,
  status: replayed?.status ?? null,
  outcome: replayed?.outcome ?? null,
  reason: replayed?.reason ?? null,
  stage: replayed?.stage ?? null,
  note: replayed?.note ?? null,
  starts: replayed?.starts ?? null,
})

const maxPrompt = 200

/** Returns one line for each event. In a dry run, the work that the event would start stands below its line. */
const replayTable = (results: readonly EventResult[], dryRun: boolean): string => {
  const lines = aligned(results.map(replayCells))
  return results.map(({ replayed }, i) => `${lines[i]}\n${dryRun && replayed ? startLines(replayed) : ''}`).join('')
}

const replayCells = ({ known, why, replayed }: EventResult): string[] => {
  if (!replayed) return [...idAndSource(known), 'failed', tableCell(why, 512)]
  const { event_id: id, status, reason } = replayed
  return [
    ...idAndSource(known),
    tableCell(status),
    tableCell(outcomeOf(replayed)),
    ...(id === undefined ? [] : [`new ${tableCell(id)}`]),
    reason === undefined ? '' : tableCell(reason, 256),
  ]
}

const startLines = ({ starts, note: said }: NonNullable<EventResult['replayed']>): string => {
  const more = said === undefined ? '' : `    ${tableCell(said, 256)}\n`
  if (!starts) return more
  const { mode, target, prompt, extra } = starts
  // For several targets, `extra` is a list with the settings of each target.
  const settings = typeof extra === 'object' && Object.keys(extra ?? {}).length > 0 ? `  ${printableStart(jsonText(extra), maxPrompt)}` : ''
  return `    ${tableCell(mode)} -> ${tableCell(target)}${settings}\n    ${printableStart(prompt, maxPrompt)}\n${more}`
}
