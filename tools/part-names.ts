/**
 * Puts the names of parts, which only the list of each family has (its `index.ts`), into the schema wherever it says `"x-names":
 * "<family>"`.
 */

import { pluginNamePattern } from '../src/core/names.ts'
import { operators } from '../src/parts/operators/index.ts'
import { runners } from '../src/parts/runners/index.ts'
import { outputs } from '../src/parts/runners/outputs/index.ts'
import { presets, schemes } from '../src/parts/schemes/index.ts'
import { githubComment } from '../src/parts/targets/code-host/github-comment.ts'
import { http } from '../src/parts/targets/http.ts'
import { targets } from '../src/parts/targets/index.ts'
import { log } from '../src/parts/targets/log.ts'
import { toolsets } from '../src/parts/tools/index.ts'
import { stores } from '../src/store/index.ts'

type Node = { readonly [key: string]: unknown }
type Listed = { readonly name: string; readonly title: string; readonly aliases?: readonly string[] }
type Lists = { readonly [keyword: string]: readonly string[] | string }

const choice = (parts: readonly Listed[]): Lists => ({
  enum: parts.map(({ name }) => name),
  enumDescriptions: parts.map(({ title }) => title),
})

/** Returns an entry for the name of a part, and one for each of its aliases. */
const withAliases = (named: Listed): Listed[] => [
  named,
  ...(named.aliases ?? []).map((name) => ({ name, title: `The same as ${named.name}` })),
]

/** The targets that editors list first: they need no account with a platform besides that of the code host. */
const first: readonly Listed[] = [log, githubComment, http]
const targetsInOrder = [...first, ...targets.filter((target) => !first.includes(target))]

const families: ReadonlyMap<unknown, Lists> = new Map([
  // A plugin's part cannot be listed, so a pattern allows every name of its form.
  ['plugins', { pattern: pluginNamePattern.source }],
  ['operators', { 'x-operators': operators.map(({ name }) => name) }],
  ['outputs', choice(outputs)],
  ['runners', choice(runners)],
  ['schemes', choice([...schemes, ...presets.flatMap(withAliases)])],
  ['stores', choice(stores)],
  // The toolsets that a run has by default.
  ['toolsets', { default: toolsets.map(({ name }) => name) }],
  ['targets', choice(targetsInOrder.flatMap(withAliases))],
])

/**
 * Returns the node with the names of its family in place of `x-names`. Names that the node lists itself, because they are only planned,
 * come last.
 */
export const withNames = (node: Node): Node => {
  const family = node['x-names']
  if (family === undefined) return node
  const lists = families.get(family)
  if (lists === undefined) throw new Error(`x-names: no family "${family}", only ${[...families.keys()].join(', ')}`)
  const out: { [key: string]: unknown } = {}
  for (const [key, value] of Object.entries(node)) {
    if (key === 'x-names') Object.assign(out, lists)
    else out[key] = Array.isArray(value) ? [...[lists[key] ?? []].flat(), ...value] : value
  }
  return out
}

/**
 * Adds the pattern of names to the node `toolsets`, which describes the own toolsets of an operator. The pattern excludes the names of
 * built-in toolsets, and those that the node forbids. Returns any other node as it is.
 */
export const withoutToolsets = (node: Node): Node => {
  const forbidden = node['x-forbidden-toolsets']
  if (!Array.isArray(forbidden)) return node
  const taken = [...forbidden, ...toolsets.map(({ name }) => name)].join('|')
  return { ...node, propertyNames: { ...(node.propertyNames as Node), pattern: `^(?!(?:${taken})$)[a-z][a-z0-9_]{0,31}$` } }
}
