/** A running gateway as use cases ask it. */

import type { Operations } from './live/operations.ts'

/** The operations as promises, for it may be another process. Each throws a Fault: with exit 4 where the gateway is gone by now. */
export type RunningGateway = {
  readonly [Name in keyof Operations]: (...args: Parameters<Operations[Name]>) => Promise<Awaited<ReturnType<Operations[Name]>>>
}

/** Finds the gateway that serves a data directory. Whoever calls a use case hands one in. */
export interface GatewayFinder {
  /** `undefined`: none runs, or none can be reached from here. */
  find(): Promise<RunningGateway | undefined>
  /** Throws a Fault (exit 4) that says why there is none. */
  need(): Promise<RunningGateway>
}
