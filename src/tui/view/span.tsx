/**
 * A piece of a row: a text in a tone. Every text on the screen is a `Span`, which makes the text safe: no text from outside can control the
 * terminal.
 */

import { styleText } from 'node:util'
import { Transform } from 'ink'
import { createContext, useContext } from 'react'
import { printable } from '../../core/text.ts'
import type { Tone } from '../model/remark.ts'

type Style = 'dim' | 'bold' | 'green' | 'red' | 'yellow' | 'cyan' | 'inverse' | 'underline'

/** The style of each tone: `colour` from the terminal's own palette, and `plain` for an editor without colours. */
const styles: { readonly [tone in Tone]: { readonly colour: readonly Style[]; readonly plain: readonly Style[] } } = {
  plain: { colour: [], plain: [] },
  dim: { colour: ['dim'], plain: ['dim'] },
  strong: { colour: ['bold'], plain: ['bold'] },
  ok: { colour: ['green'], plain: [] },
  bad: { colour: ['red', 'bold'], plain: ['bold'] },
  warn: { colour: ['yellow'], plain: [] },
  accent: { colour: ['cyan'], plain: [] },
}

/** Whether the editor shows colours, for all components of a frame. */
export const Colour = createContext(true)

/**
 * Returns a text with the terminal's codes for a style. Each line of the text has codes of its own, because Ink may
 * draw the lines apart. Ink's own colours are not used, because they depend on Ink's guess about the terminal.
 */
export const painted = (text: string, format: readonly Style[]): string =>
  format.length === 0
    ? text
    : text
        .split('\n')
        .map((line) => styleText([...format], line, { validateStream: false }))
        .join('\n')

type Props = {
  readonly children: string
  readonly tone?: Tone
  readonly inverse?: boolean
  readonly underline?: boolean
}

export const Span = ({ children, tone = 'plain', inverse = false, underline = false }: Props) => {
  const isColoured = useContext(Colour)
  const text = printable(children, 4096)
  const format: Style[] = [...styles[tone][isColoured ? 'colour' : 'plain']]
  if (inverse) format.push('inverse')
  if (underline) format.push('underline')
  if (text === '' || format.length === 0) return text
  return <Transform transform={(each) => painted(each, format)}>{text}</Transform>
}
