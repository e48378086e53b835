/** `gateway backlog`: prints the backlog of the running gateway; exit 4 where none runs. */

import { moneyText } from '../../core/money.ts'
import { printable } from '../../core/text.ts'
import type { Backlog, BudgetUse } from '../../generated/control.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli } from '../shell/output.ts'

export const gatewayBacklog = async (cli: Cli): Promise<number> => {
  const backlog = await (await gatewayAt(cli.workspace).need()).backlog()
  const { open_groups: groups, full_lanes: lanes, budgets, ...totals } = backlog
  const data = {
    ...totals,
    open_groups: groups.map((group) => ({ ...group })),
    full_lanes: lanes.map((lane) => ({ ...lane })),
    budgets: budgets.map((use) => ({ ...use })),
  }
  return answer(cli, { kind: 'gateway.backlog', data, text: textOf(backlog).join('') })
}

const textOf = (backlog: Backlog): readonly string[] => {
  const { runs, in_lanes, groups, dead, sessions, oldest_at, open_groups, full_lanes, budgets, more_budgets: more } = backlog
  const totals = [
    ['runs', `${runs}, ${in_lanes} of them in lanes${oldest_at === null ? '' : `; the oldest was accepted ${oldest_at}`}`],
    ['groups', String(groups)],
    ['dead', dead === 0 ? '0' : `${dead}: headgate events list --state dead`],
    ['sessions', String(sessions)],
  ]
  return [
    ...aligned(totals).map((line) => `${line}\n`),
    ...section(
      'groups that are due first',
      open_groups.map(({ id, events, due_at, ...of }) => [ownerOf(of), events === 1 ? '1 event' : `${events} events`, `due ${due_at}`, id]),
    ),
    ...section(
      'lanes in which most runs wait',
      full_lanes.map(({ id, waiting, open, limit, ...of }) => [
        ownerOf(of),
        `${waiting} wait`,
        `${open} of ${limit} have begun`,
        `next ${id}`,
      ]),
    ),
    ...section('budgets of the day', budgets.map(budgetCells)),
    ...(more > 0 ? [`  and ${more} more\n`] : []),
  ]
}

const section = (title: string, rows: readonly (readonly string[])[]): readonly string[] =>
  rows.length === 0 ? [] : [`${title}\n`, ...aligned(rows.map((row) => row.map((cell) => printable(cell)))).map((line) => `  ${line}\n`)]

const budgetCells = (use: BudgetUse): readonly string[] => {
  const { tokens, cost, day_tokens, day_cost, ends_at } = use
  const parts = [
    ...(day_tokens === undefined ? [] : [`${tokens} of ${day_tokens} tokens`]),
    ...(day_cost === undefined ? [] : [`cost ${moneyText(cost)} of ${moneyText(day_cost)}`]),
  ]
  return [ownerOf(use), parts.join(', '), `until ${ends_at}`]
}

/** Returns the name of a route or job, with its profile where that is not the default profile. */
const ownerOf = ({ profile, route, job }: Pick<BudgetUse, 'profile' | 'route' | 'job'>): string =>
  `${job === undefined ? (route ?? '') : `job ${job}`}${profile === 'default' ? '' : ` (${profile})`}`
