/** Reads keys, pastes and clicks from a terminal. The escape sequences of keys are decoded by `node:readline`. */

import { emitKeypressEvents } from 'node:readline'
import type { ReadStream } from 'node:tty'
import type { Cell } from '../model/click.ts'
import { decodedKey, type Key, type NodeKey } from '../model/key.ts'

/** Milliseconds that `node:readline` waits after an escape for the rest of a sequence. If nothing comes, escape itself is the key. */
const escapeCodeTimeout = 50
/** The most code units of a paste. The rest of a longer paste is dropped. */
const maxPaste = 2_000_000

/**
 * The start of a mouse report. The button, column and row follow, with `;` between them, and then `M`, or `m` if the button was released.
 * `node:readline` knows no mouse reports: it takes the start for a key, and each character that follows for a typed one.
 */
const reportStart = '\u001b[<'
const wheel: { readonly [button: string]: string } = { 64: 'wheelup', 65: 'wheeldown' }

/**
 * Passes the key or the click of a whole report to its listener. Reports of other buttons and of releases are dropped. `report`: the text
 * behind `reportStart`.
 */
const tellReport = (report: string, { key, click }: Pick<Listeners, 'key' | 'click'>): void => {
  const [, button = '', column, row] = /^(\d+);(\d+);(\d+)M$/.exec(report) ?? []
  const name = wheel[button]
  if (name !== undefined) key({ name })
  else if (button === '0') click({ column: Number(column) - 1, line: Number(row) - 1 })
}

/** Makes a function that takes each sequence of `node:readline` and returns whether the sequence belongs to a mouse report. */
const createMouseReader = (on: Pick<Listeners, 'key' | 'click'>) => {
  let report: string | undefined
  return (sequence: string): boolean => {
    if (sequence === reportStart) report = ''
    else if (report === undefined) return false
    else report += sequence
    if (/^[\d;]{0,14}$/.test(report)) return true
    tellReport(report, on)
    report = undefined
    return true
  }
}

/** A reader of the terminal's input. */
export type KeyReader = {
  pause(): void
  resume(): void
  /** Stops reading for good. */
  close(): void
}

type Listeners = {
  readonly key: (key: Key) => void
  readonly paste: (text: string) => void
  /** Called for a click of the first button, with the cell that was clicked. */
  readonly click: (cell: Cell) => void
}

/** Switches the terminal to raw mode and reads it until `close`. While the reader is paused, the terminal is out of raw mode. */
export const readKeys = (stdin: ReadStream, on: Listeners): KeyReader => {
  emitKeypressEvents(stdin, { escapeCodeTimeout } as never)
  let pasted: string[] | undefined
  let length = 0
  const isOfMouse = createMouseReader(on)
  let isClosed = false
  const press = (typed: string | undefined, decoded: NodeKey): void => {
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
    } else if (!isOfMouse(decoded.sequence ?? '')) {
      const key = decodedKey(typed, decoded)
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
