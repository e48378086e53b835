/** Writes the reference of all settings, docs/reference.md, from the bundled schema. */

type Node = { readonly [key: string]: unknown }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The definitions whose tables come first, in the order of the page. All other definitions of maps have theirs behind them. */
const firstTables = [
  'WebhookSettings',
  'Route',
  'DeliverTo',
  'DeliverExtra',
  'Condition',
  'Job',
  'AlertRule',
  'Silence',
  'RouteAgent',
  'Agent',
  'McpServer',
  'SecretProvider',
  'Platform',
  'TlsName',
] as const

/** Definitions for each target (docs/targets.md has their keys), and of files of which a table has the entries. */
const withoutTable = /(?:.Platform|.Extra|ExtraShared|ExtraInline|Delivery)$|^(?:Webhook|Routes|Subscriptions?|CronJobs|StoredJob)$/

/** Returns the names of the definitions that have a table of their own. */
const tablesOf = (definitions: Node): readonly string[] => {
  const others = Object.keys(definitions).filter(
    (name) => mapIn(definitions[name] as Node) && (name === 'DeliverExtra' || !withoutTable.test(name)),
  )
  return [...firstTables, ...others.filter((name) => !firstTables.some((first) => first === name))]
}

/** Returns the node with the keys of a map: the node itself, a branch of a union, or the items of a list or map. */
const mapIn = (node: Node): Node | undefined => {
  if (isNode(node.properties)) return node
  const inner = [...(Array.isArray(node.oneOf) ? (node.oneOf as Node[]) : []), node.items, node.additionalProperties].filter(isNode)
  return inner.map(mapIn).find((found) => found !== undefined)
}

/** Returns the name of the definition that a node refers to, and the definition. */
const referred = ({ $ref }: Node, definitions: Node): readonly [string, Node] | undefined => {
  const name = typeof $ref === 'string' ? $ref.slice('#/definitions/'.length) : undefined
  return name === undefined ? undefined : [name, definitions[name] as Node]
}

/** The definitions whose values are listed in a table, each with the last row of the table: the names of the parts of plugins. */
const valueTables = [
  ['Target', '| a name with a hyphen, like `acme-chat` | The target of a [plugin](plugins.md) |'],
  ['SchemeName', '| a name with a hyphen, like `acme-sign` | The scheme of a [plugin](plugins.md) |'],
] as const

/** The names that two types of JSON Schema have for readers of YAML. */
const yamlWords: { readonly [type: string]: string } = { object: 'map', array: 'list' }

const typeOf = (node: Node, definitions: Node): string => {
  const [name, definition] = referred(node, definitions) ?? []
  if (name !== undefined && definition !== undefined)
    return valueTables.some(([each]) => each === name) || tablesOf(definitions).includes(name)
      ? `[${name}](#${name.toLowerCase()})`
      : typeOf(definition, definitions)
  if (Array.isArray(node.oneOf)) return [...new Set(node.oneOf.map((branch) => typeOf(branch as Node, definitions)))].join(' or ')
  if (node.type === 'array') return isNode(node.items) ? `list of ${typeOf(node.items, definitions)}` : 'list'
  return [node.type]
    .flat()
    .map((type) => yamlWords[String(type)] ?? type)
    .join(' or ')
}

const cell = (text: unknown): string =>
  String(text ?? '')
    .replaceAll('\n\n', ' ')
    .replaceAll('\n', ' ')
    .replaceAll('|', '\\|')

/** Returns the heading of a key's own table: the path of the key, from its section or definition. */
const headingOf = (within: string, key: string): string => `${within}.${key}`
const anchorOf = (path: string): string => path.replaceAll('.', '').toLowerCase()

const row = (key: string, node: Node, required: readonly string[], definitions: Node, within: string): string => {
  const fallback = node.default === undefined ? (required.includes(key) ? 'required' : '') : `\`${JSON.stringify(node.default)}\``
  const [, meant = node] = referred(node, definitions) ?? []
  const meaning = node.markdownDescription ?? node.description ?? meant.markdownDescription
  const type = isNode(node.properties) ? `[map](#${anchorOf(headingOf(within, key))})` : typeOf(node, definitions)
  return `| \`${key}\` | ${type} | ${fallback} | ${cell(meaning)} |`
}

/** Writes the table of a map's keys, and below it a table for each key that is itself a map. */
const table = (node: Node, definitions: Node, within: string): string => {
  const required = (node.required as string[]) ?? []
  const keys = Object.entries(node.properties as { readonly [key: string]: Node })
  const rows = keys.map(([key, item]) => row(key, item, required, definitions, within))
  const inner = keys.flatMap(([key, item]) => {
    const path = headingOf(within, key)
    const map = mapIn(item)
    return map ? `### \`${path}\`\n\n${cell(item.description ?? map.description)}\n\n${table(map, definitions, path)}` : []
  })
  return [['| key | type | default | meaning |', '|---|---|---|---|', ...rows].join('\n'), ...inner].join('\n\n')
}

/** Writes the section of a definition, with a table of the values that it lists. */
const values = (name: string, plugged: string, definitions: Node): string => {
  const { description, oneOf } = definitions[name] as { description: string; oneOf: Node[] }
  const branch = oneOf.find((each) => 'enum' in each) as { enum: string[]; enumDescriptions: string[] }
  const rows = branch.enum.map((value, i) => `| \`${value}\` | ${cell(branch.enumDescriptions[i])} |`)
  return `## ${name}\n\n${cell(description)}\n\n| value | meaning |\n|---|---|\n${[...rows, plugged].join('\n')}`
}

/** Returns the whole page. */
export const renderReference = (schema: Node): string => {
  const definitions = schema.definitions as Node
  const sections = (node: Node, names: readonly string[]): string[] =>
    names.map((name) => {
      const section = (node.properties as Node)[name] as Node
      return `## \`${name}\`\n\n${cell(section.description)}\n\n${table(section, definitions, name)}`
    })
  const named = tablesOf(definitions).map((name) => {
    const node = definitions[name] as Node
    return `## ${name}\n\n${cell(node.description)}\n\n${table(mapIn(node) ?? node, definitions, name)}`
  })
  const others = Object.keys(schema.properties as Node).filter(
    (name) => !['gateway', 'platforms'].includes(name) && isNode(((schema.properties as Node)[name] as Node).properties),
  )
  return [
    '# Settings',
    '<!-- Generated from schema/ by `npm run gen`. Do not edit. -->',
    'Settings of the adapter stand under `platforms.webhook.extra` (or directly under `platforms.webhook`; `extra` wins). Keys that begin with `x-` are free for notes.',
    ...named,
    ...valueTables.map(([name, plugged]) => values(name, plugged, definitions)),
    ...sections(schema, ['gateway', ...others]),
    `## \`include\`\n\n${cell(((schema.properties as Node).include as Node).markdownDescription)} See [configuration.md](configuration.md).`,
    `## \`plugins\`\n\n${cell(((schema.properties as Node).plugins as Node).markdownDescription)} See [plugins.md](plugins.md).`,
    `## \`toolsets\`\n\n${cell(((schema.properties as Node).toolsets as Node).markdownDescription)} Each is a [McpServer](#mcpserver). See [agents.md](agents.md).`,
  ].join('\n\n')
}
