/**
 * Finds what an expression reads of its input, and mistakes in it: paths that begin with a name which the input never has, and signs of
 * other languages.
 */

import { nearest } from '../../core/text.ts'

type Node = { readonly [key: string]: unknown; readonly type?: string; readonly value?: unknown; readonly position?: unknown }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !(value instanceof RegExp)

/** Nodes whose parts are evaluated on other values than the input. */
const elsewhere: readonly unknown[] = ['transform', 'sort', 'filter', 'index', 'parent']

/** Calls that ask whether a value is there. */
const asking: readonly unknown[] = ['exists', 'not', 'boolean', 'type']

/** Returns the parts of a node of which only the presence matters, such as the condition of `a ? b : c`. */
const askedBelow = (node: Node): readonly unknown[] => {
  if (node.type === 'condition') return [node.condition]
  if (node.type === 'binary' && (node.value === 'and' || node.value === 'or')) return [node.lhs, node.rhs]
  const { procedure, arguments: given } = node
  return isNode(procedure) && asking.includes(procedure.value) && Array.isArray(given) ? given : []
}

/** A path from the top of the input: its names, of which there is at least one. `isAsked`: only its presence matters. */
type RootPath = { readonly names: readonly [Node, ...Node[]]; readonly isAsked: boolean }

/** Returns the names with which the steps of a path begin at the top of the input; none where they begin elsewhere. */
const topNames = (steps: readonly Node[], isRoot: boolean): readonly Node[] => {
  const [first] = steps
  const isInput = first?.type === 'variable' && (first.value === '$' || (first.value === '' && isRoot))
  if (!isInput && !isRoot) return []
  const from = isInput ? 1 : 0
  const end = steps.findIndex(({ type }, i) => i >= from && type !== 'name')
  return steps.slice(from, end < 0 ? undefined : end)
}

/** Returns the paths that are read from the input itself, in no order. */
const rootPaths = (root: unknown): readonly RootPath[] => {
  const found: RootPath[] = []
  const seen = new Set<unknown>()
  const asked = new Set<unknown>()
  const walk = (node: unknown, isRoot: boolean): void => {
    if (!isNode(node) || seen.has(node)) return
    seen.add(node)
    for (const below of askedBelow(node)) asked.add(below)
    if (node.type === 'path' && Array.isArray(node.steps)) walkPath(node, node.steps, isRoot)
    else for (const below of Object.values(node)) walk(below, isRoot && !elsewhere.includes(node.type))
  }
  const walkPath = (node: Node, steps: readonly Node[], isRoot: boolean): void => {
    const [first] = steps
    const [name, ...further] = topNames(steps, isRoot)
    if (name) found.push({ names: [name, ...further], isAsked: asked.has(node) })
    if (first && first.type !== 'name') walk(first, isRoot)
    for (const [i, step] of steps.entries()) if (i > 0 || step.type === 'name') walk({ ...step, type: undefined }, false)
    walk(node.group, false)
  }
  walk(root, true)
  return found
}

/** A path that an expression reads from its input. `text`: the path as it is written. `at`: the offset where it begins. */
export type ReadPath = { readonly keys: readonly string[]; readonly text: string; readonly at: number }

/** What an expression reads of its input. */
export type Reads = {
  /**
   * The paths whose values the expression uses. A path that it also tests for existence (`$exists`) is left out: it may well be missing.
   */
  readonly paths: readonly ReadPath[]
  /** Whether a condition in the expression may be about other events than those with a path. */
  readonly isGuarded: boolean
  /** Whether the expression may select nothing: by a condition, a pattern or the items of a list. */
  readonly isSelective: boolean
}

