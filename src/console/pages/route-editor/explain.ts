/** Explains the word under the pointer: a key by its description in the schema, and a path by its value in the chosen payload. */

import type { Extension } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import { shown } from '../words.ts'
import type { EditorContext } from './complete.ts'
import { descriptionAt } from './schema-nodes.ts'
import { yamlPlaceAt } from './yaml-place.ts'

/** Returns the extension of the text editor that shows the explanations. `known` is called at each explanation. */
export const explainRoute = (known: () => EditorContext): Extension =>
  hoverTooltip(({ state }, pos) => {
    const line = state.doc.lineAt(pos)
    const word = [...line.text.matchAll(/[\w.[\]-]+/g)].find(
      ({ index, 0: all }) => line.from + index <= pos && pos <= line.from + index + all.length,
    )
    if (!word) return null
    const [from, to] = [line.from + word.index, line.from + word.index + word[0].length]
    const said = explanationOf(known(), state.doc.toString(), word[0], to)
    return said === '' ? null : { pos: from, end: to, above: true, create: () => ({ dom: textBox(said) }) }
  })

const explanationOf = ({ schema, values }: EditorContext, text: string, word: string, end: number): string => {
  const value = values.find(({ path }) => path === word)
  if (value) return `${shown(value.path)} = ${shown(value.shown)}`
  const isKey = /^["']?\s*:(?:\s|$)/.test(text.slice(end, end + 3))
  const { path, kind } = yamlPlaceAt(text, end)
  return isKey && kind === 'key' ? descriptionAt(schema, [...path, word]) : ''
}

const textBox = (text: string): HTMLElement => {
  const box = document.createElement('div')
  box.className = 'explained'
  box.textContent = text
  return box
}
