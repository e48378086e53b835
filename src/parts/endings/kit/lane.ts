/** Finds the lane of a run (`concurrency`): the limit of a lane is the most of its runs that may have begun and not ended. */

import type { Event } from '../../../core/request.ts'
import { compileKey, keyName } from '../../../expr/event-key.ts'
import type { Route } from '../../../generated/config.ts'
import type { Lane } from '../../../store/ports.ts'
import type { StageKit } from '../../stages/stage.ts'
import { templateKit } from '../../template-kit.ts'

/** Makes the function that names the lane of an event's run. Events without a key share one lane. `undefined`: the route has no lanes. */
export const compileLane = ({ concurrency }: Route, kit: StageKit): ((event: Event) => Promise<Lane>) | undefined => {
  if (!concurrency) return undefined
  const { limit, key } = concurrency
  const keyOf = key === undefined ? () => undefined : compileKey(key, templateKit(kit, ['concurrency', 'key']))
  return async (event) => ({ key: keyName('lane', event, await keyOf(event)), limit, whenFull: 'wait' })
}
