/**
 * The contract of features: what is declared of each, and what a gateway gives it. A feature is an idea that no event passes through. Its
 * folder has all of its code: settings, observers, use cases, checks, and the answers to control operations.
 */

import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { Facts } from '../core/facts/facts.ts'
import type { Log } from '../core/log.ts'
import type { Scope } from '../core/scope.ts'
import type { Check, CheckInput } from '../datadir/check.ts'
import type { RunningGateway } from '../datadir/running-gateway.ts'
import type { Status } from '../generated/control.ts'
import type { Keep, TargetPart } from '../parts/targets/target.ts'
import type { Catalogue } from '../plan/compile.ts'
import type { ServedRoute, Table } from '../plan/table.ts'
import type { Breakers } from '../runs/breaker/breakers.ts'
import type { Sender } from '../runs/sender.ts'
import type { Worker } from '../runs/worker.ts'
import type { Lead } from '../store/as-leader.ts'
import type { OpenStore } from '../store/store-part.ts'
import type { Pauses } from './pauses/pauses.ts'

/** The configuration that a gateway serves, as far as features look at it. */
export type ServedConfig = {
  readonly config: Config
  readonly catalogue: Pick<Catalogue, 'targets'>
  readonly table: Pick<Table, 'configured' | 'subscribed'>
  readonly base: { readonly send: Sender }
  readonly maxBodyBytes: number
  /** Returns the enabled routes of the configuration, and the subscriptions. */
  served(): readonly ServedRoute[]
}

/** What a gateway gives its features. */
export type FeatureKit = {
  readonly dataDir: string
  readonly store: OpenStore
  readonly lead: Lead
  readonly clock: Clock
  readonly log: Log
  readonly redact: (text: string) => string
  readonly facts: Facts
  readonly keep: Keep
  readonly current: () => ServedConfig
  /** Whether the gateway takes events now. */
  readonly takesEvents: () => boolean
  readonly pauses: Pauses
  readonly breakers: Pick<Breakers, 'list' | 'reset' | 'open'>
  readonly worker: Pick<Worker, 'release' | 'heldRuns'>
  /** The scope of the gateway. */
  readonly scope: Scope
}

/** What is declared of a feature. */
export type Feature = {
  /** Prepares the feature in a gateway. */
  readonly open: (kit: FeatureKit) => OpenedFeature
  /** Finds mistakes in the feature's settings. `hasRoute`: absent where not all routes are known. */
  readonly checkSettings?: (
    config: Config,
    targets: ReadonlyMap<string, TargetPart>,
    hasRoute?: (name: string) => boolean,
  ) => readonly Diagnostic[]
  /** What `doctor` checks, under this name. `online`: whether other machines may be asked. */
  readonly examine?: { readonly name: string; readonly check: (input: CheckInput, online: boolean) => Promise<readonly Check[]> }
}

/** What a gateway has of a feature that it opened. */
export type OpenedFeature = {
  /** Opens what the configuration needs of the feature. Called when the gateway listens, and after each reload. */
  readonly begin?: () => Promise<void>
  /** Takes what commands have written to the feature's files, at once. */
  readonly takeEntries?: () => void
  /** Ends the work of the feature, while the other parts of the gateway are still open. Called when the gateway begins to stop. */
  readonly stop?: () => Promise<void>
  /** The control operations that the feature answers, also while nothing of it is open. */
  readonly operations?: Partial<RunningGateway>
  /** Returns what the status says of the feature; nothing where there is nothing to say. */
  readonly status?: () => Partial<Status>
}
