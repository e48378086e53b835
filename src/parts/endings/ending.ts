/** The contract of endings: an ending is the last step of a route's plan, and the only one that makes work of an event. */

import type { Ending } from '../../core/plan.ts'
import type { Closable } from '../../core/scope.ts'
import type { Route } from '../../generated/config.ts'
import type { StageKit } from '../stages/stage.ts'

export type EndingPart = {
  readonly name: string
  /** What becomes of the route's events, in one word, for lists of routes. */
  readonly mode: string
  /** Whether the keys of this route ask for this ending. */
  fits(route: Route): boolean
  /**
   * Returns the function that makes work of an event. The function returns the outcome, or a promise of the outcome. Mistakes in the
   * route's keys go to `kit.report`.
   */
  compile(route: Route, kit: StageKit): Closable<Ending>
}
