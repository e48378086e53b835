/** The path of the built command, for tests that run the command as a process. */

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Whether the tests run against a program that ignores one key of its configuration (`npm run deaf:keys`). */
const isDeaf = process.env.HEADGATE_DEAF_TO !== undefined

/** The path of the built program. For `npm run deaf:keys`, the path of the source with the hooks that take the key away. */
export const main = fileURLToPath(new URL(isDeaf ? '../../tools/deaf-keys/main.mjs' : '../../dist/main.js', import.meta.url))
if (!existsSync(main)) throw new Error('dist/main.js is not there: npm run build')

/** The variables of this process that such a process needs, too. */
export const deafEnv = () => (isDeaf ? { HEADGATE_DEAF_TO: process.env.HEADGATE_DEAF_TO ?? '' } : {})
