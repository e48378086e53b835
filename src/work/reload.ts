/** Takes a new configuration over as one snapshot, or refuses it loudly and leaves the old one in use. */

import type { Config } from '../config/config.ts'
import type { Loaded } from '../config/load.ts'
import type { Clock } from '../core/clock.ts'
import { diagnostic } from '../core/diagnostic.ts'
import type { Log } from '../core/log.ts'
import type { Reloaded } from './operations.ts'
import type { Snapshot } from './snapshot.ts'

export type ReloadOptions = {
  readonly first: Snapshot
  readonly log: Log
  readonly clock: Clock
  /** Reads the files as they are now. */
  readonly load: () => Loaded
  readonly compile: (config: Config) => Promise<Snapshot>
}

export interface Reloader {
  /** What serves now. A request or a run takes it once and keeps it. */
  current(): Snapshot
  reload(): Promise<Reloaded>
  reloadedAt(): string | null
}

/** The last good set that is in use would be lost. */
const runTimeFiles = 'the subscriptions file or a jobs file cannot be read now, and a new configuration would serve without it'

export const createReloader = ({ first, log, clock, load, compile }: ReloadOptions): Reloader => {
  let current = first
  let at: string | null = null
  const reloadOnce = async (): Promise<Reloaded> => {
    const loaded = load()
    const { config, restart } = onThisProcess(loaded.config, current.config)
    const next = await compile(config)
    const off = config.enabled ? [] : [diagnostic('WH109', 'the webhook adapter is not enabled: to stop the gateway, stop its process')]
    const lost = !next.complete() && current.complete() ? [diagnostic('WH803', runTimeFiles, { help: 'mend it first' })] : []
    const diagnostics = [...loaded.diagnostics, ...next.diagnostics, ...off, ...lost]
    const ok = off.length + lost.length === 0 && !diagnostics.some(({ stopsStart }) => stopsStart)
    if (ok) {
      current = next
      at = new Date(clock.now()).toISOString()
      log('info', { routes: next.routes() }, 'configuration reloaded')
      if (restart.length > 0) log('warn', { settings: restart.join(', ') }, 'changed, but only a restart takes it over')
    } else {
      for (const { code, message, route, place } of diagnostics.filter(({ severity }) => severity !== 'info'))
        log('error', { code, route, file: place?.file, line: place?.line }, message)
      log('error', {}, 'reload refused: the configuration before it stays in use')
    }
    return { ok, diagnostics, restart }
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    current: () => current,
    reloadedAt: () => at,
    reload() {
      // One after the other: what was read later must not be replaced by what was read before it.
      const turn = last.then(reloadOnce, reloadOnce)
      last = turn
      return turn
    },
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
