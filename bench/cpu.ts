/** Reads from /proc what a process has used so far: the processor time of all its threads, its memory now and at most. */

import { readFileSync } from 'node:fs'

/** The length of one tick in which Linux counts the time of a process (USER_HZ). It is the same whatever the kernel's own tick is. */
const US_PER_TICK = 10_000

/** Returns the times of a process in microseconds: user and system time of all its threads, and the same of its ended children. */
const timesOf = (pid: number): readonly number[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The second field is the program's name in brackets. It may hold spaces, so fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).map((ticks) => Number(ticks) * US_PER_TICK)
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** Returns the user and system time of all threads in microseconds, also of threads that have ended. */
export const cpuUs = (pid: number): number => sum(timesOf(pid).slice(0, 2))

/** Returns the same as `cpuUs`, with the times of the children that have ended. */
export const cpuWithEndedUs = (pid: number): number => sum(timesOf(pid))

const statusMib = (pid: number, key: 'VmRSS' | 'VmHWM'): number => {
  const kib = new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  if (kib === undefined) throw new Error(`/proc/${pid}/status shows no ${key}`)
  return Number(kib) / 1024
}

export const rssMib = (pid: number): number => statusMib(pid, 'VmRSS')
export const peakRssMib = (pid: number): number => statusMib(pid, 'VmHWM')

/**
 * Returns what the main thread of a process has used, in milliseconds; `undefined` while it runs, because the kernel then counts in ticks.
 */
export const idleMainMs = (pid: number): number | undefined => {
  const thread = `/proc/${pid}/task/${pid}`
  if (!/\) S /.test(readFileSync(`${thread}/stat`, 'latin1'))) return undefined
  return Number(readFileSync(`${thread}/schedstat`, 'latin1').split(' ')[0]) / 1e6
}
