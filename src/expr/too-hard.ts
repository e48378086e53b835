/** The end of an evaluation that a limit stopped. It has a file of its own, so that who needs it loads neither engine nor library. */

/** A limit stopped a pattern, an expression or a walk over items: on this text or payload it would take too long. */
export class TooHard extends Error {
  override name = 'TooHard'
}
