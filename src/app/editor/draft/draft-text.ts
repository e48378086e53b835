/** Makes the text of a file with the steps of a draft in it. */

import { editYaml } from '../../../config/yaml/edit/edit.ts'
import type { YamlEdit } from '../../../config/yaml/edit/yaml-edit.ts'
import type { ParsedYaml } from '../../../config/yaml/source.ts'
import { editsOf, isRemoved, type RouteDraft } from './route-draft.ts'

/** The text of a file with all steps of a draft in it, or why a step cannot be put into the file. */
export type DraftText =
  | {
      readonly ok: true
      readonly text: string
      /** The parsed text; absent where only the text is known, as after an undo. */
      readonly parsed?: ParsedYaml
    }
  /** A step cannot be put into the text. `text` has the steps before that step. */
  | { readonly ok: false; readonly why: string; readonly text: string }

type Draft = Pick<RouteDraft, 'opened' | 'past' | 'spec'>

/** Makes the text of a draft. Successive drafts mostly begin with the same edits, which are not applied again. */
export type DraftTexts = (draft: Draft) => DraftText

/** The number of texts that are kept for undo. To undo further back, the text is made again from the start. */
const maxTexts = 50

/** An edit as JSON, and the text after this edit; `undefined` where that text is no longer kept. */
type MadeText = { readonly edit: string; text?: string | undefined }

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
    if (isRemoved(draft) && draft.opened.base.length === 0) return { ok: true, text: '' }
    const edits = draftEdits(draft)
    rewind(draft.opened.text, edits)
    let text = made.at(-1)?.text ?? base
    for (const { edit, written } of edits.slice(made.length)) {
      const edited = editYaml(text, edit, parsed?.text === text ? parsed.parsed : undefined)
      if (!edited.ok) return { ok: false, why: edited.why, text }
      text = edited.text
      parsed = { text, parsed: edited.parsed }
      made.push({ edit: written, text })
      const old = made.at(-maxTexts - 1)
      if (old) old.text = undefined
    }
    return { ok: true, text, ...(parsed?.text === text ? { parsed: parsed.parsed } : {}) }
  }
}

/** An edit, and the same edit as JSON, by which it is compared. Its path begins at the root of the file's text. */
type DraftEdit = { readonly edit: YamlEdit; readonly written: string }

/** Returns the edits of a draft. A new route is a single edit that adds all of it, and a deleted route is a single edit that removes it. */
const draftEdits = (draft: Draft): readonly DraftEdit[] => {
  const { opened, past, spec } = draft
  const whole: YamlEdit | undefined = isRemoved(draft)
    ? { kind: 'remove', path: opened.base }
    : opened.isNew
      ? { kind: 'set', path: opened.base, value: spec }
      : undefined
  const steps = whole ? [[whole]] : past.map((step) => editsOf({ opened, past: [step] }))
  return steps.flat().map((edit) => ({ edit, written: JSON.stringify(edit) }))
}
