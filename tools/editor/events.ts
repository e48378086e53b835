/** What editors offer as `events`: the schema's examples, which are the commonest, and after them every type that is known of a sender. */

import { knownEvents } from '../../src/parts/known-events.ts'
import type { Definitions, Node } from './index.ts'

export const withEvents = (definitions: Definitions): Definitions =>
  Object.fromEntries(
    Object.entries(definitions).map(([name, node]) => {
      const properties = (node.properties ?? {}) as Definitions
      const { events } = properties
      return [name, events === undefined ? node : { ...node, properties: { ...properties, events: offering(events) } }]
    }),
  )

const offering = (events: Node): Node => {
  const items = events.items as Node
  const common = (items.examples ?? []) as readonly string[]
  return { ...events, items: { ...items, examples: [...new Set([...common, ...knownEvents])] } }
}
