/** Hides and drops the text that is typed between two questions, because it may be a secret. */

import type { Readable } from 'node:stream'
import type { ReadStream } from 'node:tty'

const ctrlC = 3

/** `begin`: typed text is dropped from now on. `end`: the terminal is as it was before. */
export type QuietSwitch = {
  begin(): void
  end(): void
}

/** Returns the switch for a terminal. Ctrl-C works while typed text is dropped. */
export const createQuietSwitch = (input: Readable & Partial<Pick<ReadStream, 'setRawMode'>>): QuietSwitch => {
  const drop = (data: Buffer | string): void => {
    if (Buffer.from(data).includes(ctrlC)) process.kill(process.pid, 'SIGINT')
  }
  return {
    begin() {
      input.setRawMode?.(true)
      input.on('data', drop)
      input.resume()
    },
    end() {
      input.off('data', drop)
      input.pause()
      input.setRawMode?.(false)
    },
  }
}
