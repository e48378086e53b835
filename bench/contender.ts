/** Runs one contender in a new folder and on a core of its own, and checks its answer before anything is measured. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Expected, type Load, type Loaded, load } from './load.ts'
import type { Post } from './payloads.ts'
import type { Launcher, PeerName } from './peers.ts'
import { probe } from './probe.ts'
import { type Child, start, stop } from './processes.ts'

const SERVER_CORE = 0
const START_MS = 60_000
const SHOWN_CHARS = 2_000

/** One line of a case: a server, what is sent to it and what it must answer. */
export type Contender = { name: string; peer: PeerName; launch: Launcher; post: Post; expected: Expected }
export type Running = {
  pid: number
  baseUrl: string
  /** From the start of the process to its first right answer. */
  startMs: number
  load: (options: Pick<Load, 'seconds' | 'close' | 'rate'>) => Promise<Loaded>
}

/** Everything the bench writes is in here. */
export const root = mkdtempSync(join(tmpdir(), 'headgate-bench-'))

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
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0]
      if (url !== undefined) resolve(url)
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    setTimeout(() => reject(new Error(`it printed no address within ${START_MS} ms: ${printed.trim()}`)), START_MS).unref()
  })
  // Both may reject when nobody waits for them any more.
  ended.catch(() => {})
  printedUrl.catch(() => {})
  return { printedUrl, ended }
}

/** Starts a contender and hands it to `use`. Then stops it and removes its folder, also after an error. */
export const withRunning = async <T>(contender: Contender, use: (running: Running) => Promise<T>): Promise<T> => {
  const { name, launch, post, expected } = contender
  const folder = mkdtempSync(join(root, 'run-'))
  let child: Child | undefined
  try {
    const { argv, env, url } = await launch(folder)
    const began = performance.now()
    child = start(SERVER_CORE, argv, env)
    const { printedUrl, ended } = watch(child)
    const baseUrl = url ?? (await Promise.race([printedUrl, ended]))
    await Promise.race([probe(baseUrl, post, expected, START_MS), ended])
    const startMs = performance.now() - began
    return await use({ pid: child.pid ?? 0, baseUrl, startMs, load: (options) => load({ baseUrl, post, expected, folder, ...options }) })
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : error}`)
  } finally {
    if (child) await stop(child)
    rmSync(folder, { recursive: true, force: true })
  }
}
