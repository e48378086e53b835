/** Starts processes on a core of their own. Stops each by its id, with its descendants, however the bench ends. */

import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { pinned, tools } from './machine.ts'

export type Child = ChildProcessByStdio<null, Readable, Readable>

const STOP_MS = 5_000
const live = new Set<ChildProcess>()

/** Starts a program on `core`, with a small environment so that nothing of the caller's reaches the measured server. */
export const start = (core: number, argv: string[], env: Record<string, string> = {}): Child => {
  const [command = '', ...args] = pinned && tools.taskset ? [tools.taskset, '-c', String(core), ...argv] : argv
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...env },
  })
  live.add(child)
  child.once('exit', () => live.delete(child))
  child.once('error', () => live.delete(child))
  return child
}

const childrenOf = (pid: number): number[] => {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const direct = threads.flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' '))
    return direct.filter((id) => id.trim() !== '').flatMap((id) => [Number(id), ...childrenOf(Number(id))])
  } catch {
    return []
  }
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

/** Sends SIGTERM, and SIGKILL after five seconds. A descendant that its parent left behind is killed too. */
export const stop = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const descendants = childrenOf(child.pid)
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const late = await Promise.race([gone.then(() => false), wait(STOP_MS, true, { ref: false })])
  if (late) {
    child.kill('SIGKILL')
    await gone
  }
  for (const pid of descendants) if (existsSync(`/proc/${pid}`)) kill(pid)
}

/** Kills all processes at the bench's own exit, where nothing can be awaited. */
export const killAll = (): void => {
  for (const child of live) {
    if (child.pid === undefined) continue
    for (const pid of [child.pid, ...childrenOf(child.pid)].reverse()) kill(pid)
  }
}
