/** Searches a text for another text, in a time that grows with the sum of their lengths, whatever they contain. */

/**
 * The largest product of the lengths of two texts for which V8's own search is used: V8 then takes 15 ms at most. Its time can grow with
 * the product: a search for 300 kB in 700 kB took two minutes.
 */
export const maxProduct = 16_777_216

/** Returns the first index, from `from` on, where the wanted text stands in `text`; -1 where it does not. */
export type Find = (text: string, from?: number) => number

/**
 * Returns, for each unit of a text, the length of the longest beginning of the text that also ends at this unit; the text up to the unit
 * itself does not count.
 */
const bordersOf = (text: string): Int32Array => {
  const borders = new Int32Array(text.length)
  let length = 0
  for (let i = 1; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    while (length > 0 && unit !== text.charCodeAt(length)) length = borders[length - 1] as number
    if (unit === text.charCodeAt(length)) length++
    borders[i] = length
  }
  return borders
}

/** Searches by the algorithm of Knuth, Morris and Pratt, which never goes back in `text`. `borders`: those of `wanted`. */
const findLinear = (text: string, from: number, wanted: string, borders: Int32Array): number => {
  let length = 0
  for (let i = from; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    while (length > 0 && unit !== wanted.charCodeAt(length)) length = borders[length - 1] as number
    if (unit === wanted.charCodeAt(length)) length++
    if (length === wanted.length) return i - length + 1
  }
  return -1
}

export const finder = (wanted: string): Find => {
  let borders: Int32Array | undefined
  return (text, from = 0) => {
    if ((text.length - from) * wanted.length <= maxProduct) return text.indexOf(wanted, from)
    borders ??= bordersOf(wanted)
    return findLinear(text, from, wanted, borders)
  }
}
