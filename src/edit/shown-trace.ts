/** Turns a trace into plain data, for an answer of the editor service. */

import type { Reply } from '../core/outcome.ts'
import type { Trace } from '../dryrun/trace/trace.ts'

/** A trace as plain data, without the event, whose payload the editor has already. */
export type TraceShown = Omit<Trace, 'event' | 'outcome' | 'answer' | 'items'> & {
  readonly answer: Reply
  readonly eventType?: string
}

/**
 * Returns the trace as plain data, which can go to another thread. An outcome has functions in it, so only its name and reason are kept.
 */
export const shownTrace = ({ event, parsed: _, outcome: __, items: ___, ...shown }: Trace): TraceShown => ({
  ...shown,
  ...(event ? { eventType: event.eventType } : {}),
})
