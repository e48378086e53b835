/** The list of senders whose logs of deliveries a catch-up can read. */

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
