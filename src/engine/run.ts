/** Runs a request through a route's plan; knows no part by name. */

import { randomUUID } from 'node:crypto'
import type { Ended } from '../core/fact.ts'
import { type Outcome, type Refused, refuse } from '../core/outcome.ts'
import type { RoutePlan, VerifyBody } from '../core/plan.ts'
import type { Event, RequestHead, VerifiedRequest } from '../core/request.ts'

/** The engine calls it after each stage, for debug logs and traces; `ended` is `undefined` where the request went on. */
export type Watch = (stage: string, ended: Outcome | undefined, event?: Event) => void

/** What is left to do once the body is there. */
export type Proceed = (body: Buffer) => Ended | Promise<Ended>

/** Runs what needs the head alone: the request ends, or the caller gets the function that takes its body. */
export const admit = (plan: RoutePlan, head: RequestHead, watch?: Watch): Ended | Proceed => {
  for (const { stage, run } of plan.onHead) {
    const outcome = run(head)
    watch?.(stage, outcome)
    if (outcome) return { outcome, stage }
  }
  const { stage } = plan.authenticate
  const verifyBody = plan.authenticate.run(head)
  if (typeof verifyBody === 'function') return (body) => proceed(plan, head, verifyBody, body, watch)
  watch?.(stage, verifyBody)
  return { outcome: verifyBody, stage, unverified: head }
}

const proceed = (plan: RoutePlan, head: RequestHead, verifyBody: VerifyBody, body: Buffer, watch?: Watch): Ended | Promise<Ended> => {
  const { stage } = plan.authenticate
  const verification = verifyBody(body)
  if ('kind' in verification) {
    watch?.(stage, verification)
    return { outcome: verification, stage, unverified: { ...head, body } }
  }
  watch?.(stage, undefined)
  return resume(plan, { eventId: randomUUID(), headers: head.headers, remote: head.remote, at: head.at, body, verification }, watch)
}

/** Where a request is: the stage that runs, and the event as it was last seen. */
type Trail = { stage: string; event: Event | undefined }

/** Runs a verified request from its bytes to its end. A replay of a stored request enters here too. Never throws. */
export const resume = (plan: RoutePlan, request: VerifiedRequest, watch?: Watch): Ended | Promise<Ended> => {
  const trail: Trail = { stage: plan.parse.stage, event: undefined }
  const end = (outcome: Outcome): Ended => {
    // The ending commits the claim and the work at once, but the rules name them as two stages (rules: Order 1).
    const stage = outcome.kind === 'duplicate' ? 'duplicate' : trail.stage
    watch?.(stage, outcome)
    return { outcome, stage, verified: request, event: trail.event }
  }
  try {
    const outcome = parse(plan, request, trail, watch)
    return outcome instanceof Promise ? outcome.then(end, (error) => end(broken(error))) : end(outcome)
  } catch (error) {
    return end(broken(error))
  }
}

const parse = (plan: RoutePlan, request: VerifiedRequest, trail: Trail, watch?: Watch): Outcome | Promise<Outcome> => {
  const event = plan.parse.run(request)
  if ('kind' in event) return event
  trail.event = event
  watch?.(trail.stage, undefined, event)
  return applyGates(plan, trail, event, 0, watch)
}

/** The gates from `first` on, then the ending; a promise only once a gate has returned one. */
const applyGates = (plan: RoutePlan, trail: Trail, start: Event, first: number, watch?: Watch): Outcome | Promise<Outcome> => {
  let event = start
  for (let i = first; i < plan.onEvent.length; i++) {
    const { stage, run } = plan.onEvent[i] as RoutePlan['onEvent'][number]
    trail.stage = stage
    const next = run(event)
    if (next instanceof Promise) {
      return next.then((settled) => {
        if ('kind' in settled) return settled
        trail.event = settled
        watch?.(stage, undefined, settled)
        return applyGates(plan, trail, settled, i + 1, watch)
      })
    }
    if ('kind' in next) return next
    event = next
    trail.event = next
    watch?.(stage, undefined, next)
  }
  trail.stage = plan.ending.stage
  return plan.ending.run(event)
}

/** A gate that throws is a bug of ours: the sender may try again, the log gets the reason. */
export const broken = (thrown: unknown): Refused =>
  refuse('internal', { detail: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
