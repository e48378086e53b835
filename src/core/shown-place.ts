/** A place in a file as people read it. */

import { isAbsolute, relative } from 'node:path'
import type { Place } from './diagnostic.ts'

/** A file as it is shorter to read: relative when it is below the working folder. */
export const shownFile = (file: string): string => {
  const near = relative(process.cwd(), file)
  return near !== '' && !near.startsWith('..') && !isAbsolute(near) ? near : file
}

export const shownPlace = ({ file, line, column }: Place): string => `${shownFile(file)}:${line}:${column}`
