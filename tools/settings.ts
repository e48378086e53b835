/**
 * Writes the module with the environment variables of runners, from the schema, and with the aliases of targets. `x-env` in the schema has
 * the names that a key has in the environment: a list for a setting of a target, lists by runner for a key of the agent, and lists by
 * provider for a key of web_search. Editors have no use for `x-env`, so their schema says the names in words.
 */

import type { TargetPart } from '../src/parts/targets/target.ts'

type Node = { readonly [key: string]: unknown }

type Names = readonly string[]
type NamesByChoice = { readonly [choice: string]: Names }

const envNames = (node: Node): Names | undefined => (Array.isArray(node['x-env']) ? node['x-env'] : undefined)
const namesByChoice = (node: Node): NamesByChoice =>
  Array.isArray(node['x-env']) ? {} : ((node['x-env'] as NamesByChoice | undefined) ?? {})

const namesInWords = (names: Names): string => names.map((name) => `\`${name}\``).join(' or ')

/** Returns the node with the names of its variables in its text, and without `x-env`. */
export const withEnvNames = (node: Node): Node => {
  if (node['x-env'] === undefined) return node
  const { 'x-env': _, ...shown } = node
  const names = envNames(node) ?? []
  const wins = names.length === 0 ? '' : ` ${namesInWords(names)} in the environment wins.`
  const ways = Object.entries(namesByChoice(node)).map(([choice, each]) => `${namesInWords(each)} (\`${choice}\`)`)
  const stands = ways.length === 0 ? '' : ` In the environment ${ways.join(' or ')} wins, unless \`base_url\` is another API's.`
  return { ...shown, markdownDescription: `${shown.markdownDescription}${wins}${stands}` }
}

/** Returns the name that a key has in the program: `api_key` becomes `apiKey`. */
const camelCase = (key: string): string => key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

export type EnvByChoice = { readonly [choice: string]: { readonly [setting: string]: Names } }

/** Returns the names of environment variables by runner, from the section with the runner's settings. */
export const envByChoice = (section: Node): EnvByChoice => {
  const out: { [choice: string]: { [setting: string]: Names } } = {}
  for (const [key, node] of Object.entries(section.properties as Node))
    for (const [choice, names] of Object.entries(namesByChoice(node as Node))) out[choice] = { ...out[choice], [camelCase(key)]: names }
  return out
}

const aliasesOf = (targets: readonly TargetPart[]): Node =>
  Object.fromEntries(targets.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name])))

/** Returns the text of the module that runners and `target-name.ts` import. */
export const renderSettings = (runners: EnvByChoice, targets: readonly TargetPart[]): string =>
  [
    '/** The environment variables of each built-in runner, by its setting. */',
    `export const runnersEnv: { readonly [runner: string]: { readonly [setting: string]: readonly string[] } } = ${JSON.stringify(runners, null, 2)}`,
    '/** Other names of built-in targets, and the real one of each. */',
    `export const targetAliases: { readonly [alias: string]: string } = ${JSON.stringify(aliasesOf(targets), null, 2)}`,
    '',
  ].join('\n')
