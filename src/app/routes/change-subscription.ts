/** Switches subscriptions on and off, and removes them. */

import { readEntries, updateEntries } from '../../config/entry-store.ts'
import { loadConfig } from '../../config/load.ts'
import { exit, Fault } from '../../core/fault.ts'
import { equalJson, isObject, type Json, own } from '../../core/json.ts'
import type { Workspace } from '../workspace.ts'
import { subscriptionsFile, unknownRoute } from './routes.ts'
import { now } from './subscription-record.ts'

export type StoredSubscription = { readonly name: string; readonly entry: Json }

/** The subscription of this name as it is now. Throws a Fault that knows the nearest names, and the configured ones. */
export const findSubscription = (workspace: Workspace, asked: string): StoredSubscription => {
  const entries = readEntries(subscriptionsFile(workspace))
  const lower = asked.trim().toLowerCase().replaceAll(' ', '-')
  // A name that a hand wrote in another form is found as it stands.
  const name = own(entries, asked) === undefined ? lower : asked
  const entry = own(entries, name)
  if (entry !== undefined) return { name, entry }
  const { routes } = loadConfig(workspace).config
  const hint = routes.has(asked) ? `"${asked}" is a route of config.yaml: change it there` : `${workspace.self} webhook list`
  throw unknownRoute(asked, Object.keys(entries), hint)
}

/** `changed`: it was not so before. Throws a Fault. */
export const switchSubscription = async (
  workspace: Workspace,
  asked: string,
  enabled: boolean,
): Promise<{ readonly name: string; readonly changed: boolean }> => {
  const { name } = findSubscription(workspace, asked)
  const changed = await updateEntries(subscriptionsFile(workspace), (entries) => {
    const entry = own(entries, name)
    if (!isObject(entry)) throw new Fault('conflict', `"${name}" is not a subscription any more`, { exitCode: exit.conflict })
    if ((entry.enabled !== false) === enabled) return { result: false }
    const { enabled: _, ...rest } = entry
    const next = { ...rest, ...(enabled ? {} : { enabled: false }), updated_at: now() }
    return { entries: { ...entries, [name]: next }, result: true }
  })
  return { name, changed }
}

/** Removes the subscription as it was found: one that somebody has changed since is not. Throws a Fault. */
export const removeSubscription = async (workspace: Workspace, { name, entry }: StoredSubscription): Promise<void> => {
  await updateEntries(subscriptionsFile(workspace), (entries) => {
    const current = own(entries, name)
    if (current === undefined) throw new Fault('conflict', `"${name}" was removed meanwhile`, { exitCode: exit.conflict })
    if (!equalJson(current, entry)) {
      const hint = `look at it: ${workspace.self} webhook show ${name}`
      throw new Fault('conflict', `"${name}" was changed meanwhile: not removed`, { exitCode: exit.conflict, hint })
    }
    const { [name]: _, ...rest } = entries
    return { entries: rest, result: undefined }
  })
}
