/** An ending: the only thing that makes work of an event. */

import type { Ending } from '../../core/plan.ts'
import type { Route } from '../../generated/config.ts'
import type { StageKit } from '../stages/stage.ts'

export type EndingPart = {
  readonly name: string
  /** Whether this ending is the route's. */
  fits(route: Route): boolean
  compile(route: Route, kit: StageKit): Ending
}
