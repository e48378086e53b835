/** Looks at processes that the program under test started, and at what this machine can run. */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a command exists and succeeds. */
export const works = (command: string, ...args: string[]): boolean => {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Whether a process runs: neither gone nor a zombie. */
export const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

export const soon = (): Promise<void> => new Promise((then) => setTimeout(then, 5))

/** Waits until a killed process is gone, which takes a moment. Resolves to `false` when the process stays. */
export const isGone = async (pid: number): Promise<boolean> => {
  for (let tries = 0; isRunning(pid) && tries < 2000; tries++) await soon()
  return !isRunning(pid)
}
