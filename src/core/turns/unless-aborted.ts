/**
 * Waits for work that cannot be ended or that has several waiters, but no longer than until the signal aborts. Rejects with the signal's
 * reason then.
 */
export const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  let stop = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
