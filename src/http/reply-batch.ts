/** Writes all answers of a turn of the event loop together, at the end of the turn. */

/**
 * Queues a write until everything that this turn brought has been worked on. `after` is called once all answers are written, so no sender
 * waits for it.
 */
export type ReplyBatch = (write: () => void, after?: () => void) => void

/**
 * Each write of an answer wakes its reader, and under load that costs more than the answer does. Answers that are written back to back wake
 * the reader once. A lone answer does not wait. The queue holds at most one write for each open request.
 */
export const createReplyBatch = (): ReplyBatch => {
  let waiting: (() => void)[] = []
  let later: (() => void)[] = []
  const flush = (): void => {
    const [writes, others] = [waiting, later]
    waiting = []
    later = []
    for (const write of writes) write()
    for (const after of others) after()
  }
  return (write, after) => {
    if (after) later.push(after)
    if (waiting.push(write) === 1) setImmediate(flush)
  }
}

/**
 * Writes at once. A refusal before the signature check must not wait for other answers, because a flood of refusals would fill the memory.
 */
export const atOnce: ReplyBatch = (write) => write()
