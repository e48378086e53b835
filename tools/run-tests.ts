/**
 * Runs the tests. `npm test` runs those that need Node and a few minutes; `npm run test:rest` runs the others, and `npm run test:all` both.
 * Further words go to tap; with the name of a test file among them, the files that are named run alone.
 */

import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

/** What the rest needs, and which files those are. */
const rest: { readonly [need: string]: RegExp } = {
  'the built program, browsers or other programs':
    /^test\/(?:e2e|deploy)\/|^test\/cli\/built\.|^test\/tui\/terminal\.|^test\/contract\/editor\./,
  'a database server':
    /^test\/store\/(?:contract|postgres|postgres-entries|replicas)\.|^test\/app\/(?:doors|privacy|storage-move)\.|^test\/spec\/(?:numbers|secrets-shown)\.|^test\/journal\/records\./,
  'some minutes more':
    /^test\/app\/(?:catch-up|polls)\.|^test\/contract\/platforms\.|^test\/observe\/(?:metrics|traces)\.|^test\/relay\/front\.|^test\/spec\/fuzz-config\.|^test\/store\/sqlite\./,
}

const [set = 'quick', ...words] = process.argv.slice(2)
const all = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.test.ts'))
  .sort()
const ofRest = all.filter((file) => Object.values(rest).some((files) => files.test(file)))
const chosen = words.some((word) => word.endsWith('.test.ts')) ? [] : set === 'rest' ? ofRest : all.filter((file) => !ofRest.includes(file))

const { status } = spawnSync('tap', [...words, ...chosen], { stdio: 'inherit' })
if (set === 'quick' && chosen.length > 0) {
  const needs = Object.entries(rest).map(([need, files]) => `${all.filter((file) => files.test(file)).length} need ${need}`)
  console.log(`# left out, run by npm run test:all: ${ofRest.length} files (${needs.join(', ')})`)
}
process.exitCode = status ?? 1
