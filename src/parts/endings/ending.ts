/** The contract of endings: an ending decides the work that an event becomes, and is the only part that does. */

import type { Closable } from '../../core/owner.ts'
import type { Ending } from '../../core/plan.ts'
import type { Route } from '../../generated/config.ts'
import type { StageKit } from '../stages/stage.ts'

export type EndingPart = {
  readonly name: string
  /** The fate of the route's events in one word, for lists of routes. */
  readonly mode: string
  /** Whether the keys of this route ask for this ending. */
  fits(route: Route): boolean
  compile(route: Route, kit: StageKit): Closable<Ending>
}
