/** Records on disk which process serves a data directory, so that a command finds a gateway whose control socket is gone. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const pidFile = (dataDir: string): string => join(dataDir, 'state', 'gateway.pid')

/**
 * Returns the start time of a process, in the system's own unit. By this time, the process can be distinguished from a later process with
 * the same id. Empty where the system does not say, or no such process runs.
 */
const processStart = (pid: number): string => {
  try {
    // The start time is the 22nd field. The second field, a name in parentheses, may contain blanks.
    return (
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? ''
    )
  } catch {
    return ''
  }
}

/** Records that this process serves the data directory, where the record can be written. The returned function removes the record. */
export const recordPid = (dataDir: string): (() => void) => {
  const file = pidFile(dataDir)
  try {
    writeFileSync(file, `${process.pid} ${processStart(process.pid)}\n`, { mode: 0o600 })
  } catch {
    // Without the record, a command that finds no control socket says that no gateway is running.
  }
  return () => {
    try {
      rmSync(file, { force: true })
    } catch {
      // A record that stays names a process that does not run, which `servingPid` notices.
    }
  }
}

/** Returns the id of the process that serves a data directory; `undefined` where none is recorded, or the recorded process does not run. */
export const servingPid = (dataDir: string): number | undefined => {
  try {
    const [pid = '', start = ''] = readFileSync(pidFile(dataDir), 'utf8').trim().split(' ')
    // Signal 0 only asks whether the process exists: the call throws where no such process exists.
    process.kill(Number(pid), 0)
    return Number(pid) > 0 && processStart(Number(pid)) === start ? Number(pid) : undefined
  } catch {
    return undefined
  }
}
