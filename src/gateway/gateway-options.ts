/** What a gateway is opened with. */

import type { SharedEffects } from '../app/live/effects.ts'
import type { Reloader } from '../app/live/reload.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Observer } from '../core/fact.ts'
import type { Log } from '../core/log.ts'

/** An observer that shows each request as it ends. `replacesLog`: the log is silent about requests. */
export type RequestsShown = { readonly observer: Observer; readonly replacesLog: boolean }

export type GatewayOptions = {
  readonly requests?: RequestsShown
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly redact: (text: string) => string
  readonly shared: SharedEffects
  readonly reloader: Reloader
}

/** How to close what is open, in the order in which it was opened. */
export type Closing = (() => Promise<unknown>)[]
