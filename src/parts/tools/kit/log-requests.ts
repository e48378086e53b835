/** Makes the function that logs each web address which a run requests, also an address that a site redirects it to. */

import type { Log } from '../../../core/log.ts'
import { excerpt, printable } from '../../../core/text.ts'
import type { ToolCall } from '../tool.ts'

export const logRequests =
  (log: Log, { route, deliveryId }: ToolCall['run'], message: string) =>
  (address: string): void =>
    log('info', { route, delivery_id: deliveryId, url: printable(excerpt(address, 300)) }, message)
