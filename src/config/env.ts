/** The environment of a profile: its variables, the reading of its `.env` file and of yes-or-no variables. */

import { readFileSync, statSync } from 'node:fs'
import { type DotEnv, parseDotEnv } from './dot-env.ts'

export type Env = { readonly [name: string]: string | undefined }

const unknown = Symbol('unknown')

/**
 * Stands for an environment that a check does not know, so that no variable counts as missing. A copy of this environment (`{ ...env }`) is
 * unknown as well.
 */
export const unknownEnv: Env = Object.freeze({ [unknown]: 'yes' }) as Env

/** Stands for a secret that an unknown environment may bring. */
export const unknownSecret = 'from-the-environment-b1fd9a0c7e52'

export const isUnknown = (env: Env): boolean => Object.hasOwn(env, unknown)

const maxFileBytes = 1_048_576

/**
 * Reads a `.env` file. Without a file there are no variables, and `text` is `undefined`. Throws when the file cannot be read, or is larger
 * than 1 MiB.
 */
export const readEnvFile = (file: string): DotEnv & { readonly text: string | undefined } => {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return { env: {}, oddities: [], text: undefined }
  if (stat.size > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes} bytes`)
  const text = readFileSync(file, 'utf8')
  return { ...parseDotEnv(text), text }
}

const yes = new Set(['true', '1', 'yes', 'on'])
const no = new Set(['false', '0', 'no', 'off', ''])

/** Parses a yes-or-no variable; `undefined` when its text is neither. */
export const parseFlag = (text: string): boolean | undefined => {
  const word = text.trim().toLowerCase()
  return yes.has(word) ? true : no.has(word) ? false : undefined
}
