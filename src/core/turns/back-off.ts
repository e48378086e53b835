/** The one growth of delays: work that fails again and again is tried ever more seldom. */

type Growth = {
  /** The delay after the first failure, in milliseconds. It doubles with each further failure, up to `most`. */
  readonly first: number
  readonly most: number
  /**
   * The part of each delay that is random, so that many callers that failed at once do not try again at once. 1: the whole delay. Default:
   * 0.
   */
  readonly jitter?: number
}

/** Makes the function that returns the delay after failure number `failures` in a row (the first is 1), in milliseconds. */
export const backOff =
  ({ first, most, jitter = 0 }: Growth) =>
  (failures: number, random: () => number = Math.random): number =>
    Math.min(most, first * 2 ** (failures - 1)) * (1 - jitter + jitter * random())
