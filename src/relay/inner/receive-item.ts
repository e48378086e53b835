/**
 * Runs a request that a relay kept through the plan of its route, as if its sender had posted it here: the same checks in the same order,
 * as of the time at which the relay got it.
 */

import type { Clock } from '../../core/clock.ts'
import { emitRequest } from '../../core/facts/emit-request.ts'
import type { EndedRequest } from '../../core/facts/fact.ts'
import type { Facts } from '../../core/facts/facts.ts'
import { joinHeaders, withoutOwnHeaders } from '../../core/headers.ts'
import { type Reply, refuse } from '../../core/outcome.ts'
import { type Again, refusalRow } from '../../core/outcome-table.ts'
import type { RoutePlan } from '../../core/plan.ts'
import { replyTo } from '../../core/reply.ts'
import type { RequestHead } from '../../core/request.ts'
import { beginRequest, type Watch } from '../../engine/run.ts'
import { endedOnError, failedRequest } from '../../http/exchange.ts'
import { checkBeforePlan, parsePath, type Serving } from '../../http/receive.ts'
import { statusToken } from '../../http/status/status-door.ts'
import type { WireFrame } from '../wire/frames.ts'
import { type ItemHead, isKept, type RelayHead } from '../wire/messages.ts'

export type ReceiveItemOptions = {
  readonly clock: Clock
  readonly serving: () => Serving
  /** Whether new requests are refused because the gateway stops. */
  readonly refusing: () => boolean
  readonly facts: Pick<Facts, 'emit'>
  readonly watch?: (route: string) => Watch
  /** Answers the holders of status addresses. */
  readonly status: (token: string) => Promise<Reply>
}

/**
 * An answer, and the id of the event that the request became. `replied`: where the sender waits for the reply of the run, resolves to the
 * answer with the reply, or to `undefined` where none comes in time.
 */
export type ItemAnswer = {
  readonly reply: Reply
  /**
   * Present where the request may be taken later, as the table of outcomes says. `limited`: the rate limit of this request's key is used
   * up. A request whose signature does not hold is never taken later.
   */
  readonly again?: Again | 'limited'
  readonly eventId?: string | undefined
  readonly replied?: Promise<Reply | undefined>
}

/** How much longer the id of a request is claimed than the relay keeps the request, so that no repeat is taken for another request. */
const claimMarginMs = 3_600_000

/** Resolves to the answer for the sender. Never rejects. */
export const receiveItem = async (item: WireFrame<ItemHead>, about: RelayHead, options: ReceiveItemOptions): Promise<ItemAnswer> => {
  const { clock, facts } = options
  const token = item.head.method === 'POST' ? undefined : statusToken(item.head.target)
  if (token !== undefined) return { reply: await options.status(token) }
  const startedAt = clock.monotonic()
  const head = headOf(item.head, about)
  const { ended, plan } = await run(head, item.body, { ...options, isOnce: !isKept(item.head.id) })
  const ms = (): number => clock.monotonic() - startedAt
  emitRequest(facts, { kind: 'request_ended', ended, route: plan, headers: head.headers, remote: head.remote, ms })
  const { awaited } = ended
  const reply = ended.reply ?? replyTo(ended.outcome)
  const again = againFor(ended)
  const answer = { reply, eventId: ended.verified?.eventId, ...(again ? { again } : {}) }
  if (!awaited) return answer
  const replied = new Promise<Reply | undefined>((resolve) => awaited.send(resolve))
  return { ...answer, reply: { ...reply, headers: { ...reply.headers, ...awaited.lateHeaders } }, replied }
}

const againFor = ({ outcome, unverified, event }: EndedRequest): ItemAnswer['again'] => {
  if (outcome.kind !== 'refused') return undefined
  const { again } = refusalRow(outcome)
  if (outcome.code !== 'rate_limited') return again
  return unverified ? undefined : event ? 'limited' : again
}

const headOf = ({ id, method, target, url, headers, remote, at }: ItemHead, { relay, keepMs }: RelayHead): RequestHead => {
  const rawHeaders = withoutOwnHeaders(headers)
  return {
    method,
    url: () => url,
    pathAndQuery: target,
    headers: joinHeaders(rawHeaders),
    rawHeaders,
    remote: () => remote,
    isProxied: () => false,
    at,
    kept: { id: `relay-${relay}-${id}`, claimMs: keepMs + claimMarginMs },
  }
}

type Ran = { readonly ended: EndedRequest; readonly plan?: RoutePlan }

const run = async (
  head: RequestHead,
  body: Buffer,
  { serving: servingNow, refusing, watch, isOnce }: ReceiveItemOptions & { readonly isOnce: boolean },
): Promise<Ran> => {
  const serving = servingNow()
  const path = parsePath(head.pathAndQuery ?? '')
  if (!path) return { ended: { outcome: refuse('unknown_route', { name: '' }), stage: 'route' } }
  const { rawHeaders = [], headers } = head
  // The body is read already, so its own size is checked below instead of the announced size. That check comes after the route is found, so
  // that the record of a refusal names the route.
  const { 'content-length': _, ...others } = headers
  const plan = endedOnError(() => checkBeforePlan({ rawHeaders: [...rawHeaders], headers: others }, path, serving, refusing()))
  if (!('authenticate' in plan)) return { ended: plan }
  if (body.length > serving.maxBodyBytes) return { ended: { outcome: refuse('too_large'), stage: 'body_size' }, plan }
  plan.scope.hold()
  try {
    return { ended: await runPlan(plan, head, body, { isOnce, watch: watch?.(plan.name) }), plan }
  } catch (error) {
    return { ended: failedRequest(error), plan }
  } finally {
    plan.scope.release()
  }
}

/** Runs the request through the plan. `isOnce`: the request is not tried again. */
const runPlan = async (
  plan: RoutePlan,
  head: RequestHead,
  body: Buffer,
  { isOnce, watch }: { readonly isOnce: boolean; readonly watch: Watch | undefined },
): Promise<EndedRequest> => {
  const proceed = await beginRequest(plan, head, watch)
  if (typeof proceed === 'function') return proceed(body)
  // A kept request is tried again, so it has one record: that of its last try.
  return (isOnce ? proceed.later?.(body) : undefined) ?? proceed
}
