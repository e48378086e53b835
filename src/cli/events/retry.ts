/**
 * `events retry`: starts dead runs again with their stored work, and sends direct deliveries again that failed. The attempts of a run are
 * counted from 1 again.
 */

import { exit, usage } from '../../core/fault.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { chooseEvents, type EventResult } from '../../operate/events/event-batch.ts'
import { planRetry, type RetryPlan } from '../../operate/events/event-retry.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { chosenEvents, confirmStart, countsBySource, progressOf } from './bulk.ts'
import { resultData, resultTable } from './results.ts'
import { criteriaOf, type SelectionOptions } from './selection.ts'

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
  const planned = plan.events.map((known) => ({ known, ok: true }))
  const leftOut = dead ? await failedDeliveries(selection, cli) : 0
  if (dryRun) return answerRetries(planned, { ...plan, leftOut }, true, cli)
  if (dead && planned.length > 0) {
    if (!yes) cli.io.stderr(resultTable(planned, 'starts'))
    await confirmStart(`start ${countsBySource(plan.events)}?`, yes, cli)
  }
  return answerRetries(await plan.run(progressOf(plan.events.length, cli)), { ...plan, leftOut }, false, cli)
}

/** Counts the selected direct deliveries that failed at once, and says how they are sent again: they have no run that is dead. */
const failedDeliveries = async (selection: SelectionOptions, cli: Cli): Promise<number> => {
  const { workspace } = cli
  const { events, isCut } = await chooseEvents(workspace, gatewayAt(workspace), [], {
    ...criteriaOf(selection),
    outcome: ['delivery_failed'],
  })
  const count = `${isCut ? 'at least ' : ''}${countsBySource(events)}`
  const again = `${workspace.self} events replay --outcome delivery_failed --same-id`
  if (events.length > 0) note(cli, `left out, because it has no run: direct delivery that failed, ${count}: ${again}`)
  return events.length
}

type Left = Pick<RetryPlan, 'others'> & { readonly leftOut: number }

const answerRetries = (done: readonly EventResult[], { others, leftOut }: Left, dryRun: boolean, cli: Cli): number => {
  const results = [...done, ...others]
  const failed = results.filter(({ ok }) => !ok).length
  const started = results.length - failed
  const word = dryRun ? 'would start' : 'started'
  return answer(cli, {
    kind: 'events.retry',
    data: {
      dry_run: dryRun,
      runs: results.map((result) => resultData(result, word)),
      summary: { started: dryRun ? 0 : started, failed, left_out: leftOut },
    },
    text: `${resultTable(results, word)}${started} ${word}${failed > 0 ? `, ${failed} failed` : ''}\n`,
    exitCode: failed > 0 ? exit.no : exit.ok,
  })
}
