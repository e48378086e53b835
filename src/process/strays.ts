/**
 * Kills strays: processes that a child of this process started in a session of their own, where a kill of the child's group does not reach
 * them. Each child gets a mark in its environment, and its descendants inherit the mark. A process with the mark of a child that has ended
 * is a stray; when this process exits, every process with a mark is one. Only Linux shows the environment of processes. On other systems
 * strays live on, as do processes that removed their mark.
 */

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { pause, unrefClock } from '../core/clock.ts'

const markVariable = 'HEADGATE_CHILD'
/** A secret of this process and its descendants, so that no other program can set the mark. */
const token = `${randomBytes(16).toString('hex')}-`
const markBytes = Buffer.from(`${markVariable}=${token}`)
const processesPerTurn = 50
/** The most passes in a row. A stray that is forked during a pass is found in the next pass. */
const maxPasses = 20
/** The rest between two sweeps, in milliseconds: children may end a hundred times a second. */
const restMs = 1000

/** The numbers of the marks of children that still run. */
const living = new Set<string>()
let last = 0
let isSweepWanted = false
let isSweeping = false

/** Makes a mark for the environment of one child. After `lift`, every process that carries the mark is a stray. */
export const markChild = (): { readonly env: { readonly [name: string]: string }; readonly lift: () => void } => {
  const id = String(++last)
  living.add(id)
  const lift = (): void => {
    living.delete(id)
    isSweepWanted = true
    if (!isSweeping) void sweepWhileWanted()
  }
  return { env: { [markVariable]: token + id }, lift }
}

const sweepWhileWanted = async (): Promise<void> => {
  isSweeping = true
  while (isSweepWanted) {
    isSweepWanted = false
    for (let pass = 0, found = true; found && pass < maxPasses; pass++) found = await makePass()
    await pause(restMs, unrefClock)
  }
  isSweeping = false
}

/** Makes one pass. Returns whether it killed any stray. */
const makePass = async (): Promise<boolean> => {
  let found = false
  for (const [i, pid] of processes().entries()) {
    if (i % processesPerTurn === 0) await turn(undefined, { ref: false })
    found = killStray(pid) || found
  }
  return found
}

process.on('exit', () => {
  if (!isSweeping && living.size === 0) return
  living.clear()
  for (let pass = 0; pass < maxPasses && processes().filter(killStray).length > 0; pass++);
})

/** Returns the ids of all processes of the system; none on a system without /proc. */
const processes = (): string[] => {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** Kills a process if it is a stray, and returns whether it is one. */
const killStray = (pid: string): boolean => {
  try {
    const environ = readFileSync(`/proc/${pid}/environ`)
    const at = environ.indexOf(markBytes)
    if (at < 0) return false
    const [id = ''] = /^\d+/.exec(environ.toString('latin1', at + markBytes.length, at + markBytes.length + 16)) ?? []
    if (living.has(id)) return false
    process.kill(Number(pid), 'SIGKILL')
    return true
  } catch {
    // The process has ended, or belongs to another user.
    return false
  }
}
