/** What this build is, and where its documents are. */

export const homepage = 'https://github.com/headgate/headgate'

export const version = '0.1.0'
