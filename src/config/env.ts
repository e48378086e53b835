/** The environment of one profile: the process's own variables over those of its `.env`. */

import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

export type Env = { readonly [name: string]: string | undefined }

/** The variables of a `.env` file; none when it is not there. Throws when it cannot be read. */
export const readEnvFile = (file: string): Env => {
  try {
    return parseEnv(readFileSync(file, 'utf8')) as Env
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
}

const yes = new Set(['true', '1', 'yes', 'on'])
const no = new Set(['false', '0', 'no', 'off', ''])

/** A yes-or-no variable; `undefined` when it says neither. */
export const parseFlag = (text: string): boolean | undefined => {
  const word = text.trim().toLowerCase()
  return yes.has(word) ? true : no.has(word) ? false : undefined
}
