/** Breaks the disk under a running gateway in several ways, and mends it again. */

import { spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { works } from '../../test/fakes/process.ts'
import type { Gateway } from './gateway.ts'
import { atEnd, until } from './lab.ts'

/** Mends the disk. Resolves when the disk works again. */
type Mend = () => Promise<void>

export type DiskFault = {
  readonly name: string
  /** Why this fault cannot be made here; `undefined` where it can. */
  readonly missing: string | undefined
  /** Shell lines that run in the process that becomes the gateway. */
  readonly before?: (dir: string) => string
  /** Returns the path of the data directory for this program. */
  readonly reach: (gateway: Gateway) => string
  /** Whether the journal can still be written. */
  readonly keepsJournal: boolean
  /** Breaks the disk. Resolves when the disk is broken. */
  readonly begin: (gateway: Gateway) => Promise<Mend>
}

const noStrace = works('strace', '-e', 'trace=none', 'true') ? undefined : 'needs strace'
const noMount = works('unshare', '-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt') ? undefined : 'needs the right to mount'

/** Makes a fault: some system calls of all threads of a process fail until the disk is mended. */
const injecting =
  (calls: string) =>
  async ({ pid }: Gateway): Promise<Mend> => {
    const args = ['-f', '-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`, '-o', '/dev/null', '-p', String(pid)]
    const strace = spawn('strace', args, { stdio: 'ignore' })
    const forget = atEnd(() => strace.kill('SIGKILL'))
    const closed = new Promise<void>((resolve) => strace.once('close', () => resolve()))
    const isTraced = (task: string): boolean => !/^TracerPid:\s+0$/m.test(readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8'))
    await until('strace is attached', () => readdirSync(`/proc/${pid}/task`).every(isTraced))
    return async () => {
      strace.kill('SIGINT')
      await closed
      forget()
    }
  }

const inItsMounts = ({ pid, dir }: Gateway): string => join(`/proc/${pid}/root`, dir)
const refillMs = 10

/** Breaks the disk by a file that takes all free space, and goes on taking what becomes free. */
const fill = async (gateway: Gateway): Promise<Mend> => {
  const path = join(inItsMounts(gateway), 'state', 'ballast')
  const file = openSync(path, 'a')
  const refill = (): void => {
    for (let bytes = 65_536; bytes > 0; bytes >>= 1) while (append(file, bytes)) {}
  }
  refill()
  const timer = setInterval(refill, refillMs)
  return async () => {
    clearInterval(timer)
    closeSync(file)
    unlinkSync(path)
  }
}

const append = (file: number, bytes: number): boolean => {
  try {
    return writeSync(file, Buffer.alloc(bytes)) === bytes
  } catch {
    return false
  }
}

const mountSmall = (dir: string): string =>
  `exec unshare -m sh -c 'mount -t tmpfs -o size=24m,mode=700 tmpfs "$0" && exec "$@"' '${join(dir, 'state')}' "$@"`

export const diskFaults: readonly DiskFault[] = [
  {
    name: 'EIO: no sync works',
    missing: noStrace,
    reach: ({ dir }) => dir,
    keepsJournal: true,
    begin: injecting('fsync,fdatasync'),
  },
  {
    name: 'EIO: no write of the database works',
    missing: noStrace,
    reach: ({ dir }) => dir,
    keepsJournal: true,
    begin: injecting('pwrite64'),
  },
  { name: 'ENOSPC: the disk is full', missing: noMount, before: mountSmall, reach: inItsMounts, keepsJournal: false, begin: fill },
]
