/**
 * What becomes of an event on which a `{= expression }` of its route fails: the event goes on with an empty text in its place, or is
 * refused, as `expression_error` says (rules: Templates 7). Its record has the reason either way.
 */

import { type Outcome, type Refused, refuse } from '../core/outcome.ts'
import { isTakenOutcome } from '../core/outcome-table.ts'
import type { MaybePromise } from '../core/plan.ts'
import type { Event } from '../core/request.ts'
import type { Route } from '../generated/config.ts'

/** Refuses the event: `note` throws this error inside a stage or ending, and `around` catches it and returns a refusal. */
class RefusedEvent extends Error {}

export class FailedExpressions {
  /** Whether an event on which an expression fails is refused. */
  readonly refuses: boolean
  /** Only a template with an expression can fail. Other routes are run as they are. */
  readonly #mayFail: boolean
  readonly #reasons = new WeakMap<Event, readonly string[]>()

  constructor(route: Route) {
    this.refuses = route.expression_error === 'refuse'
    this.#mayFail = JSON.stringify(route).includes('{=')
  }

  /** Notes that an expression failed on an event. Throws a RefusedEvent where the event is to be refused. */
  readonly note = (event: Event, reason: string): void => {
    if (this.refuses) throw new RefusedEvent(reason)
    this.#reasons.set(event, [...(this.#reasons.get(event) ?? []), reason])
  }

  /** Returns a stage or ending that does the same as `run`, adds the failures to its outcome, and refuses events. */
  around<T extends Event | Outcome>(run: (event: Event) => MaybePromise<T>): (event: Event) => MaybePromise<T | Refused> {
    if (!this.#mayFail) return run
    return (event) => {
      const ended = run(event)
      return ended instanceof Promise ? ended.then((settled) => this.#told(event, settled), asRefusal) : ended
    }
  }

  #told<T extends Event | Outcome>(event: Event, ended: T): T {
    const reasons = this.#reasons.get(event)
    if (!reasons) return ended
    if (!('kind' in ended)) {
      this.#reasons.set(ended, reasons)
      return ended
    }
    return isTakenOutcome(ended) ? { ...ended, note: reasons.join('; ') } : ended
  }
}

const asRefusal = (error: unknown): Refused => {
  if (!(error instanceof RefusedEvent)) throw error
  return refuse('expression_failed', { detail: error.message })
}
