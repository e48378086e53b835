/** Bytes in the pieces in which they came from a server. The pieces are joined only where the bytes are read, which may be in a thread. */
export type Pieces = readonly Uint8Array[]

/** Returns the number of bytes in all pieces. */
export const byteLength = (pieces: Pieces): number => pieces.reduce((sum, { length }) => sum + length, 0)
