/**
 * Says in a sentence, for the log and for commands, how a file of entries was made equal to the shared entries, or why this was not
 * possible.
 */

import { Fault } from '../../core/fault.ts'
import type { Refreshed } from './entry-copies.ts'

export type RefreshedWords = { readonly level: 'info' | 'warn'; readonly text: string }

const maxShownNames = 10

export const refreshedWords = ({ file, result }: Refreshed): RefreshedWords => {
  if (result instanceof Fault) return { level: 'warn', text: `${result.message}${result.hint === undefined ? '' : `: ${result.hint}`}` }
  switch (result.kind) {
    case 'copied':
      return { level: 'info', text: `${file} was brought up to the database` }
    case 'first':
      return {
        level: 'info',
        text: `the database had no entries for ${file} yet, so its own are everybody's now: ${firstNames(result.names)}`,
      }
    case 'edited':
      return { level: 'info', text: `${file} was changed by hand, and the change is everybody's now: ${firstNames(result.names)}` }
    case 'overruled':
      return {
        level: 'warn',
        text: `${file} is a copy of what the database has, and was replaced. ${result.kept} has what only the file had (${firstNames(result.names)}): write into ${file} again what is to stay`,
      }
  }
}

const firstNames = (names: readonly string[]): string =>
  names.length > maxShownNames ? `${names.slice(0, maxShownNames).join(', ')} and ${names.length - maxShownNames} more` : names.join(', ')
