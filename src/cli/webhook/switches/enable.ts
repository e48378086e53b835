/** `webhook enable|disable <name>`: switches a subscription on or off, without deleting it. */

import { switchSubscription } from '../../../operate/routes/change-subscription.ts'
import { inForce } from '../../shell/in-force.ts'
import { answer, type Cli } from '../../shell/output.ts'

export const webhookEnable = async (asked: string, enabled: boolean, cli: Cli): Promise<number> => {
  const { name, changed } = await switchSubscription(cli.workspace, asked, enabled)
  const word = enabled ? 'enabled' : 'disabled'
  const text = changed ? `${word}  ${name}\n` : `no change: ${name} is ${word} already\n`
  return answer(cli, {
    kind: `webhook.${enabled ? 'enable' : 'disable'}`,
    data: { name, enabled, changed, others: await inForce(cli) },
    text,
  })
}
