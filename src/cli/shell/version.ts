/** What this build is, and where its documents are. */

export const homepage = 'https://github.com/headgate/headgate'

export const version = '0.1.0'

/** Where a code is explained: that of a finding, or of an error that ended a command. */
export const docsOf = (code: string): string =>
  `${homepage}/blob/main/docs/${/^WH\d{3}$/.test(code) ? `codes.md#${code.toLowerCase()}` : 'commands.md'}`
