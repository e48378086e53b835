/** Compiles the calendar of a watched route (`silence.during`), such as `mon-fri 8-18`: whether a moment is within it, in a time zone. */

import { checkZone } from './schedule.ts'

/** Whether a moment, in milliseconds since 1970, is within the calendar. */
export type Calendar = (ms: number) => boolean

/** A span of time on each of `days`, in minutes since midnight. A span whose end is not after its start ends on the next day. */
type Span = { readonly days: ReadonlySet<number>; readonly start: number; readonly end: number }

const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const allDays: ReadonlySet<number> = new Set(dayNames.keys())

/**
 * Compiles the spans of a calendar. Without a span, each moment is within the calendar. The schema has checked the form of the spans.
 * Throws BadSchedule for an unknown zone.
 */
export const compileCalendar = (written: readonly string[], timezone: string): Calendar => {
  checkZone(timezone)
  const spans = written.map(parseSpan)
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
  return (ms) => {
    if (spans.length === 0) return true
    const parts = format.formatToParts(ms)
    const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((each) => each.type === type)?.value ?? ''
    const day = dayNames.indexOf(part('weekday').toLowerCase())
    const minute = Number(part('hour')) * 60 + Number(part('minute'))
    return spans.some((span) => isWithin(span, day, minute))
  }
}

const isWithin = ({ days, start, end }: Span, day: number, minute: number): boolean => {
  if (start < end) return days.has(day) && minute >= start && minute < end
  return (days.has(day) && minute >= start) || (days.has((day + 6) % 7) && minute < end)
}

const parseSpan = (text: string): Span => {
  const words = text.split(' ')
  const [start = 0, end = 0] = (words.at(-1) ?? '').split('-').map(minutesOf)
  return { days: words.length > 1 ? parseDays(words[0] ?? '') : allDays, start, end }
}

const minutesOf = (time: string): number => {
  const [hours, minutes = 0] = time.split(':').map(Number)
  return Number(hours) * 60 + minutes
}

/** Returns the numbers of the days in a text such as `mon-wed,sat`; Sunday is 0. */
const parseDays = (text: string): ReadonlySet<number> =>
  new Set(
    text.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map((name) => dayNames.indexOf(name))
      return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, i) => (first + i) % 7)
    }),
  )
