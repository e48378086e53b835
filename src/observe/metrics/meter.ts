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
type Series = { readonly labels: readonly string[]; readonly child: Child; added: number }
/** Series by the value of a label, then by that of the next label. A metric without labels has its only series under ''. */
type SeriesTree = Map<string, SeriesTree | Series>

type Metric = {
  readonly declaration: MetricDeclaration
  readonly instrument: Instrument
  readonly tree: SeriesTree
  readonly series: Series[]
}

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
      this.#metrics.set(key, { declaration, instrument: instrumentOf(declaration, this.#registry), tree: new Map(), series: [] })
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
    const { instrument, tree, series } = this.#metrics.get(key) as Metric
    for (const { labels } of series.splice(0)) instrument.remove(...labels)
    tree.clear()
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
      for (const each of series) {
        if (each.added !== 0) each.child.inc?.(each.added)
        each.added = 0
      }
  }

  #seriesOf(key: MetricKey, labels: readonly string[]): Series {
    const metric = this.#metrics.get(key) as Metric
    const known = seriesIn(metric.tree, labels)
    if (known) return known
    if (metric.series.length < maxSeries) return addSeries(metric, labels)
    const others = labels.map(() => otherSeries)
    const other = seriesIn(metric.tree, others)
    if (other) return other
    this.#full(metric.declaration.name)
    return addSeries(metric, others)
  }
}

const seriesIn = (tree: SeriesTree, labels: readonly string[]): Series | undefined => {
  let found = tree.get(labels[0] ?? '')
  for (let i = 1; found instanceof Map; i++) found = found.get(labels[i] as string)
  return found
}

const addSeries = ({ instrument, tree, series }: Metric, labels: readonly string[]): Series => {
  const added: Series = { labels, child: instrument.labels(...labels), added: 0 }
  series.push(added)
  const last = labels.slice(0, -1).reduce((level, label) => {
    const below = level.get(label)
    if (below instanceof Map) return below
    const next: SeriesTree = new Map()
    level.set(label, next)
    return next
  }, tree)
  last.set(labels.at(-1) ?? '', added)
  return added
}

const instrumentOf = ({ name, kind, help, labels, buckets }: MetricDeclaration, registry: Registry): Instrument => {
  const options = { name, help, labelNames: [...labels], registers: [registry] }
  if (kind === 'counter') return new NewCounter(options)
  return kind === 'gauge' ? new Gauge(options) : new Histogram({ ...options, buckets: [...(buckets ?? [])] })
}
