/** Runs a request through a route's plan; knows no part by name. */

import { randomUUID } from 'node:crypto'
import type { Knock, Opened, Vouched } from '../core/exchange.ts'
import { type Outcome, type Refused, refuse } from '../core/outcome.ts'
import type { RoutePlan, Unseal } from '../core/plan.ts'

/** Told after each stage how it went: `undefined` went on. For debug logs and traces; absent on the hot path. */
export type Watch = (stage: string, ended: Outcome | undefined) => void

/** How a request ended, and which stage decided; it leaves a record once somebody vouched for it. */
export type Ended = {
  readonly outcome: Outcome
  readonly stage: string
  readonly vouched?: Vouched
  /** Absent where the body could not be read. */
  readonly opened?: Opened | undefined
}

/** What is left to do once the body is there. */
export type Proceed = (body: Buffer) => Ended | Promise<Ended>

/** Decides over the headers: an end, or how to go on with the body. */
export const admit = (plan: RoutePlan, knock: Knock, watch?: Watch): Ended | Proceed => {
  for (const { stage, run } of plan.knock) {
    const outcome = run(knock)
    watch?.(stage, outcome)
    if (outcome) return { outcome, stage }
  }
  const { stage } = plan.seal
  const unseal = plan.seal.run(knock)
  if (typeof unseal === 'function') return (body) => proceed(plan, knock, unseal, body, watch)
  watch?.(stage, unseal)
  return { outcome: unseal, stage }
}

const proceed = (plan: RoutePlan, knock: Knock, unseal: Unseal, body: Buffer, watch?: Watch): Ended | Promise<Ended> => {
  const { stage } = plan.seal
  const voucher = unseal(body)
  if ('kind' in voucher) {
    watch?.(stage, voucher)
    return { outcome: voucher, stage }
  }
  watch?.(stage, undefined)
  return resume(plan, { eventId: randomUUID(), headers: knock.headers, remote: knock.remote, at: knock.at, body, voucher }, watch)
}

/** Where a request is: the stage that runs, and the event as it was last seen. */
type Trail = { stage: string; opened: Opened | undefined }

/** A vouched request from its bytes to its end: also the way of one that was stored and is replayed. Never throws. */
export const resume = (plan: RoutePlan, vouched: Vouched, watch?: Watch): Ended | Promise<Ended> => {
  const trail: Trail = { stage: plan.open.stage, opened: undefined }
  const end = (outcome: Outcome): Ended => {
    // The claim and the work are one commit of the ending; in the specification's order they are two stages.
    const stage = outcome.kind === 'duplicate' ? 'duplicate' : trail.stage
    watch?.(stage, outcome)
    return { outcome, stage, vouched, opened: trail.opened }
  }
  try {
    const outcome = opened(plan, vouched, trail, watch)
    return outcome instanceof Promise ? outcome.then(end, (error) => end(broken(error))) : end(outcome)
  } catch (error) {
    return end(broken(error))
  }
}

const opened = (plan: RoutePlan, vouched: Vouched, trail: Trail, watch?: Watch): Outcome | Promise<Outcome> => {
  const event = plan.open.run(vouched)
  if ('kind' in event) return event
  watch?.(trail.stage, undefined)
  trail.opened = event
  return pass(plan, trail, event, 0, watch)
}

/** The gates from `first` on, then the ending; a promise only once a gate has returned one. */
const pass = (plan: RoutePlan, trail: Trail, start: Opened, first: number, watch?: Watch): Outcome | Promise<Outcome> => {
  let event = start
  for (let i = first; i < plan.pass.length; i++) {
    const { stage, run } = plan.pass[i] as RoutePlan['pass'][number]
    trail.stage = stage
    const next = run(event)
    if (next instanceof Promise) {
      return next.then((settled) => {
        if ('kind' in settled) return settled
        watch?.(stage, undefined)
        trail.opened = settled
        return pass(plan, trail, settled, i + 1, watch)
      })
    }
    if ('kind' in next) return next
    watch?.(stage, undefined)
    event = next
    trail.opened = next
  }
  trail.stage = plan.ending.stage
  return plan.ending.run(event)
}

/** A gate that throws is a bug of ours: the sender may try again, the log gets the reason. */
export const broken = (thrown: unknown): Refused =>
  refuse('internal', { detail: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
