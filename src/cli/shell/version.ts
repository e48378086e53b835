/** The addresses of the project and of its documents. */

export const homepage = 'https://github.com/headgate/headgate'

/** Returns the address of the document that explains a code: of a finding (`WH101`), or of an error that ended a command. */
export const docsOf = (code: string): string =>
  `${homepage}/blob/main/docs/${/^WH\d{3}$/.test(code) ? `codes.md#${code.toLowerCase()}` : 'commands.md'}`
