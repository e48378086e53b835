/**
 * Writes a module with the defaults of some sections of the configuration. The defaults come from the schema, which alone declares them.
 */

type Node = { readonly [key: string]: unknown }

const defaultsOf = (section: unknown): Node =>
  Object.fromEntries(
    Object.entries((section as { properties: Node }).properties).flatMap(([key, node]) => {
      const { default: value } = node as Node
      return value === undefined ? [] : [[key, value]]
    }),
  )

/** Returns the text of the module. */
export const renderDefaults = (sections: Node): string =>
  [
    '/** By section and key. */',
    `export const defaults = ${JSON.stringify(Object.fromEntries(Object.entries(sections).map(([name, node]) => [name, defaultsOf(node)])), null, 2)} as const`,
    '',
  ].join('\n')
