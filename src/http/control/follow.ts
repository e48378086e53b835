/** Reads a stream of lines, each a JSON document, from the gateway that serves a data directory, over its control socket. */

import type { IncomingMessage } from 'node:http'
import { readText } from '../../core/calls/read-bounded.ts'
import { exit, Fault, messageOf } from '../../core/fault.ts'
import type { Json } from '../../core/json.ts'
import { type Asker, jsonAnswer, sendQuestion, unreachableFault } from './ask.ts'

const maxLineChars = 1_048_576
const maxAnswerBytes = 65_536

/**
 * Posts `body` to `path`, and returns an iterator of the parsed lines of the answer. The iterator ends when the gateway ends the stream.
 * `return` closes the connection; a `next` that waits then rejects with a Fault. Throws a Fault when no gateway can be asked (exit 4), and
 * when the gateway refuses. The iterator throws a Fault when the connection breaks, or a line is too long or not JSON.
 */
export const followGateway = async (asker: Asker, path: string, body: Json | undefined): Promise<AsyncIterableIterator<unknown>> => {
  // A stream may begin late.
  const response = await sendQuestion(asker, { method: 'POST', path, body }, Number.POSITIVE_INFINITY, (answer) => answer)
  if (!response) throw unreachableFault(asker)
  if (response.statusCode !== 200) {
    const refused = jsonAnswer({ status: response.statusCode ?? 0, text: await readText(response, maxAnswerBytes) })
    // `jsonAnswer` throws for each status but 200, so the next line is never reached.
    throw new Error(`not a refusal: ${JSON.stringify(refused)}`)
  }
  const lines = parsedLines(response)
  const iterator: AsyncIterableIterator<unknown> = {
    next: () => lines.next(),
    // Destroying the response also settles a `next` that waits for a line: the `next` rejects.
    async return() {
      response.destroy()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => iterator,
  }
  return iterator
}

/** Yields the lines of a response, parsed. Throws a Fault when the connection breaks or a line is too long or not JSON. */
async function* parsedLines(response: IncomingMessage): AsyncGenerator<unknown, undefined> {
  let rest = ''
  response.setEncoding('utf8')
  try {
    for await (const chunk of response) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > maxLineChars) throw new Error('a line without an end')
      for (const line of lines) yield JSON.parse(line)
    }
  } catch (error) {
    throw new Fault('unreachable', `the gateway went away: ${messageOf(error)}`, { exitCode: exit.unreachable })
  }
  return undefined
}
