/** Refuses a request when the route's window is full of requests with a valid signature (rules: Rate limits 1). */

import { refuse } from '../../core/outcome.ts'
import type { StagePart } from './stage.ts'

export const rateLimit: StagePart = {
  name: 'rate_limit',
  compile(_route, { name, effects: { limiter } }) {
    return {
      onHead() {
        const wait = limiter.wait(name)
        return wait > 0 ? refuse('rate_limited', { retryAfterSeconds: wait }) : undefined
      },
    }
  },
}
