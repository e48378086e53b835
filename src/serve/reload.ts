/**
 * Takes a new configuration over as a whole, or refuses it, logs the reasons, and keeps the old configuration in use. Settings that a
 * running process cannot change stay as they were at the start.
 */

import type { Config } from '../config/config.ts'
import { isSameDatabase } from '../config/storage/server-address.ts'
import type { ConfigReading, Read } from '../config/thread/load-in-thread.ts'
import type { Clock } from '../core/clock.ts'
import { type Diagnostic, diagnostic } from '../core/diagnostic.ts'
import type { Facts } from '../core/facts/facts.ts'
import { messageOf } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import type { ControlQuestions, FailedReload, ReloadResult } from '../generated/control.ts'
import { differencesOf } from './config-differences.ts'
import type { LiveConfig } from './live-config.ts'
import { logDiagnostics } from './log-diagnostics.ts'
import { changedSections, lostRoutes, routeChanges } from './route-changes.ts'

export type ReloadOptions = {
  /** The configuration with which the gateway started. */
  readonly first: LiveConfig
  readonly log: Log
  readonly facts: Pick<Facts, 'emit'>
  readonly clock: Clock
  readonly read: Read
  readonly compile: (config: Config, before: LiveConfig) => Promise<LiveConfig>
}

export interface Reloader {
  /** Returns the configuration in use. A request or a run takes it once and keeps it. */
  current(): LiveConfig
  /**
   * Reads the files, and takes their configuration over; where it does not, the result says why. `force` allows a reload that removes most
   * routes. Rejects when the reading or the compiling fails, and when the gateway is stopping.
   */
  reload(question?: ControlQuestions['reload']): Promise<ReloadResult>
  /** Reads the files, and resolves to the result that a reload would have now. Nothing is taken over. Rejects as `reload` does. */
  preview(question?: ControlQuestions['previewReload']): Promise<ReloadResult>
  /** Returns the ISO time of the last reload that was taken over; `null` before the first. */
  reloadedAt(): string | null
  /** Returns the settings that the last reload that was taken over found changed, and that only a restart takes over. */
  needsRestart(): readonly string[]
  /** Returns the last reload if it was refused or failed; `null` once a later reload was taken over. */
  failed(): FailedReload | null
  /** Aborts the reading of files. No configuration is taken over any more. */
  stop(): void
}

/** The message of a reload that is refused, because it would lose the last good subscriptions or jobs. */
const unreadableEntries = 'the subscriptions file or a jobs file cannot be read now, and a new configuration would serve without it'

export const createReloader = ({ first, log, facts, clock, read, compile }: ReloadOptions): Reloader => {
  let current = first
  let at: string | null = null
  let failed: FailedReload | null = null
  let needRestart: readonly string[] = []
  const now = (): string => new Date(clock.now()).toISOString()
  const fail = (reason: string): void => {
    failed = { at: now(), reason }
  }
  const stopping = new AbortController()
  const takeOver = async (reading: ConfigReading, { force, isPreview, differences }: ReloadTask): Promise<ReloadResult> => {
    const before = current
    const { config, restart } = onThisProcess(reading.config, before.config)
    const next = await compile(config, before)
    try {
      const changes = {
        ...routeChanges(before.config.routes, config.routes),
        sections: changedSections(before.config, config),
      }
      const obstacles = [...obstaclesTo(next, before), ...(force ? [] : lostRoutes(before.config, config, changes))]
      const diagnostics = await reading.located([...obstacles, ...reading.diagnostics, ...next.diagnostics])
      stopping.signal.throwIfAborted()
      const obstacle = obstacles[0] ?? diagnostics.find(({ stopsStart }) => stopsStart)
      const result = { ok: !obstacle, diagnostics, restart, changes }
      if (isPreview) return differences ? { ...result, differences: differencesOf(before.config, reading.config, changes) } : result
      if (obstacle) fail(reasonOfObstacle(obstacle))
      else {
        current = next
        at = now()
        failed = null
        needRestart = restart
      }
      await logDiagnostics(diagnostics, log)
      facts.emit(
        obstacle ? { kind: 'config_refused' } : { kind: 'config_replaced', routes: next.served().length, changes, needRestart: restart },
      )
      return result
    } finally {
      // After a reload the earlier configuration is closed, after a refused reload or a preview the new configuration.
      const idle = current === next ? before : next
      idle.close()
    }
  }
  const inTurn = reloadsInTurn(async (task) => {
    try {
      return await read(current.config.routes, stopping.signal, (reading) => takeOver(reading, task))
    } catch (error) {
      if (!task.isPreview) fail(messageOf(error))
      throw error
    }
  })
  return {
    current: () => current,
    reloadedAt: () => at,
    needsRestart: () => needRestart,
    failed: () => failed,
    reload: ({ force = false } = {}) => inTurn({ force, isPreview: false, differences: false }),
    preview: ({ force = false, differences = false } = {}) => inTurn({ force, isPreview: true, differences }),
    stop: () => stopping.abort(new Error('the gateway is stopping')),
  }
}

