/** `events erase`: erases events, or the events of a subject, wherever the gateway keeps them. */

import { exit, usage } from '../../core/fault.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { type Erasing, eraseEvents, finishErasure, maxErasedAtOnce } from '../../operate/events/erase/erase-events.ts'
import { wholeBatches } from '../../operate/events/erase/whole-batches.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { chosenEvents, confirmStart, countsBySource } from './bulk.ts'
import type { SelectionOptions } from './selection.ts'

export type EraseOptions = Pick<SelectionOptions, 'field' | 'route' | 'profile' | 'since' | 'until'> & {
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export const eventsErase = async (ids: readonly string[], options: EraseOptions, cli: Cli): Promise<number> => {
  const { dryRun = false, yes = false, ...selection } = options
  // An erased event has no fields left, so a search by them ends.
  if (ids.length === 0 && selection.field === undefined) throw usage('which events? give their ids, or --field path=value')
  if (ids.length > maxErasedAtOnce) throw usage(`at most ${maxErasedAtOnce} ids at once`)
  const { workspace } = cli
  const finder = gatewayAt(workspace)
  const choose = async () => {
    const chosen = await chosenEvents(ids, ids.length > 0 ? {} : { ...selection, limit: maxErasedAtOnce }, cli)
    return wholeBatches(
      workspace,
      chosen.map(({ event }) => event),
    )
  }
  let events = await choose()
  if (dryRun) return answerErasing({ erased: events.length, runsEnded: 0, running: [] }, options, cli)
  if (events.length > 0)
    await confirmStart(
      `erase ${events.length < maxErasedAtOnce ? '' : 'at least '}${countsBySource(events.map((event) => ({ event })))}?`,
      yes,
      cli,
    )
  if (await finishErasure(workspace, finder)) note(cli, 'an erasure that had been broken off is done')
  const tried = new Set<string>()
  const running = new Set<string>()
  let [erased, runsEnded] = [0, 0]
  while (events.some(({ event_id: id }) => !tried.has(id))) {
    const done = await eraseEvents(workspace, finder, events)
    for (const { event_id: id } of events) tried.add(id)
    for (const id of done.running) running.add(id)
    erased += done.erased
    runsEnded += done.runsEnded
    if (ids.length > 0) break
    events = await choose()
  }
  return answerErasing({ erased, runsEnded, running: [...running] }, options, cli)
}

const answerErasing = ({ erased, runsEnded, running }: Erasing, { field = [], dryRun = false }: EraseOptions, cli: Cli): number => {
  const summary = { erased: dryRun ? 0 : erased, runs_ended: runsEnded, in_progress: running.length, fields: field.map(pathIn) }
  const left = running.length === 0 ? '' : `, ${running.length} left, whose runs are in progress: repeat the command when they have ended`
  return answer(cli, {
    kind: 'events.erase',
    data: { dry_run: dryRun, found: erased + running.length, summary },
    text: dryRun ? `${erased} would be erased\n` : `${erased} erased, ${runsEnded} runs ended by it${left}\n`,
    exitCode: running.length === 0 ? exit.ok : exit.no,
  })
}

/** The audit has the path of a field, and never its value. */
const pathIn = (field: string): string => field.slice(0, Math.max(0, field.indexOf('=')))
