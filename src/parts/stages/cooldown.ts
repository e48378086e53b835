/**
 * The gate `cooldown` gives an event the claim that holds back those after it, where the route has a `cooldown` (rules: Cooldowns 1). The
 * ending commits this claim with that of the delivery id, and finds out whether another event holds this one back.
 */

import { minuteMs } from '../../core/clock.ts'
import type { Event } from '../../core/request.ts'
import { compileKey, keyName } from '../../expr/event-key.ts'
import { thenAll } from '../../expr/template.ts'
import type { Route } from '../../generated/config.ts'
import { defaults } from '../../generated/defaults.ts'
import { templateKit } from '../template-kit.ts'
import type { StageKit, StagePart } from './stage.ts'

export const cooldown: StagePart = {
  name: 'cooldown',
  compile(route, kit) {
    if (route.cooldown === undefined) return {}
    const { key, minutes, last } = { ...defaults.cooldown, ...route.cooldown }
    reportConflicts(route, last, kit)
    const held = (event: Event, value?: string): Event => {
      const claim = { key: keyName('@cooldown', event, value), holdMs: minuteMs * minutes, of: 'cooldown', last } as const
      return { ...event, besideClaim: claim }
    }
    const keyOf = key === undefined ? undefined : compileKey(key, templateKit(kit, ['cooldown', 'key']))
    return {
      onEvent: kit.expressions.around((event) => {
        // An operator who replays an event wants its work now.
        if (event.isReplay) return event
        if (!keyOf) return held(event)
        return thenAll([keyOf(event)], ([value]) => {
          if (value !== undefined) return held(event, value)
          kit.effects.onlooker?.noted('the event has no value for the key of "cooldown": nothing holds it back')
          return event
        })
      }),
    }
  },
}

/** Reports keys of the route that its cooldown cannot be used with. */
const reportConflicts = (
  { duplicates, deliver_only: isDirect, retry, cron_job: job }: Route,
  last: boolean,
  { report }: StageKit,
): void => {
  const refuse = (path: string, other: string, help: string): void =>
    report(
      'WH208',
      ['cooldown', ...(path === '' ? [] : [path])],
      `"cooldown${path && '.'}${path}" and "${other}" cannot be used together`,
      help,
    )
  if (duplicates?.key !== undefined) refuse('', 'duplicates.key', 'both hold back events with the same key: remove one of the two')
  if (last && isDirect && !retry) refuse('last', 'deliver_only', 'a text that is delivered before the answer cannot wait: add retry')
  if (last && job !== undefined) refuse('last', 'cron_job', 'a job does not wait for the last event: remove last')
}
