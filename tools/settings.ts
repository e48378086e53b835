/**
 * The settings of the built-in platforms, read off the schema. `x-env` marks a key that a target reads, with the names that it has in the
 * environment; `x-redact` one that no answer of the platform may tell. Editors have no use for either: the bundle says the names in words.
 */

import { platformOf } from '../src/parts/targets/kit/settings.ts'
import type { Setting, TargetPart } from '../src/parts/targets/target.ts'

type Node = { readonly [key: string]: unknown }
export type PlatformSettings = { readonly [platform: string]: readonly Setting[] }

const namesIn = (node: Node): readonly string[] | undefined => node['x-env'] as readonly string[] | undefined

/** The node as editors see it. */
export const withEnvNames = (node: Node): Node => {
  const names = namesIn(node)
  if (names === undefined) return node
  const { 'x-env': _, 'x-redact': __, ...shown } = node
  const wins = names.length === 0 ? '' : ` ${names.map((name) => `\`${name}\``).join(' or ')} in the environment wins.`
  return { ...shown, markdownDescription: `${shown.markdownDescription}${wins}` }
}

/** How the targets of a platform are connected, in a sentence; empty where none needs a setting. */
export const connectedBy = (platform: string, targets: readonly TargetPart[]): string => {
  const ways = targets.flatMap((part) => (platformOf(part) === platform ? (part.needs ?? []) : []))
  return ways.length === 0 ? '' : ` Connected by ${ways.map((keys) => keys.map((key) => `\`${key}\``).join(' and ')).join(', or ')}.`
}

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

/** The module that the targets read. */
export const renderSettings = (settings: PlatformSettings): string =>
  [
    'type Setting = { readonly key: string; readonly env: readonly string[]; readonly secret?: true; readonly default?: string }',
    '/** The settings of each built-in platform. */',
    `export const platformSettings: { readonly [platform: string]: readonly Setting[] } = ${JSON.stringify(settings, null, 2)}`,
    '',
  ].join('\n')
