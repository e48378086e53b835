/** The contract of endings: an ending makes work of an event, and nothing else does. */

import type { Closable } from '../../core/owner.ts'
import type { Ending } from '../../core/plan.ts'
import type { Route } from '../../generated/config.ts'
import type { StageKit } from '../stages/stage.ts'

export type EndingPart = {
  readonly name: string
  /** Whether a route's keys ask for this ending. */
  fits(route: Route): boolean
  compile(route: Route, kit: StageKit): Closable<Ending>
}
