/** The gate `rate_limit` refuses a request when the window of its route, a minute, is full of verified requests (rules: Rate limits 1). */

import { refuse } from '../../core/outcome.ts'
import type { StagePart } from './stage.ts'

const detail = 'the rate_limit of the route was reached'

export const rateLimit: StagePart = {
  name: 'rate_limit',
  compile(_route, { name, effects: { limiter } }) {
    return {
      onHead({ remote }) {
        const wait = limiter.wait(name)
        if (wait === 0) return undefined
        return refuse('rate_limited', {
          retryAfterSeconds: wait,
          detail,
          // A request with this mark is verified after its answer. If its signature is valid, its record has the body for a replay.
          ...(limiter.chargeLateCheck(name, remote) ? { isCheckedLater: true } : {}),
        })
      },
    }
  },
}
