/** `alerts list`: prints the rules of alerts, one a line, and below them what fires, what is silenced, and what could not be delivered. */

import { printable } from '../../core/text.ts'
import { type AlertList, listAlerts } from '../../features/alerts/ask-alerts.ts'
import { alertKinds } from '../../features/alerts/rules.ts'
import type { Alerts } from '../../generated/control.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { printRefusal } from '../shell/refuse.ts'

export const alertsList = async (cli: Cli): Promise<number> => {
  const list = await listAlerts(cli.workspace, gatewayAt(cli.workspace))
  if (!list.ok) return printRefusal(cli, list)
  const { rules, isRunning, alerts } = list
  if (rules.length === 0) note(cli, 'no alerts are configured: alerts: [{ deliver: telegram }] in config.yaml tells everything to one chat')
  else if (!isRunning) note(cli, 'no gateway runs, so nothing is known of what fires')
  const data = {
    rules: rules.map(({ number, kinds, targets }) => ({ number, kinds: [...kinds], targets: [...targets] })),
    running: isRunning,
    firing: alerts ? alerts.firing.map((alert) => ({ ...alert })) : null,
    silenced: alerts ? alerts.muted.map((muted) => ({ ...muted })) : null,
    undelivered: alerts ? alerts.lost.map((lost) => ({ ...lost })) : null,
  }
  const lines = [...ruleLines(list), ...(alerts ? stateLines(alerts) : [])]
  return answer(cli, { kind: 'alerts.list', data, text: lines.map((line) => `${line}\n`).join('') })
}

const ruleLines = ({ rules }: AlertList): readonly string[] =>
  aligned(
    rules.map(({ number, kinds, targets }) => [
      String(number),
      targets.join(', '),
      kinds.length === alertKinds.length ? 'everything' : kinds.join(', '),
    ]),
  )

const stateLines = ({ firing, muted, lost }: Alerts): readonly string[] =>
  aligned([
    ...firing.map(({ name, rule, since, count, detail = '', ...alert }) => [
      'fires',
      printable(name),
      `rule ${rule}`,
      `since ${since}`,
      [alert.muted ? 'silenced' : '', count > 1 ? `${count} times` : '', printable(detail)].filter((text) => text !== '').join(', '),
    ]),
    ...muted.map(({ name, until }) => ['silenced', printable(name), '', `until ${until}`, '']),
    ...lost.map(({ rule, messages }) => ['undelivered', '', `rule ${rule}`, '', `${messages} messages`]),
  ])
