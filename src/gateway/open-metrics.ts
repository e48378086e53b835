/** Opens the metrics of a gateway: the observer that counts, the listener for scrapes and probes, and the push by OTLP. */

import type { Scope } from '../core/scope.ts'
import { version } from '../datadir/version.ts'
import { listenForMetrics } from '../http/metrics-listener.ts'
import { Gauges, type MetricSources } from '../observe/metrics/gauges.ts'
import { Meter } from '../observe/metrics/meter.ts'
import { createMetricsObserver } from '../observe/metrics/metrics-observer.ts'
import type { GatewayOptions } from './gateway-options.ts'

/**
 * Begins to serve and to push the metrics, once the parts of the gateway that the metrics read are open. Throws a Fault when the listener
 * cannot listen.
 */
export type ServeMetrics = (sources: Omit<MetricSources, 'version' | 'configuration'>, scope: Scope) => Promise<void>

/** Begins to count facts. Returns the function that serves the metrics. */
export const beginMetrics = (options: GatewayOptions): ServeMetrics => {
  const { config, log, clock, shared } = options
  const meter = new Meter((metric) => log('warn', { metric }, 'a metric has 1000 series: its further series are counted as "other"'))
  shared.facts.observe(createMetricsObserver(meter, clock))
  const configuration = configurationOf(options)
  return async (sources, scope) => {
    const gauges = new Gauges(meter, { ...sources, version, configuration }, clock)
    if (config.metrics.enabled) await listen(options, meter, gauges, sources.notReady, scope)
    const { telemetry } = config
    if (telemetry?.metrics === undefined) return
    // The exporters are loaded only where metrics are pushed.
    const { pushMetrics } = await import('../observe/metrics/push-metrics.ts')
    const read = (): Promise<void> => gauges.read()
    pushMetrics({ telemetry: { ...telemetry, metrics: telemetry.metrics }, meter, read, clock, log, scope })
  }
}

const configurationOf = ({ clock, reloader }: GatewayOptions): MetricSources['configuration'] => {
  const startedAt = clock.now()
  return () => {
    const { config, served } = reloader.current()
    const reloadedAt = reloader.reloadedAt()
    return {
      routes: served().length,
      digests: config.digests,
      at: reloadedAt === null ? startedAt : Date.parse(reloadedAt),
      hasFailed: reloader.failed() !== null,
    }
  }
}

const listen = async (
  { config, log }: GatewayOptions,
  meter: Meter,
  gauges: Gauges,
  notReady: MetricSources['notReady'],
  scope: Scope,
): Promise<void> => {
  const listener = await listenForMetrics({
    ...config.metrics,
    notReady,
    async render(isOpenMetrics) {
      await gauges.read()
      return await meter.render(isOpenMetrics)
    },
  })
  scope.defer(() => listener.close())
  log('info', { url: `${listener.url}/metrics` }, 'metrics')
}
