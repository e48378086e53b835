/** The built command, for tests that run it as a process. */

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Whether tests are run with a program that is deaf to a key (`npm run deaf:keys`). */
const isDeaf = process.env.HEADGATE_DEAF_TO !== undefined

/** Its path; where tests are deaf, that of the source with the same hooks. */
export const main = fileURLToPath(new URL(isDeaf ? '../../tools/deaf-keys/main.mjs' : '../../dist/main.js', import.meta.url))
if (!existsSync(main)) throw new Error('dist/main.js is not there: npm run build')

/** What such a process needs of this one's environment. */
export const deafEnv = () => (isDeaf ? { HEADGATE_DEAF_TO: process.env.HEADGATE_DEAF_TO ?? '' } : {})
