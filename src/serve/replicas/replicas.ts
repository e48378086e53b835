/**
 * Tells the other replicas of a shared store the state of this replica, with regular heartbeats, and learns the states of the other
 * replicas.
 */

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Clock } from '../../core/clock.ts'
import type { Observer } from '../../core/facts/facts.ts'
import { messageOf } from '../../core/fault.ts'
import type { Log } from '../../core/log.ts'
import { type Repeating, repeat } from '../../core/turns/repeat.ts'
import { version } from '../../datadir/version.ts'
import type { ReloadResult } from '../../generated/control.ts'
import type { ReloadEnd, ReloadRequest, Replica, ReplicaState, Shared } from '../../store/shared.ts'
import type { LiveConfig } from '../live-config.ts'
import { configDigest } from './config-digest.ts'
import { createFileHashes } from './file-hashes.ts'

/** Returns the ids of the replicas that were asked. Rejects with a StoreFault where the store does not answer. */
export const askReload = (shared: Shared, { force = false }: { readonly force?: boolean } = {}): Promise<readonly string[]> =>
  shared.askReload({ request: randomUUID(), force })

const beatEveryMs = 5_000
/**
 * How long the digest stays in use while the configuration is unchanged. After this time the files beside the configuration are hashed
 * again.
 */
const hashedForMs = 60_000

type ReplicasOptions = {
  readonly shared: Shared
  readonly clock: Clock
  readonly log: Log
  readonly current: () => LiveConfig
  readonly runs: () => number
}

/**
 * The address of this replica, and the functions with which a heartbeat reads its state and starts a reload. Known once the replica serves.
 */
type Serving = {
  readonly url: string
  readonly requests: () => number
  readonly isStopping: () => boolean
  readonly notReady: () => string | undefined
  readonly reload: (question: { readonly force: boolean }) => Promise<ReloadResult>
}

/** This replica among the replicas of its store. Its heartbeats go from `begin` to `leave`. */
export class Replicas implements Observer {
  /** Beats at once when a reload has taken a configuration over, because the other replicas should know the new digest. */
  readonly handlers: Observer['handlers'] = { config_replaced: () => void this.beat() }
  readonly #options: ReplicasOptions
  readonly #hashFiles = createFileHashes()
  readonly #startedAt: number
  /** All replicas, this replica included, as the last heartbeat returned them. */
  #known: readonly Replica[] = []
  #isTooNew = false
  /** The configuration of `#digest`, and the time at which its files were hashed. */
  #digested: LiveConfig | undefined
  #hashedAt = 0
  #digest = ''
  /** The time at which `#digest` last changed. */
  #digestAt = 0
  #beating: Repeating | undefined
  /** Whether the last heartbeat failed, so that a lasting failure is logged once. */
  #isFailing = false
  /** The last reload that this replica was asked for, and how the reload ended. */
  #asked = ''
  #reloaded: ReloadEnd | undefined

  constructor(options: ReplicasOptions) {
    this.#options = options
    this.#startedAt = options.clock.monotonic()
  }

  /** Whether another replica serves with a different configuration, by the states that the last heartbeat returned. */
  othersDiffer(): boolean {
    return this.#known.some(({ id, state }) => id !== this.id && !state.isStopping && state.digest !== this.#digest)
  }

  get id(): string {
    return this.#options.shared.replica
  }

  /** Whether a later version of headgate has changed the store so that this version cannot read it. */
  get isTooNew(): boolean {
    return this.#isTooNew
  }

  /** Makes this replica known to the other replicas. Resolves after the first heartbeat, even where the store failed. */
  begin(serving: Serving): Promise<void> {
    // The random part of the pause spreads out the heartbeats of several replicas.
    const pauseMs = (): number => beatEveryMs * (0.9 + 0.1 * Math.random())
    this.#beating = repeat(this.#options.clock, pauseMs, () => this.#tell(serving))
    return this.beat()
  }

  /**
   * Sends a heartbeat at once, so that the other replicas learn of a change before the next regular one. A heartbeat that is under way is
   * followed by another. Never rejects.
   */
  beat(): Promise<void> {
    return this.#beating?.now() ?? Promise.resolve()
  }

  /** Ends the heartbeats, and removes this replica from the store. Never rejects. */
  async leave(): Promise<void> {
    await this.#beating?.stop()
    // Where the store fails, the row of this replica stays. Other replicas ignore the row after a minute.
    await this.#options.shared.leave().catch(() => {})
  }

  async #tell(serving: Serving): Promise<void> {
    const { shared, log } = this.#options
    try {
      await this.#updateDigest()
      const { replicas, isTooNew } = await shared.beat(this.#state(serving))
      this.#known = replicas
      this.#isTooNew = isTooNew
      this.#isFailing = false
      this.#reloadWhenAsked(serving, replicas.find(({ id }) => id === this.id)?.asked)
    } catch (error) {
      if (!this.#isFailing) log('warn', { reason: messageOf(error) }, 'the other replicas do not learn of this one: the store failed')
      this.#isFailing = true
    }
  }

  /** Makes the digest anew for another configuration, and once in a while for files beside the configuration that may have changed. */
  async #updateDigest(): Promise<void> {
    const { clock, current } = this.#options
    const live = current()
    const now = clock.monotonic()
    if (live === this.#digested && now - this.#hashedAt < hashedForMs) return
    this.#hashedAt = now
    this.#digested = live
    const digest = configDigest(live.config, live.catalogue, await this.#hashFiles(live.config))
    if (digest !== this.#digest) this.#digestAt = now
    this.#digest = digest
  }

  #state({ url, requests, isStopping, notReady }: Serving): ReplicaState {
    const { clock, runs } = this.#options
    const now = clock.monotonic()
    const why = notReady()
    return {
      host: hostname(),
      pid: process.pid,
      url,
      version,
      digest: this.#digest,
      digestMs: now - this.#digestAt,
      uptimeMs: now - this.#startedAt,
      runs: runs(),
      requests: requests(),
      isStopping: isStopping(),
      ...(why === undefined ? {} : { notReady: why }),
      now: clock.now(),
      ...(this.#reloaded ? { reload: this.#reloaded } : {}),
    }
  }

  #reloadWhenAsked({ reload }: Serving, asked: ReloadRequest | undefined): void {
    if (asked === undefined || asked.request === this.#asked) return
    const { request, force } = asked
    this.#asked = request
    const ended = (reloaded: ReloadEnd): void => {
      this.#reloaded = reloaded
      void this.beat()
    }
    reload({ force }).then(
      (result) => ended({ request, ok: result.ok, ...reloadReason(result) }),
      (error) => ended({ request, ok: false, reason: messageOf(error) }),
    )
  }
}

/**
 * Returns the reason why a reload was refused: its first finding that stops a start, else its first. The replica's log has all findings.
 */
const reloadReason = ({ ok, diagnostics }: ReloadResult): { readonly reason?: string } => {
  const found = ok ? undefined : (diagnostics.find(({ stopsStart }) => stopsStart) ?? diagnostics[0])
  return found ? { reason: `${found.code} ${found.message}` } : {}
}
