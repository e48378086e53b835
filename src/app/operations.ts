/** What the command line may ask of a running gateway, over its control socket. */

import type { Diagnostic } from '../core/diagnostic.ts'
import type { Json } from '../core/json.ts'
import type { RunningJob } from '../runs/worker.ts'
import type { JobStart } from '../schedule/start-job.ts'
import type { Standing } from '../store/ports.ts'

export type Status = {
  readonly pid: number
  readonly url: string
  readonly started_at: string
  readonly reloaded_at: string | null
  readonly routes: number
  readonly jobs: number
  readonly backlog: number
  readonly stopping: boolean
}

/** `ok: false`: refused, and the configuration before it serves on. */
export type Reloaded = {
  readonly ok: boolean
  readonly diagnostics: readonly Diagnostic[]
  /** Settings that changed but need a restart. */
  readonly restart: readonly string[]
}

export type ReplayWish = {
  readonly eventId: string
  /** Another route than the event's. */
  readonly route?: string
  /** Keeps the delivery id, which shows the duplicate rule. */
  readonly sameId?: boolean
  /** Says what would happen, and does nothing of it. */
  readonly dryRun?: boolean
}

/** How a stored request fares with today's configuration. */
export type Replayed =
  | { readonly found: false; readonly why: string }
  | {
      readonly found: true
      /** The record of the replay; absent in a dry run. */
      readonly event_id?: string
      readonly status: number
      readonly outcome: string
      readonly reason?: string
      readonly stage: string
      /** What a dry run did not do, and could end it otherwise. */
      readonly note?: string
      /** What it starts (or would): the prompt or message, and where the result goes. */
      readonly starts?: {
        readonly mode: 'agent' | 'direct' | 'job' | 'group'
        readonly prompt: string
        readonly target: string
        readonly extra: Json
      }
    }

export interface Operations {
  status(): Status
  reload(): Promise<Reloaded>
  /** At most 1,000 ids. Throws StoreFault. */
  standings(eventIds: readonly string[]): Promise<readonly Standing[]>
  /** Puts a dead run back. `false`: there is none of this event. Throws StoreFault. */
  retry(eventId: string): Promise<boolean>
  replay(wish: ReplayWish): Promise<Replayed>
  /** Starts a job by hand: paused ones too, disabled ones not. Throws StoreFault. */
  startJob(profile: string, reference: string): Promise<JobStart>
  /** Of all profiles. */
  runningJobs(): readonly RunningJob[]
}
