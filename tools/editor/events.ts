/**
 * Adds to the schema what editors offer as `events`: first the examples of the schema, which are common types, then all known types of
 * senders.
 */

import { knownEvents } from '../../src/parts/known-events.ts'
import type { Definitions, Node } from './schema-node.ts'

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
