/** What exports of traces and of metrics by OTLP share: their resource, their bounds, and the words for a failure. */

import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import type { OtlpReceiver, Telemetry } from '../../config/config.ts'
import { version } from '../../datadir/version.ts'

/**
 * Returns the settings of an exporter. A batch may take ten seconds, with the repeats that the exporter makes by itself. An answer that
 * never ends keeps its request open past that time; past three open requests none is made.
 */
export const exporterSettings = ({ url, headers }: OtlpReceiver) => ({
  url,
  headers: { ...headers },
  timeoutMillis: 10_000,
  concurrencyLimit: 3,
})

/**
 * Returns the resource that spans and metrics name as their source: this program, described by OpenTelemetry's conventions for a service.
 */
export const resourceOf = ({ serviceName, resource }: Pick<Telemetry, 'serviceName' | 'resource'>): Resource =>
  resourceFromAttributes({ ...resource, 'service.name': serviceName, 'service.version': version })

type Exporter<T> = { export(items: T, done: (result: ExportResult) => void): void }

/** Exports items. Rejects where the receiver did not take them. */
export const exportTo = <T>(exporter: Exporter<T>, items: T): Promise<void> =>
  new Promise((resolve, reject) => {
    exporter.export(items, ({ code, error }) => {
      if (code === ExportResultCode.SUCCESS) resolve()
      else reject(describeFailure(error))
    })
  })

/** The receiver's own words are not logged: a status is enough. */
const describeFailure = (error: (Error & { readonly code?: unknown }) | undefined): Error =>
  typeof error?.code === 'number' ? new Error(`HTTP ${error.code}`) : (error ?? new Error('no reason'))
