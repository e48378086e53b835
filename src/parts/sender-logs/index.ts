/** The list of senders whose logs of deliveries a catch-up can read. */

import type { Report } from '../../core/diagnostic.ts'
import type { Route } from '../../generated/config.ts'
import { verifyNames } from '../written-names.ts'
import { circleci } from './circleci.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import type { SenderLogPart } from './sender-log.ts'
import { stripe } from './stripe.ts'

export const senderLogs: readonly SenderLogPart[] = [github, gitlab, circleci, stripe]

/** Whether a route names a sender that has a log, so that it could have `catch_up`. */
export const hasSenderLog = ({ spec }: { readonly spec: Pick<Route, 'verify'> }): boolean => {
  const named = verifyNames(spec)
  return senderLogs.some(({ name }) => named.includes(name))
}

export const senderLogsByName: ReadonlyMap<string, SenderLogPart> = new Map(senderLogs.map((log) => [log.name, log]))

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
