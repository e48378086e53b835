/** `--jsonata`: prints the result of a JSONata expression on the `data` that the command would print with `--json`. */

import { looseOf } from '../../core/exact-json.ts'
import { messageOf, usage } from '../../core/fault.ts'
import { type Json, type JsonObject, parseObject } from '../../core/json.ts'
import { printableLines } from '../../core/text.ts'
import { jsonText } from '../../datadir/json-text.ts'
import type { Io } from '../shell/io.ts'

/**
 * `io`: an Io that keeps what the command prints on stdout. `finish`: evaluates the expression on what was kept, and prints the result on
 * the real stdout. Throws a usage Fault where the expression fails.
 */
export type Query = { readonly io: Io; readonly finish: () => Promise<void> }

/** Compiles an expression before the command runs. Throws a usage Fault for a text that is no expression. */
export const openQuery = async (source: string, io: Io): Promise<Query> => {
  const { compileJsonata } = await import('../../expr/jsonata/jsonata.ts')
  const wrong = (error: unknown) => usage(`--jsonata: ${messageOf(error)}`, 'it sees the "data" of what --json prints')
  let expression: ReturnType<typeof compileJsonata>
  try {
    expression = compileJsonata(source)
  } catch (error) {
    throw wrong(error)
  }
  let kept = ''
  const stdout = (text: string): void => {
    kept += text
  }
  return {
    io: { ...io, stdout },
    async finish() {
      const data = dataOf(kept)
      if (data === undefined) return io.stdout(kept)
      const made = await expression(data).catch((error: unknown) => {
        throw wrong(error)
      })
      // A text is printed without quotes, so that a shell can use it as it is.
      if (made !== undefined) io.stdout(`${typeof made === 'string' ? printableLines(made) : jsonText(made)}\n`)
    },
  }
}

/** Returns the data of the printed document; `undefined` for an error document or any other text, which is printed as it is. */
const dataOf = (text: string): Json | undefined => {
  const payload = parseObject(text)
  const document = payload && (looseOf({ text, payload }) as JsonObject)
  return document && document.kind !== 'error' ? document.data : undefined
}
