/** Two refusals after which a sender may soon send the event again: the store failed, or the work would exceed a limit. */

import type { StoreFault } from '../core/fault.ts'
import { type Refused, refuse } from '../core/outcome.ts'

const retryAfterSeconds = 5

/** Returns the refusal of a request whose work the store could not take. */
export const unavailable = (fault: StoreFault): Refused => refuse('unavailable', { retryAfterSeconds, detail: fault.message })

/** Returns the refusal of a request whose work would exceed a limit, such as the length of a queue. `detail`: the sentence for the log. */
export const overloaded = (detail: string): Refused => refuse('overloaded', { retryAfterSeconds, detail })
