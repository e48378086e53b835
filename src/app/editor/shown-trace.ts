/** A trace as an editor gets it. */

import { filters } from '../../parts/stages/filters.ts'
import type { Trace } from '../trace/trace.ts'
import type { TraceShown } from './service.ts'

/** Plain data, which can go to another thread: an outcome words its details by functions, and its name and reason are beside it. */
export const shownTrace = ({ event, parsed: _, outcome: __, ...shown }: Trace): TraceShown => ({
  ...shown,
  conditionsIn: filters.name,
  ...(event ? { eventType: event.eventType } : {}),
})
