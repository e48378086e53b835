/** Turns a trace into plain data, as the editor service answers it. */

import { filters } from '../../parts/stages/filters.ts'
import type { Trace } from '../trace/trace.ts'
import type { TraceShown } from './service.ts'

/**
 * Returns the trace as plain data, which can go to another thread. An outcome has functions in it, so only its name and reason are kept.
 */
export const shownTrace = ({ event, parsed: _, outcome: __, ...shown }: Trace): TraceShown => ({
  ...shown,
  conditionsIn: filters.name,
  ...(event ? { eventType: event.eventType } : {}),
})
