/** Finds the lane of a run. A lane limits how many of its runs run at the same time (`concurrency`). */

import type { Event } from '../../../core/request.ts'
import { compileKey, keyName } from '../../../expr/event-key.ts'
import type { Route } from '../../../generated/config.ts'
import type { Lane } from '../../../store/ports.ts'
import type { StageKit } from '../../stages/stage.ts'
import { templateKit } from '../../template-kit.ts'

/** Compiles the lane of an event's run. Events without a key share one lane. */
export const compileLane = ({ concurrency }: Route, kit: StageKit): ((event: Event) => Promise<Lane>) | undefined => {
  if (!concurrency) return undefined
  const { limit, key } = concurrency
  const keyOf = key === undefined ? () => undefined : compileKey(key, templateKit(kit, ['concurrency', 'key']))
  return async (event) => ({ key: keyName('lane', event, await keyOf(event)), limit, whenFull: 'wait' })
}
