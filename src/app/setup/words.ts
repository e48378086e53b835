/** Splits a command into words, and joins words into a command. Blanks separate words, and quotes keep a word together. */

import { quoted } from '../../process/quoted.ts'

const wordPattern = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)/gsy

/** Returns the words of a command; `undefined` where a quote does not end. No shell reads them, so nothing in them is replaced. */
export const splitWords = (text: string): string[] | undefined => {
  const words: string[] = []
  let open = false
  let read = 0
  for (const { 0: all, 1: single, 2: double, 3: escaped, 4: plain, 5: blank } of text.matchAll(wordPattern)) {
    read += all.length
    if (blank === undefined) {
      const part = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? ''
      words.push((open ? words.pop() : '') + part)
    }
    open = blank === undefined
  }
  return read === text.length ? words : undefined
}

export const wordsText = (words: readonly string[]): string => words.map(quoted).join(' ')
