/** Makes of what each target declares the parts of the schema that tell of targets: the sections under `platforms`, and the keys of `deliver_extra`. */

import { platformOf, threadKeys } from '../src/parts/delivery/settings.ts'
import { targets } from '../src/parts/targets/index.ts'
import type { KeySchema, TargetPart } from '../src/parts/targets/target.ts'
import { inMarkdown } from './in-markdown.ts'

type Node = { readonly [key: string]: unknown }
type Definitions = { readonly [name: string]: Node }

const propertiesOf = (node: Node | undefined): Definitions => (node?.properties ?? {}) as Definitions

/** `api_key` is "Api key". */
const inWords = (key: string): string => `${key.charAt(0).toUpperCase()}${key.slice(1).replaceAll('_', ' ')}`

/** The name of the definition of a platform's section: `google_chat` has `GoogleChatPlatform`. */
const definitionOf = (platform: string): string =>
  `${platform.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Platform`

/** The properties of `platforms`, by the name of the platform. */
export const platformSections: Definitions = Object.fromEntries(
  targets.flatMap((part) =>
    part.schema?.settings ? [[platformOf(part), { $ref: `#/definitions/${definitionOf(platformOf(part))}` }]] : [],
  ),
)

/** The definitions of those sections. `Platform` is the section of any platform, and says of each what it says of a plugin's. */
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

/** How a target is connected, in a sentence; empty where it needs no setting. */
const connectedBy = ({ needs = [] }: TargetPart): string =>
  needs.length === 0 ? '' : ` Connected by ${needs.map((keys) => keys.map((key) => `\`${key}\``).join(' and ')).join(', or ')}.`

/** `deliver_extra` with the keys that have a type, which are checked whatever the target is. `node` has what all chat targets share. */
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

/** All but threads, which few who deliver with such a target look for. */
const mainKeysOf = (part: TargetPart): string[] =>
  Object.keys(extraOf(part)).flatMap((key) => (threadKeys.some((thread) => thread === key) ? [] : [`\`${key}\``]))

/** The keys of `deliver_extra` that a target declares, for editors: without those that it only refuses. */
export const extraOf = ({ schema }: Pick<TargetPart, 'schema'>): { readonly [key: string]: KeySchema } =>
  Object.fromEntries(
    Object.entries(schema?.deliver_extra.properties ?? {}).flatMap(([key, node]) => {
      const { 'x-exact': _, 'x-refused': isRefused, ...shown } = node
      return isRefused ? [] : [[key, shown]]
    }),
  )

/** What editors know of a key that one target reads: what `deliver_extra` says of it, and above that what the target says. */
export const keyOfTarget = (key: string, node: KeySchema, deliverExtra: Node | undefined): Node => {
  const shared = propertiesOf(deliverExtra)[key]
  const said = node.description === undefined ? {} : { markdownDescription: node.description }
  return { ...(shared ?? { title: inWords(key), type: ['string', 'integer'] }), ...said, ...node }
}

const isRequiring = ({ requires = [] }: TargetPart): boolean => requires.length > 0

/** The targets that give keys a type. First those that a route must give keys. */
const declaring = targets
  .filter((part) => Object.values(extraOf(part)).some(({ type }) => type !== undefined))
  .sort((a, b) => Number(isRequiring(b)) - Number(isRequiring(a)))
