/** What gateways have in common beside their work, in the schema of their store. */

import type { RateShare, Shared } from '../shared.ts'
import { rateShareKind } from './calls/rate-calls.ts'
import { keyOf } from './keys.ts'
import type { Links } from './links.ts'

export class PostgresShared implements Shared {
  readonly #links: Links

  constructor(links: Links) {
    this.#links = links
  }

  takeRateShare(route: string, requests: number, limit: number): Promise<RateShare> {
    return this.#links.work.call(rateShareKind, { key: keyOf(route), requests, limit })
  }
}
