/** Stops the program as the shell's job control does, until the user continues it. */

/** Milliseconds to wait for the stop. A program that no shell controls cannot be stopped, and only notices that it still runs. */
const graceMs = 200

/**
 * Stops the whole process group, and resolves when the program goes on. The group includes the program that started this one, because the
 * shell waits for it.
 */
export const suspended = (): Promise<void> =>
  new Promise((resolve) => {
    if (process.platform === 'win32') return resolve()
    const goOn = (): void => {
      clearTimeout(late)
      process.off('SIGCONT', goOn)
      resolve()
    }
    const late = setTimeout(goOn, graceMs)
    process.on('SIGCONT', goOn)
    process.kill(0, 'SIGTSTP')
  })

/** Calls back when the program goes on after others stopped it. Returns a function that ends the listening. */
export const onContinued = (call: () => void): (() => void) => {
  process.on('SIGCONT', call)
  return () => void process.off('SIGCONT', call)
}
