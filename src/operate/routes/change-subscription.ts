/** Switches subscriptions on and off, and removes them. */

import { loadConfig } from '../../config/load.ts'
import { readEntries } from '../../config/writing/entry-store.ts'
import { exit, Fault } from '../../core/fault.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import { equalWritten } from '../../core/written-digits.ts'
import { changeEntries } from '../../datadir/entries/change-entries.ts'
import { subscriptionsFile, unknownRoute } from '../../datadir/routes.ts'
import { utcNow } from '../../datadir/subscription-record.ts'
import type { Workspace } from '../../datadir/workspace.ts'

export type StoredSubscription = { readonly name: string; readonly entry: Json }

/**
 * Returns the stored subscription of a name. Throws a Fault where there is none. The Fault suggests similar names, and says whether a
 * configured route has the name.
 */
export const findSubscription = (workspace: Workspace, asked: string): StoredSubscription => {
  const entries = readEntries(subscriptionsFile(workspace))
  const lower = asked.trim().toLowerCase().replaceAll(' ', '-')
  // Commands write names in lower case, with `-` for blanks, but a file that was edited by hand may have other names. So the name exactly
  // as the user wrote it comes first.
  const name = own(entries, asked) === undefined ? lower : asked
  const entry = own(entries, name)
  if (entry !== undefined) return { name, entry }
  const { routes } = loadConfig(workspace).config
  const hint = routes.has(asked) ? `"${asked}" is a route of config.yaml: change it there` : `${workspace.self} webhook list`
  throw unknownRoute(asked, Object.keys(entries), hint)
}

/**
 * Enables or disables a subscription. `changed`: `false` where it was enabled, or disabled, already. Throws a Fault for an unknown name,
 * and where the subscription was removed meanwhile.
 */
export const switchSubscription = async (
  workspace: Workspace,
  asked: string,
  enabled: boolean,
): Promise<{ readonly name: string; readonly changed: boolean }> => {
  const { name } = findSubscription(workspace, asked)
  const changed = await changeEntries(workspace, subscriptionsFile(workspace), (entries) => {
    const entry = own(entries, name)
    if (!isObject(entry)) throw new Fault('conflict', `"${name}" is not a subscription any more`, { exitCode: exit.conflict })
    if ((entry.enabled !== false) === enabled) return { result: false }
    const { enabled: _, ...rest } = entry
    const next = { ...rest, ...(enabled ? {} : { enabled: false }), updated_at: utcNow() }
    return { entries: { ...entries, [name]: next }, result: true }
  })
  return { name, changed }
}

/** Removes the subscription. Throws a Fault when its entry was changed or removed after `findSubscription` read it. */
export const removeSubscription = async (workspace: Workspace, { name, entry }: StoredSubscription): Promise<void> => {
  await changeEntries(workspace, subscriptionsFile(workspace), (entries) => {
    const current = own(entries, name)
    if (current === undefined) throw new Fault('conflict', `"${name}" was removed meanwhile`, { exitCode: exit.conflict })
    if (!equalWritten(current, entry)) {
      const hint = `look at it: ${workspace.self} webhook show ${name}`
      throw new Fault('conflict', `"${name}" was changed meanwhile: not removed`, { exitCode: exit.conflict, hint })
    }
    const { [name]: _, ...rest } = entries
    return { entries: rest, result: undefined }
  })
}
