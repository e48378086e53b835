/** Bytes in the pieces in which they came: they are put together where they are read, which may be a thread. */
export type Pieces = readonly Uint8Array[]

export const lengthOf = (pieces: Pieces): number => pieces.reduce((sum, { length }) => sum + length, 0)
