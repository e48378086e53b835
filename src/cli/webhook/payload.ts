/** Reads the payload of a test or a trace from the option `--payload`. */

import { usage } from '../../core/fault.ts'
import { isOtherKind } from '../../dryrun/requests/edit-payload.ts'
import { readTextOption } from '../shell/input.ts'
import type { Io } from '../shell/io.ts'

/** The payload where the user gives none. */
const defaultPayload = '{"test":true,"message":"Hello from headgate webhook test"}'

/** A payload as a text of JSON, or a body of XML or multipart, and where the text is from. */
export type TakenPayload = { readonly text: string } & PayloadSource

/** Where a payload is from. `name`: the path of the file, the name of the sample, or the id of the event. */
export type PayloadSource = { readonly from: 'given' | 'file' | 'stdin' | 'sample' | 'event' | 'made up'; readonly name?: string }

/**
 * Returns the payload that the value of `--payload` means: JSON, XML, multipart, `@file`, or `@-` or `-` for standard input; a small test
 * payload without the option. Throws a usage Fault for a text that is none of these, and for a file that cannot be read.
 */
export const readPayloadOption = async (payload: string | undefined, io: Pick<Io, 'stdin'>): Promise<TakenPayload> => {
  if (payload === undefined) return { from: 'made up', text: defaultPayload }
  const option = payload === '-' ? '@-' : payload
  const text = await readTextOption('--payload', option, io)
  try {
    if (!isOtherKind(text)) JSON.parse(text)
    return { text, ...payloadSource(option) }
  } catch {
    throw usage('--payload is not valid JSON', `quote it for the shell: --payload '{"key":"value"}', or name a file: --payload @file.json`)
  }
}

const payloadSource = (option: string): PayloadSource => {
  if (option === '@-') return { from: 'stdin' }
  return option.startsWith('@') ? { from: 'file', name: option.slice(1) } : { from: 'given' }
}
