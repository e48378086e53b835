/** Writes the path of a file, and a place in a file, as people are shown them. */

import { isAbsolute, relative } from 'node:path'
import type { SourceRange } from './diagnostic.ts'

/** Returns the path of a file relative to the working folder where the file is below that folder, else the whole path. */
export const shownFile = (file: string): string => {
  const near = relative(process.cwd(), file)
  return near !== '' && !near.startsWith('..') && !isAbsolute(near) ? near : file
}

/** Returns a place as `file:line:column`. */
export const shownPlace = ({ file, line, column }: SourceRange): string => `${shownFile(file)}:${line}:${column}`
