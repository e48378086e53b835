/** Opens the metrics of a gateway: the observer that counts, and the listener for scrapes and probes. Loaded only where metrics are on. */

import { version } from '../app/version.ts'
import { listenForMetrics } from '../http/metrics-listener.ts'
import { Gauges, type MetricSources } from '../observe/metrics/gauges.ts'
import { Meter } from '../observe/metrics/meter.ts'
import { createMetricsObserver } from '../observe/metrics/metrics-observer.ts'
import type { Closing, GatewayOptions } from './gateway-options.ts'

/** Listens for scrapes, once the parts of the gateway that are looked at are open. Throws a Fault. */
export type ListenForScrapes = (sources: Omit<MetricSources, 'version' | 'configuration'>, closing: Closing) => Promise<void>

/** Begins to count facts. Returns the function that listens for scrapes. */
export const beginMetrics = ({ config, log, clock, shared: { facts }, reloader }: GatewayOptions): ListenForScrapes => {
  const meter = new Meter((metric) => log('warn', { metric }, 'a metric has 1000 series: its further series are counted as "other"'))
  facts.observe(createMetricsObserver(meter, clock))
  const startedAt = clock.now()
  const configuration = () => {
    const { config: current, routes } = reloader.current()
    const reloadedAt = reloader.reloadedAt()
    return {
      routes: routes(),
      digests: current.digests,
      at: reloadedAt === null ? startedAt : Date.parse(reloadedAt),
      hasFailed: reloader.failed() !== null,
    }
  }
  return async (sources, closing) => {
    const gauges = new Gauges(meter, { ...sources, version, configuration }, clock)
    const listener = await listenForMetrics({
      ...config.metrics,
      notReady: sources.notReady,
      async render(isOpenMetrics) {
        await gauges.read()
        return await meter.render(isOpenMetrics)
      },
    })
    closing.push(() => listener.close())
    log('info', { url: `${listener.url}/metrics` }, 'metrics')
  }
}
