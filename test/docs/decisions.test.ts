/** The records of decisions are whole, and what cites them cites accepted ones. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readDecisions } from '../../tools/decisions.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const decisions = readDecisions(join(root, 'docs/decisions'))
const byNumber = new Map(decisions.map((decision) => [decision.number, decision]))

/** Every text that people write in this project, besides the decisions and what tools write. */
const textsIn = (path: string): readonly string[] => {
  if (!statSync(join(root, path)).isDirectory()) return /\.(tsx?|mjs|cjs|json|md|sh|ya?ml)$|\/run$|file$/.test(path) ? [path] : []
  if (['docs/decisions', 'src/generated', 'bench/results'].includes(path) || path.endsWith('node_modules')) return []
  return readdirSync(join(root, path)).flatMap((name) => textsIn(join(path, name)))
}
const own = readdirSync(root).filter((name) => name.endsWith('.md') || name === 'Dockerfile')
const texts = [...own, ...['.ci', 'bench', 'deploy', 'docs', 'examples', 'schema', 'src', 'test', 'tools'].flatMap(textsIn)]

t.test('a number is given once, and a decision that no longer holds names the one that does', async (t) => {
  t.equal(byNumber.size, decisions.length)
  for (const { number, replacedBy, replaces } of decisions) {
    if (replacedBy) t.ok(byNumber.get(replacedBy)?.replaces.includes(number), `${replacedBy} supersedes ${number}`)
    for (const old of replaces) t.equal(byNumber.get(old)?.replacedBy, number, `${old} is superseded by ${number}`)
  }
})

t.test('code and docs cite accepted decisions only', async (t) => {
  t.ok(texts.length > 1_000)
  let cited = 0
  for (const path of texts) {
    for (const [citation, number = ''] of readFileSync(join(root, path), 'utf8').matchAll(/\bdecisions?(?:\.md,?|,)? (\d+)/gi)) {
      cited++
      t.ok(byNumber.has(number), `${path}: "${citation}" is in docs/decisions/`)
      t.equal(byNumber.get(number)?.replacedBy, undefined, `${path}: "${citation}" is not superseded`)
    }
  }
  t.ok(cited > 0)
})

t.test('an accepted decision names files and decisions that are there', async (t) => {
  for (const { file, text, replacedBy } of decisions) {
    for (const [number] of text.matchAll(/\b0\d{3}\b/g)) t.ok(byNumber.has(number), `${file}: ${number}`)
    if (replacedBy) continue
    for (const [, path = ''] of text.matchAll(/`((?:src|tools|schema|test|bench)\/[\w./-]+)`/g)) {
      t.ok(existsSync(join(root, path)), `${file}: ${path}`)
    }
  }
})
