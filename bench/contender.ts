/** Runs one contender in a new folder and on a core of its own, and checks its answer before anything is measured. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Expected, type Load, type Loaded, load } from './load.ts'
import type { Post } from './payloads.ts'
import { fromBuild, type Launcher, type PeerName } from './peers.ts'
import { probe } from './probe.ts'
import { type Child, start, stop } from './processes.ts'

const SERVER_CORE = 0
const START_MS = 60_000
const SHOWN_CHARS = 2_000

/**
 * One contender of a case: a server, what is sent to it, and the answer that it must give. `fill`: starts the server so that what it
 * accepts waits.
 */
export type Contender = { name: string; peer: PeerName; launch: Launcher; fill?: Launcher; post: Post; expected: Expected }
export type Running = {
  pid: number
  baseUrl: string
  /** The time from the start of the process to its first right answer. */
  startMs: number
  load: (options: Pick<Load, 'seconds' | 'close' | 'rate' | 'connections'>) => Promise<Loaded>
}

/** The folder of everything that the bench writes. */
export const root = mkdtempSync(join(tmpdir(), 'headgate-bench-'))

const fromOther = ({ name, launch, fill, ...same }: Contender, main: string): Contender => ({
  ...same,
  name: name === 'headgate' ? 'other' : `other, ${name}`,
  launch: fromBuild(launch, main),
  ...(fill ? { fill: fromBuild(fill, main) } : {}),
})

/** Returns the contenders whose peers were asked for. If there is another build, our server from that build is among them. */
export const chosen = (all: readonly Contender[], { peers, other }: { peers: readonly PeerName[]; other?: string }): Contender[] =>
  all
    .filter(({ peer }) => peers.includes(peer))
    .flatMap((contender) => (other !== undefined && contender.peer === 'headgate' ? [contender, fromOther(contender, other)] : [contender]))

/** Resolves with the address that a server prints; rejects when it ends, prints none in time, or never starts. */
const watch = (child: Child): { printedUrl: Promise<string>; ended: Promise<never> } => {
  let printed = ''
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => reject(new Error(`it ended with ${signal ?? code}: ${printed.trim()}`)))
  })
  const printedUrl = new Promise<string>((resolve, reject) => {
    const look = (chunk: Buffer): void => {
      printed = (printed + chunk.toString('utf8')).slice(-SHOWN_CHARS)
      const url = /http:\/\/127\.0\.0\.1:\d+(?!\d|\/metrics)/.exec(printed)?.[0]
      if (url !== undefined) resolve(url)
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    setTimeout(() => reject(new Error(`it printed no address within ${START_MS} ms: ${printed.trim()}`)), START_MS).unref()
  })
  // Either promise may reject when nobody waits for it any more.
  ended.catch(() => {})
  printedUrl.catch(() => {})
  return { printedUrl, ended }
}

export const newFolder = (): string => mkdtempSync(join(root, 'run-'))

/** Hands out a new folder, and removes it, also after an error. */
export const withFolder = async <T>(use: (folder: string) => Promise<T>): Promise<T> => {
  const folder = newFolder()
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts a contender in a folder of its own and hands it to `use`. Then stops it, also after an error. */
export const withRunning = <T>(contender: Contender, use: (running: Running) => Promise<T>): Promise<T> =>
  withFolder((folder) => runIn(folder, contender, use))

/** Does the same in a given folder, which is not removed. `started` gets the process before the process can have printed anything. */
export const runIn = async <T>(
  folder: string,
  { name, launch, post, expected }: Contender,
  use: (running: Running) => Promise<T>,
  started: (child: Child) => void = () => {},
): Promise<T> => {
  let child: Child | undefined
  try {
    const { argv, env, url } = await launch(folder)
    const began = performance.now()
    child = start(SERVER_CORE, argv, env)
    started(child)
    const { printedUrl, ended } = watch(child)
    const baseUrl = url ?? (await Promise.race([printedUrl, ended]))
    await Promise.race([probe(baseUrl, post, expected, START_MS), ended])
    const startMs = performance.now() - began
    return await use({ pid: child.pid ?? 0, baseUrl, startMs, load: (options) => load({ baseUrl, post, expected, folder, ...options }) })
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : error}`)
  } finally {
    if (child) await stop(child)
  }
}
