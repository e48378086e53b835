/** Reads the body that an option of a command gives. */

import { usage } from '../../core/fault.ts'
import { readTextOption } from '../shell/input.ts'
import type { Io } from '../shell/io.ts'

const madeUp = '{"test":true,"message":"Hello from headgate webhook test"}'

/** A JSON text, and its source. */
export type TakenPayload = { readonly text: string } & PayloadSource

/** The source of a payload. `name`: the path of the file, the name of the sample, or the id of the event. */
export type PayloadSource = { readonly from: 'given' | 'file' | 'stdin' | 'sample' | 'event' | 'made up'; readonly name?: string }

/**
 * Reads a payload from the option, a file or standard input (`@-`, or `-`, which is no JSON). Throws a usage Fault for a text that is not
 * JSON.
 */
export const readPayloadOption = async (payload: string | undefined, io: Pick<Io, 'stdin'>): Promise<TakenPayload> => {
  if (payload === undefined) return { from: 'made up', text: madeUp }
  const option = payload === '-' ? '@-' : payload
  const text = await readTextOption('--payload', option, io)
  try {
    JSON.parse(text)
    return { text, ...sourceOf(option) }
  } catch {
    throw usage('--payload is not valid JSON', `quote it for the shell: --payload '{"key":"value"}', or name a file: --payload @file.json`)
  }
}

const sourceOf = (option: string): PayloadSource => {
  if (option === '@-') return { from: 'stdin' }
  return option.startsWith('@') ? { from: 'file', name: option.slice(1) } : { from: 'given' }
}
