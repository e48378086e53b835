/** How values are written on the screens. What senders wrote has its control and direction characters written out. */

import { printable, printableLines } from '../../core/text.ts'

/** A text of a stranger on one line. */
export const shown = (text: string | number | null | undefined, limit = 300): string =>
  text === null || text === undefined ? '' : printable(String(text), limit)

/** A text of a stranger with its line ends. */
export const shownLines = (text: string): string => printableLines(text)

/** The time of day of an event that is of today, else the date too, in the browser's zone. */
export const time = (iso: string): string => {
  const at = new Date(iso)
  const isToday = at.toDateString() === new Date().toDateString()
  return isToday ? at.toLocaleTimeString() : at.toLocaleString()
}

export const milliseconds = (ms: number | null): string =>
  ms === null ? '' : ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`

/** An outcome for people: that of an ignored event names the stage that ignored it. */
export const outcome = ({ outcome: word, stage }: { readonly outcome: string; readonly stage: string | null }): string =>
  word === 'ignored' && stage !== null ? `ignored by ${stage}` : word.replaceAll('_', ' ')

/** How an outcome or a state is coloured; the word itself says the same. */
export const tone = (word: string): 'good' | 'wait' | 'bad' | 'plain' => {
  if (['done', 'delivered', 'ok', 'connected', 'ready', 'active', 'sent'].includes(word)) return 'good'
  if (['accepted', 'coalesced', 'waiting', 'running', 'merged', 'warn', 'half_open', 'stopping'].includes(word)) return 'wait'
  if (['ignored', 'duplicate', 'final', 'unknown', 'off', 'missing', 'handshake', 'paused', 'disabled'].includes(word)) return 'plain'
  return 'bad'
}
