/**
 * A draft: the route as it was written, and the steps by which a user has edited it since. Undo takes a step back. The functions of this
 * module read and write no file.
 */

import { changedData, isRefused, type YamlEdit } from '../../config/yaml/edit/yaml-edit.ts'
import type { Path } from '../../core/diagnostic.ts'
import { equalJson, isObject, type JsonObject } from '../../core/json.ts'

/** A route as it stands in a file. */
export type OpenedRoute = {
  readonly name: string
  readonly source: 'config' | 'subscription'
  /** The file that saving the route writes. */
  readonly file: string
  /** The whole text of `config.yaml`; for a subscription, its entry as YAML with the secrets hidden. */
  readonly text: string
  /** The path of the route in the text. */
  readonly base: Path
  /**
   * The route as it is written in the text, with its whole numbers past 2^53 carried (`carryDigits`), as they are in each step. A new route
   * is not in the text yet, and begins with these settings.
   */
  readonly written: JsonObject
  readonly isNew: boolean
}

/**
 * A change of the route's text (`textChange`). `from`: the text that the user saw first. `to`: the text that the user made of it. `spec`:
 * the route in that text; absent where the text is no map. The route is not parsed here, so that the terminal editor needs no parser.
 */
export type TextChange = { readonly from: string; readonly to: string; readonly spec?: JsonObject }

/**
 * The change that one action of the user makes. Its edits have paths that begin at the route. `text`: a change of the route's text, which
 * comes before the edits. `removes`: the step deletes the whole route.
 */
export type DraftStep = { readonly title: string; readonly edits: readonly YamlEdit[]; readonly text?: TextChange; readonly removes?: true }

/** `past`: the steps that were taken. `future`: the steps that undo took back, and redo would take again. */
export type RouteDraft = {
  readonly opened: OpenedRoute
  readonly past: readonly DraftStep[]
  readonly future: readonly DraftStep[]
  /** The route with all steps of `past` in it, except a step that deletes the route. */
  readonly spec: JsonObject
  /** The states of the route before its latest save, the oldest first: undo goes on to them once no step is left. */
  readonly earlier?: readonly JsonObject[]
  /** The index in `earlier` of the state that the first step of `past` restored. Absent if undo has not gone beyond the latest save. */
  readonly back?: number
}

/** The most steps that undo takes back one by one. Beyond this number, the oldest steps are joined into one step. */
const maxSteps = 500

export const draftOf = (opened: OpenedRoute): RouteDraft => ({ opened, past: [], future: [], spec: opened.written })

/** Returns the draft of a route that was saved: without steps, but undo still leads to the states before the save. */
export const draftAfter = ({ opened: { written }, past, earlier = [] }: RouteDraft, opened: OpenedRoute): RouteDraft => {
  const states = past.map((_, i) => specAfter(written, past.slice(0, i)))
  return { ...draftOf(opened), earlier: [...earlier, ...states].slice(-maxSteps) }
}

/** Returns the draft with the state of `earlier` at `index` in the place of its steps. An index past the end means the route as saved. */
const broughtBack = ({ opened, earlier = [] }: RouteDraft, index: number): RouteDraft => {
  const fresh = { ...draftOf(opened), earlier }
  const state = earlier[index]
  return state ? { ...change(fresh, 'take back what was saved', differences(opened.written, state)), back: index } : fresh
}

/** Returns the edits of whole keys that make `after` of `before`. */
const differences = (before: JsonObject, after: JsonObject): YamlEdit[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key): YamlEdit[] => {
    const [old, value] = [before[key], after[key]]
    if (value === undefined) return [{ kind: 'remove', path: [key] }]
    return old !== undefined && equalJson(old, value) ? [] : [{ kind: 'set', path: [key], value }]
  })

/** The place in `earlier` at which a draft without further steps stands; the length of `earlier` is the route as it was saved. */
const standsAt = ({ past, earlier = [], back = earlier.length }: RouteDraft): number | undefined =>
  past.length === (back < earlier.length && past.length > 0 ? 1 : 0) ? back : undefined

export const canUndo = (draft: RouteDraft): boolean => undo(draft) !== draft

export const canRedo = (draft: RouteDraft): boolean => redo(draft) !== draft

/** Returns the draft after a further step with this title. Returns the same draft if the edits change nothing. */
export const change = (draft: RouteDraft, title: string, edits: readonly YamlEdit[]): RouteDraft => {
  const spec = appliedEdits(draft.spec, edits)
  if (equalJson(spec, draft.spec)) return draft
  return { ...draft, past: withinMaxSteps([...draft.past, { title, edits }]), future: [], spec }
}

