/** Keeps the values of the declared metrics, and renders them with those of the process that prom-client collects. */

import { collectDefaultMetrics, Registry } from 'prom-client'
import { type MetricDeclaration, type MetricKey, metrics } from './declaration.ts'
import { Metric } from './metric.ts'

export type MetricsPage = { readonly type: string; readonly text: string }

const textType = Registry.PROMETHEUS_CONTENT_TYPE
const openMetricsType = Registry.OPENMETRICS_CONTENT_TYPE

/** The values of all metrics. Values of labels stand in the order of the declaration. */
export class Meter {
  readonly #registry = new Registry()
  readonly #metrics: { readonly [key in MetricKey]: Metric }
  /**
   * The names of all metrics. For OpenMetrics the registry takes `_total` off the names of counters, and does not put it back
   * (prom-client 15.1).
   */
  readonly #names: ReadonlyMap<{ name: string }, string>
  /** The present reading. A registry renders one format at a time. */
  #reading: Promise<unknown> = Promise.resolve()

  /** `full`: called once for each metric, at its first series past `maxSeries`. That series and all later new ones count as `other`. */
  constructor(full: (name: string) => void) {
    const made = Object.entries(metrics as { readonly [key: string]: MetricDeclaration }).map(
      ([key, declaration]) => [key, new Metric(declaration, full)] as const,
    )
    for (const [, metric] of made) this.#registry.registerMetric(metric as never)
    this.#metrics = Object.fromEntries(made) as { readonly [key in MetricKey]: Metric }
    collectDefaultMetrics({ register: this.#registry })
    this.#names = new Map(this.#registry.getMetricsAsArray().map((metric) => [metric, metric.name]))
  }

  /** Adds to a counter, or adds a value to a histogram. */
  add(key: MetricKey, labels: readonly string[], value = 1): void {
    this.#metrics[key].series(labels).add(value)
  }

  /** Sets the value of a gauge, or of a counter that is counted elsewhere. */
  set(key: MetricKey, labels: readonly string[], value: number): void {
    this.#metrics[key].series(labels).set?.(value)
  }

  /** Removes all series of a metric. */
  clear(key: MetricKey): void {
    this.#metrics[key].clear()
  }

  values(): ReturnType<Registry['getMetricsAsJSON']> {
    return this.#read(() => this.#registry.getMetricsAsJSON())
  }

  /** Renders all metrics in Prometheus' text format, or in OpenMetrics. */
  render(isOpenMetrics: boolean): Promise<MetricsPage> {
    const type = isOpenMetrics ? openMetricsType : textType
    return this.#read(async () => {
      this.#registry.setContentType(type as never)
      return { type, text: await this.#registry.metrics() }
    })
  }

  /** Reads the registry once the reading before has ended. */
  #read<T>(read: () => Promise<T>): Promise<T> {
    const reading = this.#reading.then(() => {
      for (const [metric, name] of this.#names) metric.name = name
      return read()
    })
    this.#reading = reading.catch(() => {})
    return reading
  }
}
