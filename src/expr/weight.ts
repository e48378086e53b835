/** Counts the items and keys of a value, and stops where they are more than an expression may handle in one step. */

import { TooHard } from './too-hard.ts'

/** The most items of lists and keys of maps that one step of an expression may handle. */
export const maxItems = 20_000
/**
 * The most items and keys where the keys of inner maps count, too. Fewer are allowed, because comparing two maps sorts the keys of both.
 */
const maxDeepItems = 10_000
/** The most items and keys that a search through a whole value (`**`) may meet. */
export const maxWalked = 40_000
/** The most lists that a wildcard may join. For each list the library copies all items so far. */
const maxJoined = 1_000
/** The number of UTF-16 units of a text that count as one item. */
const unitsAnItem = 64

const childrenOf = (value: object, deep: boolean): readonly unknown[] => {
  if (Array.isArray(value)) return value
  return deep ? Object.values(value) : []
}

/**
 * Returns the number of items and keys of a value. Long texts in the value count as further items. Without `deep`, a map inside the value
 * counts as one item. Throws TooHard where the number is above `most`.
 */
export const checkWeight = (value: unknown, deep: boolean, most = deep ? maxDeepItems : maxItems): number => {
  let left = most
  const waiting: unknown[] = [value]
  for (let next = waiting.pop(); next !== undefined && left >= 0; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue
    left -= Array.isArray(next) ? next.length : Object.keys(next).length
    if (left < 0) break
    for (const child of childrenOf(next, deep)) {
      if (typeof child === 'string') left -= Math.floor(child.length / unitsAnItem)
      else if (typeof child === 'object' && child !== null) waiting.push(child)
    }
  }
  if (left < 0) throw new TooHard(`the lists and maps are too large for one step: at most ${most} items`)
  return most - left
}

/** Returns the number of items that `value.*` goes through. Throws TooHard where the wildcard would join too many or too long lists. */
export const checkWildcard = (value: unknown): number => {
  const weight = checkWeight(value, false)
  if (typeof value !== 'object' || value === null) return weight
  const below = Object.values(value)
  if (below.filter(Array.isArray).length > maxJoined) throw new TooHard(`a wildcard joins ${maxJoined} lists at most`)
  return weight + checkWeight(below, false)
}
