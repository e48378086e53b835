/** Takes a new configuration over as one snapshot, or refuses it loudly and leaves the old one in use. */

import type { Config } from '../../config/config.ts'
import type { Read, Reading } from '../../config/thread/load-in-thread.ts'
import type { Clock } from '../../core/clock.ts'
import { type Diagnostic, diagnostic } from '../../core/diagnostic.ts'
import type { Facts } from '../../core/fact.ts'
import type { Log } from '../../core/log.ts'
import { takingTurns } from '../../core/turns/taking-turns.ts'
import type { LiveConfig } from './live-config.ts'

/** `ok: false`: refused, and the configuration before it serves on. */
export type Reloaded = {
  readonly ok: boolean
  readonly diagnostics: readonly Diagnostic[]
  /** Settings that changed but need a restart. */
  readonly restart: readonly string[]
}

export type ReloadOptions = {
  readonly first: LiveConfig
  readonly log: Log
  readonly facts: Pick<Facts, 'tell'>
  readonly clock: Clock
  readonly read: Read
  readonly compile: (config: Config, before: LiveConfig) => Promise<LiveConfig>
}

export interface Reloader {
  /** What serves now. A request or a run takes it once and keeps it. */
  current(): LiveConfig
  reload(): Promise<Reloaded>
  reloadedAt(): string | null
  /** Breaks off what is being read; nothing is taken over any more. */
  stop(): void
}

/** The last good set that is in use would be lost. */
const runTimeFiles = 'the subscriptions file or a jobs file cannot be read now, and a new configuration would serve without it'

export const createReloader = ({ first, log, facts, clock, read, compile }: ReloadOptions): Reloader => {
  let current = first
  let at: string | null = null
  const stopping = new AbortController()
  const takeOver = async (reading: Reading): Promise<Reloaded> => {
    const before = current
    const { config, restart } = onThisProcess(reading.config, before.config)
    const next = await compile(config, before)
    try {
      const obstacles = obstaclesTo(next, before)
      const diagnostics = await reading.located([...reading.diagnostics, ...next.diagnostics, ...obstacles])
      stopping.signal.throwIfAborted()
      const ok = obstacles.length === 0 && !diagnostics.some(({ stopsStart }) => stopsStart)
      if (ok) {
        current = next
        at = new Date(clock.now()).toISOString()
        facts.tell({ kind: 'config_replaced', routes: next.routes(), needRestart: restart })
      } else {
        await logAll(diagnostics, log)
        facts.tell({ kind: 'config_refused' })
      }
      return { ok, diagnostics, restart }
    } finally {
      // The one of the two that does not serve.
      const idle = current === next ? before : next
      idle.close()
    }
  }
  let running: Promise<Reloaded> | undefined
  let waiting: Promise<Reloaded> | undefined
  const begin = (): Promise<Reloaded> => {
    waiting = undefined
    running = read(current.config.routes, stopping.signal, takeOver).finally(() => {
      running = undefined
    })
    return running
  }
  return {
    current: () => current,
    reloadedAt: () => at,
    reload() {
      // One after the other: what was read later must not be replaced by what was read before it. Whoever waits reads the files as they will be then.
      if (!running && !waiting) return begin()
      waiting ??= (running ?? Promise.resolve()).then(begin, begin)
      return waiting
    },
    stop: () => stopping.abort(new Error('the gateway is stopping')),
  }
}

/** What stands in the way of a configuration that could be started with. */
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
    ...(isLost ? [diagnostic('WH803', runTimeFiles, { help: 'mend it first' })] : []),
  ]
}

const logAll = async (diagnostics: readonly Diagnostic[], log: Log): Promise<void> => {
  const turn = takingTurns()
  for (const { code, message, route, place } of diagnostics.filter(({ severity }) => severity !== 'info')) {
    log('error', { code, route, file: place?.file, line: place?.line }, message)
    await turn()
  }
}

/** What a process cannot change keeps its value: above all the address it is bound to, which decides over INSECURE_NO_AUTH. */
const onThisProcess = (next: Config, { host, port, storage }: Config): { config: Config; restart: readonly string[] } => {
  const changes: readonly (readonly [string, unknown, unknown])[] = [
    ['host', next.host, host],
    ['port', next.port, port],
    ['storage.kind', next.storage.kind, storage.kind],
    ['storage.durability', next.storage.durability, storage.durability],
  ]
  return {
    config: { ...next, host, port, storage: { ...storage, retention: next.storage.retention } },
    restart: changes.filter(([, a, b]) => a !== b).map(([name]) => name),
  }
}
