/** Replaces ranges of a text. Every character outside of the ranges stays. */

/** A range of a text by offsets (UTF-16), and the text that replaces it. */
export type Splice = { readonly from: number; readonly to: number; readonly text: string }

/** Sorts splices by their place in the text. Splices at one offset keep their order. */
export const inOrder = (splices: readonly Splice[]): readonly Splice[] => [...splices].sort((a, b) => a.from - b.from)

/** Returns the text with its ranges replaced. The splices must be in order, and may not overlap. */
export const spliced = (text: string, splices: readonly Splice[]): string => {
  const kept = splices.map((splice, i) => text.slice(splices[i - 1]?.to ?? 0, splice.from) + splice.text)
  return [...kept, text.slice(splices.at(-1)?.to ?? 0)].join('')
}
