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
import type { Definitions, Node } from './schema-node.ts'
import { withDefaultTexts, withTargetTexts } from './texts.ts'

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
