/** Logs the web addresses that the agent of a run fetches. */

import type { Log } from '../../../core/log.ts'
import { excerpt, printable } from '../../../core/text.ts'
import type { ToolCall } from '../tool.ts'

/** Makes the function that logs one address, with the route and the delivery id of the run. `message`: what is done with the address. */
export const logRequests =
  (log: Log, { route, deliveryId }: ToolCall['run'], message: string) =>
  (address: string): void =>
    log('info', { route, delivery_id: deliveryId, url: printable(excerpt(address, 300)) }, message)
