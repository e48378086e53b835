/** Makes the lines of a tail into the body of an answer: one JSON document a line. */

import { Readable } from 'node:stream'
import type { TailLines } from '../../app/live/tails.ts'

/**
 * Returns a stream of the lines. It takes a line only when the connection has room for it, so that no lines pile up here for a slow
 * reader.
 */
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
