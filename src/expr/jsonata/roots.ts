/** Finds names at the top of an expression that its input does not have. Such a name has no value on any event. */

import { nearest } from '../../core/text.ts'

type Node = { readonly [key: string]: unknown; readonly type?: string; readonly value?: unknown; readonly position?: unknown }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !(value instanceof RegExp)

/** Nodes whose parts are evaluated on other values than the input. */
const elsewhere: readonly unknown[] = ['transform', 'sort', 'filter', 'index', 'parent']

/** Returns the names that are read from the input itself, in no order. */
const rootNames = (root: unknown): readonly Node[] => {
  const found: Node[] = []
  const seen = new Set<unknown>()
  const walk = (node: unknown, isRoot: boolean): void => {
    if (!isNode(node) || seen.has(node)) return
    seen.add(node)
    if (node.type !== 'path' || !Array.isArray(node.steps)) {
      for (const below of Object.values(node)) walk(below, isRoot && !elsewhere.includes(node.type))
      return
    }
    const [first, second] = node.steps as readonly Node[]
    const isInput = first?.type === 'variable' && (first.value === '$' || (first.value === '' && isRoot))
    const name = isInput ? second : isRoot ? first : undefined
    if (name?.type === 'name') found.push(name)
    if (first && first.type !== 'name') walk(first, isRoot)
    for (const [i, step] of (node.steps as readonly Node[]).entries())
      if (i > 0 || step.type === 'name') walk({ ...step, type: undefined }, false)
    walk(node.group, false)
  }
  walk(root, true)
  return found
}

/** A mistake in an expression. `position`: the 1-based place of its last character. */
export type RootSlip = { readonly message: string; readonly position: number }

/** Returns the first mistake in what an expression reads of an input with these names; `undefined` where there is none. */
export const rootSlip = (source: string, root: unknown, names: readonly string[]): RootSlip | undefined => {
  const header = /(?<![\w`.$])headers\.(?:`([^`]*[A-Z][^`]*)`|"([^"]*[A-Z][^"]*)"|([A-Za-z]\w*(?:-\w+)+|\w*[A-Z]\w*))/.exec(source)
  if (header) {
    const name = (header[1] ?? header[2] ?? header[3] ?? '').toLowerCase()
    const why = header[3]?.includes('-') ? 'is a subtraction' : 'is no header: their names are in lower case here'
    return { message: `${header[0]} ${why}: write headers.\`${name}\``, position: header.index + header[0].length }
  }
  const unknown = rootNames(root).find(({ value }) => !names.includes(String(value)))
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
  [/!(?!=)/, '!', '$not(…)'],
]

/** Returns the word to write for a sign of other languages in an expression that cannot be read; empty where there is none. */
export const otherSign = (source: string): string => {
  const code = source.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g, '""')
  const found = otherSigns.flatMap(([sign, shown, ours]) => (sign.test(code) ? `write ${ours} instead of ${shown}` : []))
  return found.length > 0 ? `: ${found.join(', and ')}` : ''
}
