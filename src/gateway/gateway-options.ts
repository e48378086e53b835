/** The options that a gateway is opened with. */

import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Observer } from '../core/facts/facts.ts'
import type { Log } from '../core/log.ts'
import type { KeptSecrets } from '../datadir/secrets/kept-secrets.ts'
import type { SocketHandle } from '../node-internals/hand-socket.ts'
import type { SharedEffects } from '../serve/effects.ts'
import type { Reloader } from '../serve/reload.ts'

/** An observer that shows each request as it ends. `replacesLog`: the log is silent about requests. */
export type RequestsShown = { readonly observer: Observer; readonly replacesLog: boolean }

/**
 * A listening socket that another process opened, with `host` and `port` of the configuration as its address. `isKept`: a process keeps the
 * socket open after the end of this gateway, as systemd does.
 */
export type GivenSocket = { readonly handle: SocketHandle; readonly isKept: boolean }

export type GatewayOptions = {
  readonly socket?: GivenSocket | undefined
  readonly requests?: RequestsShown
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly redact: (text: string) => string
  readonly shared: SharedEffects
  readonly reloader: Reloader
  /** The secrets of programs; absent where no program is asked. */
  readonly secrets?: KeptSecrets | undefined
}
