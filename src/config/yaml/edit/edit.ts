/**
 * Edits a YAML text by replacing ranges of the text: comments, order, quotes, blank lines, indents and line ends elsewhere stay. The
 * editor, imports and `gateway setup` change files in this way.
 */

import { roundedCarried } from '../../../core/carried-numbers.ts'
import { equalJson, type Json } from '../../../core/json.ts'
import { carriedData, type ParsedYaml, parseYaml } from '../source.ts'
import { inOrder, type Splice, spliced } from '../splice.ts'
import { Outline } from './outline.ts'
import { splicesOf } from './splices-of.ts'
import { type Style, styleOf } from './style.ts'
import { changedData, isRefused, type YamlEdit } from './yaml-edit.ts'

export type Edited =
  | {
      readonly ok: true
      readonly text: string
      /** The replaced ranges, in order and without overlap. Empty where the text has the wanted data already. */
      readonly splices: readonly Splice[]
      /** The new text, parsed, for the next edit. The parsed text takes twenty times the memory of the text. */
      readonly parsed: ParsedYaml
    }
  | { readonly ok: false; readonly why: string }

/**
 * Returns the text after an edit, with the splices that lead to it, or why the text cannot be edited so. The new text has been parsed
 * again: its data are the old data with this change alone. The values of an edit may have carried numbers. `parsed`: the old text, where
 * the caller has parsed it already.
 */
export const editYaml = (text: string, edit: YamlEdit, parsed: ParsedYaml = parseYaml('', text)): Edited => {
  const { events, diagnostics } = parsed
  const data = carriedData(parsed)
  const [problem] = diagnostics
  if (data === undefined || problem)
    return refusedEdit(`line ${problem?.place?.line ?? 1}: ${problem?.message ?? 'the text cannot be read'}`)
  const wanted = changedData(data, edit)
  if (isRefused(wanted)) return refusedEdit(wanted.why)
  const { value = null } = wanted
  if (equalJson(value, data)) return { ok: true, text, splices: [], parsed }
  const outline = new Outline(text, events)
  const style = styleOf(outline)
  // A value that does not read back right as a block of text (`|`) may do so in quotes.
  const edited = editInStyles(outline, data, edit, value, [style, { ...style, blocks: false }])
  return edited ?? refusedEdit('what stands around it does not allow this change')
}

const refusedEdit = (why: string): Edited => ({ ok: false, why })

/** Makes the edit in the first style whose result reads back right; `undefined` where no style does. */
const editInStyles = (outline: Outline, data: Json, edit: YamlEdit, wanted: Json, styles: readonly Style[]): Edited | undefined => {
  const read = roundedCarried(wanted)
  for (const style of styles) {
    const splices = splicesOf(outline, data, edit, style)
    if (isRefused(splices)) return refusedEdit(splices.why)
    const changes = inOrder(splices.filter(({ from, to, text }) => outline.text.slice(from, to) !== text))
    const text = spliced(outline.text, changes)
    const parsed = parseYaml('', text)
    const isRight = parsed.diagnostics.length === 0 && parsed.data !== undefined && equalJson(parsed.data, read)
    if (isRight) return { ok: true, text, splices: changes, parsed }
  }
  return undefined
}
