/** Writes files and places for people. */

import { isAbsolute, relative } from 'node:path'
import type { SourceRange } from './diagnostic.ts'

/** Returns the path relative to the working folder where the file is below it, else the whole path. */
export const shownFile = (file: string): string => {
  const near = relative(process.cwd(), file)
  return near !== '' && !near.startsWith('..') && !isAbsolute(near) ? near : file
}

export const shownPlace = ({ file, line, column }: SourceRange): string => `${shownFile(file)}:${line}:${column}`
