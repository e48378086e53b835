/** A node of a schema with its text in Markdown, which is its description where it has no other. */
export const inMarkdown = <T extends { readonly description?: string }>(node: T): T & { readonly markdownDescription: string } => ({
  markdownDescription: node.description ?? '',
  ...node,
})
