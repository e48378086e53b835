/** Writes the reference of all settings, docs/reference.md, from the bundled schema. */

type Node = { readonly [key: string]: unknown }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Definitions that have a table of their own, in reading order. */
const tables = ['WebhookSettings', 'Route', 'DeliverTo', 'DeliverExtra', 'Condition', 'Job', 'RouteAgent', 'Agent', 'Platform'] as const

/** The definition that a node refers to, with its name. */
const referred = ({ $ref }: Node, definitions: Node): readonly [string, Node] | undefined => {
  const name = typeof $ref === 'string' ? $ref.slice('#/definitions/'.length) : undefined
  return name === undefined ? undefined : [name, definitions[name] as Node]
}

const typeOf = (node: Node, definitions: Node): string => {
  const [name, definition] = referred(node, definitions) ?? []
  const isLinked = name === 'Target' || tables.some((table) => table === name)
  if (name !== undefined && definition !== undefined)
    return isLinked ? `[${name}](#${name.toLowerCase()})` : typeOf(definition, definitions)
  if (Array.isArray(node.oneOf)) return node.oneOf.map((branch) => typeOf(branch as Node, definitions)).join(' or ')
  if (node.type === 'array') return isNode(node.items) ? `list of ${typeOf(node.items, definitions)}` : 'list'
  return [node.type].flat().join(' or ')
}

const cell = (text: unknown): string =>
  String(text ?? '')
    .replaceAll('\n\n', ' ')
    .replaceAll('\n', ' ')
    .replaceAll('|', '\\|')

const row = (key: string, node: Node, required: readonly string[], definitions: Node): string => {
  const unbuilt = typeof node['x-unbuilt'] === 'string' ? ` *Not built in this version: ${node['x-unbuilt']}.*` : ''
  const fallback = node.default === undefined ? (required.includes(key) ? 'required' : '') : `\`${JSON.stringify(node.default)}\``
  const [, meant = node] = referred(node, definitions) ?? []
  const meaning = node.markdownDescription ?? node.description ?? meant.markdownDescription
  return `| \`${key}\` | ${typeOf(node, definitions)} | ${fallback} | ${cell(meaning)}${unbuilt} |`
}

const table = (node: Node, definitions: Node): string =>
  [
    '| key | type | default | meaning |',
    '|---|---|---|---|',
    ...Object.entries(node.properties as Node).map(([key, item]) => row(key, item as Node, (node.required as string[]) ?? [], definitions)),
  ].join('\n')

/** The whole page. */
export const renderReference = (schema: Node): string => {
  const definitions = schema.definitions as Node
  const sections = (node: Node, names: readonly string[]): string[] =>
    names.map((name) => {
      const section = (node.properties as Node)[name] as Node
      return `## \`${name}\`\n\n${cell(section.description)}\n\n${table(section, definitions)}`
    })
  const named = tables.map((name) => {
    const node = definitions[name] as Node
    return `## ${name}\n\n${cell(node.description)}\n\n${table(node, definitions)}`
  })
  const target = definitions.Target as Node
  const listed = (target.oneOf as Node[]).find((branch) => 'enum' in branch) as { enum: string[]; enumDescriptions: string[] }
  const targets = listed.enum.map((name, i) => `| \`${name}\` | ${cell(listed.enumDescriptions[i])} |`)
  const plugged = '| a name with a hyphen, like `acme-chat` | The target of a [plugin](plugins.md) |'
  return [
    '# Settings',
    '<!-- Generated from schema/ by `npm run gen`. Do not edit. -->',
    'Settings of the adapter stand under `platforms.webhook.extra` (or directly under `platforms.webhook`; `extra` wins). Keys that begin with `x-` are free for notes.',
    ...named,
    `## Target\n\n${cell(target.description)}\n\n| value | meaning |\n|---|---|\n${[...targets, plugged].join('\n')}`,
    ...sections(schema, ['gateway', 'storage']),
    `## \`plugins\`\n\n${cell(((schema.properties as Node).plugins as Node).markdownDescription)} See [plugins.md](plugins.md).`,
  ].join('\n\n')
}
