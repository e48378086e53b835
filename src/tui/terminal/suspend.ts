/** Stops the program as ^z does for other programs, until the user continues it in the shell. */

import { systemClock } from '../../core/clock.ts'

/**
 * Milliseconds to wait for the stop. After this time the program goes on: the system does not stop a program without a controlling shell.
 */
const graceMs = 200

/**
 * Stops the whole process group, and resolves when the program goes on. The group includes the program that started this one, because the
 * shell waits for it.
 */
export const suspendProcess = (): Promise<void> =>
  new Promise((resolve) => {
    if (process.platform === 'win32') return resolve()
    const resume = (): void => {
      cancel()
      process.off('SIGCONT', resume)
      resolve()
    }
    const cancel = systemClock.after(graceMs, resume)
    process.on('SIGCONT', resume)
    process.kill(0, 'SIGTSTP')
  })

/** Calls `call` whenever the program goes on after a stop. Returns a function that ends the listening. */
export const onContinued = (call: () => void): (() => void) => {
  process.on('SIGCONT', call)
  return () => void process.off('SIGCONT', call)
}
