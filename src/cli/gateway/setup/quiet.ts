/** A terminal between two questions: what is typed is not shown, since it may be a secret, and answers nothing. */

import type { Readable } from 'node:stream'
import type { ReadStream } from 'node:tty'

const interrupt = 3

export type Quiet = {
  begin(): void
  end(): void
}

/** ^c counts all the time. The terminal is as it was after `end`. */
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
