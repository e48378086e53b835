/** Makes `deliver_extra` depend on the target: once a target is named, editors offer the keys that it reads, and mark all others. */

import { targets } from '../../src/parts/targets/index.ts'
import { extraOf, keyOfTarget } from '../target-schema.ts'
import { type Inline, presentOrNot, withInline } from './flow.ts'
import { type Definitions, type Node, type Rule, withRules } from './schema-node.ts'

/**
 * The definitions with the settings of a delivery. `rules`: the definition that is made for the rules of `of`. `by`: the key that names the
 * target. `templates`: whether texts in the settings are templates.
 */
const places = [
  { rules: 'RouteDelivery', of: ['Route', 'Subscription'], by: 'deliver', templates: true },
  { rules: 'ItemDelivery', of: ['DeliverTo'], by: 'target', templates: true },
  { rules: 'JobDelivery', of: ['Job', 'StoredJob', 'AlertRule'], by: 'deliver', templates: false },
] as const
type Place = (typeof places)[number]

const propertiesOf = (node: Node | undefined): Definitions => (node?.properties ?? {}) as Definitions

/** The definition with the settings of one target, its `name`, and the `names` of the target. `isEmpty`: the target reads no settings. */
type Settings = { readonly names: readonly string[]; readonly name: string; readonly node: Node; readonly isEmpty: boolean }

/** Returns the definitions, with a definition for the settings of each target, and with rules that choose the definition by target. */
export const withDeliverySettings = (definitions: Definitions): Definitions => {
  const made: { [name: string]: Node } = {}
  for (const place of places) {
    const all = targets.map((target) => settingsOf(target, place.templates, definitions))
    for (const { name, node, isEmpty } of all) {
      Object.assign(made, { [name]: node, [`${name}Shared`]: shareable(name, node) })
      if (!isEmpty) made[`${name}Inline`] = withInline(node, [entryOf(node)], name)
    }
    const { deliver_extra = {} } = propertiesOf(definitions[place.of[0]])
    made[place.rules] = withRules({}, [unknown(place.by, deliver_extra, definitions), ...rulesOf(place.by, all)])
    for (const name of place.of) made[name] = ruled(definitions[name] as Node, place)
  }
  return { ...definitions, ...made }
}

/** Returns the node with a bare `deliver_extra`, and with the rules that offer this key in the form of the chosen target. */
const ruled = (node: Node, { rules }: Place): Node => {
  const deliver_extra = { title: 'Delivery settings', type: 'object', doNotSuggest: true }
  return withRules({ ...node, properties: { ...propertiesOf(node), deliver_extra } }, [{ $ref: `#/definitions/${rules}` }])
}

/** Returns the rule for a plugin's target, no target yet, or several targets: their keys are not known, so `deliver_extra` may have any. */
const unknown = (by: string, node: Node, definitions: Definitions): Rule => {
  const { properties: _, ...open } = typeof node.$ref === 'string' ? { ...definitions.DeliverExtra, title: node.title } : node
  const branches = (definitions.Target?.oneOf ?? []) as readonly Node[]
  const plugin = branches.find((branch) => 'pattern' in branch)?.pattern
  const named = { properties: { [by]: { type: ['string', 'array'], pattern: plugin } } }
  return {
    if: by === 'target' ? { type: 'object', required: [by], ...named } : named,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { deliver_extra: open } },
  }
}

/** Returns the rules for one target and for a list of targets. An empty route has neither, so the conditions ask for the `type` of `by`. */
const rulesOf = (by: string, all: readonly Settings[]): Rule[] => {
  const named = (type: string): Node => ({ type: 'object', required: [by], properties: { [by]: { type } } })
  const list = all.filter(({ isEmpty }) => !isEmpty).map((settings) => inList(by, settings))
  return [
    // biome-ignore-start lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: named('string'), then: { allOf: all.map((settings) => one(by, settings)) } },
    ...(by === 'deliver' ? [{ if: named('array'), then: { allOf: list } }] : []),
    // biome-ignore-end lint/suspicious/noThenProperty: a keyword of JSON Schema
  ]
}

