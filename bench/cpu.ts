/** What a process has used so far, read from /proc: processor time of all its threads, memory now and at its highest. */

import { readFileSync } from 'node:fs'

/** USER_HZ, which Linux fixes at 100 for every program, whatever the kernel's own tick is. */
const US_PER_TICK = 10_000

/** User and system time in microseconds, of all threads, those that ended included. */
export const cpuUs = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The second field is the program's name in brackets and may hold spaces: count from behind it.
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
