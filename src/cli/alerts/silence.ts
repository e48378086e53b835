/**
 * `alerts silence <name>`: for a time, the running gateway sends no messages about an alert, a kind of alerts, or all alerts. With
 * `--end` it sends them again.
 */

import { usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { muteAlerts } from '../../features/alerts/ask-alerts.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { answer, type Cli } from '../shell/output.ts'

/** `for`: how long no message is sent, in milliseconds. */
export type AlertsSilenceOptions = { readonly for?: number; readonly end?: boolean }

const defaultMs = 3_600_000

export const alertsSilence = async (name: string, options: AlertsSilenceOptions, cli: Cli): Promise<number> => {
  const { for: ms = defaultMs, end = false } = options
  if (end && options.for !== undefined) throw usage('--for and --end do not go together')
  await muteAlerts(cli.workspace, gatewayAt(cli.workspace), name, end ? 0 : ms)
  const text = end ? `told again   ${printable(name)}\n` : `silenced     ${printable(name)} for ${ms / 60_000} minutes\n`
  return answer(cli, { kind: 'alerts.silence', data: { name, seconds: end ? 0 : ms / 1000 }, text })
}
