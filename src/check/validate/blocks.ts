/** Finds the configurations in a Markdown document: fenced blocks that are marked as `yaml webhook`. */

import { readFileSync, statSync } from 'node:fs'
import { usage } from '../../core/fault.ts'

const maxFileBytes = 4_194_304
const openingFence = /^ {0,12}(`{3,}|~{3,})[ \t]*ya?ml[ \t]+webhook(?:[ \t].*)?$/

/**
 * The blocks of a document. Each block begins with as many empty lines as lines come before it in the document, so that its line numbers
 * are right. `text`: the document, with blanks in place of every character outside of the blocks.
 */
export type Blocks = { readonly text: string; readonly blocks: readonly string[] }

/** Reads the blocks of a file. Throws a usage Fault for a file that is too large. */
export const blocksOf = (file: string): Blocks => {
  if (statSync(file).size > maxFileBytes) throw usage(`${file} is larger than ${maxFileBytes} bytes`)
  return blocksIn(readFileSync(file, 'utf8'))
}

/** Returns the blocks of the text of a document. */
export const blocksIn = (document: string): Blocks => {
  const lines = document.split('\n')
  const shown = lines.map((line) => ' '.repeat(line.length))
  const blocks: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const fence = openingFence.exec(lines[at]?.trimEnd() ?? '')?.[1]
    if (fence === undefined) continue
    const end = closingLine(lines, at + 1, fence)
    const block = lines.slice(at + 1, end)
    blocks.push(`${'\n'.repeat(at + 1)}${block.join('\n')}${end < lines.length ? '\n' : ''}`)
    shown.splice(at + 1, block.length, ...block)
    at = end
  }
  return { text: shown.join('\n'), blocks }
}

/** Returns the index of the line that closes the fence; the number of lines where no line closes it. */
const closingLine = (lines: readonly string[], from: number, fence: string): number => {
  const at = lines.findIndex((line, i) => i >= from && isClosing(line.trim(), fence))
  return at < 0 ? lines.length : at
}

const isClosing = (line: string, fence: string): boolean =>
  line.length >= fence.length && line === line[0]?.repeat(line.length) && line[0] === fence[0]
