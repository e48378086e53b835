/**
 * The gate `duplicate` gives an event the claim on its key, where `duplicates` of the route has a `key` (rules: Duplicates 8). The ending
 * commits this claim with that of the delivery id, and finds out whether the event is a duplicate.
 */

import { hourMs, minuteMs } from '../../core/clock.ts'
import { compileKey, keyName } from '../../expr/event-key.ts'
import { thenAll } from '../../expr/template.ts'
import { defaults } from '../../generated/defaults.ts'
import { templateKit } from '../template-kit.ts'
import type { StagePart } from './stage.ts'

export const duplicate: StagePart = {
  name: 'duplicate',
  compile({ duplicates = {} }, kit) {
    const { key, hours, minutes } = duplicates
    if (hours !== undefined && minutes !== undefined)
      kit.report('WH208', ['duplicates', 'minutes'], '"hours" and "minutes" cannot be used together', 'remove one of the two')
    if (key === undefined) return {}
    const holdMs = minutes === undefined ? hourMs * (hours ?? defaults.duplicates.hours) : minuteMs * minutes
    const keyOf = compileKey(key, templateKit(kit, ['duplicates', 'key']))
    return {
      onEvent: kit.expressions.around((event) => {
        // An operator who replays an event wants its work once more.
        if (event.isReplay) return event
        return thenAll([keyOf(event)], ([value]) => {
          if (value !== undefined) return { ...event, besideClaim: { key: keyName('@repeat', event, value), holdMs, of: 'duplicates' } }
          kit.effects.onlooker?.noted('the event has no value for the key of "duplicates": only its delivery id counts')
          return event
        })
      }),
    }
  },
}
