/** Reads keys and pastes from a terminal, decoded by Node's own reader of escape sequences. */

import { emitKeypressEvents } from 'node:readline'
import type { ReadStream } from 'node:tty'
import { type Decoded, type Key, keyOf } from '../model/key.ts'

/** So long may the rest of an escape sequence take; a lone escape is a key after it. */
const escapeCodeTimeout = 50
/** The rest of a longer paste is dropped. */
const maxPaste = 2_000_000

export type KeyReader = {
  pause(): void
  resume(): void
  /** For good. */
  close(): void
}

export const readKeys = (
  stdin: ReadStream,
  on: { readonly key: (key: Key) => void; readonly paste: (text: string) => void },
): KeyReader => {
  emitKeypressEvents(stdin, { escapeCodeTimeout } as never)
  let pasted: string[] | undefined
  let length = 0
  let isClosed = false
  const press = (typed: string | undefined, decoded: Decoded): void => {
    if (decoded.name === 'paste-start') {
      pasted = []
      length = 0
    } else if (decoded.name === 'paste-end') {
      if (pasted) on.paste(pasted.join(''))
      pasted = undefined
    } else if (pasted) {
      const text = decoded.sequence ?? typed ?? ''
      length += text.length
      if (length <= maxPaste) pasted.push(text)
    } else {
      const key = keyOf(typed, decoded)
      if (key) on.key(key)
    }
  }
  const reader: KeyReader = {
    pause() {
      stdin.off('keypress', press)
      stdin.setRawMode(false)
      stdin.pause()
    },
    resume() {
      if (isClosed) return
      stdin.on('keypress', press)
      stdin.setRawMode(true)
      stdin.resume()
    },
    close() {
      reader.pause()
      isClosed = true
    },
  }
  reader.resume()
  return reader
}
