/** `webhook remove <name>`: deletes a subscription; asks first where somebody can answer. */

import { subscriptionsFile, unknownRoute } from '../../app/routes.ts'
import { readEntries, updateEntries } from '../../config/entry-store.ts'
import { loadConfig } from '../../config/load.ts'
import { exit, Fault } from '../../core/fault.ts'
import { equalJson, type Json, own } from '../../core/json.ts'
import { answer, type Cli } from '../shell/output.ts'
import { quoted } from './curl.ts'

export type RemoveOptions = { readonly yes?: boolean }

export const webhookRemove = async (asked: string, { yes = false }: RemoveOptions, cli: Cli): Promise<number> => {
  const file = subscriptionsFile(cli.workspace)
  const { name, entry } = findSubscription(asked, cli)
  if (!yes && cli.io.ask && !/^y(es)?$/i.test((await cli.io.ask(`remove subscription "${name}"? [y/N] `)).trim())) {
    throw new Fault('cancelled', 'nothing was removed', { exitCode: exit.cancelled })
  }
  await updateEntries(file, (entries) => {
    const current = own(entries, name)
    if (current === undefined) throw new Fault('conflict', `"${name}" was removed meanwhile`, { exitCode: exit.conflict })
    // What was asked about is what is removed: an entry that somebody has changed since is not.
    if (!equalJson(current, entry)) {
      const hint = `look at it: ${cli.workspace.self} webhook show ${name}`
      throw new Fault('conflict', `"${name}" was changed meanwhile: not removed`, { exitCode: exit.conflict, hint })
    }
    const { [name]: _, ...rest } = entries
    return { entries: rest, result: undefined }
  })
  const undo = `cp ${quoted(`${file}.bak`)} ${quoted(file)}`
  return answer(cli, { kind: 'webhook.remove', data: { name, undo }, text: `removed  ${name}\n${cli.quiet ? '' : `undo     ${undo}\n`}` })
}

/** The subscription of this name as it is now. Throws a Fault that knows the nearest names, and the configured ones. */
export const findSubscription = (asked: string, cli: Cli): { readonly name: string; readonly entry: Json } => {
  const entries = readEntries(subscriptionsFile(cli.workspace))
  const lower = asked.trim().toLowerCase().replaceAll(' ', '-')
  // A name that a hand wrote in another form is found as it stands.
  const name = own(entries, asked) === undefined ? lower : asked
  const entry = own(entries, name)
  if (entry !== undefined) return { name, entry }
  const { routes } = loadConfig(cli.workspace).config
  const hint = routes.has(asked) ? `"${asked}" is a route of config.yaml: change it there` : `${cli.workspace.self} webhook list`
  throw unknownRoute(asked, Object.keys(entries), hint)
}
