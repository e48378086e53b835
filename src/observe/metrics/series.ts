/** The values of one combination of labels of a metric: a number, or the buckets of a histogram. Adding to them looks nothing up. */

import type { MetricValueWithName } from 'prom-client'
import { roundMoney } from '../../core/money.ts'

/** A value as the registry reads it. */
export type MetricSample = MetricValueWithName<string>

export interface Series {
  /** Adds to a counter, or adds a value to a histogram. */
  add(value: number): void
  /** Sets the value of a gauge, or of a counter that is counted elsewhere. A histogram has no such value. */
  set?(value: number): void
  samples(): MetricSample[]
}

type Labels = Readonly<Record<string, string>>

export class NumberSeries implements Series {
  readonly #labels: Labels
  #value = 0

  constructor(labels: Labels) {
    this.#labels = labels
  }

  add(by: number): void {
    const sum = this.#value + by
    this.#value = Number.isInteger(sum) ? sum : roundMoney(sum)
  }

  set(value: number): void {
    this.#value = value
  }

  samples(): MetricSample[] {
    return [{ labels: this.#labels, value: this.#value }]
  }
}

export class HistogramSeries implements Series {
  readonly #name: string
  readonly #labels: Labels
  readonly #bounds: readonly number[]
  /** The number of values in each bucket. The last bucket has no upper bound. */
  readonly #counts: number[]
  #sum = 0

  constructor(name: string, labels: Labels, bounds: readonly number[]) {
    this.#name = name
    this.#labels = labels
    this.#bounds = bounds
    this.#counts = Array(bounds.length + 1).fill(0)
  }

  add(value: number): void {
    let bucket = 0
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#sum += value
  }

  /** Returns the samples of a histogram in Prometheus' text format, in which each bucket counts all values up to its bound. */
  samples(): MetricSample[] {
    let count = 0
    const buckets = this.#counts.map((inBucket, i) => {
      count += inBucket
      return { metricName: `${this.#name}_bucket`, labels: { le: this.#bounds[i] ?? '+Inf', ...this.#labels }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${this.#name}_sum`, labels: this.#labels, value: this.#sum },
      { metricName: `${this.#name}_count`, labels: this.#labels, value: count },
    ]
  }
}
