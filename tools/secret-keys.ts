/** Writes the list of the places of secrets: from the marks of the schema (`x-secret`, `x-address`), which alone say what is secret. */

type Node = { readonly [key: string]: unknown }

/** What the schema says of the texts at a key: a secret, an address, or neither. */
type Mark = 'secret' | 'address' | 'open'

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

const markOf = (node: Node): Mark | undefined => {
  if (node['x-secret'] === true) return 'secret'
  if (node['x-address'] === true) return 'address'
  return [node.type].flat().includes('string') ? 'open' : undefined
}

/** Gathers the marks of a schema, by key and by the key around it. `*` is the key of a member with a name of one's own. */
class Marks {
  readonly byKey = new Map<string, Map<string, Set<Mark>>>()
  /** The keys of maps whose members have names of one's own and are maps themselves, such as `routes`. */
  readonly namesBelow = new Set<string>()
  readonly #definitions: Node

  constructor(definitions: Node) {
    this.#definitions = definitions
  }

  walk(value: unknown, parent: string, key: string, seen: readonly Node[] = []): void {
    if (!isNode(value) || seen.includes(value)) return
    const below = [...seen, value]
    const mark = markOf(value)
    if (mark !== undefined && key !== '') this.#add(parent, key, mark)
    if (typeof value.$ref === 'string') this.walk(this.#named(value.$ref), parent, key, below)
    for (const [name, node] of Object.entries(isNode(value.properties) ? value.properties : {})) this.walk(node, key, name, below)
    const patterned = isNode(value.patternProperties) ? Object.values(value.patternProperties) : []
    for (const node of [value.additionalProperties, ...patterned].filter(isNode)) {
      if (this.#isMap(node)) this.namesBelow.add(key)
      this.walk(node, key, '*', below)
    }
    this.walk(value.items, parent, key, below)
    for (const branch of [value.oneOf, value.anyOf, value.allOf].flatMap((list) => (Array.isArray(list) ? list : [])))
      this.walk(branch, parent, key, below)
  }

  #add(parent: string, key: string, mark: Mark): void {
    const parents = this.byKey.get(key) ?? new Map<string, Set<Mark>>()
    this.byKey.set(key, parents.set(parent, (parents.get(parent) ?? new Set<Mark>()).add(mark)))
  }

  #named($ref: string): Node {
    return this.#definitions[$ref.slice('#/definitions/'.length)] as Node
  }

  #isMap(node: Node): boolean {
    const whole = typeof node.$ref === 'string' ? this.#named(node.$ref) : node
    return whole.type === 'object' || (Array.isArray(whole.oneOf) && whole.oneOf.some((branch) => this.#isMap(branch)))
  }
}

/**
 * Returns the text of the module. A key has one line where it means the same wherever it stands; otherwise each place has a line with the
 * key around it.
 */
export const renderSecretKeys = (schema: Node): string => {
  const definitions = schema.definitions as Node
  const marks = new Marks(definitions)
  for (const root of [schema, ...['Subscriptions', 'CronJobs', 'RoutesFile', 'RelayFile'].map((name) => definitions[name])])
    marks.walk(root, '', '')
  const places: [string, Mark][] = []
  for (const [key, parents] of marks.byKey) {
    const all = new Set([...parents.values()].flatMap((each) => [...each]))
    const [only] = all
    if (key !== '*' && all.size === 1 && only !== undefined && only !== 'open') places.push([key, only])
    else
      for (const [parent, [mark = 'open', ...others]] of parents)
        if (others.length > 0 && mark !== 'open') throw new Error(`${parent}.${key} is marked in two ways`)
        else if (mark !== 'open') places.push([`${parent}.${key}`, mark])
  }
  const open = [...marks.byKey].filter(
    ([key, parents]) => key !== '*' && [...parents.values()].every((each) => [...each].every((mark) => mark === 'open')),
  )
  const inOrder = [...new Map(places)].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    '/** What is secret at a key: the whole text, or what lets in within an address. A place is a key, or a key and the key around it. */',
    `export const secretKeys: { readonly [place: string]: 'secret' | 'address' } = ${JSON.stringify(Object.fromEntries(inOrder), null, 2)}`,
    '',
    '/** The keys whose texts are no secret anywhere, whatever their names look like: `secret_header` names a header. */',
    `export const openKeys: readonly string[] = ${JSON.stringify(open.map(([key]) => key).sort())}`,
    '',
    "/** The keys of maps whose members have names of one's own, such as `routes`. */",
    `export const mapsOfNames: readonly string[] = ${JSON.stringify([...marks.namesBelow].filter((key) => key !== '').sort())}`,
    '',
  ].join('\n')
}
