/** Hashes the secrets that browsers show, so that the time of a look for one does not tell how much of a guess was right. */

import { hash } from 'node:crypto'

/** Returns the SHA-256 of a secret. */
export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')
