/** Says in a sentence how a file of entries was made equal to the shared entries, or why it was not, for the log and for commands. */

import { Fault } from '../../core/fault.ts'
import type { Refreshed } from './entry-copies.ts'

export type RefreshedWords = { readonly level: 'info' | 'warn'; readonly text: string }

const maxNames = 10

export const refreshedWords = ({ file, result }: Refreshed): RefreshedWords => {
  if (result instanceof Fault) return { level: 'warn', text: `${result.message}${result.hint === undefined ? '' : `: ${result.hint}`}` }
  switch (result.kind) {
    case 'copied':
      return { level: 'info', text: `${file} was brought up to the database` }
    case 'first':
      return { level: 'info', text: `the database had no entries for ${file} yet, so its own are everybody's now: ${listed(result.names)}` }
    case 'edited':
      return { level: 'info', text: `${file} was changed by hand, and the change is everybody's now: ${listed(result.names)}` }
    case 'overruled':
      return {
        level: 'warn',
        text: `${file} is a copy of what the database has, and was replaced. ${result.kept} has what only the file had (${listed(result.names)}): write into ${file} again what is to stay`,
      }
  }
}

const listed = (names: readonly string[]): string =>
  names.length > maxNames ? `${names.slice(0, maxNames).join(', ')} and ${names.length - maxNames} more` : names.join(', ')
