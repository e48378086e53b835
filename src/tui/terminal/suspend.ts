/** Stops the program as the shell's job control does, until the user continues it. */

/** Whether nothing stopped us is only seen by going on: a program that no shell controls cannot be stopped. */
const graceMs = 200

/** Resolves when the program goes on. All of its group are stopped: also what started it, for which the shell waits. */
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

/** Calls back when the program was stopped by others, and goes on. What is returned ends that. */
export const onContinued = (call: () => void): (() => void) => {
  process.on('SIGCONT', call)
  return () => void process.off('SIGCONT', call)
}
