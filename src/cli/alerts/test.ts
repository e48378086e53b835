/** `alerts test [rule]`: lets the running gateway send a test message to the targets of a rule, or of all rules. */

import { exit, usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { testAlerts } from '../../features/alerts/ask-alerts.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { answer, type Cli } from '../shell/output.ts'
import { confirmSending } from '../targets/sent.ts'

export type AlertsTestOptions = { readonly yes?: boolean }

export const alertsTest = async (written: string | undefined, { yes = false }: AlertsTestOptions, cli: Cli): Promise<number> => {
  if (written !== undefined && !/^[1-9]\d?$/.test(written)) throw usage(`"${written}" is not the number of a rule`, 'headgate alerts list')
  const rule = written === undefined ? undefined : Number(written)
  await confirmSending(rule === undefined ? 'the targets of all alerts' : `the targets of alert rule ${rule}`, yes, cli)
  const sent = await testAlerts(cli.workspace, gatewayAt(cli.workspace), rule)
  const lines = sent.map(({ rule, target, ok, detail, why }) => {
    const words = ok ? detail : why
    return `${ok ? 'sent    ' : 'failed  '} ${printable(target)} (rule ${rule})${words === undefined ? '' : `: ${printable(words)}`}\n`
  })
  const exitCode = sent.every(({ ok }) => ok) ? exit.ok : exit.no
  return answer(cli, { kind: 'alerts.test', data: { sent: sent.map((each) => ({ ...each })) }, text: lines.join(''), exitCode })
}
