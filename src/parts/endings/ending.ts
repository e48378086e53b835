/** The contract of endings: an ending decides what work an event becomes, and is the only part that does. */

import type { Closable } from '../../core/owner.ts'
import type { Ending } from '../../core/plan.ts'
import type { Route } from '../../generated/config.ts'
import type { StageKit } from '../stages/stage.ts'

export type EndingPart = {
  readonly name: string
  /** What happens to the events of such a route, in one word, where routes are listed. */
  readonly mode: string
  /** Whether the keys of this route ask for this ending. */
  fits(route: Route): boolean
  compile(route: Route, kit: StageKit): Closable<Ending>
}
