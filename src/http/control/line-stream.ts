/** Lines that are watched, as a body of JSON documents, one a line. */

import { Readable } from 'node:stream'
import type { TailLines } from '../../app/live/tails.ts'

/** Takes a line only when there is room for it: whoever reads slowly keeps no more than that waiting here. */
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
