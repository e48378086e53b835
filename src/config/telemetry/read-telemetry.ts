/**
 * Reads the settings of telemetry: the section `telemetry`, and the usual variables of OpenTelemetry (`OTEL_*`), which win. In place of a
 * value of a wrong type, which the shape check has reported, a default counts.
 */

import { type Diagnostic, diagnostic, type Path, pointerOf } from '../../core/diagnostic.ts'
import { isObject, type JsonObject, numberOr } from '../../core/json.ts'
import { defaults } from '../../generated/defaults.ts'
import type { Config, Telemetry } from '../config.ts'
import { type Env, isUnknown, parseFlag } from '../env.ts'
import { hasReference } from '../secrets/reference.ts'
import type { Source } from '../yaml/source.ts'
import { parsePairs } from './pairs.ts'

/**
 * Reads the telemetry; `undefined` where nothing is to be sent. WH234 reports an address of a receiver that cannot be used, and WH102 a
 * variable that cannot be used.
 */
export const readTelemetry = (written: JsonObject, env: Env, source: Source | undefined, into: Diagnostic[]): Config['telemetry'] => {
  const known = isUnknown(env) ? {} : env
  if (parseFlag(known.OTEL_SDK_DISABLED ?? '') === true) return undefined
  const otlp = isObject(written.otlp) ? written.otlp : {}
  const traces = isObject(written.traces) ? written.traces : {}
  const variables: Variables = { env: known, into }
  const fromFile = endpointOfFile(otlp.endpoint, source, into)
  const signal = (name: 'traces' | 'metrics') => endpointOf(name, otlp, fromFile, variables)
  const metrics = known.OTEL_METRICS_EXPORTER?.trim() === 'none' ? undefined : signal('metrics')
  const spans = traces.enabled === false || known.OTEL_TRACES_EXPORTER?.trim() === 'none' ? undefined : signal('traces')
  if (!spans && !metrics) return undefined
  const { service_name: name } = written
  const { 'service.name': named, ...resource } = parsePairs(known.OTEL_RESOURCE_ATTRIBUTES ?? '')
  return {
    serviceName: known.OTEL_SERVICE_NAME || named || (typeof name === 'string' && name) || defaults.telemetry.service_name,
    resource,
    content: written.content === true,
    ...(spans ? { traces: { ...spans, ratio: ratioOf(traces, variables) } } : {}),
    ...(metrics ? { metrics } : {}),
  }
}

type Variables = { readonly env: Env; readonly into: Diagnostic[] }

const isHttpAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

const wrongAddress = 'is not an http or https address without a user name'

/**
 * Returns the address in the file; `undefined` where there is none that can be used. `resolveSecrets` reports an address that is not
 * resolved.
 */
const endpointOfFile = (endpoint: unknown, source: Source | undefined, into: Diagnostic[]): string | undefined => {
  if (typeof endpoint !== 'string' || hasReference(endpoint)) return undefined
  if (isHttpAddress(endpoint)) return endpoint
  const path: Path = ['telemetry', 'otlp', 'endpoint']
  const place = source ? { place: source.place(path) } : {}
  into.push(
    diagnostic('WH234', `endpoint ${wrongAddress}`, {
      help: 'write it as http://127.0.0.1:4318',
      ...place,
      pointer: pointerOf(path),
    }),
  )
  return undefined
}

/**
 * Returns where one signal goes. A variable for this signal has the whole address; of other addresses, the path of the signal is added. The
 * headers of the file are secrets, so they go only to the address of the file.
 */
const endpointOf = (
  signal: 'traces' | 'metrics',
  otlp: JsonObject,
  fromFile: string | undefined,
  { env, into }: Variables,
): Telemetry['metrics'] => {
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_`
  /** Returns the variable of the signal alone, where it is set, else that of both signals. */
  const variableOf = (what: string): string => (env[own + what]?.trim() ? own + what : `OTEL_EXPORTER_OTLP_${what}`)
  const of = (what: string): string | undefined => env[variableOf(what)]?.trim() || undefined
  const inEnv = of('ENDPOINT')
  const address = inEnv ?? fromFile
  if (address === undefined) return undefined
  if (!isHttpAddress(address)) {
    report(into, 'WH234', `the variable ${variableOf('ENDPOINT')} ${wrongAddress}`)
    return undefined
  }
  const url = new URL(address)
  if (variableOf('ENDPOINT') !== `${own}ENDPOINT`) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/${signal}`
  const headers = inEnv === undefined && isObject(otlp.headers) ? textsIn(otlp.headers) : {}
  const protocol = of('PROTOCOL')
  if (protocol !== undefined && !['http/json', 'http/protobuf'].includes(protocol))
    report(into, 'WH102', `the variable ${variableOf('PROTOCOL')} must be http/protobuf or http/json`)
  return {
    url: url.href,
    headers: { ...headers, ...parsePairs(of('HEADERS') ?? '') },
    protocol: (protocol ?? otlp.protocol) === 'http/json' ? 'http/json' : defaults.otlp.protocol,
  }
}

/** Reports a variable, once for both signals. */
const report = (into: Diagnostic[], code: 'WH102' | 'WH234', message: string): void => {
  if (into.some((found) => found.message === message)) return
  into.push(diagnostic(code, message, { help: 'mend it in the environment or in .env' }))
}

const textsIn = (map: JsonObject): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

/**
 * Returns the share of traces that are sampled. A parent's decision counts in any case, so a sampler means the same with and without the
 * prefix `parentbased_`.
 */
const ratioOf = ({ ratio }: JsonObject, { env, into }: Variables): number => {
  const written = numberOr(ratio, defaults.traces.ratio)
  const sampler = (env.OTEL_TRACES_SAMPLER ?? '').trim().replace(/^parentbased_/, '')
  if (sampler === '') return written
  if (sampler === 'always_on') return 1
  if (sampler === 'always_off') return 0
  const share = Number((env.OTEL_TRACES_SAMPLER_ARG ?? '').trim() || 1)
  if (sampler === 'traceidratio' && share >= 0 && share <= 1) return share
  const [name, must] =
    sampler === 'traceidratio'
      ? ['OTEL_TRACES_SAMPLER_ARG', 'a number from 0 to 1']
      : ['OTEL_TRACES_SAMPLER', 'always_on, always_off or traceidratio, or one of them after parentbased_']
  report(into, 'WH102', `the variable ${name} must be ${must}`)
  return written
}
