/** Compiles what the senders of a route get as answers, where that is not the gateway's usual answer. */

import type { RoutePlan } from '../../core/plan.ts'
import type { Route } from '../../generated/config.ts'
import type { StageKit } from '../stages/stage.ts'
import { verifyNames } from '../written-names.ts'
import { compileAwaitReply } from './await-reply.ts'
import { checkWait } from './check-wait.ts'
import { compileRespond } from './respond.ts'

/**
 * Returns the parts of a plan that make answers: by `respond` of the route, else by that of the scheme that the route names. Where the
 * answer waits for the reply, `respond` of the route is the answer with the reply only, but for its `outcomes`. Mistakes are reported.
 */
export const compileAnswers = (route: Route, kit: StageKit, isSplit: boolean): Pick<RoutePlan, 'respond' | 'awaitReply'> => {
  const names = verifyNames(route)
  const senders = kit.schemes.filter(({ name }) => names.includes(name))
  const { outcomes, ...written } = route.respond ?? {}
  const { wait_seconds: waitSeconds } = written
  const isShaped = waitSeconds === undefined && route.respond && (!outcomes || Object.keys(written).length > 0)
  const respond = compileRespond(isShaped ? written : senders.find((each) => each.respond)?.respond, outcomes, kit)
  const shaped = respond ? { respond } : {}
  if (waitSeconds === undefined) return shaped
  const known = senders.flatMap(({ waitsSeconds }) => waitsSeconds ?? [])
  const senderSeconds = known.length > 0 ? Math.min(...known) : undefined
  checkWait(route, waitSeconds, { isSplit, senderSeconds, report: kit.report })
  const awaitReply = compileAwaitReply({ ...written, wait_seconds: waitSeconds }, kit, senderSeconds)
  return { ...shaped, ...(awaitReply ? { awaitReply } : {}) }
}
