/** Gives the text of a draft's route to a person, and changes that text by steps. */

import { editYaml } from '../../config/yaml/edit/edit.ts'
import { isRefused } from '../../config/yaml/edit/yaml-edit.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { DraftTexts } from './draft-text.ts'
import type { DraftStep, OpenedRoute, RouteDraft, TextChange } from './route-draft.ts'
import { merged, routeTextIn } from './route-text.ts'

/**
 * Returns the text of a draft's route. The latest change of the text is returned also where it is no YAML yet.
 * Throws a Fault where the route cannot be edited as a text.
 */
export const textOfDraft = (textOf: DraftTexts, draft: RouteDraft): string => {
  const last = draft.past.at(-1)
  if (last?.text && last.edits.length === 0) return textOnFile(last.text, draft.opened)
  const made = textOf(draft)
  const text = made.ok ? routeTextIn(made.text, draft.opened.base) : made
  if (!isRefused(text)) return text
  const { name, file } = draft.opened
  throw new Fault('not_a_text', `the route "${name}" cannot be edited as a text: ${text.why}`, {
    exitCode: exit.conflict,
    hint: `edit ${file} itself`,
  })
}

/** Returns the changed text, with what others changed in the file meanwhile; without that where both changed the same lines. */
const textOnFile = ({ from, to }: TextChange, { text, base, isNew }: OpenedRoute): string => {
  const now = isNew ? from : routeTextIn(text, base)
  return isRefused(now) || now === from ? to : (merged(now, from, to) ?? to)
}

/** Returns a route's text after the edits of a step. Throws a Fault where the text does not take them. */
export const textAfter = (text: string, { edits }: DraftStep): string =>
  edits.reduce((before, edit) => {
    const edited = editYaml(before, edit)
    if (edited.ok) return edited.text
    throw new Fault('refused', edited.why, { exitCode: exit.no })
  }, text)
