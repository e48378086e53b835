/** The lines of a tail as the body of an answer: one JSON document a line. */

import { Readable } from 'node:stream'
import type { TailLines } from '../../app/live/tails.ts'

/** Takes a line only when the connection has room for it, so that a slow reader keeps no more lines waiting here. */
export const streamOf = (lines: TailLines): Readable =>
  new Readable({
    read() {
      lines.next().then(
        ({ done, value }) => this.push(done ? null : `${JSON.stringify(value)}\n`),
        (error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      void lines.return?.()
      done(error)
    },
  })
