/** Finds the session of a run: the lasting conversation of its event (`session`). */

import type { NewRun } from '../../../core/new-run.ts'
import type { Event } from '../../../core/request.ts'
import { maxSessionName } from '../../../core/session.ts'
import { compileKey, keyName } from '../../../expr/event-key.ts'
import type { Route } from '../../../generated/config.ts'
import type { StageKit } from '../../stages/stage.ts'
import { templateKit } from '../../template-kit.ts'

/**
 * Makes the function that names the session of an event's run. An event without a key, or with too long a key, is logged, and its run has
 * no session. `undefined`: the route has no sessions.
 */
export const compileSession = ({ session }: Route, kit: StageKit): ((event: Event) => Promise<NewRun['session']>) | undefined => {
  if (!session) return undefined
  const keyOf = compileKey(session.key, templateKit(kit, ['session', 'key']))
  return async (event) => {
    const name = await keyOf(event)
    if (name !== undefined && name.length <= maxSessionName) return { key: keyName('session', event, name), name }
    const { profile, route, deliveryId, eventType } = event
    const reason = name === undefined ? 'the event has no key' : `the key is longer than ${maxSessionName} characters`
    kit.effects.log('warn', { profile, route, delivery_id: deliveryId, event_type: eventType, reason }, 'the run has no session')
    return undefined
  }
}