/** Matches a target by any of its names. It is a pattern, because an editor would show the values of an `enum` where the pointer rests. */
const namedAs = (names: readonly string[]): Node => ({ pattern: `^(?:${names.join('|')})$` })

const one = (by: string, { names, name, node, isEmpty }: Settings): Rule => {
  const plain: Node = { $ref: `#/definitions/${name}` }
  const inline: Node = { $ref: `#/definitions/${name}Inline` }
  const property = isEmpty ? { properties: { deliver_extra: plain } } : presentOrNot('deliver_extra', inline, plain)
  const required = (node.required ?? []) as readonly string[]
  const errorMessage = `the target "${names[0]}" needs deliver_extra.${required.join(', deliver_extra.')}`
  return {
    if: { properties: { [by]: namedAs(names) } },
    // This condition stands apart: beside the property, editors would offer `deliver_extra` a second time, under the title of the route.
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: required.length === 0 ? property : { allOf: [{ required: ['deliver_extra'], errorMessage }, property] },
  }
}

const inList = (by: string, { names, name }: Settings): Rule => ({
  if: { properties: { [by]: { contains: namedAs(names) } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { deliver_extra: { $ref: `#/definitions/${name}Shared` } } },
})

/** Returns the snippet for an empty `deliver_extra`, on one line: the keys that the target needs, or else the first of its keys. */
const entryOf = ({ required, properties, description }: Node): Inline => {
  const keys = (required ?? Object.keys(properties as Definitions).slice(0, 1)) as readonly string[]
  const textOf = (key: string, i: number): string => {
    const [example = ''] = ((properties as Definitions)[key]?.examples ?? []) as readonly unknown[]
    return `${key}: "\${${i + 1}:${String(example).replace(/[$}\\]/g, '\\$&')}}"`
  }
  return { label: keys.join(', '), description: String(description), bodyText: keys.map(textOf).join(', ') }
}

type Target = (typeof targets)[number]

/**
 * Makes the settings of a target. Where one of its examples is a template, jobs get a definition of their own, because jobs have no
 * templates.
 */
const settingsOf = (target: Target, templates: boolean, definitions: Definitions): Settings => {
  const { name, aliases = [], title, requires } = target
  const keys = keysOf(target, definitions, true)
  const plain = keysOf(target, definitions, false)
  const differ = JSON.stringify(keys) !== JSON.stringify(plain)
  const properties = templates ? keys : plain
  const isEmpty = Object.keys(properties).length === 0
  const node = {
    title: 'Delivery settings',
    type: 'object',
    additionalProperties: false,
    patternProperties: { '^x-': {} },
    description: `Settings of ${name}.`,
    markdownDescription: `Settings of \`${name}\` (${title}).`,
    ...(isEmpty ? { doNotSuggest: true } : {}),
    ...(requires === undefined ? {} : { required: requires }),
    properties,
  }
  const pascal = name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
  return { names: [name, ...aliases], name: `${pascal}${differ && !templates ? 'Job' : ''}Extra`, node, isEmpty }
}

/**
 * Returns the settings of a target for use in a list of targets that share one `deliver_extra`: keys of the other targets are allowed
 * beside its own.
 */
const shareable = (name: string, { properties }: Node): Node => ({
  title: 'Delivery settings',
  type: 'object',
  doNotSuggest: true,
  additionalProperties: true,
  description: 'Settings that the targets of the list share.',
  markdownDescription: 'Settings that the targets of the list share.',
  properties: Object.fromEntries(
    Object.keys(properties as Definitions).map((key) => [key, { $ref: `#/definitions/${name}/properties/${key}` }]),
  ),
})

/** Returns the keys that a target reads. Where texts are no templates, examples that are templates are left out. */
const keysOf = (target: Target, { DeliverExtra }: Definitions, templates: boolean): Definitions =>
  Object.fromEntries(
    Object.entries(extraOf(target)).map(([key, declared]) => {
      const { examples, ...node } = keyOfTarget(key, declared, DeliverExtra) as Node & { readonly examples?: readonly unknown[] }
      const kept = (examples ?? []).filter((example) => templates || !String(example).startsWith('{'))
      return [key, kept.length > 0 ? { ...node, examples: kept } : node]
    }),
  )
