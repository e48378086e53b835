/**
 * Writes the TypeScript types of the schemas of the program's own data. It fails on an unknown `type`. Keywords that bound a value, such as
 * `maxItems`, change no type.
 */

export type Node = { readonly [key: string]: unknown }
export type Nodes = { readonly [name: string]: Node }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the text of the type of a node. The type of `{}` is any JSON. */
export const typeOf = (node: Node): string => {
  if (typeof node.$ref === 'string') return node.$ref.replace('#/definitions/', '')
  if (node['x-names'] === 'codes') return 'Code'
  if ('const' in node) return literal(node.const)
  if (Array.isArray(node.enum)) return node.enum.map(literal).join(' | ')
  if (Array.isArray(node.anyOf)) return node.anyOf.map(typeOf).join(' | ')
  if (Array.isArray(node.type)) return node.type.map((type) => typeOf({ type })).join(' | ')
  switch (node.type) {
    case undefined:
      return 'Json'
    case 'object':
      return objectType(node)
    case 'array':
      return `readonly ${asItem(typeOf(node.items as Node))}[]`
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return node.type
    default:
      throw new Error(`no type is known for ${JSON.stringify(node)}`)
  }
}

const asItem = (type: string): string => (/^[^{]* \| /.test(type) ? `(${type})` : type)

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value))

const objectType = (node: Node): string => {
  if (isNode(node.additionalProperties)) return `{ readonly [name: string]: ${typeOf(node.additionalProperties)} }`
  const required = (node.required ?? []) as readonly string[]
  const members = Object.entries((node.properties ?? {}) as Nodes).map(
    ([name, member]) => `${comment(member)}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(member)}\n`,
  )
  return members.length === 0 ? 'Record<never, never>' : `{\n${members.join('')}}`
}

/** Indents source text: two blanks before a line for each brace that is open there. */
export const indented = (source: string): string => {
  let depth = 0
  return source
    .split('\n')
    .map((line) => {
      if (line.startsWith('}')) depth--
      const out = line === '' ? '' : `${'  '.repeat(depth)}${line}`
      if (line.endsWith('{')) depth++
      return out
    })
    .join('\n')
}

/** Returns the description of a node as a comment. A reference gets none, because the definition that it refers to has its own. */
export const comment = (node: Node): string =>
  typeof node.description === 'string' && !('$ref' in node) ? `/** ${node.description} */\n` : ''
