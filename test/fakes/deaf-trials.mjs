/**
 * Runs tests of one file in one process, each deaf to its key: `HEADGATE_DEAF_TRIALS='{ "file": …, "trials": [[key, title], …] }'`. Where
 * `HEADGATE_DEAF_TO` names a key, all are deaf to that one. Prints TAP, in which each test has the name of its key, and ends early where one
 * waits in vain.
 */

import { writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import t from 'tap'

const { HEADGATE_DEAF_TO: toAll, HEADGATE_DEAF_TRIALS: given } = process.env
const { file, trials } = JSON.parse(given)
// What a test starts as a process is then deaf, too.
process.env.HEADGATE_DEAF_TO ??= ''
const test = t.test.bind(t)

/** A test that waits in vain for what the key brings about has missed it, too. As it may not end by itself, it ends the process. */
const waitsInVain = (key) =>
  setTimeout(() => {
    writeSync(1, `\nnot ok 1 - ${key}\n`)
    process.kill(process.pid, 'SIGKILL')
  }, 60_000)

for (const [key, title] of trials) {
  let trial
  t.test = (name, ...more) => {
    if (name !== title) return
    let late
    trial = test(key, (t) => {
      process.env.HEADGATE_DEAF_TO = toAll ?? key
      late = waitsInVain(key)
      return more.at(-1)(t)
    }).finally(() => clearTimeout(late))
    return trial
  }
  // Another address each time, so that the file runs again. It must not end like the name of a file: a key may end with `.json`.
  await import(`${pathToFileURL(file)}?${key}&`)
  // What the next file does while it is loaded must hold up no test: one that comes too late would have missed its key.
  await Promise.allSettled([trial])
}
// What a test that failed has left open holds nothing up.
process.exit()
