/** Pushes the metrics to a receiver of OTLP once a minute. A receiver that fails holds nobody up: the next push has all values again. */

import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import type { Telemetry } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import type { Log } from '../../core/log.ts'
import type { Scope } from '../../core/scope.ts'
import { printable } from '../../core/text.ts'
import { repeat } from '../../core/turns/repeat.ts'
import { throwTimeout, within } from '../../core/turns/within.ts'
import { exporterSettings, exportTo, resourceOf } from '../otlp/otlp-export.ts'
import type { Meter } from './meter.ts'
import { resourceMetrics } from './otlp-metrics.ts'

export type PushOptions = {
  readonly telemetry: Telemetry & Required<Pick<Telemetry, 'metrics'>>
  readonly meter: Meter
  /** Reads the gauges, before their values are taken. */
  readonly read: () => Promise<void>
  readonly clock: Clock
  readonly log: Log
  readonly scope: Scope
}

/** The interval that OpenTelemetry's SDKs have by default. */
const everyMs = 60_000
/** How long a push may take, with its repeats. */
const pushMs = 15_000
/** How long a stop waits for the present push, and for the last push after it. */
const presentPushMs = 500
const lastPushMs = 1_000

/** Pushes until the end of the scope, which makes the last push. */
export const pushMetrics = ({ telemetry, meter, read, clock, log, scope }: PushOptions): void => {
  const Exporter = telemetry.metrics.protocol === 'http/json' ? JsonExporter : ProtobufExporter
  const exporter = new Exporter(exporterSettings(telemetry.metrics))
  const resource = resourceOf(telemetry)
  const startedAt = clock.now()
  let isFailing = false
  const send = async (): Promise<void> => {
    await read()
    await exportTo(exporter, resourceMetrics(await meter.values(), resource, { startedAt, now: clock.now() }))
  }
  const push = async (ms: number): Promise<void> => {
    try {
      await within(send(), ms, clock, throwTimeout('no answer', ms))
      if (isFailing) log('info', {}, 'the receiver of metrics takes metrics again')
      isFailing = false
    } catch (error) {
      if (!isFailing) log('warn', { reason: printable(messageOf(error), 200) }, 'the receiver of metrics does not take metrics')
      isFailing = true
    }
  }
  const pushing = repeat(clock, everyMs, () => push(pushMs))
  scope.defer(async () => {
    // A push that hangs is not waited for, and no other push is begun beside it.
    const isOver = await within(
      pushing.stop().then(() => true),
      presentPushMs,
      clock,
      () => false,
    )
    if (isOver) await push(lastPushMs)
  })
}
