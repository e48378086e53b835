/** The environment of one profile: the process's own variables over those of its `.env`. */

import { readFileSync, statSync } from 'node:fs'
import { type DotEnv, parseDotEnv } from './dot-env.ts'

export type Env = { readonly [name: string]: string | undefined }

const maxFileBytes = 1_048_576

/** The variables of a `.env` file; none when it is not there. Throws when it cannot be read. */
export const readEnvFile = (file: string): DotEnv => {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return { env: {}, oddities: [] }
  if (stat.size > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes} bytes`)
  return parseDotEnv(readFileSync(file, 'utf8'))
}

const yes = new Set(['true', '1', 'yes', 'on'])
const no = new Set(['false', '0', 'no', 'off', ''])

/** A yes-or-no variable; `undefined` when it says neither. */
export const parseFlag = (text: string): boolean | undefined => {
  const word = text.trim().toLowerCase()
  return yes.has(word) ? true : no.has(word) ? false : undefined
}
