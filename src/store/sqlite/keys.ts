/** Hashes ids to the keys of the embedded database. */

import { hash } from 'node:crypto'

/** Hashes an id to a short ASCII key of 120 bits, so that no text that a sender chose reaches SQL's text functions. */
export const hashKey = (key: string): string => hash('sha256', key, 'base64url').slice(0, 20)

/**
 * Returns the hash of a lane. `undefined` for a run without a lane, and for a damaged hash: otherwise the run would wait for a turn that
 * never comes.
 */
export const parseLane = (bytes: Buffer | null): string | undefined => {
  const lane = bytes?.toString('latin1')
  return lane !== undefined && /^[\w-]{20}$/.test(lane) ? lane : undefined
}
