/**
 * Writes the traffic of a gateway as lines for people: `-->` for a request, `<--` for its outcome with the reason, `==>` for an attempt at
 * its run.
 */

import { printable } from '../../core/text.ts'
import type { TrafficLine } from '../../generated/control.ts'
import { outcomeOf } from '../../operate/events/event-status.ts'

const maxName = 80
const maxReason = 500

const nameOrDash = (text: string | null): string => printable(text ?? '-', maxName)

/** Returns one line, safe on a terminal and without a line end. */
export const trafficText = (line: TrafficLine): string =>
  [printable(line.at.slice(11, 19)), ...lineWords(line)].filter((word) => word !== '').join('  ')

const lineWords = (line: TrafficLine): readonly string[] =>
  line.type === 'event' ? wordsOfEvent(line) : line.type === 'outcome' ? wordsOfOutcome(line) : wordsOfDelivery(line)

type LineOf<T extends TrafficLine['type']> = Extract<TrafficLine, { readonly type: T }>

const wordsOfEvent = ({ event_type, route, delivery_id, bytes }: LineOf<'event'>): readonly string[] => [
  `--> ${nameOrDash(event_type)}`,
  nameOrDash(route),
  nameOrDash(delivery_id),
  sizeText(bytes),
]

const wordsOfOutcome = ({ status, outcome, stage, duration_ms: ms, reason, event_id }: LineOf<'outcome'>): readonly string[] => {
  const word = outcomeOf({ outcome, ...(stage === null ? {} : { stage }) })
  const took = ms === null ? '' : `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`
  return [`<-- ${status ?? '-'} ${printable(word, maxName)}`, took, eventIdText(event_id), printable(reason ?? '', maxReason)]
}

const wordsOfDelivery = ({
  state,
  target,
  attempt,
  job,
  route,
  event_id,
  error,
  next_at,
  silent,
}: LineOf<'delivery'>): readonly string[] => {
  const source = route ?? (job === null ? null : `job:${job}`)
  const then = next_at === null ? '' : `next try ${printable(next_at.slice(11, 19))}`
  const end = `${state === 'waiting' ? 'failed' : state}${silent ? ' silent' : ''}`
  return [
    `==> ${end}`,
    nameOrDash(target),
    `attempt ${attempt}`,
    nameOrDash(source),
    eventIdText(event_id),
    printable(error ?? '', maxReason),
    then,
  ]
}

/** Returns the beginning of an id, long enough for `events show`. */
const eventIdText = (id: string | null): string => (id === null ? '' : `event ${printable(id, 8)}`)

const sizeText = (bytes: number | null): string =>
  bytes === null ? '' : bytes < 1_024 ? `${bytes} B` : `${(bytes / 1_024).toFixed(1)} KiB`
