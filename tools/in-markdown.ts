/** Returns a node of a schema with a text in Markdown for editors. Where the node has none, its description is used. */
export const inMarkdown = <T extends { readonly description?: string }>(node: T): T & { readonly markdownDescription: string } => ({
  markdownDescription: node.description ?? '',
  ...node,
})
