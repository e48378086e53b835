/** Reads lines that are typed at a terminal. While a secret is typed, its characters are not shown. */

import { createInterface, type Interface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'

/** A reader of typed lines. */
export type TypedLines = {
  /** `isSecret`: the text that is typed from now on is a secret, so it is not shown. */
  hide(isSecret: boolean): void
  pause(): void
  resume(): void
  close(): void
}

/** Reads lines until `close`. `on.line` is called with each line, `on.end` when no more lines will come. */
export const readTypedLines = (
  input: Readable,
  output: Writable,
  on: { readonly line: (text: string) => void; readonly end: () => void },
): TypedLines => {
  let isHidden = false
  const open = (): Interface => {
    const reader = isHidden
      ? createInterface({ input, output: discardingStream(), terminal: true, historySize: 0 })
      : createInterface({ input, terminal: false })
    return reader
      .on('line', (text) => {
        if (isHidden) output.write('\n')
        on.line(text)
      })
      .on('close', on.end)
      .on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  }
  let reader = open()
  const close = (): void => {
    reader.removeAllListeners()
    reader.close()
  }
  return {
    hide(isSecret) {
      if (isSecret === isHidden) return
      close()
      isHidden = isSecret
      reader = open()
    },
    pause: () => void reader.pause(),
    resume: () => void reader.resume(),
    close,
  }
}

const discardingStream = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })
