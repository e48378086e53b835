/**
 * The gate `event_rate` holds events to the `rate_limit` of their route, for all of them or for each value of its key
 * (rules: Rate limits 4). An event past the limit is refused. With `when_over: queue` each event goes on, and takes along the key by which
 * its run waits.
 */

import { refuse } from '../../core/outcome.ts'
import type { Event } from '../../core/request.ts'
import { compileKey, keyName } from '../../expr/event-key.ts'
import type { Route } from '../../generated/config.ts'
import { defaults } from '../../generated/defaults.ts'
import { splits } from '../route-batch.ts'
import { templateKit } from '../template-kit.ts'
import type { StageKit, StagePart } from './stage.ts'

export const eventRate: StagePart = {
  name: 'event_rate',
  compile(route, kit) {
    if (route.rate_limit === undefined) return {}
    const { per_minute: perMinute, key, when_over: whenOver } = { ...defaults.rate_limit, ...route.rate_limit }
    reportConflicts(route, whenOver, kit)
    const keyOf = key === undefined ? () => undefined : compileKey(key, templateKit(kit, ['rate_limit', 'key']))
    if (whenOver === 'queue') {
      if (key === undefined) return {}
      const withKey = (event: Event, value: string | undefined): Event =>
        value === undefined ? event : { ...event, rateKey: keyName('rate', event, value) }
      return { onEvent: kit.expressions.around((event) => settled(keyOf(event), (value) => withKey(event, value))) }
    }
    const rates = kit.effects.rates(kit.name)
    const detail = `the rate_limit of the route was reached: ${perMinute} events a minute${key === undefined ? '' : ` for each ${key}`}`
    return {
      onEvent: kit.expressions.around((event) =>
        settled(keyOf(event), (value) =>
          settled(rates.charge(keyName('rate', event, value), perMinute), (waitMs) =>
            waitMs === 0 ? event : refuse('rate_limited', { retryAfterSeconds: Math.ceil(waitMs / 1000), detail }),
          ),
        ),
      ),
    }
  },
}

const settled = <T, R>(value: T | Promise<T>, then: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(then) : then(value)

/** Reports keys of the route that its limit cannot be used with. */
const reportConflicts = (route: Route, whenOver: 'refuse' | 'queue', { report, schemes }: StageKit): void => {
  const { deliver_only: isDirectRoute, retry, cron_job: job } = route
  // The message of a `deliver_only` route with `retry` is a run, and can wait as one.
  const isDirect = isDirectRoute === true && retry === undefined
  if (whenOver === 'queue' && (isDirect || job !== undefined))
    report(
      'WH208',
      ['rate_limit', 'when_over'],
      `"when_over: queue" and "${isDirect ? 'deliver_only' : 'cron_job'}" cannot be used together`,
      isDirect
        ? 'a text that is delivered before the answer cannot wait: use refuse, or add retry'
        : 'a job has no queue of its own: use refuse',
    )
  if (whenOver === 'refuse' && splits(route, schemes))
    report(
      'WH208',
      ['rate_limit'],
      '"rate_limit" that refuses and "split" cannot be used together',
      'a request with more items than the limit would be refused each time it is repeated: use when_over: queue',
    )
}
