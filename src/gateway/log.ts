/** The program's log: JSON lines for machines, short lines for a terminal. Known secrets are redacted. */

import { pino } from 'pino'
import type { Level, Log, LogFields } from '../core/log.ts'
import { printable, visibleJson } from '../core/text.ts'

export type LogOptions = {
  readonly level: Level
  readonly format: 'json' | 'pretty'
  readonly redact: (text: string) => string
  readonly write: (line: string) => void
}

/** The most characters of a field. A longer text is cut. */
const maxFieldChars = 1024
/** The names of fields that are never cut: `text` is the whole message of the target `log`, or a piece of what an agent says. */
const uncutFields = new Set(['text'])

/** Makes the log. Where writing a line fails, the line is lost, and the caller goes on. */
export const createLog = ({ level, format, redact, write }: LogOptions): Log => {
  const safely = (line: string): void => {
    try {
      write(format === 'json' ? visibleJson(line) : prettyLine(line))
    } catch {}
  }
  const logger = pino(
    { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"`, formatters: { level: (label) => ({ level: label }) } },
    { write: safely },
  )
  const clean = (fields: LogFields): LogFields =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => {
        if (typeof value !== 'string') return [name, value]
        const text = redact(value)
        return [name, uncutFields.has(name) || text.length <= maxFieldChars ? text : `${text.slice(0, maxFieldChars)}…`]
      }),
    )
  const log = (lineLevel: Level, fields: LogFields, message: string): void => {
    if (logger.isLevelEnabled(lineLevel)) logger[lineLevel](clean(fields), redact(message))
  }
  return Object.assign(log, { writes: (lineLevel: Level) => logger.isLevelEnabled(lineLevel) })
}

/** The fields that stand first in a short line. */
const shownFirst = ['route', 'stage', 'outcome', 'reason', 'status'] as const

/** Turns a JSON line into a short line, such as `12:00:01 warn  Invalid signature  route=a reason=…`. */
const prettyLine = (line: string): string => {
  const { time, level, msg, ...fields } = JSON.parse(line) as { [name: string]: unknown }
  const names = [
    ...shownFirst.filter((name) => name in fields),
    ...Object.keys(fields).filter((name) => !shownFirst.some((first) => first === name)),
  ]
  const rest = names.map((name) => `${name}=${printable(String(fields[name]), 2000)}`).join(' ')
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${printable(String(msg))}${rest === '' ? '' : `  ${rest}`}\n`
}
