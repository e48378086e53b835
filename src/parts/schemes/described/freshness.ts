/** Reads and writes the times of requests, and checks that a time is near to the arrival of its request. */

import { whyTooFar } from '../kit/timestamp.ts'

export type TimeUnit = 'seconds' | 'milliseconds' | 'iso8601'

/**
 * A number from here on is taken as milliseconds: as seconds it would be in the year 5138, and as milliseconds it is in 1973. Some senders
 * write sometimes seconds and sometimes milliseconds.
 */
const minMilliseconds = 1e11

/** The functions that read a time as Unix seconds, by the unit of the time. They return `undefined` for a text of another form. */
const readers: { readonly [unit in TimeUnit]: (text: string) => number | undefined } = {
  seconds: (text) => (/^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) / (Number(text) < minMilliseconds ? 1 : 1000) : undefined),
  milliseconds: (text) => (/^\d{1,15}$/.test(text) ? Number(text) / 1000 : undefined),
  iso8601: (text) => {
    const ms = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(ms) ? undefined : ms / 1000
  },
}

/**
 * The forms of a present time, by its unit. Where nothing separates the time from the text beside it, only a time of this form is accepted.
 * Otherwise a stranger could move a digit from the time into that text or back, and the signed text would stay the same.
 */
const presentForms: { readonly [unit in TimeUnit]: RegExp } = { seconds: /^\d{10}$/, milliseconds: /^\d{13}$/, iso8601: /./ }

/**
 * The form of a time. `isBare`: nothing separates the time from the text beside it in the signed text. `isDotted`: a dot separates them, so
 * a time with a fraction could be cut at its own dot.
 */
export type TimeFormat = {
  readonly name: string
  readonly unit: TimeUnit
  readonly windowSeconds: number
  readonly isBare: boolean
  readonly isDotted: boolean
}

/** Returns the reason why a time is refused; `undefined` when it is within the window around `at`, which is in milliseconds. */
export const whyNotNow = (text: string, { name, unit, windowSeconds, isBare, isDotted }: TimeFormat, at: number): string | undefined => {
  const isOdd = (isBare && !presentForms[unit].test(text)) || (isDotted && unit === 'seconds' && text.includes('.'))
  const sent = isOdd ? undefined : readers[unit](text)
  if (sent === undefined) return `${name} is no time in ${unit === 'iso8601' ? 'the form of ISO 8601' : unit}`
  return whyTooFar(name, sent, Math.floor(at / 1000), windowSeconds)
}

/** Writes a time as a sender does. `at`: milliseconds. */
export const writtenTime = (at: number, unit: TimeUnit): string =>
  unit === 'seconds' ? String(Math.floor(at / 1000)) : unit === 'milliseconds' ? String(at) : new Date(at).toISOString()
