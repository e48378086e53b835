/** Returns a node of a schema with a text in Markdown for editors. Where the node has none, its description is used. */
export const inMarkdown = <T extends { readonly description?: string }>(node: T): T & { readonly markdownDescription: string } => ({
  markdownDescription: node.description ?? '',
  ...node,
})

/** Returns a text in which nothing outside of code is a tag: Markdown takes `<name>` for one, and shows nothing of it. */
export const withoutTags = (text: string): string => text.replace(/`[^`]*`|<(?=[A-Za-z/])/g, (found) => (found === '<' ? '\\<' : found))

/** Returns the title of a key: "Api key" for `api_key`. */
export const inWords = (key: string): string => `${key.charAt(0).toUpperCase()}${key.slice(1).replaceAll('_', ' ')}`

/** Replaces the rows of a table, which is found by its head and ends before `<!-- end -->`. */
export const withRows = (page: string, head: string, rows: readonly string[]): string => {
  const from = page.indexOf(head)
  const to = page.indexOf('\n\n<!-- end -->', from)
  if (from < 0 || to < 0) throw new Error(`the page has no table ${JSON.stringify(head)}`)
  return `${page.slice(0, from)}${head}${rows.join('\n')}${page.slice(to)}`
}
