/** The body that an option of a command stands for. */

import { usage } from '../../core/fault.ts'
import { readText } from '../shell/input.ts'
import type { Io } from '../shell/io.ts'

const defaultPayload = '{"test":true,"message":"Hello from headgate webhook test"}'

/** JSON text, from the option, a file or standard input. Throws a usage Fault when it is not JSON. */
export const readPayload = async (payload: string | undefined, io: Pick<Io, 'stdin'>): Promise<string> => {
  if (payload === undefined) return defaultPayload
  const text = await readText('--payload', payload, io)
  try {
    JSON.parse(text)
    return text
  } catch {
    throw usage('--payload is not valid JSON', `quote it for the shell: --payload '{"key":"value"}', or name a file: --payload @file.json`)
  }
}
