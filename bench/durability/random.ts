/** Makes numbers that look random and are the same for the same seed. */

export type Random = {
  /** Returns a number from 0 up to, but not including, `below`. */
  readonly number: (below: number) => number
  readonly whole: (below: number) => number
  readonly pick: <T>(from: readonly T[]) => T
  readonly shuffle: <T>(list: T[]) => T[]
}

/** Makes a generator (mulberry32), which is good enough to choose moments. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (below: number): number => Math.floor(next() * below)
  return {
    number: (below) => next() * below,
    whole,
    pick: (from) => from[whole(from.length)] as (typeof from)[number],
    shuffle(list) {
      for (let last = list.length - 1; last > 0; last--) {
        const other = whole(last + 1)
        const [a, b] = [list[last], list[other]]
        list[last] = b as (typeof list)[number]
        list[other] = a as (typeof list)[number]
      }
      return list
    },
  }
}
