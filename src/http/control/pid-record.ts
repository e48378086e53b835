/** Records on disk which process serves a data directory, so that a command finds a gateway whose control socket is gone. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const recordOf = (dataDir: string): string => join(dataDir, 'state', 'gateway.pid')

/** Returns the start time of a process, which tells it from a later process with the same id. Empty where the system does not say. */
const startOf = (pid: number): string => {
  try {
    // The start time is the 22nd field. The second field, a name in parentheses, may hold blanks.
    return (
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? ''
    )
  } catch {
    return ''
  }
}

/** Writes the record where possible. The returned function removes it. */
export const recordPid = (dataDir: string): (() => void) => {
  const file = recordOf(dataDir)
  try {
    writeFileSync(file, `${process.pid} ${startOf(process.pid)}\n`, { mode: 0o600 })
  } catch {
    // Without the record a command can only say that no gateway is running.
  }
  return () => rmSync(file, { force: true })
}

/** Returns the id of the process that serves a data directory; `undefined` where the recorded process does not run. */
export const servingPid = (dataDir: string): number | undefined => {
  try {
    const [pid = '', start = ''] = readFileSync(recordOf(dataDir), 'utf8').trim().split(' ')
    process.kill(Number(pid), 0)
    return Number(pid) > 0 && startOf(Number(pid)) === start ? Number(pid) : undefined
  } catch {
    return undefined
  }
}
