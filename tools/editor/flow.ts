/**
 * What editors offer between empty braces (`- { }`, `coalesce: { }`): entries of one line. The language server offers nothing there for a
 * map whose keys it knows, and snippets of several lines for any other; so an empty map has no keys here, only what can be put into it.
 */

import { conditionsByPlace } from './conditions.ts'
import type { Definitions, Node, Rule } from './schema-node.ts'
import { withRules } from './schema-node.ts'

export type Inline = { readonly label: string; readonly description: string; readonly bodyText: string }

/** The keywords of a node that describe the keys of a map. */
const ofKeys = ['properties', 'patternProperties', 'additionalProperties', 'required', 'dependencies', 'defaultSnippets'] as const

/** Returns a map's node that offers these entries where the map is empty. `definition`: the definition of the map, to refer to. */
export const withInline = (node: Node, entries: readonly Inline[], definition?: string): Node => {
  const keys = Object.fromEntries(ofKeys.flatMap((key) => (key in node ? [[key, node[key]]] : [])))
  const rest = Object.fromEntries(Object.entries(node).filter(([key]) => !(key in keys)))
  const { required } = node
  return {
    ...rest,
    if: { type: 'object', maxProperties: 0 },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { ...(required === undefined ? {} : { required }), defaultSnippets: entries },
    else: definition === undefined ? { title: node.title, type: 'object', ...keys } : { $ref: `#/definitions/${definition}` },
  }
}

const conditionEntries: readonly Inline[] = [
  { label: 'field equals value', description: 'One field, one value', bodyText: 'field: ${1:action}, equals: ${2:opened}' },
  { label: 'field in list', description: 'One of several values', bodyText: 'field: ${1:action}, in: [${2:opened}, ${3:reopened}]' },
  {
    label: 'field matches pattern',
    description: 'A linear-time regular expression',
    bodyText: 'field: ${1:pull_request.title}, regex: "${2:^(fix|feat)}"',
  },
  {
    label: 'field contains text',
    description: 'A text in a text, or an item of a list',
    bodyText: 'field: ${1:ref}, contains: ${2:release}',
  },
  { label: 'field exists', description: 'The field is there', bodyText: 'field: ${1:pull_request}, exists: ${2:true}' },
  { label: 'any of', description: 'At least one condition holds', bodyText: 'any: [{ field: ${1:action}, equals: ${2:opened} }]' },
  { label: 'not', description: 'The condition does not hold', bodyText: 'not: { field: ${1:pull_request.draft}, equals: ${2:true} }' },
]

/** The keys of a route that are maps, with common entries of each. */
const routeEntries: { readonly [key: string]: Inline } = {
  coalesce: {
    label: 'one run a target',
    description: 'Merges what arrives within half a minute',
    bodyText: 'key: "${1:{repository.full_name\\}#{number\\}}", window_seconds: ${2:30}',
  },
  concurrency: {
    label: 'one run at a time',
    description: 'Runs of one repository take turns',
    bodyText: 'limit: ${1:1}, key: "${2:{repository.full_name\\}}"',
  },
  rate_limit: {
    label: 'ten events a minute',
    description: 'Further runs of one repository begin in the next minute',
    bodyText: 'per_minute: ${1:10}, key: "${2:{repository.full_name\\}}", when_over: ${3:queue}',
  },
  session: {
    label: 'one conversation a chat',
    description: 'The agent remembers what was said in the chat',
    bodyText: 'key: "${1:{message.chat.id\\}}"',
  },
}

const routes = ['Route', 'Subscription']

/**
 * Adds the entries to maps in the definitions of routes. The entries apply once the map is present: a missing key is offered with its keys
 * anyway.
 */
export const withInlineEntries = (definitions: Definitions): Definitions => {
  const made: { [name: string]: Node } = Object.fromEntries(
    Object.entries(conditionsByPlace(definitions.Condition as Node)).map(([name, condition]) => [
      name,
      withInline(condition, conditionEntries),
    ]),
  )
  for (const name of routes) made[name] = withRouteEntries(definitions[name] as Node)
  return { ...definitions, ...made }
}

const withRouteEntries = (route: Node): Node => {
  const properties = { ...(route.properties as Definitions) }
  const rules = Object.entries(routeEntries).map(([key, entry]): Rule => {
    const node = properties[key] as Node
    properties[key] = { title: node.title, type: 'object', doNotSuggest: true }
    return presentOrNot(key, withInline(node, [entry]), node)
  })
  return withRules({ ...route, properties }, rules)
}

/** Returns a rule that describes a key by `there` where it is present, and by `before` where it is missing and can be offered. */
export const presentOrNot = (key: string, there: Node, before: Node): Rule => ({
  if: { type: 'object', required: [key] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { [key]: there } },
  else: { properties: { [key]: before } },
})
