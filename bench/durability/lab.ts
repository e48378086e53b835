/** Gives a durability program its temporary folder. However the program ends, the folder is removed and the processes are ended. */

import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The folder of everything that the program writes. Its path is short, because the path of a socket must be short. */
const root = realpathSync(mkdtempSync(join(tmpdir(), 'hg-')))
export const main = process.env.HEADGATE_MAIN ?? fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** Ends the program with exit code 2: it was asked for something that cannot be done here. */
export class NotPossible extends Error {
  override name = 'NotPossible'
}

export const folder = (name: string): string => {
  const path = join(root, name)
  mkdirSync(path)
  return path
}

const ends = new Set<() => void>()

/** Registers a function that is called however the program ends. The function can await nothing. Returns what removes it again. */
export const atEnd = (end: () => void): (() => void) => {
  ends.add(end)
  return () => ends.delete(end)
}

/** Waits until `holds`; rejects after `timeoutMs`. */
export const until = async (what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 60_000, everyMs = 20): Promise<void> => {
  for (const giveUpAt = performance.now() + timeoutMs; !(await holds()); await wait(everyMs)) {
    if (performance.now() > giveUpAt) throw new Error(`waited ${timeoutMs / 1000} s in vain: ${what}`)
  }
}

/**
 * Removes the folder. A process that was killed may still write for a moment, and an error here would keep other listeners from ending
 * their processes, so it is only printed.
 */
const removeRoot = (): void => {
  try {
    rmSync(root, { recursive: true, force: true, maxRetries: 20 })
  } catch (error) {
    console.log(`left: ${root}: ${error instanceof Error ? error.message : error}`)
  }
}

/** Runs a program that returns what failed. Prints the last line and sets the exit code. */
export const conclude = async (program: () => Promise<readonly string[]>): Promise<void> => {
  process.on('exit', () => {
    for (const end of ends) end()
    if (process.env.HEADGATE_KEEP === undefined) removeRoot()
    else console.log(`kept: ${root}`)
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))
  try {
    if (!existsSync(main)) throw new NotPossible(`${main} is not there: npm run build`)
    const failures = await program()
    for (const failure of failures) console.log(`- ${failure}`)
    console.log(failures.length === 0 ? '\nok' : `\nFAILED: ${failures.length} ${failures.length === 1 ? 'check' : 'checks'}, see above`)
    process.exit(failures.length === 0 ? 0 : 1)
  } catch (error) {
    const isOurs = error instanceof NotPossible
    console.log(isOurs ? `\n${error.message}` : `\nFAILED: ${error instanceof Error ? error.stack : error}`)
    process.exit(isOurs ? 2 : 1)
  }
}
