/** The text of a file with the steps of a draft in it. */

import { editYaml } from '../../../config/yaml/edit/edit.ts'
import type { YamlEdit } from '../../../config/yaml/edit/yaml-edit.ts'
import type { ParsedYaml } from '../../../config/yaml/source.ts'
import { editsOf, isRemoved, type RouteDraft } from './route-draft.ts'

export type DraftText =
  | {
      readonly ok: true
      readonly text: string
      /** The text, where it was parsed to be made. */
      readonly parsed?: ParsedYaml
    }
  /** `text`: with the steps before the first one that cannot be put into it. */
  | { readonly ok: false; readonly why: string; readonly text: string }

type Draft = Pick<RouteDraft, 'opened' | 'past' | 'spec'>

/** Makes the texts of drafts; what the latest one shares with the one before is not made again. */
export type DraftTexts = (draft: Draft) => DraftText

/** So many texts are kept for undo. From further back the text is made anew. */
const maxTexts = 50

type Made = { readonly edit: string; text?: string | undefined }

export const createDraftTexts = (): DraftTexts => {
  let base = ''
  let made: Made[] = []
  /** Of the latest text only: it takes twenty times as much. */
  let parsed: { readonly text: string; readonly parsed: ParsedYaml } | undefined
  /** Back to what the latest draft shares with this one. */
  const rewind = (text: string, edits: readonly Placed[]): void => {
    const differs = made.findIndex(({ edit }, i) => edits[i]?.written !== edit)
    made = base === text ? made.slice(0, differs < 0 ? undefined : differs) : []
    if (made.at(-1)?.text === undefined) made = []
    base = text
  }
  return (draft) => {
    if (isRemoved(draft) && draft.opened.base.length === 0) return { ok: true, text: '' }
    const edits = placedEdits(draft)
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

type Placed = { readonly edit: YamlEdit; readonly written: string }

/** A new route is put in as a whole, and a deleted one taken out as a whole. */
const placedEdits = (draft: Draft): readonly Placed[] => {
  const { opened, past, spec } = draft
  const whole: YamlEdit | undefined = isRemoved(draft)
    ? { kind: 'remove', path: opened.base }
    : opened.isNew
      ? { kind: 'set', path: opened.base, value: spec }
      : undefined
  const steps = whole ? [[whole]] : past.map((step) => editsOf({ opened, past: [step] }))
  return steps.flat().map((edit) => ({ edit, written: JSON.stringify(edit) }))
}
