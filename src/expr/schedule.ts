/** Compiles the schedule of a job: a cron expression, an interval, or one time, in a time zone. Only this file imports croner. */

import { Cron, type CronOptions } from 'croner'

/** Why a schedule or its time zone cannot be used, in a sentence. */
export class BadSchedule extends Error {
  override name = 'BadSchedule'
}

export type Schedule = {
  /** Returns the first time later than `afterMs`, in milliseconds since 1970; `undefined` after the last time. Takes 0.1 s at worst. */
  readonly next: (afterMs: number) => number | undefined
  /** The time of a schedule of one time, in milliseconds since 1970. */
  readonly once?: number
}

const maxScheduleUnits = 200
const unitMs: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const longestIntervalMs = 366 * 86_400_000

const intervalForm = /^every\s+(\d{1,9})\s*([smhd])$/i
const oneTimeForm = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?(Z|[+-]\d\d:\d\d)?$/i

/** Compiles a schedule. Throws BadSchedule for a text that is no schedule, for a schedule that never comes, and for an unknown zone. */
export const compileSchedule = (text: string, timezone = 'UTC'): Schedule => {
  checkZone(timezone)
  const trimmed = text.trim()
  if (trimmed.length > maxScheduleUnits) throw new BadSchedule(`it is longer than ${maxScheduleUnits} characters`)
  const every = intervalForm.exec(trimmed)
  if (every) return compileInterval(Number(every[1]) * (unitMs[(every[2] as string).toLowerCase()] as number))
  const once = oneTimeForm.exec(trimmed)
  if (once) return compileOneTime(trimmed, once, timezone)
  if (/^every\b/i.test(trimmed)) throw new BadSchedule('an interval is written like "every 15m", with s, m, h or d')
  return compileCron(trimmed, timezone)
}

/** Throws BadSchedule for an unknown zone. Offsets such as `+02:00`, which Node accepts, are refused: they know no daylight saving. */
export const checkZone = (timezone: string): void => {
  try {
    if (!/^[A-Za-z]/.test(timezone)) throw new RangeError()
    new Intl.DateTimeFormat('en-US', { timeZone: timezone })
  } catch {
    throw new BadSchedule(`"${timezone.slice(0, 64)}" is not a time zone; write an IANA name, for example Europe/Berlin`)
  }
}

/** An interval counts from 1970 in UTC, so that neither a restart nor a change of the clocks moves it. */
const compileInterval = (stepMs: number): Schedule => {
  if (stepMs < 1_000 || stepMs > longestIntervalMs) throw new BadSchedule('an interval is at least one second and at most 366 days')
  return { next: (afterMs) => (Math.floor(afterMs / stepMs) + 1) * stepMs }
}

const compileOneTime = (text: string, parts: RegExpExecArray, timezone: string): Schedule => {
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '00', offset] = parts
  const wall = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // JavaScript turns 30 February into 2 March.
  if (Number.isNaN(wall.getTime()) || wall.getUTCDate() !== Number(day)) throw new BadSchedule(`"${text}" is not a date and time`)
  const at = offset ? Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset.toUpperCase()}`) : instantOf(wall, timezone)
  if (at === undefined || Number.isNaN(at)) throw new BadSchedule(`"${text}" is not a date and time`)
  return { next: (afterMs) => (at > afterMs ? at : undefined), once: at }
}

/**
 * Returns the instant of a local time, by the rules of a daily job. A time that the clocks skip becomes the moment after the gap; of a time
 * that comes twice, the first counts. Croner's own reading of dates goes wrong where the computer's zone has a gap at that time.
 */
const instantOf = (wall: Date, timezone: string): number | undefined => {
  const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth() + 1, wall.getUTCDate()]
  const pattern = `${wall.getUTCSeconds()} ${wall.getUTCMinutes()} ${wall.getUTCHours()} ${day} ${month} * ${year}`
  return nextOf(pattern, { timezone, mode: '7-part' }, wall.getTime() - 2 * 86_400_000)
}

const compileCron = (pattern: string, timezone: string): Schedule => {
  // `fixedTimeRule`: a pattern with several hours is treated like a pattern with one hour. When the clocks change, no time of the pattern
  // is lost or comes twice.
  // `sloppyRanges`: `0/15` is a range from 0 to the end, as Quartz and others have it.
  const options: CronOptions = { timezone, mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard', sloppyRanges: true }
  const next: Schedule['next'] = (afterMs) => nextOf(pattern, options, afterMs)
  try {
    // croner searches as far as the year 3000, which takes some milliseconds.
    if (next(Date.UTC(2000, 0)) === undefined) throw new BadSchedule(`"${pattern}" never comes`)
  } catch (error) {
    if (error instanceof BadSchedule) throw error
    throw new BadSchedule(cronSentence(error, pattern))
  }
  return { next }
}

/** Returns the next time of a pattern, which is parsed anew at each call: parsed it takes 80 kB, and there may be thousands of jobs. */
const nextOf = (pattern: string, options: CronOptions, afterMs: number): number | undefined =>
  new Cron(pattern, options).nextRun(new Date(afterMs))?.getTime()

const cronSentence = (error: unknown, pattern: string): string => {
  const message = error instanceof Error ? error.message.replace(/^Cron\w+: /, '') : ''
  const fields = pattern.split(/\s+/).length
  if (pattern.startsWith('@')) return `"${pattern}" is not known; use @hourly, @daily, @weekly, @monthly or @yearly`
  if (fields !== 5 && fields !== 6) return `"${pattern}" is not a schedule: a cron expression has five fields, or six with seconds first`
  return `"${pattern}" is not a cron expression: ${message}`
}

/** Renders a time as people in the zone read it, with its offset: `2027-03-28T03:00:00+02:00`. */
export const zonedIso = (ms: number, timezone = 'UTC'): string => {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  }).formatToParts(ms)
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((each) => each.type === type)?.value ?? ''
  const offset = part('timeZoneName').replace(/^GMT([+-]00:00)?/, '')
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}${offset || 'Z'}`
}
