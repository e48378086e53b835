/** Starts the built gateway over a data directory, in a process group of its own; listens to it, kills it, stops it. */

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { atEnd, main as usualMain } from './lab.ts'

export type Line = { readonly [name: string]: unknown; readonly msg: string }
type End = { readonly code: number | null; readonly signal: string | null }

export type LaunchOptions = {
  /** The path of the program. Absent for the build that all other processes use. */
  readonly main?: string
  readonly args?: readonly string[]
  readonly env?: { readonly [name: string]: string }
  /** Shell lines that run first, in the process that becomes the gateway. */
  readonly before?: string
  readonly heard?: (line: Line) => void
}

export type Gateway = {
  readonly pid: number
  readonly dir: string
  readonly startedAt: number
  /** Resolves to the gateway's address when the gateway listens. Rejects when the gateway ends before. */
  readonly listening: Promise<string>
  readonly ended: Promise<End>
  readonly isRunning: () => boolean
  /** Returns what the gateway wrote to stderr. */
  readonly complaints: () => string
  /** Sends SIGKILL to the whole group. Agents have groups of their own, and outlive the gateway as they would outlive a crash. */
  kill(): void
  /** Sends SIGTERM, and resolves when the gateway has ended. */
  stop(): Promise<End>
}

const listens = /^headgate is listening on (http:\S+)/

const parse = (text: string): Line => {
  try {
    return JSON.parse(text)
  } catch {
    // The line is not JSON, or a kill cut it off.
    return { msg: text }
  }
}

/** Starts `gateway run`, and does not wait until the gateway listens. */
export const launch = (
  dir: string,
  { main = usualMain, args = [], env = {}, before = '', heard = () => {} }: LaunchOptions = {},
): Gateway => {
  const argv = [process.execPath, main, '--data-dir', dir, 'gateway', 'run', '--port', '0', ...args]
  const startedAt = performance.now()
  const child = spawn('sh', ['-c', `${before}\nexec "$@"`, 'sh', ...argv], {
    env: { PATH: process.env.PATH ?? '', HOME: dir, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const pid = child.pid ?? 0
  const kill = (): void => {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // The group has no process any more.
    }
  }
  const forget = atEnd(kill)
  let complaints = ''
  let running = true
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-4_000)
  })
  const ended = new Promise<End>((resolve) =>
    child.once('close', (code, signal) => {
      running = false
      forget()
      resolve({ code, signal })
    }),
  )
  const listening = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = parse(text)
      const url = listens.exec(line.msg)?.[1]
      if (url !== undefined) resolve(url)
      heard(line)
    })
    void ended.then(({ code, signal }) => reject(new Error(`the gateway ended with ${signal ?? code} before it listened: ${complaints}`)))
  })
  listening.catch(() => {})
  return {
    pid,
    dir,
    startedAt,
    listening,
    ended,
    isRunning: () => running,
    complaints: () => complaints,
    kill,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}
