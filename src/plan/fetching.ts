/** Checks how a route fetches events from its sender: whose log `catch_up` names, and what address `poll` has. */

import type { Report } from '../core/diagnostic.ts'
import type { Route } from '../generated/config.ts'
import { endpointOf } from '../parts/polling/svix.ts'
import { senderLogsByName } from '../parts/sender-logs/index.ts'
import { verifyNames } from '../parts/written-names.ts'

/** Reports what cannot work in `catch_up` of a route; nothing where the route has none. */
export const checkCatchUpSettings = (route: Route, report: Report): void => {
  const { catch_up: settings } = route
  const part = settings && senderLogsByName.get(settings.from)
  if (!settings || !part) return
  part.check(settings, (code, path, message, help) => report(code, ['catch_up', ...path], message, help))
  const hours = settings.hours ?? 0
  if (hours > part.longestHours)
    report(
      'WH236',
      ['catch_up', 'hours'],
      `the log of ${part.title} goes back ${part.longestHours} hours`,
      `write at most ${part.longestHours}`,
    )
  const named = verifyNames(route)
  if (named.length > 0 && !named.some((name) => part.schemes.includes(name)))
    report(
      'WH236',
      ['catch_up', 'from'],
      `the log is that of ${part.title}, and the route verifies ${named.join(', ')}`,
      `verify: ${part.schemes[0]}`,
    )
}

/** Reports what cannot work in `poll` of a route; nothing where the route has none. */
export const checkPoll = ({ poll }: Route, report: Report): void => {
  const endpoint = poll && endpointOf(poll.url)
  if (endpoint && 'why' in endpoint) report('WH237', ['poll', 'url'], endpoint.why, endpoint.help)
}
