/** `webhook enable|disable <name>`: switches a subscription without deleting it. */

import { subscriptionsFile } from '../../app/routes.ts'
import { now } from '../../app/subscription-record.ts'
import { updateEntries } from '../../config/entry-store.ts'
import { exit, Fault } from '../../core/fault.ts'
import { isObject, own } from '../../core/json.ts'
import { answer, type Cli } from '../shell/output.ts'
import { findSubscription } from './remove.ts'

export const webhookEnable = async (asked: string, enabled: boolean, cli: Cli): Promise<number> => {
  const { name } = findSubscription(asked, cli)
  const changed = await updateEntries(subscriptionsFile(cli.workspace), (entries) => {
    const entry = own(entries, name)
    if (!isObject(entry)) throw new Fault('conflict', `"${name}" is not a subscription any more`, { exitCode: exit.conflict })
    if ((entry.enabled !== false) === enabled) return { result: false }
    const { enabled: _, ...rest } = entry
    const next = { ...rest, ...(enabled ? {} : { enabled: false }), updated_at: now() }
    return { entries: { ...entries, [name]: next }, result: true }
  })
  const word = enabled ? 'enabled' : 'disabled'
  const text = changed ? `${word}  ${name}\n` : `no change: ${name} is ${word} already\n`
  return answer(cli, { kind: `webhook.${enabled ? 'enable' : 'disable'}`, data: { name, enabled, changed }, text })
}
