/**
 * Makes the parts of the schema that are about targets from the declarations of the targets: the sections under `platforms`, and the keys
 * of `deliver_extra`.
 */

import { platformOf, threadKeys } from '../src/parts/targets/delivery/settings.ts'
import { targets } from '../src/parts/targets/index.ts'
import type { KeySchema, TargetPart } from '../src/parts/targets/target.ts'
import { inMarkdown, inWords } from './in-markdown.ts'

type Node = { readonly [key: string]: unknown }
type Definitions = { readonly [name: string]: Node }

const propertiesOf = (node: Node | undefined): Definitions => (node?.properties ?? {}) as Definitions

/** Returns the name of the definition of a platform's section: `GoogleChatPlatform` for `google_chat`. */
const definitionOf = (platform: string): string =>
  `${platform.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Platform`

/** The properties of `platforms`, by the name of the platform. */
export const platformSections: Definitions = Object.fromEntries(
  targets.flatMap((part) =>
    part.schema?.settings ? [[platformOf(part), { $ref: `#/definitions/${definitionOf(platformOf(part))}` }]] : [],
  ),
)

/**
 * Returns the definitions of the sections. The node is `Platform`, the section of any platform. Each section has the key `enabled` of
 * `Platform`, and treats unknown keys as `Platform` does.
 */
export const platformDefinitions = ({ properties, additionalProperties }: Node): Definitions => {
  const { enabled } = properties as Definitions
  return Object.fromEntries(
    targets.flatMap((part) => {
      const { description, properties } = part.schema?.settings ?? {}
      if (properties === undefined) return []
      const title = definitionOf(platformOf(part))
      const keys = Object.entries(properties).map(([key, node]) => [key, { title: inWords(key), ...inMarkdown(node) }])
      const texts = { description, markdownDescription: `${description}${connectedBy(part)}` }
      return [[title, { title, type: 'object', ...texts, properties: { enabled, ...Object.fromEntries(keys) }, additionalProperties }]]
    }),
  )
}

/** Returns a sentence that says how a target is connected; empty where it needs no setting. */
const connectedBy = ({ needs = [] }: TargetPart): string =>
  needs.length === 0 ? '' : ` Connected by ${needs.map((keys) => keys.map((key) => `\`${key}\``).join(' and ')).join(', or ')}.`

/**
 * Returns `deliver_extra` with the keys that have a type, which are checked for every target. `node` has the keys that all chat targets
 * share.
 */
export const withTypedKeys = (node: Node): Node => {
  const typed = declaring.flatMap((part) => Object.entries(extraOf(part)).filter(([, { type }]) => type !== undefined))
  const [twice] = typed.find(([key], i) => typed.findIndex(([other]) => other === key) !== i) ?? []
  if (twice !== undefined) throw new Error(`two targets give the key ${twice} of deliver_extra a type`)
  const list = declaring.map((part) => `\`${part.name}\`: ${mainKeysOf(part).join(', ')}.`).join(' ')
  return {
    ...node,
    markdownDescription: String(node.markdownDescription).replace('\n\n', `\n\n${list} `),
    properties: { ...Object.fromEntries(typed.map(([key, each]) => [key, inMarkdown(each)])), ...propertiesOf(node) },
  }
}

/** Returns the keys that a target declares, as code in Markdown, without those of threads, which few users of such a target need. */
const mainKeysOf = (part: TargetPart): string[] =>
  Object.keys(extraOf(part)).flatMap((key) => (threadKeys.some((thread) => thread === key) ? [] : [`\`${key}\``]))

/** Returns the keys of `deliver_extra` that a target declares, without the keys that it only refuses. */
export const extraOf = ({ schema }: Pick<TargetPart, 'schema'>): { readonly [key: string]: KeySchema } =>
  Object.fromEntries(
    Object.entries(schema?.deliver_extra.properties ?? {}).flatMap(([key, node]) => {
      const { 'x-exact': _, 'x-refused': isRefused, ...shown } = node
      return isRefused ? [] : [[key, shown]]
    }),
  )

/**
 * Returns the node of a key that one target reads: the node of this key in `deliver_extra`, with the members that the target declares on
 * top.
 */
export const keyOfTarget = (key: string, node: KeySchema, deliverExtra: Node | undefined): Node => {
  const shared = propertiesOf(deliverExtra)[key]
  const said = node.description === undefined ? {} : { markdownDescription: node.description }
  return { ...(shared ?? { title: inWords(key), type: ['string', 'integer'] }), ...said, ...node }
}

const isRequiring = ({ requires = [] }: TargetPart): boolean => requires.length > 0

/** The targets that give keys of `deliver_extra` a type. Targets that require keys come first. */
const declaring = targets
  .filter((part) => Object.values(extraOf(part)).some(({ type }) => type !== undefined))
  .sort((a, b) => Number(isRequiring(b)) - Number(isRequiring(a)))
