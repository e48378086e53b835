/** The result of a retry or a cancel for each event, as rows for people and as data. */

import type { EventResult } from '../../operate/events/event-batch.ts'
import { aligned } from '../shell/columns.ts'
import { idAndSource } from './bulk.ts'
import { tableCell } from './view.ts'

/** Returns the result of the work on one event as JSON data. `word`: the result in a word where the work succeeded, such as `retried`. */
export const resultData = ({ known: { event }, ok, why }: EventResult, word: string) => ({
  event_id: event.event_id,
  route: event.route,
  job: event.job ?? null,
  target: event.target ?? null,
  result: ok ? word.replace(' ', '_') : 'failed',
  why: why ?? null,
})

export const resultTable = (results: readonly EventResult[], word: string): string =>
  aligned(
    results.map(({ known, ok, why }) => [ok ? word : 'failed', ...idAndSource(known), ...(ok ? targetCell(known) : [tableCell(why, 512)])]),
  )
    .map((line) => `${line}\n`)
    .join('')

/** Returns no cell for an event whose run had no attempt, because its record has no target yet. */
const targetCell = ({ event: { target } }: EventResult['known']): string[] => (target === undefined ? [] : [`-> ${tableCell(target)}`])
