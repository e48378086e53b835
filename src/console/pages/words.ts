/** Writes values for the screens. In texts of senders, control and direction characters are written out. */

import { printable, printableLines } from '../../core/text.ts'

/** Returns a text of a stranger on one line, cut at `limit` characters. */
export const shown = (text: string | number | null | undefined, limit = 300): string =>
  text === null || text === undefined ? '' : printable(String(text), limit)

/** Returns a text of a stranger with its line ends. */
export const shownLines = (text: string): string => printableLines(text)

/** Returns the time of day, in the time zone of the browser; for another day than today, with the date. */
export const time = (iso: string): string => {
  const at = new Date(iso)
  const isToday = at.toDateString() === new Date().toDateString()
  return isToday ? at.toLocaleTimeString() : at.toLocaleString()
}

export const milliseconds = (ms: number | null): string =>
  ms === null ? '' : ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`

/** Returns an outcome in words; for an ignored event, with the stage that ignored the event. */
export const outcome = ({ outcome: word, stage }: { readonly outcome: string; readonly stage: string | null }): string =>
  word === 'ignored' && stage !== null ? `ignored by ${stage}` : word.replaceAll('_', ' ')

/** Returns the colour of an outcome or a state. The word says the same to a user who does not see the colour. */
export const tone = (word: string): 'good' | 'wait' | 'bad' | 'plain' => {
  if (['done', 'delivered', 'ok', 'connected', 'ready', 'active', 'sent'].includes(word)) return 'good'
  if (['accepted', 'coalesced', 'waiting', 'running', 'merged', 'warn', 'half_open', 'stopping'].includes(word)) return 'wait'
  if (['ignored', 'duplicate', 'closing', 'final', 'unknown', 'off', 'missing', 'handshake', 'paused', 'disabled'].includes(word))
    return 'plain'
  return 'bad'
}
