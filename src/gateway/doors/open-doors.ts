/** Opens the ways by which requests and commands come into a gateway, and what tells load balancers and operators of its state. */

import type { Config } from '../../config/config.ts'
import type { Scope } from '../../core/scope.ts'
import type { RunningGateway } from '../../datadir/running-gateway.ts'
import type { FeatureKit } from '../../features/feature.ts'
import { type OpenedFeatures, openFeatures } from '../../features/features.ts'
import { controlSocket, listen, listenControl, recordPid } from '../../http/index.ts'
import type { Listener } from '../../http/server.ts'
import { servedAs } from '../../plan/table.ts'
import { Readiness } from '../../serve/readiness.ts'
import { createRefusedSignatures } from '../../serve/refused-signatures.ts'
import { createStatusAnswers, type StatusAnswer } from '../../serve/replies/status-answers.ts'
import type { ConsoleChild } from '../console-child.ts'
import type { Stopping } from '../ending.ts'
import type { GatewayOptions } from '../gateway-options.ts'
import { createSocketHandOver } from '../hand-over.ts'
import { type OpenedRelay, openRelay } from '../open-relay.ts'
import type { GatewayServices } from '../open-services.ts'
import { isLasting } from '../open-store.ts'
import { createOperations } from '../operations/operations.ts'
import { noListener } from './no-listener.ts'
import { watching } from './request-watch.ts'

/** The ways by which requests and commands come in: the HTTP server and the control socket. */
export type Doors = {
  readonly features: OpenedFeatures
  readonly relay: OpenedRelay
  readonly listener: Listener
  readonly operations: RunningGateway
  readonly stopping: Stopping
  readonly stopAsked: Promise<void>
}

/** Opens the Readiness, which knows whether a load balancer should send requests to this gateway. */
const openReadiness = ({ log, clock, shared }: GatewayOptions, work: GatewayServices, stopping: () => boolean, scope: Scope): Readiness => {
  const readiness = new Readiness({
    store: work.store,
    clock,
    log,
    facts: shared.facts,
    stopping,
    isTooNew: () => work.replicas?.isTooNew ?? false,
  })
  shared.facts.observe(readiness)
  scope.defer(() => readiness.close())
  return readiness
}

const openConsole = async ({ config, clock, log }: GatewayOptions, scope: Scope): Promise<ConsoleChild | undefined> => {
  if (!config.console.enabled) return undefined
  const { keepConsole } = await import('../console-child.ts')
  const kept = keepConsole({ dataDir: config.dataDir, configFile: config.file, settings: config.console, clock, log })
  scope.defer(() => kept.close())
  return kept
}

/** Returns where the listener finds its certificates: in the latest configuration. `undefined` without TLS. */
const certificatesOf = ({ config: { tls }, reloader, shared: { facts } }: GatewayOptions) =>
  tls && { settings: () => reloader.current().config.tls ?? tls, facts }

/** Makes what answers at status addresses. */
const statusAnswersOf = (
  { shared: { replies }, reloader: { current } }: GatewayOptions,
  { store, records }: GatewayServices,
): StatusAnswer => createStatusAnswers({ store, records, replies, route: (name) => servedAs(current().table, name)?.source.spec })

/** Whether somebody reads the metrics of this gateway, or a receiver gets them. */
const isMetered = ({ metrics, telemetry }: Config): boolean => metrics.enabled || telemetry?.metrics !== undefined

/** Opens the control socket, and writes a file by which commands find this process. */
const openControl = async (
  { config, log, clock }: GatewayOptions,
  operations: RunningGateway,
  tails: GatewayServices['tails'],
  scope: Scope,
): Promise<void> => {
  const control = await listenControl({ path: controlSocket(config.dataDir), operations, log, clock })
  scope.defer(() => control.close())
  scope.defer(() => tails.close())
  const unrecord = recordPid(config.dataDir)
  scope.defer(() => unrecord())
}

/** `stop` resolves `stopAsked`. */
const createStopAsked = (): { readonly stop: () => void; readonly stopAsked: Promise<void> } => {
  let stop = (): void => {}
  const stopAsked = new Promise<void>((resolve) => {
    stop = resolve
  })
  return { stop: () => stop(), stopAsked }
}

const kitOf = (
  { config: { dataDir }, clock, log, redact, shared, reloader: { current } }: GatewayOptions,
  work: GatewayServices,
  takesEvents: () => boolean,
  scope: Scope,
): FeatureKit => ({ ...shared, ...work, dataDir, clock, log, redact, current, takesEvents, scope })

/** Opens the HTTP server and the control socket. */
export const openDoors = async (options: GatewayOptions, work: GatewayServices, scope: Scope): Promise<Doors> => {
  const { config, log, clock, shared, reloader } = options
  const { facts } = shared
  const stopping: Stopping = { now: false, timeoutMs: 0, hasSuccessor: options.socket?.isKept === true && isLasting(config.storage) }
  const { stop, stopAsked } = createStopAsked()
  const refused = createRefusedSignatures({ facts, clock, serving: reloader.current })
  scope.defer(() => refused.close())
  const isStopping = (): boolean => stopping.now
  const isLeaving = (): boolean => stopping.now && !stopping.hasSuccessor
  // What a leaving gateway still accepts into a shared store is the work of the other gateways.
  const isRefusing = (): boolean => isLeaving() && !work.store.shared
  const serveMetrics = isMetered(config) ? (await import('../open-metrics.ts')).beginMetrics(options) : undefined
  const takesEvents = (): boolean => notReady() === undefined && !stopping.now
  const features = openFeatures(kitOf(options, work, takesEvents, scope))
  const readiness = openReadiness(options, work, isLeaving, scope)
  // The metrics are opened last. Their scope is made here, before the listener, so that they are closed after the listener and show a stop
  // to its end.
  const metricsScope = scope.inner()
  const notReady = (): string | undefined => readiness.reason()
  const status = statusAnswersOf(options, work)
  const door = { facts: refused, refusing: isRefusing, status, ...watching(log, work.traces && clock) }
  const open = config.relay?.listen === false ? async () => noListener(config.relay?.url ?? '') : listen
  const listener = await open({
    ...door,
    host: config.host,
    port: config.port,
    socket: options.socket?.handle,
    clock,
    serving: reloader.current,
    hasFailed: shared.limiter.hasFailed,
    stopping: isStopping,
    isReady: () => notReady() === undefined,
    tls: certificatesOf(options),
  })
  scope.defer(() => listener.close(stopping.timeoutMs))
  await features.begin()
  const relay = openRelay(options, door, scope)
  const browserConsole = await openConsole(options, scope)
  const operations = createOperations({
    ...work,
    reloader,
    facts,
    clock,
    shared,
    url: listener.url,
    certificates: listener.certificates,
    secrets: options.secrets,
    stopping: isStopping,
    notReady,
    stop,
    handOver: createSocketHandOver({ ...options, listener, stopping }),
    signInUrl: browserConsole?.signInUrl,
    features,
    relay,
  })
  await openControl(options, operations, work.tails, scope)
  const counts = { runsInProgress: () => work.worker.inProgress, waitingRequests: () => shared.replies.count }
  const views = { relay: relay.view, polls: features.status }
  await serveMetrics?.({ store: work.store, http: listener, ...counts, ...views, notReady }, metricsScope)
  await work.replicas?.begin({ url: listener.url, requests: listener.active, isStopping, notReady, reload: operations.reload })
  scope.defer(() => work.replicas?.leave())
  return { listener, operations, features, relay, stopping, stopAsked }
}
