/** The refusals after which a sender may send the event again soon. */

import type { StoreFault } from '../core/fault.ts'
import { type Refused, refuse } from '../core/outcome.ts'

const retryAfterSeconds = 5

/** Returns the refusal for work that the store did not take. */
export const unavailable = (fault: StoreFault): Refused => refuse('unavailable', { retryAfterSeconds, detail: fault.message })

/** Returns the refusal for work that there is no room for. */
export const overloaded = (detail: string): Refused => refuse('overloaded', { retryAfterSeconds, detail })
