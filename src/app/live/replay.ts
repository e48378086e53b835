/** A stored raw request through today's configuration: a new event, or, as a dry run, only what it would start. */

import { randomUUID } from 'node:crypto'
import type { Facts } from '../../core/fact.ts'
import type { Json } from '../../core/json.ts'
import type { Outcome } from '../../core/outcome.ts'
import { describeOutcome } from '../../core/outcome-table.ts'
import type { VerifiedRequest } from '../../core/request.ts'
import { resume } from '../../engine/run.ts'
import { readEvent, readRaw } from '../../journal/reader.ts'
import type { EventView, RawRequest } from '../../journal/record.ts'
import { targetsOf } from '../../parts/destination.ts'
import type { Outgoing } from '../../parts/targets/target.ts'
import { compileRoute } from '../../plan/compile.ts'
import { servedAs } from '../../plan/table.ts'
import { openMemory } from '../../store/memory/memory-store.ts'
import type { NewRun } from '../../store/ports.ts'
import { dryEffects, type SharedEffects } from './effects.ts'
import type { LiveConfig } from './live-config.ts'

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

export type ReplayOptions = {
  /** Where the journal's segments lie. */
  readonly folder: string
  readonly shared: SharedEffects
  readonly serving: LiveConfig
  /** Hears how a replay that was not dry ended. */
  readonly facts: Pick<Facts, 'tell'>
}

type Starts = Extract<Replayed, { found: true }>['starts']

const missing = (why: string): Replayed => ({ found: false, why })

/** Never goes through the signature check again: only requests whose signature held were kept. */
export const replay = async (wish: ReplayWish, options: ReplayOptions): Promise<Replayed> => {
  const found = await readEvent(options.folder, wish.eventId)
  if (found?.kind !== 'found') return missing(found ? `several events begin with ${wish.eventId}` : `no event ${wish.eventId}`)
  const view = found.event
  const raw = view.raw && (await readRaw(options.folder, view.raw))
  if (!raw) return missing('its raw request was not kept, or is gone')
  const served = servedAs(options.serving.table, wish.route ?? view.route)
  if (!served) return missing(`there is no route "${wish.route ?? view.route}" any more`)
  const request = requestAgain(view, raw, wish, options.shared.clock.now())
  if (wish.dryRun) return dryRun(request, options, served.source)
  const plan = served.plan?.()
  if (!plan) return missing(`the route "${served.source.name}" is disabled`)
  const ended = await resume(plan, request)
  options.facts.tell({ kind: 'request_ended', ended, route: plan, remote: request.remote, ms: () => 0, replayOf: view.event_id })
  return { found: true, event_id: request.eventId, stage: ended.stage, ...describeOutcome(ended.outcome) }
}

/** A fresh delivery id, unless the old one is asked for: that one is a duplicate within its hour. */
const requestAgain = (view: EventView, { headers, body }: RawRequest, { sameId }: ReplayWish, at: number): VerifiedRequest => ({
  eventId: randomUUID(),
  headers: headers as VerifiedRequest['headers'],
  remote: () => 'replay',
  at,
  body,
  verification: { scheme: 'replay', secret: 0, signedId: (sameId && view.delivery_id) || randomUUID() },
})

const dryRun = async (
  request: VerifiedRequest,
  { serving, shared: { clock } }: ReplayOptions,
  source: Parameters<typeof compileRoute>[0],
): Promise<Replayed> => {
  const store = openMemory({ clock })
  const sent: Outgoing[] = []
  const send = async (outgoing: Outgoing) => {
    sent.push(outgoing)
    return { ok: true } as const
  }
  const { plan } = compileRoute(source, serving.config, serving.catalogue, { ...dryEffects, clock, store, send, jobs: serving.jobs })
  if (!plan) return missing(`the route "${source.name}" is not valid as it is now`)
  const { outcome, stage } = await resume(plan(), request)
  const [lease] = [...(await store.take(1, 1)), ...(await store.take(1, 1, 'groups'))]
  const [first] = sent
  const all = sent.map(({ delivery }) => delivery)
  const direct = first && startOf('direct', first.text, { delivery: all.length > 1 ? { mode: 'all', to: all } : first.delivery })
  const starts = direct ?? (lease && startOf(modeOf(outcome), lease.run.prompt, lease.run))
  const note =
    source.spec.script === undefined
      ? {}
      : { note: `the script ${source.spec.script} was not run: it may change the event, or have it ignored` }
  return { found: true, stage, ...describeOutcome(outcome), ...note, ...(starts ? { starts } : {}) }
}

const modeOf = (outcome: Outcome): NonNullable<Starts>['mode'] =>
  outcome.kind === 'coalesced' ? 'group' : outcome.kind === 'accepted' && outcome.cronJob !== undefined ? 'job' : 'agent'

const startOf = (mode: NonNullable<Starts>['mode'], prompt: string, { delivery }: Pick<NewRun, 'delivery'>): Starts => ({
  mode,
  prompt,
  target: targetsOf(delivery),
  extra: 'to' in delivery ? delivery.to.map(({ extra }) => extra) : delivery.extra,
})
