/**
 * Makes the program deaf to each key of the schema in turn, so that it ignores the key, and runs the test that is said to show what the key
 * does: `npm run deaf:keys`. Ends with 1 where a test passes all the same, and with 2 where an option is wrong.
 */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { heard } from './deaf-keys/heard.ts'

const usage = `npm run deaf:keys -- [--keys PATTERN] [--deaf-to KEY]
Without --keys all are tried, which takes half an hour. PATTERN: a regular expression for keys such as Route.respond.body. --deaf-to: the tests of
these keys run with a program that is deaf to another one.`

const { values } = parseArgs({
  options: { keys: { type: 'string', default: '' }, 'deaf-to': { type: 'string' }, help: { type: 'boolean', default: false } },
})

const root = fileURLToPath(new URL('..', import.meta.url))
const hooks = fileURLToPath(new URL('./deaf-keys/register.mjs', import.meta.url))
const trials = fileURLToPath(new URL('../test/fakes/deaf-trials.mjs', import.meta.url))

/** A key, and the title of its test. */
type Trial = readonly [key: string, title: string]

/**
 * Runs tests of a file, each with a program that is deaf to the key of the test. Returns by key whether the test failed; nothing for a test
 * that has not ended.
 */
const run = (file: string, tests: readonly Trial[]): ReadonlyMap<string, boolean> => {
  const { HEADGATE_DEAF_TO: _, ...env } = process.env
  const { stdout } = spawnSync(process.execPath, ['--import=tsx', `--import=${hooks}`, trials], {
    cwd: root,
    env: {
      ...env,
      TAP_TIMEOUT: '0',
      HEADGATE_DEAF_TRIALS: JSON.stringify({ file: `test/${file}`, trials: tests }),
      ...(values['deaf-to'] === undefined ? {} : { HEADGATE_DEAF_TO: values['deaf-to'] }),
    },
    encoding: 'utf8',
    maxBuffer: Number.POSITIVE_INFINITY,
  })
  return new Map([...stdout.matchAll(/^(not )?ok \d+ - (\S+)/gm)].map(([, not, key = '']) => [key, not !== undefined]))
}

/** Returns by key whether the test of the key failed while the program was deaf to the key; nothing for a trial that did not end. */
const trialsOf = (file: string, tests: readonly Trial[]): ReadonlyMap<string, boolean> => {
  const all = new Map<string, boolean>()
  for (let left = tests; left.length > 0; ) {
    const ended = run(file, left)
    for (const [key, isMissed] of ended) all.set(key, isMissed)
    left = ended.size > 0 ? left.filter(([key]) => !ended.has(key)) : []
  }
  return all
}

const main = (): number => {
  if (values.help) {
    console.log(usage)
    return 0
  }
  const pattern = new RegExp(values.keys)
  const tried = Object.entries(heard).filter(([key]) => pattern.test(key))
  if (tried.length === 0) {
    console.log(usage)
    return 2
  }
  const byFile = new Map<string, Trial[]>()
  for (const [key, [file, title]] of tried) byFile.set(file, [...(byFile.get(file) ?? []), [key, title]])
  let unheard = 0
  for (const [file, tests] of byFile) {
    const trials = trialsOf(file, tests)
    for (const [key, title] of tests) {
      const isMissed = trials.get(key)
      if (isMissed) continue
      unheard++
      console.log(`${key}: ${file} ${isMissed === undefined ? 'did not end' : 'passes without it'}: ${title}`)
    }
  }
  console.log(`${tried.length} keys: ${unheard} that nobody misses`)
  return unheard > 0 ? 1 : 0
}

process.exitCode = main()
