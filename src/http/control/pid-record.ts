/** Records on disk which process serves a data directory, so that a command finds a gateway whose control socket is gone. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const recordOf = (dataDir: string): string => join(dataDir, 'state', 'gateway.pid')

/** When a process started: it tells the process from a later one with its id. Empty where the system does not say. */
const startOf = (pid: number): string => {
  try {
    // The 22nd field; the second one, a name in parentheses, may hold blanks.
    return (
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? ''
    )
  } catch {
    return ''
  }
}

/** Writes the record if it can. The returned function removes it. */
export const recordPid = (dataDir: string): (() => void) => {
  const file = recordOf(dataDir)
  try {
    writeFileSync(file, `${process.pid} ${startOf(process.pid)}\n`, { mode: 0o600 })
  } catch {
    // Without the record a command can only say that no gateway is running.
  }
  return () => rmSync(file, { force: true })
}

/** The process that serves a data directory, if the recorded one still runs. */
export const servingPid = (dataDir: string): number | undefined => {
  try {
    const [pid = '', start = ''] = readFileSync(recordOf(dataDir), 'utf8').trim().split(' ')
    process.kill(Number(pid), 0)
    return Number(pid) > 0 && startOf(Number(pid)) === start ? Number(pid) : undefined
  } catch {
    return undefined
  }
}
