/** Checks `poll` of a route: whether its address is that of a polling endpoint. */

import type { Route } from '../generated/config.ts'
import { endpointOf } from '../parts/polling/svix.ts'
import type { Report } from '../parts/report.ts'

/** Reports what cannot work in `poll` of a route; nothing where the route has none. */
export const checkPoll = ({ poll }: Route, report: Report): void => {
  const endpoint = poll && endpointOf(poll.url)
  if (endpoint && 'why' in endpoint) report('WH237', ['poll', 'url'], endpoint.why, endpoint.help)
}
