/** What use cases need of a running gateway. */

import type { Operations } from './live/operations.ts'

/** The operations of a gateway that may be another process. Each may throw a Fault, with exit 4 where the gateway is gone. */
export type RunningGateway = {
  readonly [Name in keyof Operations]: (...args: Parameters<Operations[Name]>) => Promise<Awaited<ReturnType<Operations[Name]>>>
}

/** Where the running gateway listens; `undefined` where none runs. */
export const runningAddress = async (finder: GatewayFinder): Promise<string | undefined> => {
  const gateway = await finder.find()
  return gateway && (await gateway.status()).url
}

/** Finds the gateway that serves a data directory. The caller of a use case provides it. */
export interface GatewayFinder {
  /** `undefined` where no gateway runs, or none can be reached. */
  find(): Promise<RunningGateway | undefined>
  /** Throws a Fault (exit 4) that says why there is none. */
  need(): Promise<RunningGateway>
}
