/**
 * Writes the files of a run to a folder of its own, for a program that takes paths. The folder is removed when the agent has been asked;
 * what a killed process leaves behind is removed at the next start of a gateway on the data directory.
 */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../core/fault.ts'
import type { NewRun } from '../core/new-run.ts'

/** `paths`: writes the files at the first call, and resolves to their paths, in order. `remove`: removes what was written. */
export type RunFiles = { readonly paths: () => Promise<readonly string[]>; readonly remove: () => Promise<void> }

/** Returns the files of a run; `undefined` where it has none. `folder`: the folder of the data directory for the files of all runs. */
export const runFilesOf = ({ files }: NewRun, folder: string): RunFiles | undefined => {
  if (!files) return undefined
  let made: string | undefined
  const write = async (): Promise<readonly string[]> => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const own = await mkdtemp(join(folder, `${process.pid}-`))
    made = own
    const paths: string[] = []
    for (const [i, { name, data }] of files.entries()) {
      // The number distinguishes files of one name. With it, no name begins with a dot or a dash.
      const path = join(own, `${String(i + 1).padStart(2, '0')}-${name}`)
      await writeFile(path, Buffer.from(data, 'base64'), { mode: 0o600, flag: 'wx' })
      paths.push(path)
    }
    return paths
  }
  let written: Promise<readonly string[]> | undefined
  return {
    paths() {
      written ??= write()
      return written
    },
    async remove() {
      await written?.catch(() => {})
      if (made !== undefined) await rm(made, { recursive: true, force: true })
    },
  }
}

/** Removes the folders of processes that are gone. A folder with the number of this process is from before its start. */
export const sweepRunFiles = async (folder: string): Promise<void> => {
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names) {
    const [, pid] = /^(\d{1,10})-\w+$/.exec(name) ?? []
    if (pid === undefined || (Number(pid) !== process.pid && (await isAlive(Number(pid))))) continue
    await rm(join(folder, name), { recursive: true, force: true })
  }
}

/** Whether a process runs. A killed process keeps its number until its parent has asked for its end, so on Linux its state is read. */
const isAlive = async (pid: number): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user is alive too.
    return codeOf(error) === 'EPERM'
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return !/\) [ZX] /.test(stat)
}
