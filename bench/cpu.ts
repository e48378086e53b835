/** Reads from /proc what a process has used so far: the processor time of all its threads, its memory now and at most. */

import { readFileSync } from 'node:fs'

/** USER_HZ. Linux fixes it at 100 for every program, whatever the kernel's own tick is. */
const US_PER_TICK = 10_000

/** User and system time in microseconds, of all threads, also of those that have ended. */
export const cpuUs = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The second field is the program's name in brackets. It may hold spaces, so fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * US_PER_TICK
}

const statusMib = (pid: number, key: 'VmRSS' | 'VmHWM'): number => {
  const kib = new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  if (kib === undefined) throw new Error(`/proc/${pid}/status shows no ${key}`)
  return Number(kib) / 1024
}

export const rssMib = (pid: number): number => statusMib(pid, 'VmRSS')
export const peakRssMib = (pid: number): number => statusMib(pid, 'VmHWM')

/** What the main thread of a process has used, in milliseconds; `undefined` while it runs, since the kernel then counts in ticks. */
export const idleMainMs = (pid: number): number | undefined => {
  const thread = `/proc/${pid}/task/${pid}`
  if (!/\) S /.test(readFileSync(`${thread}/stat`, 'latin1'))) return undefined
  return Number(readFileSync(`${thread}/schedstat`, 'latin1').split(' ')[0]) / 1e6
}
