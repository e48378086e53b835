/** `events replay`: stored requests through today's configuration, as new events; dry, only what each would start. */

import { outcomeOf } from '../../app/known-event.ts'
import { exit } from '../../core/fault.ts'
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { askGateway } from '../../http/control/ask.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli, jsonText, note } from '../shell/output.ts'
import { aboutOf, chosen, confirm, countsOf, each, type Result } from './bulk.ts'
import type { SelectionOptions } from './selection.ts'
import { cell, excerpt } from './view.ts'

export type ReplayOptions = Omit<SelectionOptions, 'route'> & {
  readonly fromRoute?: string
  /** The route to send it through. */
  readonly route?: string
  readonly sameId?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export const eventsReplay = async (ids: readonly string[], options: ReplayOptions, cli: Cli): Promise<number> => {
  const { fromRoute, route, sameId = false, dryRun = false, yes = false, ...rest } = options
  const found = await chosen(ids, { ...rest, ...(fromRoute === undefined ? {} : { route: fromRoute }) }, cli)
  const isSelection = ids.length === 0
  const seen = isSelection ? found.filter(({ event }) => event.raw !== undefined) : found
  if (seen.length < found.length) note(cli, `${found.length - seen.length} left out: their payload was not kept`)
  const run = (dry: boolean): Promise<readonly Result[]> => {
    const wish = { ...(route === undefined ? {} : { route }), same_id: sameId, dry_run: dry }
    return each(seen, ({ event }) => replay(event.event_id, wish, cli))
  }
  // Says that none runs before it asks, and when there is nothing to replay.
  await askGateway(cli.workspace, 'GET', '/status')
  if (dryRun) return report(await run(true), true, cli)
  if (isSelection && !yes && seen.length > 0) {
    if (cli.io.ask) cli.io.stderr(tableOf(await run(true), true))
    await confirm(`replay ${countsOf(seen)}?`, yes, cli)
  }
  return report(await run(false), false, cli)
}

const replay = async (id: string, wish: JsonObject, cli: Cli): Promise<Omit<Result, 'seen'>> => {
  const got = await askGateway(cli.workspace, 'POST', `/events/${encodeURIComponent(id)}/replay`, wish)
  if (!isObject(got)) return { ok: false, why: 'the gateway gave an odd answer' }
  if (got.found !== true) return { ok: false, why: textOf(got.why) }
  const { status } = got
  return { ok: typeof status === 'number' && status < 400, more: got }
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

const report = (results: readonly Result[], dryRun: boolean, cli: Cli): number => {
  const failed = results.filter(({ ok }) => !ok).length
  const replayed = results.length - failed
  const word = dryRun ? 'would be replayed' : 'replayed'
  return answer(cli, {
    kind: 'events.replay',
    data: { dry_run: dryRun, replays: results.map(describe), summary: { replayed: dryRun ? 0 : replayed, failed } },
    text: `${tableOf(results, dryRun)}${replayed} ${word}${failed > 0 ? `, ${failed} failed` : ''}\n`,
    exitCode: failed > 0 ? exit.no : exit.ok,
  })
}

const memberOf = (more: JsonObject | undefined, name: string): Json => (more && own(more, name)) ?? null

const describe = ({ seen, ok, why, more }: Result): JsonObject => ({
  of: seen.event.event_id,
  ok,
  why: why ?? null,
  event_id: memberOf(more, 'event_id'),
  status: memberOf(more, 'status'),
  outcome: memberOf(more, 'outcome'),
  reason: memberOf(more, 'reason'),
  stage: memberOf(more, 'stage'),
  note: memberOf(more, 'note'),
  starts: memberOf(more, 'starts'),
})

const maxPrompt = 200

/** One line for each event; in a dry run what it would start stands below it. */
const tableOf = (results: readonly Result[], dryRun: boolean): string => {
  const lines = aligned(results.map(rowOf))
  return results
    .map(({ more }, i) => `${lines[i]}\n${dryRun ? `${startsOf(memberOf(more, 'starts'))}${noteOf(memberOf(more, 'note'))}` : ''}`)
    .join('')
}

const rowOf = ({ seen, why, more }: Result): string[] => {
  if (!more) return [...aboutOf(seen), 'failed', cell(why, 512)]
  const id = textOf(own(more, 'event_id'))
  const reason = textOf(own(more, 'reason'))
  const outcome = outcomeOf({ outcome: textOf(own(more, 'outcome')), stage: textOf(own(more, 'stage')) })
  return [
    ...aboutOf(seen),
    cell(Number(own(more, 'status'))),
    cell(outcome),
    ...(id === '' ? [] : [`new ${cell(id)}`]),
    reason && cell(reason, 256),
  ]
}

const noteOf = (text: Json): string => (typeof text === 'string' ? `    ${cell(text, 256)}\n` : '')

const startsOf = (starts: Json): string => {
  if (!isObject(starts)) return ''
  const prompt = textOf(starts.prompt)
  // Of several targets a list.
  const extra =
    typeof starts.extra === 'object' && Object.keys(starts.extra ?? {}).length > 0 ? `  ${excerpt(jsonText(starts.extra), maxPrompt)}` : ''
  return `    ${cell(textOf(starts.mode))} -> ${cell(textOf(starts.target))}${extra}\n    ${excerpt(prompt, maxPrompt)}\n`
}
