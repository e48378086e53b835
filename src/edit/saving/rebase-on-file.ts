/** Applies a draft to its file as it is now, unless somebody else changed the keys that the draft changes. */

import { carriedData, parseYaml } from '../../config/yaml/source.ts'
import { equalJson, isObject, type JsonObject, own, valueAt } from '../../core/json.ts'
import { isRemoved, type RouteDraft, rebased } from '../draft/route-draft.ts'

/** Returns the draft as if it had been opened on `text`, the present text of its file, or says why that is not possible. */
export const rebaseOnFile = (draft: RouteDraft, text: string): RouteDraft | { readonly why: string } => {
  const { opened } = draft
  const data = carriedData(parseYaml(opened.file, text))
  if (!isObject(data)) return { why: 'the file cannot be read as it is now' }
  const now = valueAt(data, opened.base)
  if (opened.isNew) return now === undefined ? rebased(draft, { text }) : { why: `there is a route "${opened.name}" in the file by now` }
  if (!isObject(now)) return { why: `"${opened.name}" is not in the file any more` }
  const clashes = clashingKeys(draft, now)
  if (clashes.length > 0) return { why: `${clashes.map((key) => `"${key}"`).join(' and ')} changed in the file, too` }
  return rebased(draft, { text, written: now })
}

/**
 * Returns the keys of the route that the draft changes, and that have also changed in the file since the draft was opened. A draft that
 * deletes the route changes all keys. `now`: the route as the file has it.
 */
export const clashingKeys = (draft: RouteDraft, now: JsonObject): readonly string[] => {
  const { written } = draft.opened
  const edits = draft.past.flatMap((step) => step.edits)
  const all = isRemoved(draft) ? [...Object.keys(written), ...Object.keys(now)] : []
  const touched = edits.flatMap((edit) => [
    ...(edit.path.length === 0 ? Object.keys(written) : [String(edit.path[0])]),
    ...(edit.kind === 'rename' && edit.path.length === 1 ? [edit.key] : []),
  ])
  return [...new Set([...all, ...touched])].filter((key) => {
    const [before, after] = [own(written, key), own(now, key)]
    return before === undefined || after === undefined ? before !== after : !equalJson(before, after)
  })
}
