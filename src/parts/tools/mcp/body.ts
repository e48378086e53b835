/** Reads the body of an answer, whole or as a stream of server-sent events, within the longest message. */

import { ByteBlocks } from '../../../core/bytes/byte-blocks.ts'
import { Lines } from '../../../core/bytes/lines.ts'
import { takingTurns } from '../../../core/turns/taking-turns.ts'
import { lengthOf, type Pieces } from './pieces.ts'
import { maxMessageBytes, unreachable, WireFault } from './wire.ts'

type Body = Response['body']

const tooLong = (): WireFault => new WireFault('the server gave an answer that is too long')

export const wholeOf = async (body: Body): Promise<Pieces> => {
  const whole = new ByteBlocks()
  for await (const chunk of chunksOf(body)) {
    if (whole.length + chunk.length > maxMessageBytes) throw tooLong()
    whole.add(chunk)
  }
  return whole.take()
}

/** The data of each event. `passOver` is given each line that has no data, and called without a line for each that has. */
export async function* streamEvents(body: Body, passOver: (line?: Pieces) => Promise<void>): AsyncGenerator<Pieces, void> {
  const event = new ByteBlocks()
  for await (const line of bodyLines(body)) {
    const data = dataIn(line)
    if (data) {
      if (event.length + lengthOf(data) > maxMessageBytes) throw tooLong()
      for (const piece of event.length > 0 ? [lineEnd, ...data] : data) event.add(piece)
      await passOver()
    } else if (lengthOf(line) === 0 && event.length > 0) yield event.take()
    else await passOver(line)
  }
}

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
const field = Buffer.from('data:')

/** What a line has of an event's data; `undefined`: it has none. */
const dataIn = ([first, ...others]: Pieces): Pieces | undefined => {
  if (!first || field.compare(first.subarray(0, field.length)) !== 0) return undefined
  const isSpaced = first[field.length] === 32
  return [first.subarray(field.length + (isSpaced ? 1 : 0)), ...others]
}

async function* chunksOf(body: Body): AsyncGenerator<Uint8Array, void> {
  const turn = takingTurns()
  try {
    for await (const chunk of body ?? []) {
      yield chunk
      await turn()
    }
  } catch (thrown) {
    throw unreachable(thrown)
  }
}
