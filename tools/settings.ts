/**
 * The settings of the built-in platforms, runners and search providers, read off the schema. `x-env` marks a key that a target reads, with the
 * names that it has in the environment; on a key of the agent it has those names by runner, on one of web_search by provider. `x-redact`
 * marks a key that no answer of the platform may tell.
 * Editors have no use for either: the bundle says the names in words.
 */

import { platformOf } from '../src/parts/targets/kit/settings.ts'
import type { Setting, TargetPart } from '../src/parts/targets/target.ts'

type Node = { readonly [key: string]: unknown }
export type PlatformSettings = { readonly [platform: string]: readonly Setting[] }

type Names = readonly string[]
type NamesByChoice = { readonly [choice: string]: Names }

const namesIn = (node: Node): Names | undefined => (Array.isArray(node['x-env']) ? node['x-env'] : undefined)
const namesByChoice = (node: Node): NamesByChoice =>
  Array.isArray(node['x-env']) ? {} : ((node['x-env'] as NamesByChoice | undefined) ?? {})

const listed = (names: Names): string => names.map((name) => `\`${name}\``).join(' or ')

/** The node as editors see it. */
export const withEnvNames = (node: Node): Node => {
  if (node['x-env'] === undefined) return node
  const { 'x-env': _, 'x-redact': __, ...shown } = node
  const names = namesIn(node) ?? []
  const wins = names.length === 0 ? '' : ` ${listed(names)} in the environment wins.`
  const ways = Object.entries(namesByChoice(node)).map(([choice, each]) => `${listed(each)} (\`${choice}\`)`)
  const stands = ways.length === 0 ? '' : ` In the environment ${ways.join(' or ')} wins, unless \`base_url\` is another API's.`
  return { ...shown, markdownDescription: `${shown.markdownDescription}${wins}${stands}` }
}

/** How the targets of a platform are connected, in a sentence; empty where none needs a setting. */
export const connectedBy = (platform: string, targets: readonly TargetPart[]): string => {
  const ways = targets.flatMap((part) => (platformOf(part) === platform ? (part.needs ?? []) : []))
  return ways.length === 0 ? '' : ` Connected by ${ways.map((keys) => keys.map((key) => `\`${key}\``).join(' and ')).join(', or ')}.`
}

/** The sections under `platforms`, by their definitions: `GoogleChatPlatform` describes `google_chat`. */
export const platformSections = (definitions: Node): Node =>
  Object.fromEntries(
    Object.keys(definitions).map((title) => {
      const name = title.replace(/Platform$/, '').replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`)
      return [name.toLowerCase(), { $ref: `#/definitions/${title}` }]
    }),
  )

/** The name of the definition that a section refers to. */
export const definitionOf = (section: unknown): string => String((section as Node).$ref).slice('#/definitions/'.length)

/** By platform, out of the section `platforms` and the definitions that it refers to. */
export const platformSettings = (sections: Node, definitions: Node): PlatformSettings =>
  Object.fromEntries(
    Object.entries(sections).flatMap(([platform, section]) => {
      const definition = definitions[definitionOf(section)] as Node | undefined
      const settings = Object.entries((definition?.properties ?? {}) as Node).flatMap(([key, node]) => settingOf(key, node as Node))
      return settings.length === 0 ? [] : [[platform, settings]]
    }),
  )

const settingOf = (key: string, node: Node): Setting | [] => {
  const env = namesIn(node)
  if (env === undefined) return []
  return {
    key,
    env,
    ...(node['x-redact'] === true ? { secret: true } : {}),
    ...(node.default === undefined ? {} : { default: String(node.default) }),
  }
}

/** A key as the settings in the program have it: `api_key` is `apiKey`. */
const camelCase = (key: string): string => key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

export type EnvByChoice = { readonly [choice: string]: { readonly [setting: string]: Names } }

/** By runner or provider, out of the section with its settings. */
export const envByChoice = (section: Node): EnvByChoice => {
  const out: { [choice: string]: { [setting: string]: Names } } = {}
  for (const [key, node] of Object.entries(section.properties as Node))
    for (const [choice, names] of Object.entries(namesByChoice(node as Node))) out[choice] = { ...out[choice], [camelCase(key)]: names }
  return out
}

const aliasesOf = (targets: readonly TargetPart[]): Node =>
  Object.fromEntries(targets.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name])))

/** The module that targets, runners and tools read. */
export const renderSettings = (
  settings: PlatformSettings,
  runners: EnvByChoice,
  targets: readonly TargetPart[],
  search: EnvByChoice,
): string =>
  [
    'type Setting = { readonly key: string; readonly env: readonly string[]; readonly secret?: true; readonly default?: string }',
    '/** The settings of each built-in platform. */',
    `export const platformSettings: { readonly [platform: string]: readonly Setting[] } = ${JSON.stringify(settings, null, 2)}`,
    '/** The environment variables of each built-in runner, by its setting. */',
    `export const runnersEnv: { readonly [runner: string]: { readonly [setting: string]: readonly string[] } } = ${JSON.stringify(runners, null, 2)}`,
    '/** Other names of built-in targets, and the real one of each. */',
    `export const targetAliases: { readonly [alias: string]: string } = ${JSON.stringify(aliasesOf(targets), null, 2)}`,
    '/** The environment variables of each provider of web_search, by its setting. */',
    `export const searchEnv: { readonly [provider: string]: { readonly [setting: string]: readonly string[] } } = ${JSON.stringify(search, null, 2)}`,
    '',
  ].join('\n')
