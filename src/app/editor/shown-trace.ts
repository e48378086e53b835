/** Turns a trace into the form that an editor gets. */

import { filters } from '../../parts/stages/filters.ts'
import type { Trace } from '../trace/trace.ts'
import type { TraceShown } from './service.ts'

/**
 * Returns the trace as plain data, which can go to another thread. An outcome has functions in it, so the trace keeps only its name and
 * reason.
 */
export const shownTrace = ({ event, parsed: _, outcome: __, ...shown }: Trace): TraceShown => ({
  ...shown,
  conditionsIn: filters.name,
  ...(event ? { eventType: event.eventType } : {}),
})
