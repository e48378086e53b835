/**
 * Makes the schema that editors get from the schema that validates: stricter, and more helpful where a person types. What `validate` says
 * does not depend on the schema for editors. How each keyword acts in an editor is tested against yaml-language-server
 * (test/contract/editor.test.ts). The keyword `not`, and properties directly in a `then`, would make this server report nonsense.
 */

import { withDeliverySettings } from './delivery.ts'
import { withEvents } from './events.ts'
import { withInlineEntries } from './flow.ts'
import { withPairs } from './pairs.ts'
import { withConnections } from './platforms.ts'
import { withDefaultTexts, withTargetTexts } from './texts.ts'

export type Node = { readonly [key: string]: unknown }
export type Definitions = { readonly [name: string]: Node }
/** A rule of a schema: a condition with the schemas that follow from it, or a reference to a rule. */
export type Rule = { readonly if: Node; readonly then: Node; readonly else?: Node } | { readonly $ref: string }

/** Adds rules to the rules that a node has already. */
export const withRules = (node: Node, rules: readonly Rule[]): Node => ({ ...node, allOf: [...((node.allOf as Rule[]) ?? []), ...rules] })

export const forEditors = (schema: Node): Node => {
  const definitions = withEvents(withDeliverySettings(withTargetTexts(schema.definitions as Definitions)))
  const { platforms, ...others } = schema.properties as Definitions
  const whole = {
    ...schema,
    properties: { platforms: withConnections(platforms as Node, definitions), ...others },
    definitions: withInlineEntries({ ...definitions, ...withPairs(definitions) }),
  }
  return withDefaultTexts(whole) as Node
}
