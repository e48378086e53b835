/**
 * Runs tests of one file in one process, each with a program that ignores (is deaf to) one key: `HEADGATE_DEAF_TRIALS='{ "file": …,
 * "trials": [[key, title], …] }'`. Where `HEADGATE_DEAF_TO` names a key, all tests run without that key. Prints TAP, in which each test has
 * the name of its key. Ends early where a test does not end.
 */

import { writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import t from 'tap'

const { HEADGATE_DEAF_TO: toAll, HEADGATE_DEAF_TRIALS: given } = process.env
const { file, trials } = JSON.parse(given)
// This variable makes the processes that a test starts ignore the key, too.
process.env.HEADGATE_DEAF_TO ??= ''
const test = t.test.bind(t)

/**
 * Ends the process when a test waits in vain for an effect of the key. The test has noticed that the key is ignored, so it counts as
 * failed.
 */
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
  // The address differs each time, so that the file runs again. It must not end like the name of a file: a key may end with `.json`.
  await import(`${pathToFileURL(file)}?${key}&`)
  // Each test ends before the next file is loaded: loading may hold up the process, and a test that is late would count as failed.
  await Promise.allSettled([trial])
}
// A test that failed may have left something open, which must not keep the process running.
process.exit()
