/** The defaults of the sections that code reads, off the schema: a default stands there and nowhere else. */

type Node = { readonly [key: string]: unknown }

const defaultsOf = (section: unknown): Node =>
  Object.fromEntries(
    Object.entries((section as { properties: Node }).properties).flatMap(([key, node]) => {
      const { default: value } = node as Node
      return value === undefined ? [] : [[key, value]]
    }),
  )

/** The module that code reads. */
export const renderDefaults = (sections: Node): string =>
  [
    '/** By section and key. */',
    `export const defaults = ${JSON.stringify(Object.fromEntries(Object.entries(sections).map(([name, node]) => [name, defaultsOf(node)])), null, 2)} as const`,
    '',
  ].join('\n')
