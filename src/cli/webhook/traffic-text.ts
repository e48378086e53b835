/**
 * Writes the traffic, one line each: `-->` a request, `<--` its outcome and the reason, `==>` an attempt at its run. The lines are safe on
 * a terminal.
 */

import { outcomeOf } from '../../app/events/event-status.ts'
import { printable } from '../../core/text.ts'
import type { TrafficLine } from '../../generated/control.ts'

const maxName = 80
const maxReason = 500

const shown = (text: string | null): string => printable(text ?? '-', maxName)

export const trafficText = (line: TrafficLine): string =>
  [printable(line.at.slice(11, 19)), ...wordsOf(line)].filter((word) => word !== '').join('  ')

const wordsOf = (line: TrafficLine): readonly string[] =>
  line.type === 'event' ? wordsOfEvent(line) : line.type === 'outcome' ? wordsOfOutcome(line) : wordsOfDelivery(line)

type Of<T extends TrafficLine['type']> = Extract<TrafficLine, { readonly type: T }>

const wordsOfEvent = ({ event_type, route, delivery_id, bytes }: Of<'event'>): readonly string[] => [
  `--> ${shown(event_type)}`,
  shown(route),
  shown(delivery_id),
  sizeOf(bytes),
]

const wordsOfOutcome = ({ status, outcome, stage, duration_ms: ms, reason, event_id }: Of<'outcome'>): readonly string[] => {
  const word = outcomeOf({ outcome, ...(stage === null ? {} : { stage }) })
  const took = ms === null ? '' : `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`
  return [`<-- ${status ?? '-'} ${printable(word, maxName)}`, took, idOf(event_id), printable(reason ?? '', maxReason)]
}

const wordsOfDelivery = ({ state, target, attempt, job, route, event_id, error, next_at, silent }: Of<'delivery'>): readonly string[] => {
  const source = route ?? (job === null ? null : `job:${job}`)
  const then = next_at === null ? '' : `next try ${printable(next_at.slice(11, 19))}`
  const end = `${state === 'waiting' ? 'failed' : state}${silent ? ' silent' : ''}`
  return [`==> ${end}`, shown(target), `attempt ${attempt}`, shown(source), idOf(event_id), printable(error ?? '', maxReason), then]
}

/** Returns the beginning of an id, long enough for `events show`. */
const idOf = (id: string | null): string => (id === null ? '' : `event ${printable(id, 8)}`)

const sizeOf = (bytes: number | null): string => (bytes === null ? '' : bytes < 1_024 ? `${bytes} B` : `${(bytes / 1_024).toFixed(1)} KiB`)
