/** Which runs of a route take turns (`concurrency`). */

import type { Opened } from '../../../core/exchange.ts'
import { compileKey, keyName } from '../../../expr/event-key.ts'
import type { Route } from '../../../generated/config.ts'
import type { Lane } from '../../../store/ports.ts'
import type { StageKit } from '../../stages/stage.ts'
import { templateKit } from './template-kit.ts'

/** The lane of an event's run; events whose key is unresolved share one. */
export const compileLane = ({ concurrency }: Route, kit: StageKit): ((opened: Opened) => Promise<Lane | undefined>) => {
  if (!concurrency) return async () => undefined
  const { limit, key } = concurrency
  const keyOf = key === undefined ? () => undefined : compileKey(key, templateKit(kit, ['concurrency', 'key']))
  return async (opened) => ({ key: keyName('lane', opened, await keyOf(opened)), limit, whenFull: 'wait' })
}
