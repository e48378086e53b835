/** Which process serves a data directory, on disk: so that a command can tell a gateway whose control socket is gone from none. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const recordOf = (dataDir: string): string => join(dataDir, 'state', 'gateway.pid')

/** Tells a process from a later one, or one of another container, that has its id; empty where the system does not say. */
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

/** Best effort; the returned function removes it. */
export const recordPid = (dataDir: string): (() => void) => {
  const file = recordOf(dataDir)
  try {
    writeFileSync(file, `${process.pid} ${startOf(process.pid)}\n`, { mode: 0o600 })
  } catch {
    // Without it a command says that no gateway answers, as before.
  }
  return () => rmSync(file, { force: true })
}

/** The process that serves it, if the one that said so still runs. */
export const servingPid = (dataDir: string): number | undefined => {
  try {
    const [pid = '', start = ''] = readFileSync(recordOf(dataDir), 'utf8').trim().split(' ')
    process.kill(Number(pid), 0)
    return Number(pid) > 0 && startOf(Number(pid)) === start ? Number(pid) : undefined
  } catch {
    return undefined
  }
}
