/** Makes editors insert, with the name of a platform, the settings that connect it. Settings with a good default are left out. */

import { platformOf } from '../../src/parts/targets/delivery/settings.ts'
import { targets } from '../../src/parts/targets/index.ts'
import type { Setting, TargetPart } from '../../src/parts/targets/target.ts'
import { type Inline, presentOrNot, withInline } from './flow.ts'
import { type Definitions, type Node, type Rule, withRules } from './schema-node.ts'

/** A setting, and the value that the snippet begins with. */
type Given = { readonly key: string; readonly value: string }

const webhook: readonly Given[] = [
  { key: 'enabled', value: 'true' },
  { key: 'secret', value: '${WEBHOOK_SECRET}' },
]

/** Returns the node of `platforms`, which offers each platform with these settings, and the keys of a platform that is present. */
export const withConnections = (platforms: Node, definitions: Definitions): Node => {
  const properties = { ...(platforms.properties as Definitions) }
  const rules = Object.entries(properties).flatMap(([name, node]): Rule[] => {
    const given = name === 'webhook' ? webhook : connectionOf(targets.find((target) => platformOf(target) === name))
    const definition = String(node.$ref ?? '').replace('#/definitions/', '')
    const whole = definitions[definition]
    if (given.length === 0 || !whole) return []
    const said = { title: whole.title, type: 'object', description: whole.description, markdownDescription: whole.markdownDescription }
    properties[name] = { title: whole.title, type: 'object', doNotSuggest: true }
    return [presentOrNot(name, withInline(whole, [inlineOf(given)], definition), { ...said, defaultSnippets: [blockOf(given)] })]
  })
  return withRules({ ...platforms, properties }, rules)
}

/**
 * Returns the settings of the first, common way to connect a target. A secret is read from a variable; other settings are left to be typed.
 */
const connectionOf = (target: TargetPart | undefined): readonly Given[] =>
  (target?.needs?.[0] ?? []).map((key) => ({ key, value: valueOfSetting(target?.settings?.find((each) => each.key === key)) }))

const valueOfSetting = (setting: Setting | undefined): string => {
  const [name] = setting?.env ?? []
  return setting?.secret && name !== undefined ? `\${${name}}` : ''
}

const label = (given: readonly Given[]): string => given.map(({ key }) => key).join(', ')
const description = 'What connects it'

/** Escapes a text for a snippet, where a dollar and a closing brace need a backslash. */
const placeholder = ({ value }: Given, i: number): string => `\${${i + 1}:${value.replace(/[$}\\]/g, '\\$&')}}`

const inlineOf = (given: readonly Given[]): Inline => ({
  label: label(given),
  description,
  bodyText: given.map((each, i) => `${each.key}: ${each.value === 'true' ? placeholder(each, i) : `"${placeholder(each, i)}"`}`).join(', '),
})

const blockOf = (given: readonly Given[]): Node => ({
  label: label(given),
  description,
  body: Object.fromEntries(given.map((each, i) => [each.key, placeholder(each, i)])),
})
