/** `events retry`: starts dead runs again with their stored work. The attempts of such a run are counted from 1 again. */

import type { EventResult } from '../../app/events/event-batch.ts'
import { planRetry, type RetryPlan } from '../../app/events/event-retry.ts'
import { exit, usage } from '../../core/fault.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli } from '../shell/output.ts'
import { chosenEvents, confirmStart, countsBySource, idAndSource, progressOf } from './bulk.ts'
import type { SelectionOptions } from './selection.ts'
import { tableCell } from './view.ts'

export type RetryOptions = Omit<SelectionOptions, 'state' | 'outcome'> & {
  readonly dead?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export const eventsRetry = async (ids: readonly string[], options: RetryOptions, cli: Cli): Promise<number> => {
  const { dead = false, dryRun = false, yes = false, ...selection } = options
  if (ids.length === 0 && !dead) throw usage('which events? give their ids, or --dead for all dead runs')
  const events = await chosenEvents(ids, dead ? { ...selection, state: ['dead'] } : selection, cli)
  const plan = await planRetry(cli.workspace, gatewayAt(cli.workspace), events, dead)
  const planned = plan.dead.map((known) => ({ known, ok: true }))
  if (dryRun) return answerRetries(planned, plan, true, cli)
  if (dead && planned.length > 0) {
    if (!yes) cli.io.stderr(retryTable(planned, 'starts'))
    await confirmStart(`start ${countsBySource(plan.dead)}?`, yes, cli)
  }
  return answerRetries(await plan.run(progressOf(plan.dead.length, cli)), plan, false, cli)
}

const answerRetries = (done: readonly EventResult[], { others }: RetryPlan, dryRun: boolean, cli: Cli): number => {
  const results = [...done, ...others]
  const failed = results.filter(({ ok }) => !ok).length
  const started = results.length - failed
  const word = dryRun ? 'would start' : 'started'
  return answer(cli, {
    kind: 'events.retry',
    data: { dry_run: dryRun, runs: results.map((result) => retryData(result, word)), summary: { started: dryRun ? 0 : started, failed } },
    text: `${retryTable(results, word)}${started} ${word}${failed > 0 ? `, ${failed} failed` : ''}\n`,
    exitCode: failed > 0 ? exit.no : exit.ok,
  })
}

const retryData = ({ known: { event }, ok, why }: EventResult, word: string) => ({
  event_id: event.event_id,
  route: event.route,
  job: event.job ?? null,
  target: event.target ?? null,
  result: ok ? word.replace(' ', '_') : 'failed',
  why: why ?? null,
})

const retryTable = (results: readonly EventResult[], word: string): string =>
  aligned(
    results.map(({ known, ok, why }) => [
      ok ? word : 'failed',
      ...idAndSource(known),
      ok ? `-> ${tableCell(known.event.target)}` : tableCell(why, 512),
    ]),
  )
    .map((line) => `${line}\n`)
    .join('')