/** Finds what an expression reads. `nodes`: every node below `root`. */
export const readsOf = (source: string, root: unknown, nodes: readonly Node[]): Reads => {
  const all = rootPaths(root).map(({ names, isAsked }) => {
    const keys = names.map(({ value }) => String(value))
    const end = Number(names.at(-1)?.position ?? 0)
    const opening = source.lastIndexOf(keys[0] ?? '', Number(names[0].position ?? 0) - 1)
    const at = /["'`]/.test(source[opening - 1] ?? '') ? opening - 1 : opening
    return { keys, isAsked, at, text: source.slice(at, end) }
  })
  const asked = all.filter(({ isAsked }) => isAsked)
  const isGuarded = nodes.some(({ type, value }) => type === 'condition' || (type === 'binary' && (value === 'and' || value === 'or')))
  const selects = (node: Node): boolean =>
    node instanceof RegExp || node.type === 'lambda' || (node.type === 'filter' && isNode(node.expr) && node.expr.type !== 'number')
  return {
    paths: all.filter(({ keys }) => !asked.some((other) => other.keys.every((key, i) => key === keys[i]))),
    isGuarded,
    isSelective: isGuarded || nodes.some(selects),
  }
}

/** A mistake in an expression. `position`: the 1-based place of its last character. */
export type RootSlip = { readonly message: string; readonly position: number }

/**
 * Returns the mistake `payload['title']` in the nodes of an expression. In JSONata, brackets have a condition in them, and a text is a
 * condition that always holds.
 */
export const subscriptSlip = (nodes: readonly Node[]): RootSlip | undefined => {
  const texts = nodes.flatMap(({ type, expr }) => (type === 'filter' && isNode(expr) && expr.type === 'string' ? [expr] : []))
  const [text] = texts.sort((a, b) => Number(a.position ?? 0) - Number(b.position ?? 0))
  if (!text) return undefined
  const key = String(text.value)
  const message = `[${JSON.stringify(key)}] is a condition that always holds, and takes no value out of a map: write .\`${key}\``
  return { message, position: Number(text.position ?? 0) }
}

/** Returns the first mistake in what an expression reads of an input with these names; `undefined` where there is none. */
export const rootSlip = (source: string, root: unknown, names: readonly string[]): RootSlip | undefined => {
  const header = /(?<![\w`.$])headers\.(?:`([^`]*[A-Z][^`]*)`|"([^"]*[A-Z][^"]*)"|([A-Za-z]\w*(?:-\w+)+|\w*[A-Z]\w*))/.exec(source)
  if (header) {
    const name = (header[1] ?? header[2] ?? header[3] ?? '').toLowerCase()
    const why = header[3]?.includes('-') ? 'is a subtraction' : 'is no header: their names are in lower case here'
    return { message: `${header[0]} ${why}: write headers.\`${name}\``, position: header.index + header[0].length }
  }
  const unknown = rootPaths(root)
    .map((path) => path.names[0])
    .find(({ value }) => !names.includes(String(value)))
  if (!unknown) return undefined
  const name = String(unknown.value)
  const [near] = nearest(name, names)
  const way = near ?? (name === 'body' ? 'payload' : `payload.${name}`)
  return { message: `there is no "${name}" beside ${names.join(', ')}: write ${way}`, position: Number(unknown.position ?? 0) }
}

const otherSigns: readonly (readonly [sign: RegExp, shown: string, ours: string])[] = [
  [/&&/, '&&', 'and'],
  [/\|\|/, '||', 'or'],
  [/===?/, '==', '='],
  [/!==/, '!==', '!='],
  [/!(?![=~])/, '!', '$not(…)'],
  [/(?<![$\w])not\s+[\w$`(]/, 'not', '$not(…)'],
  [/\$not\s+[\w$`]/, '$not without parentheses', '$not(…)'],
  [/=~/, '=~', '$contains(…, /pattern/)'],
  [/!~/, '!~', '$not($contains(…, /pattern/))'],
]

/** Returns the word to write for a sign of other languages in an expression that cannot be read; empty where there is none. */
export const otherSign = (source: string): string => {
  const code = source.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g, '""')
  const found = otherSigns.flatMap(([sign, shown, ours]) => (sign.test(code) ? `write ${ours} instead of ${shown}` : []))
  return found.length > 0 ? `: ${found.join(', and ')}` : ''
}
