/** Replaces ranges of a text. Every character outside them stays. */

/** A replaced range of a text, by offsets (UTF-16). */
export type Splice = { readonly from: number; readonly to: number; readonly text: string }

/** In the order in which they stand in the text. Those at one point keep the order that they were given in. */
export const inOrder = (splices: readonly Splice[]): readonly Splice[] => [...splices].sort((a, b) => a.from - b.from)

/** The text with its ranges replaced. They must be in order, and may not overlap. */
export const spliced = (text: string, splices: readonly Splice[]): string => {
  const kept = splices.map((splice, i) => text.slice(splices[i - 1]?.to ?? 0, splice.from) + splice.text)
  return [...kept, text.slice(splices.at(-1)?.to ?? 0)].join('')
}
