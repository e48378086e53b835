/** `webhook remove <name>`: deletes a subscription. On a terminal the command asks first. */

import { exit, Fault } from '../../core/fault.ts'
import { quoted } from '../../core/text.ts'
import { subscriptionsFile } from '../../datadir/routes.ts'
import { findSubscription, removeSubscription } from '../../operate/routes/change-subscription.ts'
import { inForce } from '../shell/in-force.ts'
import { answer, type Cli } from '../shell/output.ts'

export type RemoveOptions = { readonly yes?: boolean }

export const webhookRemove = async (asked: string, { yes = false }: RemoveOptions, cli: Cli): Promise<number> => {
  const found = findSubscription(cli.workspace, asked)
  const { name } = found
  if (!yes && cli.io.ask && !/^y(es)?$/i.test((await cli.io.ask(`remove subscription "${name}"? [y/N] `)).trim())) {
    throw new Fault('cancelled', 'nothing was removed', { exitCode: exit.cancelled })
  }
  await removeSubscription(cli.workspace, found)
  const file = subscriptionsFile(cli.workspace)
  const undo = `cp ${quoted(`${file}.bak`)} ${quoted(file)}`
  const text = `removed  ${name}\n${cli.quiet ? '' : `undo     ${undo}\n`}`
  return answer(cli, { kind: 'webhook.remove', data: { name, undo, others: await inForce(cli) }, text })
}
