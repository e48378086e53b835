/** Counts the rows of a store in a move and makes a digest of them, so that the two stores can be compared. */

import { hash } from 'node:crypto'
import type { MovableStore, MovedKind, MovedPage, MovedRows } from '../../store/moving.ts'

/**
 * The number of rows of a kind, and the digest of the rows: 12 hexadecimal digits. Durations are left out of the digest, because they
 * change during the move. The times of positions are in it: they are times of day.
 */
export type KindTally = { readonly kind: MovedKind; readonly rows: number; readonly digest: string }

/** The hexadecimal digits of a claim's key that are compared: the embedded store has only 60 bits of the key. */
const claimDigits = 15
/** The digest of a kind is the sum of the hashes of its rows, modulo this number. So the order of rows counts only by their `place`. */
const modulus = 2 ** 48

/**
 * The values of a row that must be equal in both stores. `place`: the place of the row among the rows of its kind, compared where the other
 * store must keep the order of the rows.
 */
const comparedValues: { readonly [K in MovedKind]: (row: MovedRows[K][number], place: number) => readonly unknown[] } = {
  claims: ({ key }) => [key.slice(0, claimDigits)],
  runs: ({ fence, attempt, isLeased, isParked, deadForMs, lane, laneLimit, error, reply, run }, place) => [
    ...[place, fence, attempt, isLeased, isParked, deadForMs !== null, lane, laneLimit, error, reply, run],
  ],
  groups: ({ key, opener, events, keep, lane, laneLimit, run, prompts, lengths }, place) => [
    ...[place, key, opener, events, keep, lane, laneLimit, run, prompts, lengths],
  ],
  positions: ({ name, at }) => [name, at],
  sessions: ({ key, about, place: chat, placeKey }, place) => [place, key, about, chat, placeKey],
  messages: ({ session, turn, chars, message }) => [session, turn, chars, message],
  sums: ({ key, tokens, cost }) => [key, tokens, cost],
}

const movedKinds = Object.keys(comparedValues) as readonly MovedKind[]

/** Reads all rows of a store, and returns a tally for each kind of row. */
export const tallyOf = async (store: MovableStore): Promise<readonly KindTally[]> => {
  const sums = new Map(movedKinds.map((kind) => [kind, { rows: 0, digest: 0 }]))
  for await (const page of store.pages()) {
    const sum = sums.get(page.kind)
    if (sum) addRows(page, sum)
  }
  return [...sums].map(([kind, { rows, digest }]) => ({ kind, rows, digest: digest.toString(16).padStart(12, '0') }))
}

const addRows = (page: MovedPage, sum: { rows: number; digest: number }): void => {
  const compared = comparedValues[page.kind] as (row: unknown, place: number) => readonly unknown[]
  for (const row of page.rows) {
    const bytes = hash('sha256', JSON.stringify(compared(row, sum.rows)), 'buffer')
    sum.rows++
    sum.digest = (sum.digest + bytes.readUIntBE(0, 6)) % modulus
  }
}
