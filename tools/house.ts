/**
 * Counts what should stay few in `src`, and prints the counts: `npm run house`, a part of `npm run lint`. Ends with 1 if a count is above
 * its bound, and names what it found.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

type Count = { readonly what: string; readonly most: number; readonly found: readonly string[] }

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => join('src', name))
  .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('src/generated/'))

const importsOf = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import) ?\(?'(\.[^']+)'/g)].map(([, path = '']) => normalize(join(dirname(file), path)))

/** Returns the pairs of folders that import each other. A folder and a folder within it are one idea and its pieces, and count as one. */
const mutualPairs = (): readonly string[] => {
  const arrows = new Set<string>()
  for (const file of files) for (const path of importsOf(file)) arrows.add(`${dirname(file)} ${dirname(path)}`)
  const isWithin = (inner: string, outer: string): boolean => inner.startsWith(`${outer}/`)
  return [...arrows].filter((arrow) => {
    const [from = '', to = ''] = arrow.split(' ')
    return from < to && arrows.has(`${to} ${from}`) && !isWithin(from, to) && !isWithin(to, from)
  })
}

/**
 * Matches files that are short by nature: those in which something begins (a program, a thread, a page), and the list of a folder's parts.
 */
const short = /(?:^src\/(?:main|plugin\/plugin)|\/(?:index|main|start|[a-z]+-thread))\.tsx?$/

/** Returns the files of so few lines that they are likely to be a part of another file's idea. */
const crumbs = (): readonly string[] => files.filter((file) => !short.test(file) && readFileSync(file, 'utf8').split('\n').length <= 15)

const counts: readonly Count[] = [
  { what: 'pairs of folders that import each other', most: 0, found: mutualPairs() },
  { what: 'files below 15 lines', most: 20, found: crumbs() },
]

for (const { what, most, found } of counts) {
  console.log(`${what}: ${found.length} (at most ${most})`)
  if (found.length > most) {
    for (const each of found) console.log(`  ${each}`)
    process.exitCode = 1
  }
}
