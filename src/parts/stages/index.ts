/** The list of stages, in the order in which they run (rules: Order 1). */

import { cancelOn } from './cancel-on.ts'
import { chooseAgent } from './choose-agent.ts'
import { client } from './client.ts'
import { cooldown } from './cooldown.ts'
import { deliverIf } from './deliver-if.ts'
import { duplicate } from './duplicate.ts'
import { eventRate } from './event-rate.ts'
import { events } from './events.ts'
import { filters } from './filters.ts'
import { json } from './json.ts'
import { lookup } from './lookup.ts'
import { ownComment } from './own-comment.ts'
import { payloadSchema } from './payload-schema.ts'
import { rateLimit } from './rate-limit.ts'
import { script } from './script.ts'
import { signature } from './signature.ts'
import type { StagePart } from './stage.ts'
import { supersede } from './supersede.ts'
import { transform } from './transform.ts'

/**
 * The stages of a plan. `x-pipeline` in the schema lists the steps of a request for people, and has three more. `body_size` and `route` run
 * before the route's plan is known (src/http/receive.ts). `dispatch` is the ending. Where it stores work, it makes the claims that the stages
 * `duplicate` and `cooldown` are about in the same commit, so that no delivery id is claimed without its work.
 */
export const stages: readonly StagePart[] = [
  rateLimit,
  client,
  signature,
  json,
  cancelOn,
  events,
  ownComment,
  payloadSchema,
  filters,
  eventRate,
  lookup,
  script,
  transform,
  duplicate,
  cooldown,
  supersede,
  deliverIf,
  chooseAgent,
]
