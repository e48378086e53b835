/**
 * Ends what a child leaves behind in a session of its own, where a kill of its group does not reach. On Linux, which shows
 * the environment of every process to its own user; elsewhere, and for a process that gave its mark away, nothing is done.
 */

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

const variable = 'HEADGATE_CHILD'
/** Known to descendants of this process only. */
const token = `${randomBytes(16).toString('hex')}-`
const needle = Buffer.from(`${variable}=${token}`)
/** Processes looked at in one turn of the loop. */
const slice = 50
/** How often we look in a row, at most: a process that is forked while we look is found the next time. */
const maxPasses = 20
/** Between two looks: children may end a hundred times a second. */
const restMs = 1000

const living = new Set<string>()
let last = 0
let wanted = false
let busy = false

/** A mark for one child: it goes into the environment, and is lifted when the child has ended. */
export const markChild = (): { readonly env: { readonly [name: string]: string }; readonly lift: () => void } => {
  const id = String(++last)
  living.add(id)
  const lift = (): void => {
    living.delete(id)
    wanted = true
    if (!busy) void sweepWhileWanted()
  }
  return { env: { [variable]: token + id }, lift }
}

const sweepWhileWanted = async (): Promise<void> => {
  busy = true
  while (wanted) {
    wanted = false
    for (let pass = 0, found = true; found && pass < maxPasses; pass++) found = await sweep()
    await sleep(restMs, undefined, { ref: false })
  }
  busy = false
}

/** Whether there was something to kill. */
const sweep = async (): Promise<boolean> => {
  let found = false
  for (const [i, pid] of processes().entries()) {
    if (i % slice === 0) await turn(undefined, { ref: false })
    found = killStray(pid) || found
  }
  return found
}

process.on('exit', () => {
  if (!busy && living.size === 0) return
  living.clear()
  for (let pass = 0; pass < maxPasses && processes().filter(killStray).length > 0; pass++);
})

const processes = (): string[] => {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

const killStray = (pid: string): boolean => {
  try {
    const environ = readFileSync(`/proc/${pid}/environ`)
    const at = environ.indexOf(needle)
    if (at < 0) return false
    const [id = ''] = /^\d+/.exec(environ.toString('latin1', at + needle.length, at + needle.length + 16)) ?? []
    if (living.has(id)) return false
    process.kill(Number(pid), 'SIGKILL')
    return true
  } catch {
    // It has ended, or is another user's.
    return false
  }
}
