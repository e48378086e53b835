/** Reads lines that are typed at a terminal. A secret is not echoed: while one is typed, its keys are read singly and shown to nobody. */

import { createInterface, type Interface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'

export type Lines = {
  /** Hides the text that is typed from now on if it is a secret, and shows it otherwise. */
  hide(isSecret: boolean): void
  pause(): void
  resume(): void
  close(): void
}

/** Reads lines. `end` is called when no more lines will come. */
export const readLines = (
  input: Readable,
  output: Writable,
  on: { readonly line: (text: string) => void; readonly end: () => void },
): Lines => {
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
