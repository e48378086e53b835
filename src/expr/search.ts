/** Finds a text in another in a time that grows with the sum of their lengths, whatever they hold. */

/** V8 takes up to the product of both lengths: two minutes for 300 kB in 700 kB. Up to this product it takes 15 ms at most, and far less mostly. */
export const maxProduct = 16_777_216

/** The index at or after `from` where the text stands that the finder was made for; -1 where it does not. */
export type Find = (text: string, from?: number) => number

/** For each unit of a text: how long a beginning of the text ends there. */
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

/** Knuth, Morris, Pratt: no unit of `text` is read twice from the start of `wanted`. */
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
