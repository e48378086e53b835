/** Answers that leave together at the end of a turn of the loop. */

/** Queues a write until everything that came in with this turn has been worked on. */
export type ReplyBatch = (write: () => void) => void

/**
 * Each answer wakes its reader, and under load that costs more than the answer; written back to back, one waking serves them all.
 * A lone answer waits for nothing. Holds at most one write for each open request.
 */
export const createReplyBatch = (): ReplyBatch => {
  let waiting: (() => void)[] = []
  const flush = (): void => {
    const writes = waiting
    waiting = []
    for (const write of writes) write()
  }
  return (write) => {
    if (waiting.push(write) === 1) setImmediate(flush)
  }
}
