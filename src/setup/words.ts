/** Splits a command into words, and joins words into a command. Blanks separate words, and quotes keep a word together. */

import { quoted } from '../core/text.ts'

const wordPattern = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)/gsy

/**
 * Returns the words of a command; `undefined` where a quote does not end. No shell reads the words, so variables and patterns in them stay
 * as they are.
 */
export const splitWords = (text: string): string[] | undefined => {
  const words: string[] = []
  // Whether the next part belongs to the last word, because no blank stands between.
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

/** Joins words to a text that `splitWords` splits into the same words. */
export const wordsText = (words: readonly string[]): string => words.map(quoted).join(' ')
