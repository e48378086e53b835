/** Connects to the database, again and again until that succeeds. */

import { type Clock, pause } from '../../../core/clock.ts'
import { backOff } from '../../../core/turns/back-off.ts'
import type { DatabaseConnection } from '../connection.ts'

/** The pause has jitter, because all gateways lose the database at once. */
const pauseAfter = backOff({ first: 25, most: 400, jitter: 0.5 })

export type Connecting = {
  readonly clock: Clock
  readonly connect: () => Promise<DatabaseConnection>
  /** Called on each connection that was opened, before any call is sent on it. Where it rejects, the connection is dropped. */
  readonly greet?: (connection: DatabaseConnection) => Promise<void>
}

/**
 * Tries until a connection is open and `greet` has resolved, or until the signal is aborted. `failed` is called with the error of each try.
 */
export const connectAgain = async (
  { clock, connect, greet }: Connecting,
  signal: AbortSignal,
  failed: (why: unknown) => void,
): Promise<DatabaseConnection | undefined> => {
  for (let failures = 1; !signal.aborted; failures++) {
    let connection: DatabaseConnection | undefined
    try {
      connection = await connect()
      await greet?.(connection)
      return connection
    } catch (error) {
      connection?.drop()
      failed(error)
      await pause(pauseAfter(failures), clock, signal)
    }
  }
  return undefined
}
