/**
 * How much of one turn of the event loop each kind of long work may take. The shares stand in one list, because a request that comes
 * meanwhile waits for all of them together.
 */
export const turnShares = {
  /** Work without a sender who waits: compiling, reading XML, answers of tools. Each such work by itself. In milliseconds. */
  longWork: 10,
  /** All expressions and searches of texts together, in milliseconds. */
  expressions: 10,
  /** All signatures of large bodies together, in milliseconds. */
  signatures: 4,
  /** All bodies of several chunks together, in bytes: as many as one read of a socket brings. */
  bodyBytes: 65_536,
} as const
