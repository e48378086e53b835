/** Sets variables in the text of a `.env` file, and keeps the lines of all other variables. */

import { usage } from '../core/fault.ts'
import { parseDotEnv } from './dot-env.ts'
import type { Env } from './env.ts'

/**
 * Returns the text of a `.env` file with these values set. `before` has the variables that `text` sets. Throws a Fault where the new text,
 * parsed again, would not have the right variables, or where no line can hold a value.
 */
export const editDotEnv = (text: string, before: Env, values: { readonly [name: string]: string }): string => {
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`
  const changed = Object.entries(values).filter(([name, value]) => before[name] !== value)
  const next = changed.reduce((lines, [name, value]) => withValue(lines, name, envLine(name, value)), start)
  const { env: after } = parseDotEnv(next)
  const wrong = [...new Set([...Object.keys(before), ...Object.keys(values)])].find(
    (name) => after[name] !== (values[name] ?? before[name]),
  )
  if (wrong !== undefined) throw usage(`.env cannot be changed safely: ${wrong} would not read back`, 'set the values by hand')
  return next
}

/**
 * Replaces the first line for a name, or adds the line at the end. Later lines for the name are removed, because the last of them would
 * count.
 */
const withValue = (text: string, name: string, line: string): string => {
  const old = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*\\n`, 'gm')
  const first = text.search(old)
  if (first < 0) return `${text}${line}`
  return text.slice(0, first) + line + text.slice(first).replace(old, '')
}

/**
 * Returns the line that sets a variable. Shells, systemd, docker and the gateway read it alike. Throws a Fault where no such line exists.
 */
const envLine = (name: string, value: string): string => {
  if (canHold(name, value)) return `${name}=${value}\n`
  const { message, help } = cannotHold(name)
  throw usage(message, help)
}

/** Control characters and line separators. Some programs end a line at one of them, and the text behind it could set a variable. */
const lineEnders = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** Whether every program that reads `.env` takes the value for one line. */
export const isOneLine = (value: string): boolean => !lineEnders.test(value)

/** Whether a line of `.env` can hold this value so that shells, systemd, docker and the gateway read it alike. */
export const canHold = (name: string, value: string): boolean => {
  if (!isOneLine(value)) return false
  const { env, oddities } = parseDotEnv(`${name}=${value}`)
  return env[name] === value && oddities.length === 0
}

export const cannotHold = (name: string): { readonly message: string; readonly help: string } => ({
  message: `.env cannot hold this ${name}: a shell, systemd and docker would not read it alike`,
  help: 'use a value of letters, digits and -_.:/+=@%,# or keep it in a file and set platforms.webhook.extra.secret: file:/path in config.yaml',
})
