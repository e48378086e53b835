/** Changes a YAML text by replacing ranges of it: comments, order, quotes, blank lines, indents and line ends elsewhere stay as they are. */

import { equalJson, type Json } from '../../../core/json.ts'
import { parseSource } from '../source.ts'
import { inOrder, type Splice, spliced } from '../splice.ts'
import { eventsOf } from '../yaml-tree.ts'
import { Outline } from './outline.ts'
import { splicesOf } from './splices-of.ts'
import { styleOf } from './style.ts'
import { changedData, isRefused, type YamlEdit } from './yaml-edit.ts'

export type Edited =
  | { readonly ok: true; readonly text: string; readonly splices: readonly Splice[] }
  | { readonly ok: false; readonly why: string }

/** The text after an edit with the splices that make it, or why it cannot be made without touching more. */
export const editYaml = (text: string, edit: YamlEdit): Edited => {
  const { source, diagnostics } = parseSource('', text)
  const [problem] = diagnostics
  if (!source || problem) return { ok: false, why: `line ${problem?.place?.line ?? 1}: ${problem?.message ?? 'the text cannot be read'}` }
  const wanted = changedData(source.data, edit)
  if (isRefused(wanted)) return { ok: false, why: wanted.why }
  const data = wanted.value ?? null
  if (equalJson(data, source.data)) return { ok: true, text, splices: [] }
  const outline = new Outline(text, eventsOf(text))
  const style = styleOf(outline)
  // Where a block of text cannot be read back, a quoted one can.
  for (const each of [style, { ...style, blocks: false }]) {
    const splices = splicesOf(outline, source.data, edit, each)
    if (isRefused(splices)) return { ok: false, why: splices.why }
    const changes = inOrder(splices.filter(({ from, to, text: by }) => outline.text.slice(from, to) !== by))
    const after = spliced(text, changes)
    if (readsAs(after, data)) return { ok: true, text: after, splices: changes }
  }
  return { ok: false, why: 'what stands around it does not allow this change' }
}

const readsAs = (text: string, data: Json): boolean => {
  const { source, diagnostics } = parseSource('', text)
  return source !== undefined && diagnostics.length === 0 && equalJson(source.data, data)
}
