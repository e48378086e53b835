/** Makes the text of a file with the steps of a draft in it. */

import { editYaml } from '../../config/yaml/edit/edit.ts'
import type { TextStart } from '../../config/yaml/edit/map-text.ts'
import type { YamlEdit } from '../../config/yaml/edit/yaml-edit.ts'
import type { ParsedYaml } from '../../config/yaml/source.ts'
import { type DraftStep, editsOf, isRemoved, type OpenedRoute, type RouteDraft, specAfter, type TextChange } from './route-draft.ts'
import { withRouteText } from './route-text.ts'

/** The text of a file with all steps of a draft in it, or why a step cannot be put into the file. */
export type DraftText =
  | {
      readonly ok: true
      readonly text: string
      /** The parsed text; absent where only the text is known, as after an undo. */
      readonly parsed?: ParsedYaml
      /** Where the text of the route begins, if a step changed it. */
      readonly start: TextStart | undefined
    }
  /** A step cannot be put into the text. `text` has the steps before that step. */
  | { readonly ok: false; readonly why: string; readonly text: string }

type Draft = Pick<RouteDraft, 'opened' | 'past' | 'spec'>

/** Makes the text of a draft. Successive drafts mostly begin with the same edits, which are not applied again. */
export type DraftTexts = (draft: Draft) => DraftText

/** The number of texts that are kept for undo. To undo further back, the text is made again from the start. */
const maxTexts = 50

/** An edit as JSON, and the text after this edit; `undefined` where that text is no longer kept. `start`: as in a `DraftText`. */
type MadeText = { readonly edit: string; text?: string | undefined; readonly start: TextStart | undefined }

export const createDraftTexts = (): DraftTexts => {
  let base = ''
  let made: MadeText[] = []
  /** The latest text, parsed. Older texts are kept unparsed, because a parsed text takes twenty times as much memory. */
  let parsed: { readonly text: string; readonly parsed: ParsedYaml } | undefined
  /**
   * Forgets the texts that the new draft cannot continue: the texts after an edit that the draft does not have; all texts where the draft
   * began with another text.
   */
  const rewind = (text: string, edits: readonly DraftEdit[]): void => {
    const differs = made.findIndex(({ edit }, i) => edits[i]?.written !== edit)
    made = base === text ? made.slice(0, differs < 0 ? undefined : differs) : []
    if (made.at(-1)?.text === undefined) made = []
    base = text
  }
  return (draft) => {
    if (isRemoved(draft) && draft.opened.base.length === 0) return { ok: true, text: '', start: undefined }
    const edits = draftEdits(draft)
    rewind(draft.opened.text, edits)
    let text = made.at(-1)?.text ?? base
    let start = made.at(-1)?.start
    for (const { change, written } of edits.slice(made.length)) {
      const edited = withChange(text, draft.opened, change, start, parsed?.text === text ? parsed.parsed : undefined)
      if (!edited.ok) return { ok: false, why: edited.why, text }
      ;({ text, start } = edited)
      parsed = { text, parsed: edited.parsed }
      made.push({ edit: written, text, start })
      const old = made.at(-maxTexts - 1)
      if (old) old.text = undefined
    }
    return { ok: true, text, ...(parsed?.text === text ? { parsed: parsed.parsed } : {}), start }
  }
}

/** Applies one change to the text of a file. `start`: where the text of the route begins before the change. */
const withChange = (
  text: string,
  opened: OpenedRoute,
  change: DraftEdit['change'],
  start: TextStart | undefined,
  parsed: ParsedYaml | undefined,
) => ('kind' in change ? { start, ...editYaml(text, change, parsed) } : withRouteText(text, opened, change))

/** A change of the file, and the same change as JSON, by which it is compared. The path of an edit begins at the root of the file's text. */
type DraftEdit = { readonly change: YamlEdit | TextChange; readonly written: string }

/**
 * Returns the edits of a draft. A deleted route is a single edit that removes it. A new route is a single edit that adds all of it; only a
 * change of its text, and the steps after that, are edits of their own.
 */
const draftEdits = ({ opened, past, spec }: Draft): readonly DraftEdit[] => {
  const { base, written, isNew } = opened
  const firstText = past.findIndex(({ text }) => text)
  const added: YamlEdit = { kind: 'set', path: base, value: firstText < 0 ? spec : specAfter(written, past.slice(0, firstText)) }
  const ofStep = (step: DraftStep): readonly DraftEdit['change'][] => [
    ...(step.text ? [step.text] : []),
    ...editsOf({ opened, past: [step] }),
  ]
  const steps = !isNew ? past : firstText < 0 ? [] : past.slice(firstText)
  const changes: readonly DraftEdit['change'][] = isRemoved({ past })
    ? [{ kind: 'remove', path: base }]
    : [...(isNew ? [added] : []), ...steps.flatMap(ofStep)]
  return changes.map((change) => ({ change, written: JSON.stringify(change) }))
}
