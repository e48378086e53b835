/** Counts the items and keys of a value, and stops where they are more than an expression may handle in one step. */

import { TooHard } from './regex/regex.ts'

/** The items of lists and keys of maps that one step of an expression may handle. */
export const maxItems = 20_000
/** The items and keys that one step may handle where those of inner maps count too. Comparing two maps sorts the keys of both. */
const maxDeepItems = 10_000
/** The items and keys that a search through a whole value (`**`) may meet. */
export const maxWalked = 40_000
/** The lists that a wildcard may join. The library copies all items so far for each list. */
const maxJoined = 1_000
const unitsAnItem = 64

const childrenOf = (value: object, deep: boolean): readonly unknown[] => {
  if (Array.isArray(value)) return value
  return deep ? Object.values(value) : []
}

/** Returns the number of items and keys of a value. Without `deep`, a map inside the value counts as one. Throws TooHard past `most`. */
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

/** Returns the number of items that `value.*` goes through. Throws TooHard where it would join too many or too long lists. */
export const checkWildcard = (value: unknown): number => {
  const weight = checkWeight(value, false)
  if (typeof value !== 'object' || value === null) return weight
  const below = Object.values(value)
  if (below.filter(Array.isArray).length > maxJoined) throw new TooHard(`a wildcard joins ${maxJoined} lists at most`)
  return weight + checkWeight(below, false)
}