type ReloadTask = { readonly force: boolean; readonly isPreview: boolean; readonly differences: boolean }
type WaitingReload = { force: boolean; differences: boolean; readonly result: Promise<ReloadResult> }

/**
 * Makes reloads and previews run one after the other: files that were read earlier must not replace files that were read later. Meanwhile,
 * at most one further reload waits, and at most one further preview. Callers that come meanwhile share the waiting one and its result. An
 * option that one of them sets (`force`, `differences`) counts for all of them.
 */
const reloadsInTurn = (reload: (task: ReloadTask) => Promise<ReloadResult>) => {
  let last: Promise<unknown> = Promise.resolve()
  const waiting = new Map<boolean, WaitingReload>()
  return ({ force, isPreview, differences }: ReloadTask): Promise<ReloadResult> => {
    const found = waiting.get(isPreview)
    if (found) {
      found.force ||= force
      found.differences ||= differences
      return found.result
    }
    const begin = (): Promise<ReloadResult> => {
      waiting.delete(isPreview)
      return reload({ force: added.force, isPreview, differences: added.differences })
    }
    const added: WaitingReload = { force, differences, result: last.then(begin, begin) }
    waiting.set(isPreview, added)
    last = added.result
    return added.result
  }
}

/**
 * Returns Diagnostics that forbid a reload to take the configuration over and that are no mistakes in it: the adapter is not enabled, or
 * the last good subscriptions or jobs would be lost.
 */
const obstaclesTo = (next: LiveConfig, before: LiveConfig): Diagnostic[] => {
  const isLost = (!next.complete() && before.complete()) || next.stale()
  return [
    ...(next.config.enabled
      ? []
      : [
          diagnostic('WH109', 'the webhook adapter is not enabled: to stop the gateway, stop its process', {
            help: 'set platforms.webhook.enabled: true',
          }),
        ]),
    ...(isLost ? [diagnostic('WH803', unreadableEntries, { help: 'mend it first' })] : []),
  ]
}

const reasonOfObstacle = ({ code, message, place }: Diagnostic): string =>
  `${code} ${message}${place ? ` (${place.file}:${place.line}:${place.column})` : ''}`

/**
 * Returns the storage settings after a reload. The store stays as it is, but a new retention counts from now on, and a new login to the
 * same database is used for the next connection.
 */
const mergeStorageOnReload = (next: Config['storage'], storage: Config['storage']): Config['storage'] => {
  const { retention, url } = next
  const isKept = url === undefined || storage.url === undefined || !isSameDatabase(url, storage.url)
  return { ...storage, retention, ...(isKept ? {} : { url }) }
}

/** What a listener cannot change of its TLS: whether it speaks TLS, and whether it asks clients for certificates. Files may change. */
const tlsOfListener = (tls: Config['tls']): string => (tls ? `tls${tls.clientCa === undefined ? '' : ', clients'}` : 'none')

/**
 * Returns the new configuration with the settings of this process where a running process cannot change them, and the names of such
 * settings that differ (`restart`). The bound address above all must stay, because it decides whether INSECURE_NO_AUTH is allowed.
 */
const onThisProcess = (
  next: Config,
  { host, port, tls, console, metrics, storage, telemetry, relay }: Config,
): { config: Config; restart: readonly string[] } => {
  const hasSameTls = tlsOfListener(next.tls) === tlsOfListener(tls)
  const changes: readonly (readonly [string, unknown, unknown])[] = [
    ['host', next.host, host],
    ['port', next.port, port],
    ['tls', tlsOfListener(next.tls), tlsOfListener(tls)],
    ['console', JSON.stringify(next.console), JSON.stringify(console)],
    ['metrics', JSON.stringify(next.metrics), JSON.stringify(metrics)],
    ['telemetry', JSON.stringify(next.telemetry), JSON.stringify(telemetry)],
    ['relay', next.relay === undefined && relay !== undefined, false],
    ['relay.listen', next.relay?.listen ?? true, relay?.listen ?? true],
    ['storage.kind', next.storage.kind, storage.kind],
    ['storage.durability', next.storage.durability, storage.durability],
    ['storage.schema', next.storage.schema, storage.schema],
    ['storage.url', isSameDatabase(next.storage.url ?? '', storage.url ?? ''), true],
  ]
  return {
    config: {
      ...next,
      host,
      port,
      tls: hasSameTls ? next.tls : tls,
      console,
      metrics,
      telemetry,
      relay: next.relay ? { ...next.relay, listen: relay?.listen ?? true } : relay,
      storage: mergeStorageOnReload(next.storage, storage),
    },
    restart: changes.filter(([, a, b]) => a !== b).map(([name]) => name),
  }
}
