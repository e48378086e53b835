/** Writes all answers of one turn of the event loop together, at the end of the turn. */

/**
 * Queues the function `write`, which writes one answer, until everything that this turn brought has been worked on. `after` is called once
 * all answers of the turn are written, so that no sender waits for `after`.
 */
export type ReplyBatch = (write: () => void, after?: () => void) => void

/**
 * Makes an empty batch. Each write of an answer wakes the sender that reads it, and under load the waking costs more than the answer.
 * Answers that are written back to back wake a sender once. The queue holds at most one write for each open request.
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
 * Writes an answer at once, and takes no `after`. It is for answers that end their connection (`Exchange.end`), and for refusals before the
 * signature check: if these waited, a flood of them would fill the memory.
 */
export const atOnce: ReplyBatch = (write) => write()
