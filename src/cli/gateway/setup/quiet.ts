/** Hides the text that is typed between two questions, because it may be a secret. The text answers no question. */

import type { Readable } from 'node:stream'
import type { ReadStream } from 'node:tty'

const interrupt = 3

export type Quiet = {
  begin(): void
  end(): void
}

/** Returns the switch. Ctrl-C works while the terminal is quiet. After `end`, the terminal is as it was before. */
export const quietBetween = (input: Readable & Partial<Pick<ReadStream, 'setRawMode'>>): Quiet => {
  const drop = (data: Buffer | string): void => {
    if (Buffer.from(data).includes(interrupt)) process.kill(process.pid, 'SIGINT')
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
