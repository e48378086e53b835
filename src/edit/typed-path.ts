/** Reads a path that a user typed in an editor, where no shell expands it. */

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Returns the whole path. `~` is the home folder. */
export const typedPath = (typed: string): string => {
  const path = typed.trim()
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : resolve(path)
}
