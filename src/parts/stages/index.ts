/** The stages that a route's keys may leave gates of, in their order (rules: Order 1). */

import { events } from './events.ts'
import { filters } from './filters.ts'
import { json } from './json.ts'
import { rateLimit } from './rate-limit.ts'
import { script } from './script.ts'
import { signature } from './signature.ts'
import type { StagePart } from './stage.ts'

/**
 * `x-pipeline` has four more: `body_size` and `route` come before a plan is known (http/receive.ts), `duplicate` and
 * `dispatch` are one commit of the ending, so that a claimed id and its work are never apart.
 */
export const stages: readonly StagePart[] = [rateLimit, signature, json, events, filters, script]
