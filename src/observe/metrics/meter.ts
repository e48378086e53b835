/** Keeps the values of the declared metrics, bounds their series, and renders them. */

import { type Counter, collectDefaultMetrics, Gauge, Histogram, Counter as NewCounter, Registry } from 'prom-client'
import { type MetricDeclaration, type MetricKey, maxSeries, metrics, otherSeries } from './declaration.ts'

type Instrument = Counter | Gauge | Histogram
/** The library's own object for one combination of labels of a metric. */
type Child = { inc?(by: number): void; set?(value: number): void; observe?(value: number): void }
/**
 * One combination of labels of a metric. `added`: what a counter was increased by since the last reading. It waits here, because the library
 * looks its object up by all labels again at each call, which costs more than all else that is counted of a request.
 */
type Series = { readonly child: Child; added: number }

/** A metric with its series, by the values of their labels. */
type Metric = { readonly declaration: MetricDeclaration; readonly instrument: Instrument; readonly series: Map<string, Series> }

/** A rendered page of metrics, and its content type. */
export type Page = { readonly type: string; readonly text: string }

const textType = Registry.PROMETHEUS_CONTENT_TYPE
const openMetricsType = Registry.OPENMETRICS_CONTENT_TYPE

/** The values of all metrics. Values of labels stand in the order of the declaration. */
export class Meter {
  readonly #registry = new Registry()
  readonly #metrics = new Map<MetricKey, Metric>()
  /** Called once for each metric whose series have reached the bound. */
  readonly #full: (name: string) => void
  /** The present rendering. A registry renders one format at a time. */
  #rendering: Promise<unknown> = Promise.resolve()

  constructor(full: (name: string) => void) {
    this.#full = full
    for (const [key, declaration] of Object.entries(metrics) as [MetricKey, MetricDeclaration][])
      this.#metrics.set(key, { declaration, instrument: instrumentOf(declaration, this.#registry), series: new Map() })
    collectDefaultMetrics({ register: this.#registry })
  }

  /** Adds to a counter. */
  add(key: MetricKey, labels: readonly string[], by = 1): void {
    this.#seriesOf(key, labels).added += by
  }

  /** Adds a value to a histogram. */
  observe(key: MetricKey, labels: readonly string[], value: number): void {
    this.#seriesOf(key, labels).child.observe?.(value)
  }

  /** Sets the value of a gauge. */
  set(key: MetricKey, labels: readonly string[], value: number): void {
    this.#seriesOf(key, labels).child.set?.(value)
  }

  /** Removes all series of a metric. */
  clear(key: MetricKey): void {
    const metric = this.#metrics.get(key)
    for (const name of metric?.series.keys() ?? []) metric?.instrument.remove(...(name === '' ? [] : name.split('\0')))
    metric?.series.clear()
  }

  /** Returns the present values for an export. */
  values(): ReturnType<Registry['getMetricsAsJSON']> {
    this.#handOver()
    return this.#registry.getMetricsAsJSON()
  }

  /** Renders all metrics in Prometheus' text format, or in OpenMetrics. */
  render(isOpenMetrics: boolean): Promise<Page> {
    const page = this.#rendering.then(async () => {
      const type = isOpenMetrics ? openMetricsType : textType
      this.#registry.setContentType(type as never)
      this.#handOver()
      return { type, text: await this.#registry.metrics() }
    })
    this.#rendering = page.catch(() => {})
    return page
  }

  /** Hands what counters were increased by to the library. */
  #handOver(): void {
    for (const { series } of this.#metrics.values())
      for (const each of series.values()) {
        if (each.added !== 0) each.child.inc?.(each.added)
        each.added = 0
      }
  }

  #seriesOf(key: MetricKey, labels: readonly string[]): Series {
    const metric = this.#metrics.get(key) as Metric
    const name = labels.join('\0')
    const known = metric.series.get(name)
    if (known) return known
    if (metric.series.size < maxSeries) return addSeries(metric, name, labels)
    const others = labels.map(() => otherSeries)
    const other = metric.series.get(others.join('\0'))
    if (other) return other
    this.#full(metric.declaration.name)
    return addSeries(metric, others.join('\0'), others)
  }
}

const addSeries = ({ instrument, series }: Metric, name: string, labels: readonly string[]): Series => {
  const added: Series = { child: instrument.labels(...labels), added: 0 }
  series.set(name, added)
  return added
}

const instrumentOf = ({ name, kind, help, labels, buckets }: MetricDeclaration, registry: Registry): Instrument => {
  const options = { name, help, labelNames: [...labels], registers: [registry] }
  if (kind === 'counter') return new NewCounter(options)
  return kind === 'gauge' ? new Gauge(options) : new Histogram({ ...options, buckets: [...(buckets ?? [])] })
}
