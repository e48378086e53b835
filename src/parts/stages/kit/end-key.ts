/** The keys by which the later events of a route end its unfinished work (`cancel_on`, `supersede`). */

import { hash } from 'node:crypto'
import type { MaybePromise } from '../../../core/plan.ts'
import type { Event } from '../../../core/request.ts'
import { compileKey, keyName } from '../../../expr/event-key.ts'
import { thenAll } from '../../../expr/template.ts'
import type { Route } from '../../../generated/config.ts'
import { templateKit } from '../../template-kit.ts'
import type { StageKit } from '../stage.ts'

/**
 * Compiles the key of `cancel_on` or `supersede` to the 20 characters that a run has of it. Equal texts for both keys of a route give one
 * key. `undefined` for an event without a value: events about different things would otherwise end each other.
 */
export const compileEndKey = (
  section: 'cancel_on' | 'supersede',
  route: Route,
  kit: StageKit,
): ((event: Event) => MaybePromise<string | undefined>) => {
  const text = route[section]?.key ?? ''
  const keyOf = compileKey(text, templateKit(kit, [section, 'key']))
  reportMixedGroup(section, text, route, kit)
  return (event) =>
    thenAll([keyOf(event)], ([value]) => {
      if (value !== undefined) return hash('sha256', `${keyName('end', event, value)}/${text}`, 'base64url').slice(0, 20)
      kit.effects.onlooker?.noted(`the event has no value for the key of "${section}": it ends nothing, and nothing ends its work`)
      return undefined
    })
}

/** Reports a group of events with several keys, all of which its run is about: the end of one would end the others. */
const reportMixedGroup = (section: string, text: string, { coalesce }: Route, { report }: StageKit): void => {
  if (coalesce?.keep !== 'all' || text === coalesce.key) return
  const why = `with "coalesce.keep: all" a run is about all events of its group, so "${section}.key" must be the key of the group`
  report('WH208', [section, 'key'], why, `write ${JSON.stringify(coalesce.key)}, or keep: latest`)
}