/** Returns the draft after a step that changes the route's text. Returns the same draft if both texts are equal. */
export const rewritten = (draft: RouteDraft, text: TextChange): RouteDraft => {
  if (text.from === text.to) return draft
  const step: DraftStep = { title: 'edit the text', edits: [], text }
  return { ...draft, past: withinMaxSteps([...draft.past, step]), future: [], spec: specAfter(draft.spec, [step]) }
}

/**
 * Returns the draft after a step that switches the route on or off. A step that switches the route on removes the key `enabled` if the
 * opened route did not have the key.
 */
export const switched = (draft: RouteDraft): RouteDraft => {
  const isOn = draft.spec.enabled !== false
  const edit: YamlEdit =
    !isOn && draft.opened.written.enabled === undefined
      ? { kind: 'remove', path: ['enabled'] }
      : { kind: 'set', path: ['enabled'], value: !isOn }
  return change(draft, `switch ${isOn ? 'off' : 'on'}`, [edit])
}

/** Returns the draft after a step that deletes the route. */
export const removed = (draft: RouteDraft): RouteDraft =>
  isRemoved(draft) ? draft : { ...draft, past: withinMaxSteps([...draft.past, { title: 'delete', edits: [], removes: true }]), future: [] }

/** Whether saving the draft deletes the route. */
export const isRemoved = ({ past }: Pick<RouteDraft, 'past'>): boolean => past.at(-1)?.removes === true

/** Joins the two oldest steps that can be joined when there are more steps than `maxSteps`. */
const withinMaxSteps = (past: readonly DraftStep[]): readonly DraftStep[] => {
  if (past.length <= maxSteps) return past
  for (const [i, step] of past.entries()) {
    const next = past[i + 1]
    const joined = next && joinedSteps(step, next)
    if (joined) return past.toSpliced(i, 2, joined)
  }
  return past
}

/** Joins two steps; `undefined` where the second changes a text that edits of the first have made. */
const joinedSteps = (first: DraftStep, second: DraftStep): DraftStep | undefined => {
  if (!second.text) return { ...first, edits: [...first.edits, ...second.edits] }
  const isOneText = first.text && first.edits.length === 0 && first.text.to === second.text.from
  return isOneText ? { ...second, text: { ...second.text, from: first.text.from } } : undefined
}

/** Returns the draft without its latest step, or as it was before its save; the same draft where there is nothing to take back. */
export const undo = (draft: RouteDraft): RouteDraft => {
  const at = standsAt(draft)
  if (at !== undefined) return at > 0 ? broughtBack(draft, at - 1) : draft
  const last = draft.past.at(-1)
  if (!last) return draft
  const past = draft.past.slice(0, -1)
  return { ...draft, past, future: [last, ...draft.future], spec: specAfter(draft.opened.written, past) }
}

/** Returns the draft with the step that was undone last; the same draft where no step was undone. */
export const redo = (draft: RouteDraft): RouteDraft => {
  const [next, ...future] = draft.future
  if (!next && draft.back !== undefined && standsAt(draft) === draft.back) return broughtBack(draft, draft.back + 1)
  return next ? { ...draft, past: [...draft.past, next], future, spec: specAfter(draft.spec, [next]) } : draft
}

/** Applies the steps of a draft to the route as it is written now. `now`: the members of the opened route that have changed. */
export const rebased = (draft: RouteDraft, now: Partial<OpenedRoute>): RouteDraft => {
  const opened = { ...draft.opened, ...now }
  return { ...draft, opened, spec: specAfter(opened.written, draft.past) }
}

/**
 * Whether saving the draft would change the file. Steps that cancel each other out change nothing. A change of the text may be a comment,
 * so it always counts.
 */
export const isModified = (draft: RouteDraft): boolean =>
  draft.opened.isNew ||
  isRemoved(draft) ||
  draft.past.some(({ text }) => text) ||
  (draft.past.length > 0 && !equalJson(draft.spec, draft.opened.written))

/** Returns the edits of all past steps in order. Their paths begin at the root of the file's text. */
export const editsOf = ({ opened: { base }, past }: Pick<RouteDraft, 'opened' | 'past'>): readonly YamlEdit[] =>
  past.flatMap(({ edits }) => edits.map((edit) => ({ ...edit, path: [...base, ...edit.path] })))

/** Returns a route after the steps. A text that is no map changes nothing, because such a route can only be shown as a text. */
export const specAfter = (written: JsonObject, past: readonly DraftStep[]): JsonObject =>
  past.reduce((spec, { text, edits }) => appliedEdits(text?.spec ?? spec, edits), written)

/** Returns a route after the edits. An edit that does not fit the route changes nothing. */
export const appliedEdits = (spec: JsonObject, edits: readonly YamlEdit[]): JsonObject => edits.reduce(appliedOne, spec)

const appliedOne = (spec: JsonObject, edit: YamlEdit): JsonObject => {
  const made = changedData(spec, edit)
  return !isRefused(made) && isObject(made.value) ? made.value : spec
}
