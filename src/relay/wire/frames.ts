/**
 * The form in which a relay and a gateway send each other requests and answers: frames, each with a head in JSON and raw bytes. A frame is
 * the length of its head, the head, the length of its bytes, and the bytes. Lengths are 32 bits, the most significant byte first.
 */

import { isObject, type Json, type JsonObject } from '../../core/json.ts'

export type WireFrame<Head = JsonObject> = { readonly head: Head; readonly body: Buffer }

/** The bytes of the two lengths in a frame. */
const lengthBytes = 8

/** Returns the frames as bytes, one after the other. */
export const encodeFrames = (frames: readonly WireFrame<object>[]): Buffer<ArrayBuffer> => Buffer.concat(frames.flatMap(encodeFrame))

const encodeFrame = ({ head, body }: WireFrame<object>): Buffer[] => {
  const text = Buffer.from(JSON.stringify(head))
  return [lengthOf(text), text, lengthOf(body), body]
}

const lengthOf = ({ length }: Buffer): Buffer => {
  const bytes = Buffer.alloc(lengthBytes / 2)
  bytes.writeUInt32BE(length)
  return bytes
}

/** Returns the frames in bytes that came over the network; `undefined` where the bytes are no frames. Bodies are views of the bytes. */
export const decodeFrames = (bytes: Buffer): WireFrame[] | undefined => {
  const frames: WireFrame[] = []
  for (let at = 0; at < bytes.length; ) {
    const head = pieceAt(bytes, at)
    const body = head && pieceAt(bytes, at + lengthBytes / 2 + head.length)
    const read = body && readHead(head)
    if (!read) return undefined
    frames.push({ head: read, body })
    at += lengthBytes + head.length + body.length
  }
  return frames
}

/** Returns the bytes behind the length that stands at `at`; `undefined` where they are not all there. */
const pieceAt = (bytes: Buffer, at: number): Buffer | undefined => {
  const start = at + lengthBytes / 2
  if (start > bytes.length) return undefined
  const end = start + bytes.readUInt32BE(at)
  return end > bytes.length ? undefined : bytes.subarray(start, end)
}

const readHead = (bytes: Buffer): JsonObject | undefined => {
  try {
    const head = JSON.parse(bytes.toString()) as Json
    return isObject(head) ? head : undefined
  } catch {
    return undefined
  }
}
