/** Makes the body of an answer from the lines of a tail, which come as events happen: one JSON document a line. */

import { Readable } from 'node:stream'

/**
 * Returns a stream of the lines. The stream takes the next line only when its buffer is not full, so that no lines pile up here for a slow
 * reader. Destroying the stream ends `lines`. `show`: makes of a line what is sent.
 */
export const jsonLinesStream = (lines: AsyncIterator<unknown>, show = (line: unknown): unknown => line): Readable =>
  new Readable({
    read() {
      lines.next().then(
        ({ done, value }) => this.push(done ? null : `${JSON.stringify(show(value))}\n`),
        (error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      void lines.return?.()
      done(error)
    },
  })
