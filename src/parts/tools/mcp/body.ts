/**
 * Reads the body of an HTTP answer of an MCP server, which is one message or a stream of server-sent events with a message in each. A body
 * or event that is longer than a message may be is refused.
 */

import { ByteBlocks } from '../../../core/bytes/byte-blocks.ts'
import { Lines } from '../../../core/bytes/lines.ts'
import { takingTurns } from '../../../core/turns/taking-turns.ts'
import { maxMessageBytes, unreachable, WireFault } from './wire.ts'

export type Pieces = readonly Uint8Array[]

export const byteLength = (pieces: Pieces): number => pieces.reduce((sum, { length }) => sum + length, 0)

type Body = Response['body']

const tooLong = (): WireFault => new WireFault('the server gave an answer that is too long')

/** Resolves to the body. Rejects with a WireFault when the body is too long, or breaks off. */
export const readWholeBody = async (body: Body): Promise<Pieces> => {
  const whole = new ByteBlocks()
  for await (const chunk of chunksOf(body)) {
    if (whole.length + chunk.length > maxMessageBytes) throw tooLong()
    whole.add(chunk)
  }
  return whole.take()
}

/**
 * Yields the data of each server-sent event. Calls `passOver` for each line, so that lines are counted, except for the blank line that ends
 * an event. `passOver` gets the line itself only where the line has no data of an event. Throws a WireFault when a line or an event is too
 * long, or the stream breaks off.
 */
export async function* streamEvents(body: Body, passOver: (line?: Pieces) => Promise<void>): AsyncGenerator<Pieces, void> {
  const event = new ByteBlocks()
  for await (const line of bodyLines(body)) {
    const data = dataIn(line)
    if (data) {
      if (event.length + byteLength(data) > maxMessageBytes) throw tooLong()
      for (const piece of event.length > 0 ? [lineEnd, ...data] : data) event.add(piece)
      await passOver()
    } else if (byteLength(line) === 0 && event.length > 0) yield event.take()
    else await passOver(line)
  }
}

/** Yields the lines of a body. Throws a WireFault when a line is too long, or the body breaks off. */
async function* bodyLines(body: Body): AsyncGenerator<Pieces, void> {
  const lines = new Lines(maxMessageBytes)
  for await (const chunk of chunksOf(body)) {
    for (const line of lines.in(chunk)) {
      if (!line) throw tooLong()
      yield line
    }
  }
}

const lineEnd = Buffer.from('\n')
/** The beginning of a line with data of a server-sent event. */
const dataStart = Buffer.from('data:')

/** Returns the data in a line of a server-sent event; `undefined`: the line has no data. */
const dataIn = ([first, ...others]: Pieces): Pieces | undefined => {
  if (!first || dataStart.compare(first.subarray(0, dataStart.length)) !== 0) return undefined
  const isSpaced = first[dataStart.length] === 32
  return [first.subarray(dataStart.length + (isSpaced ? 1 : 0)), ...others]
}

/** Yields the chunks of a body. Between them, other work of the event loop has its turn. */
async function* chunksOf(body: Body): AsyncGenerator<Uint8Array, void> {
  const turn = takingTurns()
  try {
    for await (const chunk of body ?? []) {
      yield chunk
      await turn()
    }
  } catch (thrown) {
    throw unreachable(thrown, 'broken')
  }
}
