/** Runs a request through a route's plan; knows no part by name. */

import type { Knock, Opened } from '../core/exchange.ts'
import { type Outcome, type Refused, refuse } from '../core/outcome.ts'
import type { Ending, RoutePlan, Step, Unseal } from '../core/plan.ts'

/** Told after each stage how it went: `undefined` went on. For debug logs and traces; absent on the hot path. */
export type Watch = (stage: string, ended: Outcome | undefined, opened?: Opened) => void

/** What is left to do once the body is there. */
export type Proceed = (body: Buffer) => Outcome | Promise<Outcome>

/** Decides over the headers: an end, or how to go on with the body. */
export const admit = (plan: RoutePlan, knock: Knock, watch?: Watch): Refused | Proceed => {
  for (const { stage, run } of plan.knock) {
    const refused = run(knock)
    watch?.(stage, refused)
    if (refused) return refused
  }
  const unseal = plan.seal.run(knock)
  if (typeof unseal === 'function') return (body) => proceed(plan, knock, unseal, body, watch)
  watch?.(plan.seal.stage, unseal)
  return unseal
}

const proceed = (plan: RoutePlan, knock: Knock, unseal: Unseal, body: Buffer, watch?: Watch): Outcome | Promise<Outcome> => {
  const voucher = unseal(body)
  if ('kind' in voucher) {
    watch?.(plan.seal.stage, voucher)
    return voucher
  }
  watch?.(plan.seal.stage, undefined)
  const opened = plan.open.run({ headers: knock.headers, remote: knock.remote, at: knock.at, body }, voucher)
  if ('kind' in opened) {
    watch?.(plan.open.stage, opened)
    return opened
  }
  watch?.(plan.open.stage, undefined, opened)
  return pass(plan, opened, 0, watch)
}

/** The gates from `first` on, then the ending; a promise only once a gate has returned one. */
const pass = (plan: RoutePlan, start: Opened, first: number, watch?: Watch): Outcome | Promise<Outcome> => {
  let opened = start
  for (let i = first; i < plan.pass.length; i++) {
    const { stage, run } = plan.pass[i] as RoutePlan['pass'][number]
    const next = run(opened)
    if (next instanceof Promise) {
      return next.then((settled) => {
        const ended = 'kind' in settled ? settled : undefined
        watch?.(stage, ended, opened)
        return 'kind' in settled ? settled : pass(plan, settled, i + 1, watch)
      })
    }
    if ('kind' in next) {
      watch?.(stage, next, opened)
      return next
    }
    watch?.(stage, undefined, next)
    opened = next
  }
  return finish(plan.ending, opened, watch)
}

const finish = ({ stage, run }: Step<Ending>, opened: Opened, watch?: Watch): Outcome | Promise<Outcome> => {
  const outcome = run(opened)
  if (!watch) return outcome
  const told = (ended: Outcome): Outcome => {
    // The claim and the work are one commit of the ending; in the specification's order they are two stages.
    if (ended.kind !== 'refused') watch('duplicate', ended.kind === 'duplicate' ? ended : undefined, opened)
    if (ended.kind !== 'duplicate') watch(stage, ended, opened)
    return ended
  }
  return outcome instanceof Promise ? outcome.then(told) : told(outcome)
}

/** A gate that throws is a bug of ours: the sender may try again, the log gets the reason. */
export const broken = (thrown: unknown): Refused =>
  refuse('internal', { detail: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
