/** Writes answers together that are ready at nearly the same time. */

/** Queues a write until its batch is written. `after` is called then, so that no sender waits for it. */
export type ReplyBatch = (write: () => void, after?: () => void) => void

/**
 * Each answer wakes its reader, and under load that costs more than the answer. Answers written back to back wake it once.
 * `schedule` is given the writing of a batch when its first answer comes: `setImmediate` ends it with the turn of the event loop, so that
 * it has the answers to all requests of this turn; `process.nextTick` once no settled promise is left to go on, so that it has the answers
 * to all that one commit stored. The queue holds at most one write for each open request.
 */
export const createReplyBatch = (schedule: (write: () => void) => void): ReplyBatch => {
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
    if (waiting.push(write) === 1) schedule(flush)
  }
}

/** Writes at once. A refusal before the signature does not wait for other answers, because a flood of them would fill the memory. */
export const atOnce: ReplyBatch = (write) => write()
