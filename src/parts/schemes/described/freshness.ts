/** Checks that the time of a request is near to the clock. */

import { whyTooFar } from '../kit/timestamp.ts'

export type Unit = 'seconds' | 'milliseconds' | 'iso8601'

/** As seconds the year 5138, as milliseconds 1973: some senders write sometimes seconds and sometimes milliseconds. */
const leastMs = 1e11

const readers: { readonly [unit in Unit]: (text: string) => number | undefined } = {
  seconds: (text) => (/^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) / (Number(text) < leastMs ? 1 : 1000) : undefined),
  milliseconds: (text) => (/^\d{1,15}$/.test(text) ? Number(text) / 1000 : undefined),
  iso8601: (text) => {
    const ms = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(ms) ? undefined : ms / 1000
  },
}

/** The digits of a present time. With another number of digits, a digit of the text after the time could pass for one of the time's. */
const widths: { readonly [unit in Unit]: RegExp } = { seconds: /^\d{10}$/, milliseconds: /^\d{13}$/, iso8601: /./ }

/**
 * The form of a time. `isBare`: no separator stands between the time and the rest of the signed text. `isDotted`: a dot does, so a time
 * with a fraction could be cut there.
 */
export type TimeFormat = {
  readonly name: string
  readonly unit: Unit
  readonly windowSeconds: number
  readonly isBare: boolean
  readonly isDotted: boolean
}

/** Returns the reason why a time is refused; `undefined` when it is within the window. `at`: milliseconds. */
export const whyNotNow = (text: string, { name, unit, windowSeconds, isBare, isDotted }: TimeFormat, at: number): string | undefined => {
  const isOdd = (isBare && !widths[unit].test(text)) || (isDotted && unit === 'seconds' && text.includes('.'))
  const sent = isOdd ? undefined : readers[unit](text)
  if (sent === undefined) return `${name} is no time in ${unit === 'iso8601' ? 'the form of ISO 8601' : unit}`
  return whyTooFar(name, sent, Math.floor(at / 1000), windowSeconds)
}

/** Writes a time as a sender does. `at`: milliseconds. */
export const writtenTime = (at: number, unit: Unit): string =>
  unit === 'seconds' ? String(Math.floor(at / 1000)) : unit === 'milliseconds' ? String(at) : new Date(at).toISOString()
