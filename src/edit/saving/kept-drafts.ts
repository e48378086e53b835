/** Keeps drafts that were left unsaved, and opens them again on the file as it is now. */

import { createHash } from 'node:crypto'
import { loadConfig } from '../../config/load.ts'
import { textOfFile } from '../../config/writing/replace-text.ts'
import { carriedData, parseYaml } from '../../config/yaml/source.ts'
import { exit, Fault } from '../../core/fault.ts'
import { isObject, type JsonObject, valueAt } from '../../core/json.ts'
import { configFile, type Workspace } from '../../datadir/workspace.ts'
import { openSubscription, placeOfRoute } from '../draft/open-route.ts'
import { draftOf, type OpenedRoute, type RouteDraft, rebased } from '../draft/route-draft.ts'
import type { KeptDraft } from '../service.ts'
import { clashingKeys } from './rebase-on-file.ts'
import { type StoredDraft, storeDraft, storedDrafts } from './stored-drafts.ts'

/**
 * Stores a draft, and returns a phrase that says where. `at`: the wall time in milliseconds. Throws a Fault when the draft is too large, or
 * cannot be written.
 */
export const keepDraft = async (workspace: Workspace, { opened, past }: RouteDraft, at: number): Promise<string> => {
  const { name, source, base, written, isNew, text } = opened
  const file = await storeDraft(workspace, { v: 1, at, name, source, base, written, isNew, digest: digestOf(text), past })
  return `kept as ${file}`
}

/**
 * Returns the drafts that `wanted` accepts, the latest first. A draft that cannot be opened is left out, such as the draft of a
 * subscription that no longer exists.
 */
export const keptDrafts = (workspace: Workspace, wanted: (stored: StoredDraft) => boolean): readonly KeptDraft[] =>
  storedDrafts(workspace)
    .filter(wanted)
    .flatMap((stored) => {
      try {
        return [onPresentFile(workspace, stored)]
      } catch {
        return []
      }
    })

/**
 * Applies the steps of a stored draft to the file as it is now. `note` says what has changed in the file since the draft was stored; a new
 * route that the file still does not have gets none.
 */
const onPresentFile = (workspace: Workspace, stored: StoredDraft): KeptDraft => {
  const { name, source, written, isNew, digest, past, at } = stored
  const opened = source === 'config' ? openedAsStored(workspace, stored) : { ...openSubscription(workspace, name), written }
  const draft = rebased({ ...draftOf(opened), past }, {})
  if (digestOf(opened.text) === digest) return { draft, at }
  const now = valueAt(dataOf(opened), opened.base)
  if (!isObject(now))
    return {
      draft: { ...draft, opened: { ...opened, isNew: true } },
      at,
      ...(isNew ? {} : { note: 'the route is not in the file any more' }),
    }
  const clashes = isNew ? ['the whole route'] : clashingKeys(draft, now)
  const note = clashes.length === 0 ? 'the file changed meanwhile' : `changed in the file, too: ${clashes.join(', ')}`
  return { draft: rebased(draft, { written: now, isNew: false }), at, note }
}

/**
 * Returns a configured route as the draft began with it, in the file that has it now. Throws a Fault where an included file no longer has
 * it, because the stored draft does not say which file that was.
 */
const openedAsStored = (workspace: Workspace, { name, source, base, written, isNew }: StoredDraft): OpenedRoute => {
  const now = isNew ? undefined : placeOfRoute(workspace, loadConfig(workspace), name)
  if (!now && base[0] === 'routes') {
    throw new Fault('not_found', `no included file has the route "${name}" any more`, { exitCode: exit.notFound })
  }
  const place = now ?? { file: configFile(workspace), base }
  return { name, source, written, isNew, ...place, text: textOfFile(place.file) }
}

const dataOf = ({ file, text }: OpenedRoute): JsonObject => {
  const data = carriedData(parseYaml(file, text))
  return isObject(data) ? data : {}
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
