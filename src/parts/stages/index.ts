/** The registry of stages, in the order in which they run (rules: Order 1). */

import { events } from './events.ts'
import { filters } from './filters.ts'
import { json } from './json.ts'
import { rateLimit } from './rate-limit.ts'
import { script } from './script.ts'
import { signature } from './signature.ts'
import type { StagePart } from './stage.ts'

/**
 * `x-pipeline` of the schema has four more. `body_size` and `route` come before a plan is known (src/http/receive.ts). `duplicate`
 * and `dispatch` are one commit of the ending, so that a claimed id and its work are never apart.
 */
export const stages: readonly StagePart[] = [rateLimit, signature, json, events, filters, script]
