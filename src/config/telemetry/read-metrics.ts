/** Reads the section `metrics`. In place of a value of a wrong type, which the shape check has reported, a default counts. */

import { type Diagnostic, diagnostic, pointerOf } from '../../core/diagnostic.ts'
import { type JsonObject, numberOr } from '../../core/json.ts'
import { defaults } from '../../generated/defaults.ts'
import { type Config, isLoopback } from '../config.ts'
import type { Source } from '../yaml/source.ts'

/** WH240 reports metrics that other machines could read without a token. */
export const readMetrics = (
  { enabled, host, port, token }: JsonObject,
  source: Source | undefined,
  into: Diagnostic[],
): Config['metrics'] => {
  const metrics = {
    enabled: enabled === true,
    host: typeof host === 'string' ? host : defaults.metrics.host,
    port: numberOr(port, defaults.metrics.port),
    ...(typeof token === 'string' && token !== '' ? { token } : {}),
  }
  if (metrics.enabled && !isLoopback(metrics.host) && metrics.token === undefined) {
    const path = ['metrics', 'host']
    const message = `metrics.host is ${metrics.host}, so other machines can read the metrics, and no token is asked for`
    const more = { help: 'add token: ${METRICS_TOKEN} under metrics, or keep strangers away by the network', pointer: pointerOf(path) }
    into.push(diagnostic('WH240', message, { ...more, ...(source ? { place: source.place(path) } : {}) }))
  }
  return metrics
}
