/** The text of a route as a person edits it: its YAML from column 0, with its comments, and with stars for secrets. */

import { applyPatch, structuredPatch } from 'diff'
import { mapTextAt, type TextStart, withMapText } from '../../config/yaml/edit/map-text.ts'
import { changedData, isRefused, type RefusedEdit } from '../../config/yaml/edit/yaml-edit.ts'
import { carriedData, type ParsedYaml, parseYaml } from '../../config/yaml/source.ts'
import type { Path } from '../../core/diagnostic.ts'
import { equalJson, isObject, type Json, valueAt } from '../../core/json.ts'
import { hideSecrets } from '../../datadir/mask-lines/hidden-secrets.ts'
import type { OpenedRoute, TextChange } from './route-draft.ts'

/** Makes the change of a route's text from `from` to `to`. */
export const textChange = (from: string, to: string): TextChange => {
  const data = carriedData(parseYaml('', to))
  return { from, to, ...(isObject(data) ? { spec: data } : {}) }
}

/** Returns the route's text as it stands in a file with the text `text`, or why the route cannot be edited as a text. */
export const routeTextIn = (text: string, base: Path): string | RefusedEdit => {
  const now = mapTextAt(parseYaml('', text), base)
  return isRefused(now) ? now : hideSecrets(now.text).text
}

/**
 * The text of a file with a changed route in it. The text may be no YAML, which its findings then report. `start`: where the route's text
 * begins.
 */
export type ChangedText = { readonly ok: true; readonly text: string; readonly parsed: ParsedYaml; readonly start: TextStart }

/** The most lines by which the two texts of a change may differ where the file has a third text. */
const maxChanges = 2_000

/**
 * Makes a change of the route's text in a file with the text `text`. Where the file has another text of the route than the change began
 * with, the change is made there all the same, unless the same lines were changed in the file.
 */
export const withRouteText = (
  text: string,
  { base, source, file, name }: OpenedRoute,
  { from, to }: TextChange,
): ChangedText | ({ readonly ok: false } & RefusedEdit) => {
  const before = parseYaml('', text)
  const now = mapTextAt(before, base)
  if (isRefused(now)) return { ok: false, ...now }
  const hidden = hideSecrets(now.text)
  const wanted = hidden.text === from ? to : merged(hidden.text, from, to)
  if (wanted === undefined) return { ok: false, why: 'the same lines of the route were changed in the file, too' }
  const restored = hidden.restored(wanted)
  if (typeof restored !== 'string') return { ok: false, why: `line ${restored.line}: ${restored.stars}: ${restored.why}` }
  const changed = withMapText(before, base, restored)
  if (isRefused(changed)) return { ok: false, ...changed }
  const parsed = parseYaml(source === 'config' ? file : name, changed.text)
  if (parsed.data !== undefined && !isOnlyChangeAt(base, before.data ?? null, parsed.data))
    return { ok: false, why: 'it would change more of the file than this route' }
  return { ok: true, text: changed.text, parsed, start: changed.start }
}

/** Makes the change from `from` to `to` in the text `now`; `undefined` where `now` does not have the changed lines. */
export const merged = (now: string, from: string, to: string): string | undefined => {
  const patch = structuredPatch('', '', from, to, undefined, undefined, { context: 1, maxEditLength: maxChanges })
  return (patch && applyPatch(now, patch)) || undefined
}

const isOnlyChangeAt = (base: Path, before: Json, after: Json): boolean => {
  if (base.length === 0) return true
  const value = valueAt(after, base)
  const wanted = value === undefined ? undefined : changedData(before, { kind: 'set', path: base, value })
  return wanted !== undefined && !isRefused(wanted) && equalJson(wanted.value ?? null, after)
}

/** Returns the present text of the route, where the change of its text began with another text. */
export const otherTextThan = ({ from }: TextChange, { text, base, isNew }: OpenedRoute): string | undefined => {
  if (isNew) return undefined
  const now = routeTextIn(text, base)
  return isRefused(now) || now === from ? undefined : now
}
