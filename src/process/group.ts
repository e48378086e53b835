/** Starts a program in a process group of its own, and ends it with what it started, as far as that can be found (`strays.ts`). */

import { type ChildProcess, spawn } from 'node:child_process'
import { markChild } from './strays.ts'

export type ChildEnv = { readonly [name: string]: string | undefined }

export type Program = {
  readonly argv: readonly string[]
  /**
   * The whole environment of the program: no variable of this process is inherited. One variable is added, the mark by which `strays.ts`
   * finds processes that the program left behind.
   */
  readonly env: ChildEnv
  readonly cwd?: string
}

export type ProcessGroup = {
  readonly child: ChildProcess
  /** Sends a signal to the program and to its whole group. */
  readonly signal: (name: 'SIGTERM' | 'SIGKILL') => void
  /** Notes that the program has ended. Soon after, `strays.ts` ends the processes that left its group, as far as it finds them. */
  readonly ended: () => void
}

/** The groups whose program still runs. This process kills them when it exits. */
const running = new Set<ProcessGroup>()

const killAll = (): void => {
  for (const group of running) group.signal('SIGKILL')
}
process.on('exit', killAll)

const deadly = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Kills the groups where a signal will end this process: where nobody else listens to the signal, this process does not exit by itself. */
const onSignal = (name: NodeJS.Signals): void => {
  if (process.listenerCount(name) > 1) return
  killAll()
  process.off(name, onSignal)
  process.kill(process.pid, name)
}

const listen = (): void => {
  for (const name of deadly) if (!process.listeners(name).includes(onSignal)) process.on(name, onSignal)
}

const listenNoLonger = (): void => {
  if (running.size === 0) for (const name of deadly) process.off(name, onSignal)
}

/**
 * Starts a program. Throws where the failure of the start is known at once. A failure that is known later comes as the child's event
 * `error`, and the child may then have no pipes.
 */
export const startGroup = ({ argv, env, cwd }: Program): ProcessGroup => {
  const mark = markChild()
  // The program may run before `spawn` returns, and a signal must not come between.
  listen()
  try {
    // `detached` gives the child a process group of its own, so that a signal also reaches the processes that it started.
    const options = { cwd, env: { ...env, ...mark.env }, detached: true, stdio: 'pipe' } as const
    const child = spawn(argv[0] ?? '', argv.slice(1), options)
    const group: ProcessGroup = {
      child,
      signal: (name) => signalGroup(child.pid, name),
      ended() {
        running.delete(group)
        listenNoLonger()
        mark.lift()
      },
    }
    running.add(group)
    return group
  } catch (thrown) {
    mark.lift()
    listenNoLonger()
    throw thrown
  }
}

const signalGroup = (pid: number | undefined, name: 'SIGTERM' | 'SIGKILL'): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch {
    // The group is empty: all of its processes have ended.
  }
}
