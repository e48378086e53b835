/**
 * Writes the files of a run and its payload to a folder of its own, for a program that takes paths. The folder is removed when the agent
 * has been asked; what a killed process leaves behind is removed at the next start of a gateway on the data directory.
 */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../core/fault.ts'
import type { NewRun, RunFile } from '../core/new-run.ts'
import type { RunnerJob } from '../parts/runners/runner.ts'

/** `writers`: what the runner gets; each writes at its first call. `remove`: removes what was written. */
type RunFiles = { readonly writers: Pick<RunnerJob, 'writeFiles' | 'writePayload'>; readonly remove: () => Promise<void> }

/** Returns the files of a run; `undefined` where it has none. `folder`: the folder of the data directory for the files of all runs. */
export const runFilesOf = ({ files, given: { payload } = {} }: NewRun, folder: string): RunFiles | undefined => {
  if (!files && payload === undefined) return undefined
  let made: Promise<string> | undefined
  const writes: Promise<unknown>[] = []
  const once = <T>(write: (own: string) => Promise<T>): (() => Promise<T>) => {
    let written: Promise<T> | undefined
    return () => {
      made ??= makeFolder(folder)
      written ??= made.then(write)
      writes.push(written)
      return written
    }
  }
  return {
    writers: {
      ...(files ? { writeFiles: once((own) => writeAll(files, own)) } : {}),
      ...(payload === undefined ? {} : { writePayload: once((own) => writeOne(own, 'payload.json', payload)) }),
    },
    async remove() {
      await Promise.allSettled(writes)
      const own = await made?.catch(() => undefined)
      if (own !== undefined) await rm(own, { recursive: true, force: true })
    },
  }
}

const makeFolder = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return mkdtemp(join(folder, `${process.pid}-`))
}

const writeOne = async (own: string, name: string, data: string | Buffer): Promise<string> => {
  const path = join(own, name)
  await writeFile(path, data, { mode: 0o600, flag: 'wx' })
  return path
}

const writeAll = async (files: readonly RunFile[], own: string): Promise<readonly string[]> => {
  const paths: string[] = []
  // The number distinguishes files of one name. With it, no name begins with a dot or a dash, and none is that of the payload.
  for (const [i, { name, data }] of files.entries())
    paths.push(await writeOne(own, `${String(i + 1).padStart(2, '0')}-${name}`, Buffer.from(data, 'base64')))
  return paths
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
