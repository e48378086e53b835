/**
 * A metric with its series. It has the members that prom-client's registry reads of a metric. The library's own metrics look a series up by
 * all its labels again at each call, which costs more than all else that is counted of a request.
 */

import type { MetricObjectWithValues } from 'prom-client'
import { type MetricDeclaration, maxSeries, otherSeries } from './declaration.ts'
import { HistogramSeries, type MetricSample, NumberSeries, type Series } from './series.ts'

/** Series by the value of a label, then by that of the next label. A metric without labels has its only series under ''. */
type SeriesTree = Map<string, SeriesTree | Series>

export class Metric {
  /** The name in a page. The registry changes it for OpenMetrics. */
  name: string
  readonly type: MetricDeclaration['kind']
  readonly #declaration: MetricDeclaration
  readonly #tree: SeriesTree = new Map()
  readonly #series: Series[] = []
  /** Called once, when the series have reached the bound. */
  readonly #full: (name: string) => void

  constructor(declaration: MetricDeclaration, full: (name: string) => void) {
    this.name = declaration.name
    this.type = declaration.kind
    this.#declaration = declaration
    this.#full = full
    // A rate is counted from the first value on, so a metric without labels is shown before it has counted anything.
    if (declaration.labels.length === 0) this.series([])
  }

  /** Returns the series of these labels, which stand in the order of the declaration. Past the bound it is the series of all others. */
  series(labels: readonly string[]): Series {
    const known = this.#find(labels)
    if (known) return known
    if (this.#series.length < maxSeries) return this.#add(labels)
    const others = labels.map(() => otherSeries)
    const other = this.#find(others)
    if (other) return other
    this.#full(this.#declaration.name)
    return this.#add(others)
  }

  clear(): void {
    this.#tree.clear()
    this.#series.length = 0
  }

  async get(): Promise<MetricObjectWithValues<MetricSample>> {
    const { name, type } = this
    const values = this.#series.flatMap((series) => series.samples())
    // The library's types say that the kind is a number. It is a text.
    return { name, help: this.#declaration.help, type: type as never, aggregator: 'sum', values, collect: () => {} }
  }

  #find(labels: readonly string[]): Series | undefined {
    let found = this.#tree.get(labels[0] ?? '')
    for (let i = 1; found instanceof Map; i++) found = found.get(labels[i] as string)
    return found
  }

  #add(values: readonly string[]): Series {
    const { name, kind, labels: names, buckets = [] } = this.#declaration
    const labels = Object.fromEntries(names.map((label, i) => [label, values[i] ?? '']))
    const added = kind === 'histogram' ? new HistogramSeries(name, labels, buckets) : new NumberSeries(labels)
    this.#series.push(added)
    const last = values.slice(0, -1).reduce((level, label) => {
      const below = level.get(label)
      if (below instanceof Map) return below
      const next: SeriesTree = new Map()
      level.set(label, next)
      return next
    }, this.#tree)
    last.set(values.at(-1) ?? '', added)
    return added
  }
}
