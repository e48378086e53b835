/**
 * `events catch-up [route]`: the running gateway asks the sender's own log for events that did not come, and has the sender send them
 * again.
 */

import { exit, usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { askCatchUp, type OnProgress } from '../../features/catch-up/ask-catch-up.ts'
import type { CatchUpQuestion } from '../../features/catch-up/catch-up.ts'
import { catchUpProgress } from '../../features/catch-up/progress.ts'
import type { CatchUpState } from '../../generated/control.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli } from '../shell/output.ts'
import { timeOf } from '../shell/times.ts'

export type EventsCatchUpOptions = { readonly since?: string; readonly dryRun?: boolean }

export const eventsCatchUp = async (
  route: string | undefined,
  { since, dryRun = false }: EventsCatchUpOptions,
  cli: Cli,
): Promise<number> => {
  const question = { route, since: since === undefined ? undefined : pastTime(since), dryRun }
  const states = await askCatchUp(cli.workspace, gatewayAt(cli.workspace), question, progressOn(cli))
  const failed = states.filter(({ state }) => state === 'failed').length
  return answer(cli, {
    kind: 'events.catch_up',
    data: { dry_run: dryRun, routes: states.map((state) => ({ ...state, events: state.events.map((event) => ({ ...event })) })) },
    text: states.map((state) => `${textOf(state)}${isOther(state, question) ? other : ''}`).join(''),
    exitCode: failed > 0 ? exit.no : exit.ok,
  })
}

const pastTime = (since: string): number => {
  const time = timeOf('--since', since)
  if (time > Date.now()) throw usage(`--since: "${since}" is still to come`, 'write a time that is past, such as 2h or 3d')
  return Math.max(0, time)
}

const other = '  this catch-up was under way already, so --since and --dry-run had no effect: ask again for another\n'

/** Whether the catch-up that was followed is not the one that was asked for, because a catch-up of the route was running already. */
const isOther = ({ dry_run: isDry, since }: CatchUpState, question: CatchUpQuestion): boolean =>
  isDry !== question.dryRun || (question.since !== undefined && since !== new Date(question.since).toISOString())

/** Shows on a terminal how far the routes are, in one line that is written over. */
const progressOn = ({ io, quiet, json }: Cli): OnProgress => {
  let width = 0
  return (states) => {
    if (quiet || json || !io.terminal) return
    const line = states
      .filter(({ ended_at: endedAt }) => endedAt === undefined)
      .map((state) => `${state.route}: ${catchUpProgress(state)}`)
      .join(', ')
    const text = printable(line, 100)
    io.stderr(`\r${text.padEnd(width)}\r`)
    width = text.length
  }
}

const textOf = (state: CatchUpState): string => {
  const { route, from, since, listed, missing, asked, refused, given_up: givenUp, why, help, dry_run: dryRun, events } = state
  const parts = [
    `${listed} in the log of ${from} since ${since}`,
    `${missing} missing`,
    ...(dryRun ? [] : [`${asked} asked for`]),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(givenUp > 0 ? [`${givenUp} given up: sent again five times, and refused each time`] : []),
  ]
  const rows = events.map(({ delivery_id: id, event, at, result, why: refusal }) => [
    `  ${result}`,
    at,
    printable(id, 64),
    printable(event, 40),
    ...(refusal === undefined ? [] : [printable(refusal, 200)]),
  ])
  const end = why === undefined ? '' : `  failed: ${printable(why)}\n${help === undefined ? '' : `  ${printable(help)}\n`}`
  return `${printable(route)}: ${parts.join(', ')}\n${aligned(rows)
    .map((line) => `${line}\n`)
    .join('')}${end}`
}
