/** Writes all answers of one turn of the event loop together, at its end. */

/** Queues a write until all that this turn brought has been worked on. */
export type ReplyBatch = (write: () => void) => void

/**
 * Each answer wakes its reader, and under load that costs more than the answer. Answers written back to back wake it once.
 * A lone answer does not wait. The queue holds at most one write for each open request.
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
