/** Bytes in the pieces in which they came from a server. Whoever reads the bytes joins the pieces; that may be a thread. */
export type Pieces = readonly Uint8Array[]

/** Returns the number of bytes in all pieces. */
export const byteLength = (pieces: Pieces): number => pieces.reduce((sum, { length }) => sum + length, 0)
