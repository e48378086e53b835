/** `events cancel`: ends runs that wait, and stops the agents of those that are under way. Nothing of them is delivered. */

import { exit } from '../../core/fault.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { cancelEvents } from '../../operate/events/runs/cancel-runs.ts'
import { answer, type Cli } from '../shell/output.ts'
import { chosenEvents, progressOf } from './bulk.ts'
import { resultData, resultTable } from './results.ts'

export const eventsCancel = async (ids: readonly string[], cli: Cli): Promise<number> => {
  const events = await chosenEvents(ids, {}, cli)
  const results = await cancelEvents(cli.workspace, gatewayAt(cli.workspace), events, progressOf(events.length, cli))
  const failed = results.filter(({ ok }) => !ok).length
  const cancelled = results.length - failed
  return answer(cli, {
    kind: 'events.cancel',
    data: { runs: results.map((result) => resultData(result, 'cancelled')), summary: { cancelled, failed } },
    text: `${resultTable(results, 'cancelled')}${cancelled} cancelled${failed > 0 ? `, ${failed} failed` : ''}\n`,
    exitCode: failed > 0 ? exit.no : exit.ok,
  })
}
