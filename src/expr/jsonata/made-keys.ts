/** Finds the keys of the map that an expression makes, as far as the expression itself writes them. */

type Node = { readonly [key: string]: unknown; readonly type?: unknown; readonly value?: unknown }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/**
 * Returns the keys of the map that the expression below `root` makes, of all its branches together; `undefined` where it may make anything
 * else, such as a map with keys of the payload.
 */
export const madeKeys = (root: unknown): ReadonlySet<string> | undefined => {
  if (!isNode(root)) return undefined
  if (root.type === 'block' && Array.isArray(root.expressions)) return madeKeys(root.expressions.at(-1))
  if (root.type === 'condition') {
    const [first, second] = [madeKeys(root.then), root.else === undefined ? new Set<string>() : madeKeys(root.else)]
    return first && second ? new Set([...first, ...second]) : undefined
  }
  return root.type === 'unary' && root.value === '{' && Array.isArray(root.lhs) ? keysOf(root.lhs) : undefined
}

const keysOf = (members: readonly unknown[]): ReadonlySet<string> | undefined => {
  const keys = members.map((member) => (Array.isArray(member) ? (member[0] as unknown) : undefined))
  return keys.every((key) => isNode(key) && key.type === 'string') ? new Set(keys.map((key) => String((key as Node).value))) : undefined
}
