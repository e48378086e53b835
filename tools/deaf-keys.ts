/**
 * Makes the program deaf to each key of the schema in turn, and runs the test that is said to show what the key does:
 * `npm run deaf:keys`. Ends with 1 where a test passes all the same, and with 2 where an option is wrong.
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

/** A test that waits in vain for what the key brings about has missed it, too. */
const patienceMs = 60_000

/** Whether a test fails where the program does not hear a key. */
const misses = (key: string, [file, title]: readonly [string, string]): boolean => {
  const hooks = fileURLToPath(new URL('./deaf-keys/register.mjs', import.meta.url))
  const { status } = spawnSync(process.execPath, ['--import=tsx', `--import=${hooks}`, `test/${file}`], {
    cwd: root,
    env: {
      ...process.env,
      HEADGATE_DEAF_TO: values['deaf-to'] ?? key,
      TAP_BAIL: '1',
      TAP_GREP: `/^${title.replace(/[^\w\s]/g, '\\$&')}$/`,
    },
    timeout: patienceMs,
  })
  return status !== 0
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
  const unheard = tried.filter(([key, test]) => !misses(key, test))
  for (const [key, [file, title]] of unheard) console.log(`${key}: ${file} passes without it: ${title}`)
  console.log(`${tried.length} keys: ${unheard.length} that nobody misses`)
  return unheard.length > 0 ? 1 : 0
}

process.exitCode = main()
