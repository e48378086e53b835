/** Says whether the signature of a captured request holds for a route, as the gateway would decide it, and if not, why. */

import { systemClock } from '../core/clock.ts'
import { exit, Fault } from '../core/fault.ts'
import type { Outcome } from '../core/outcome.ts'
import { outcomeReason } from '../core/outcome-table.ts'
import type { RoutePlan } from '../core/plan.ts'
import type { UnverifiedRequest } from '../core/request.ts'
import { findRoute, readRoutesFor } from '../datadir/routes.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { inflatedHead, isCompressed } from '../parts/body/inflate.ts'
import { ReadOnceBody } from '../parts/body/request-body.ts'
import { type Diagnosis, diagnoseSignature } from '../parts/diagnose-signature.ts'
import { catalogueOf } from '../plan/catalogue.ts'
import { quietBook } from '../plan/check.ts'
import { schemesFor } from '../plan/route-schemes.ts'
import { dryPlan } from './trace/dry-plan.ts'

/** `accepted`: the signature holds, or the route takes requests without a signature. */
export type VerifiedOffline = Diagnosis & {
  readonly route: string
  readonly accepted: boolean
  /**
   * `scheme`: the scheme whose signature held; `none` for a route that takes requests without a signature. `secret`: the position of the
   * secret with which it held among the route's secrets, from 0. Both are `undefined` for a request that is not accepted.
   */
  readonly scheme: string | undefined
  readonly secret: number | undefined
}

/** Verifies the request. Throws a Fault for a route that does not exist, or that is not served as it is written. */
export const verifyRequest = async (workspace: Workspace, asked: string, request: UnverifiedRequest): Promise<VerifiedOffline> => {
  const entries = await readRoutesFor(workspace, asked)
  const { name, route } = findRoute(entries, asked)
  const { config } = entries.loaded
  const { catalogue } = await catalogueOf(config)
  if (!route) {
    const hint = `${workspace.self} validate`
    throw new Fault('invalid_route', `"${name}" is not served: its entry is not valid`, { exitCode: exit.no, hint })
  }
  const dry = dryPlan({ source: route, config, catalogue, effects: { jobs: quietBook(config, catalogue), clock: systemClock } })
  const verify = dry.plan().authenticate.run(request)
  const sent = await inflatedRequest(dry.plan(), request)
  const verified = await (typeof verify === 'function' ? verify(new ReadOnceBody(sent.headers, sent.body ?? Buffer.alloc(0))) : verify)
  await dry.close()
  const diagnosis = diagnoseSignature(sent, { secrets: route.secrets, verify: route.spec.verify }, schemesFor(route, catalogue))
  if ('scheme' in verified) {
    const { scheme, secret } = verified
    return { ...diagnosis, route: name, accepted: true, scheme, secret, why: '' }
  }
  return { ...diagnosis, route: name, accepted: false, scheme: undefined, secret: undefined, why: diagnosis.why || reasonText(verified) }
}

/** Returns a compressed request with its inflated body. One that cannot be inflated stays as it is, and its signature does not hold. */
const inflatedRequest = async (plan: RoutePlan, request: UnverifiedRequest): Promise<UnverifiedRequest> => {
  if (!request.body || !isCompressed(request.headers)) return request
  const inflated = await plan.inflate(request, request.body)
  return 'kind' in inflated ? request : { ...inflatedHead(request, request.body), body: inflated }
}

const reasonText = (outcome: Outcome): string => outcomeReason(outcome) ?? 'refused'
