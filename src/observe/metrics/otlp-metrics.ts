/** Turns the values of a registry into the metrics of OpenTelemetry's model, which its exporters take. */

import { type HrTime, ValueType } from '@opentelemetry/api'
import { millisToHrTime } from '@opentelemetry/core'
import type { Resource } from '@opentelemetry/resources'
import { AggregationTemporality, DataPointType, type MetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics'
import { version } from '../../datadir/version.ts'
import type { Meter } from './meter.ts'

type Exported = Awaited<ReturnType<Meter['values']>>[number]
type Sample = Exported['values'][number] & { readonly metricName?: string }
type Interval = { readonly startTime: HrTime; readonly endTime: HrTime }

/**
 * Turns the values of a meter into the metrics that OTLP exports. `startedAt`: when the meter began to count. `now`: the present time. Both
 * are in milliseconds since 1970.
 */
export const resourceMetrics = (
  values: readonly Exported[],
  resource: Resource,
  { startedAt, now }: { readonly startedAt: number; readonly now: number },
): ResourceMetrics => {
  const interval = { startTime: millisToHrTime(startedAt), endTime: millisToHrTime(now) }
  const metrics = values.filter(({ values: samples }) => samples.length > 0).map((value) => metricData(value, interval))
  return { resource, scopeMetrics: [{ scope: { name: 'headgate', version }, metrics }] }
}

const unitOf = (name: string): string => {
  if (/_seconds(?:_total)?$/.test(name)) return 's'
  return /_bytes(?:_total)?$/.test(name) ? 'By' : '1'
}

const metricData = ({ name, help, type, values }: Exported, interval: Interval): MetricData => {
  const descriptor = { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE }
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE }
  // The library's types say that the kind is a number. It is a text.
  const kind = String(type)
  if (kind === 'histogram') return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(values, interval) }
  const dataPoints = values.map(({ labels, value }) => ({ ...interval, attributes: textsOf(labels), value }))
  return kind === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
}

type Labels = Sample['labels']

const textsOf = (labels: Labels): { [name: string]: string } =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]))

type HistogramPoint = Extract<MetricData, { dataPointType: DataPointType.HISTOGRAM }>['dataPoints'][number]

/** Puts the samples of each histogram together: those of its buckets, which count up to their bound, its sum and its count. */
const histograms = (samples: readonly Sample[], interval: Interval): HistogramPoint[] => {
  const points = new Map<string, { labels: Labels; bounds: number[]; upTo: number[]; sum: number; count: number }>()
  for (const { labels, value, metricName = '' } of samples) {
    const { le, ...own } = labels
    const key = JSON.stringify(own)
    const point = points.get(key) ?? { labels: own, bounds: [], upTo: [], sum: 0, count: 0 }
    points.set(key, point)
    if (metricName.endsWith('_sum')) point.sum = value
    else if (metricName.endsWith('_count')) point.count = value
    else if (le !== '+Inf') {
      point.bounds.push(Number(le))
      point.upTo.push(value)
    }
  }
  return [...points.values()].map(({ labels, bounds, upTo, sum, count }) => ({
    ...interval,
    attributes: textsOf(labels),
    value: { buckets: { boundaries: bounds, counts: [...upTo, count].map((value, i) => value - (upTo[i - 1] ?? 0)) }, sum, count },
  }))
}
