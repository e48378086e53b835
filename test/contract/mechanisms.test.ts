/** One mechanism for one job: the raw thing is used in the room that owns the job, and nowhere else in `src/`. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../../src', import.meta.url))

/** `raw`: what a line of code outside of `homes` may not have. `homes`: paths below `src/`, those but the first with their reason. */
type Mechanism = { readonly job: string; readonly raw: RegExp; readonly homes: { readonly [path: string]: string } }

const mechanisms: readonly Mechanism[] = [
  {
    job: 'whether a file has changed',
    raw: /\b(?:[mc]time(?:Ms|Ns)?|ino)\b/,
    homes: {
      'core/file-stamp.ts': 'the home',
      'journal/folder.ts': 'how old a segment is, for its retention',
      'app/doctor/machine.ts': 'which copy of a database is the newest',
    },
  },
]

/** The lines of code of all files, without those of comments. What is generated or belongs to a page of the browser is left out. */
const lines = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file) && !/^(?:generated|console\/pages)\//.test(file))
  .flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .map((text, i) => ({ file, text, place: `${file}:${i + 1}` })),
  )
  .filter(({ text }) => !/^\s*(?:\*|\/\*|\/\/)/.test(text))

for (const { job, raw, homes } of mechanisms) {
  t.test(`${job}: one mechanism`, (t) => {
    const found = lines.filter(({ text }) => raw.test(text))
    const strays = found.filter(({ file }) => !Object.hasOwn(homes, file)).map(({ place, text }) => `${place}: ${text.trim()}`)
    t.same(strays, [], 'the raw thing stands in its homes alone')
    const unused = Object.keys(homes).filter((home) => !found.some(({ file }) => file === home))
    t.same(unused, [], 'each home still needs its line here')
    t.end()
  })
}
