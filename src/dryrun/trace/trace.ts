/**
 * Traces an event through a route's plan without side effects, unless the caller lets scripts run: the results of the stages, the work to
 * start, the answer to the sender.
 */

import { defaultProfile } from '../../config/config.ts'
import { pathAndQueryOf } from '../../core/address/path-and-query.ts'
import type { EndedItem, EndedRequest } from '../../core/facts/fact.ts'
import { isObject, type Json } from '../../core/json.ts'
import type { Destination } from '../../core/new-run.ts'
import type { AwaitedAnswer, Reply } from '../../core/outcome.ts'
import { type Outcome, refuse } from '../../core/outcome.ts'
import { isTakenOutcome, outcomeName, outcomeReason } from '../../core/outcome-table.ts'
import { replyTo } from '../../core/reply.ts'
import type { Event, Headers, VerifiedRequest } from '../../core/request.ts'
import { beginRequest, runVerified, type Watch } from '../../engine/run.ts'
import { targetNames } from '../../parts/destination.ts'
import type { Effects } from '../../parts/effects.ts'
import { defaultAgent } from '../../parts/named-agents.ts'
import { script } from '../../parts/stages/script.ts'
import type { Outgoing } from '../../parts/targets/target.ts'
import { routePath } from '../../plan/compile.ts'
import { lookUp, servedBy } from '../../plan/table.ts'
import { openMemory } from '../../store/memory/memory-store.ts'
import type { Store } from '../../store/ports.ts'
import { addressProblem } from './address-problem.ts'
import { type DryPlan, type DryWorld, dryPlan } from './dry-plan.ts'
import type { FilledPlaceholder, Judged } from './plan-observer.ts'
import { createStageLog, type TracedStage } from './stage-log.ts'

/** The request to trace: as it would arrive, or taken as verified, so that no signature is checked. */
export type Traced =
  | { readonly kind: 'post'; readonly method?: string | undefined; readonly headers: Headers; readonly body: Buffer; readonly url?: string }
  | { readonly kind: 'verified'; readonly request: VerifiedRequest }

/** The work that an event starts: the prompt or message, and where the result goes. */
type Starts = {
  readonly mode: 'agent' | 'direct' | 'job' | 'group'
  /** The agent that is asked; absent where none is, and for a job. */
  readonly agent?: string
  readonly prompt: string
  readonly target: string
  /** The settings of the target; a list for several targets. */
  readonly extra: Json
}

export type Trace = {
  readonly route: string
  readonly profile: string
  /** The event as it was at the last stage that it reached; absent where the request ended before it was parsed. */
  readonly event?: Event
  /** The event as it was parsed; absent like `event`. The filters judge the event in this form. */
  readonly parsed?: Event
  readonly outcome: Outcome
  /** The name of the outcome: the code of a refusal, else the kind. */
  readonly name: string
  readonly reason?: string
  /** The ends of all items, in order, where the request was split. */
  readonly items?: readonly EndedItem[]
  readonly answer: Reply
  /**
   * Present where the sender waits for the run's reply. Then `answer` is the answer without a reply. Only effects with `replies` let a
   * sender wait.
   */
  readonly awaited?: AwaitedAnswer
  /** The stage that ended the event; `null` where the event made work (`isTakenOutcome`). */
  readonly stoppedAt: string | null
  /** The stage at which the event ended. */
  readonly stage: string
  /** All stages, in the order of the pipeline. */
  readonly stages: readonly TracedStage[]
  /** Each condition of the filters with its own result. Empty where the request ended before it was parsed. */
  readonly conditions: readonly Judged[]
  /** The answers to the lookups of the route, by their names. Absent where none was asked. */
  readonly lookups?: Json
  /** Every placeholder of the texts that were rendered, with a value or without, and the key of its text. */
  readonly placeholders: readonly FilledPlaceholder[]
  /** Absent where the event starts no work. */
  readonly starts?: Starts
  /** Why the reply of the run, or the message of a direct delivery, has no address. Absent where it has one, and where no work starts. */
  readonly undeliverable?: string
  /** Whether the route's script ran. Beside it and lookups that are asked, nothing in a trace has an effect outside of the trace. */
  readonly ranScript: boolean
  /** The lookups and lists that were asked over the network, such as `lookup.pr`; absent where none was. */
  readonly asked?: readonly string[]
  /** Steps that were left out and could have changed the outcome. */
  readonly notes: readonly string[]
}

/**
 * Runs the request through the gateway's own code with dry effects, and returns the results of the stages, the outcome and the work that
 * the event starts. Throws a Fault for a route that is not valid.
 */
export const trace = async (traced: Traced, world: DryWorld): Promise<Trace> => {
  const store = openMemory({ clock: world.effects.clock })
  const sent: Outgoing[] = []
  const send: Effects['send'] = async (outgoing) => {
    sent.push(outgoing)
    return { ok: true, detail: 'dry run' }
  }
  const dry = { ...world, effects: { ...world.effects, store, send } }
  const plan = dryPlan(dry)
  try {
    const result = await tracePlan(traced, dry, plan)
    const starts = await startedWork(store, sent, result.outcome)
    return { ...result, ...(starts ? { starts } : {}) }
  } finally {
    await plan.close()
  }
}

/**
 * Traces an event through the plan `dry`, which the caller has made and closes. The work that the event starts goes into the effects of
 * `world`.
 */
export const tracePlan = async (traced: Traced, world: DryWorld, dry: DryPlan): Promise<Omit<Trace, 'starts'>> => {
  const { source, effects } = world
  const { onlooker } = dry
  const log = createStageLog(effects.clock)
  const whole = await runTraced(traced, world, dry, log.watch)
  const ended = shownItem(whole, source.name)
  const { outcome, stage } = ended
  const [parsed, event] = [log.parsed(), log.seen()]
  const judged = await judgedBy(onlooker, parsed)
  const reason = outcomeReason(outcome)
  const hasScript = source.spec.script !== undefined && log.reached(script.name)
  const delivery = onlooker.takeDelivery()
  const undeliverable =
    delivery && isTakenOutcome(outcome)
      ? addressProblem({ profile: source.profile, route: source.name, delivery }, { ...world, route: source.spec })
      : undefined
  return {
    route: source.name,
    profile: source.profile,
    ...(event ? { event } : {}),
    ...(parsed ? { parsed } : {}),
    outcome,
    name: outcomeName(outcome),
    ...(reason === undefined ? {} : { reason }),
    ...(whole.items ? { items: whole.items } : {}),
    answer: whole.reply ?? replyTo(whole.outcome),
    ...(whole.awaited ? { awaited: whole.awaited } : {}),
    stage,
    stoppedAt: isTakenOutcome(outcome) ? null : stage,
    stages: log.stages(ended, traced.kind),
    ...judged,
    placeholders: onlooker.takeFilled(),
    ...(undeliverable === undefined ? {} : { undeliverable }),
    ranScript: hasScript && effects.script !== undefined,
    notes: [
      ...(hasScript && !effects.script
        ? [`the script ${source.spec.script} was not run: it may change the event, or have it ignored`]
        : []),
      ...lookupNotes(source.spec.lookup, judged.lookups),
      ...onlooker.takeNotes(),
      ...(undeliverable === undefined
        ? []
        : [`${undeliverable}: ${source.spec.deliver_only ? 'nothing is delivered' : 'no agent is asked'}`]),
      ...itemNotes(whole.items ?? [], source.name),
      ...(whole.awaited ? [] : waitNotes(source.spec, outcome)),
    ],
  }
}

/** Returns the results of the conditions, and the answers to the lookups that were asked. */
const judgedBy = async (onlooker: DryPlan['onlooker'], parsed: Event | undefined): Promise<Pick<Trace, 'conditions' | 'lookups'>> => {
  const conditions = parsed ? await onlooker.judge(parsed) : []
  const lookups = onlooker.takeLookedUp()?.lookup?.payload
  return { conditions, ...(lookups === undefined ? {} : { lookups }) }
}

/** Notes the lookups whose answers are missing because a dry run asks nothing, or because they failed and the event goes on. */
const lookupNotes = (asked: DryWorld['source']['spec']['lookup'] = {}, answers: Json | undefined): readonly string[] => {
  if (!isObject(answers)) return []
  const missing = Object.keys(asked).filter((name) => !Object.hasOwn(answers, name))
  return missing.length === 0 ? [] : [`${missing.map((name) => `lookup.${name}`).join(', ')}: no answer, so what reads it finds nothing`]
}

/**
 * Notes that the sender would wait for the agent's reply. A trace asks no agent, so it shows the answer that is given when no reply comes
 * in time.
 */
const waitNotes = ({ respond }: DryWorld['source']['spec'], { kind }: Outcome): readonly string[] =>
  kind === 'accepted' && respond?.wait_seconds !== undefined
    ? [`the sender waits for at most ${respond.wait_seconds} s for the reply; the answer above is that without one`]
    : []

const isDispatched = (items: readonly EndedItem[], route: string): boolean => items.some(({ event }) => event.route !== route)

/**
 * Returns the end of a request, or where it was split, the end of its first item: a trace shows one event. Of the routes to which a request
 * was dispatched, it shows the first that took the event, at the stage of the traced route.
 */
const shownItem = (ended: EndedRequest, route: string): EndedRequest => {
  const { items = [] } = ended
  const shown = (isDispatched(items, route) ? items.find(({ outcome }) => isTakenOutcome(outcome)) : undefined) ?? items[0]
  return shown ? { ...ended, outcome: shown.outcome, stage: shown.event.route === route ? shown.stage : ended.stage } : ended
}

/** The most items of a request that have a note each. */
const maxItemNotes = 20

const itemNotes = (items: readonly EndedItem[], route: string): readonly string[] => {
  if (items.length === 0) return []
  const shown = items.slice(0, maxItemNotes).map(({ outcome, stage, event, index }) => {
    const reason = outcomeReason(outcome)
    const to = event.route === route ? '' : `, to "${event.route}"`
    return `item ${index}${to}, ${event.eventType} ${event.deliveryId}: ${outcomeName(outcome)} at ${stage}${reason === undefined ? '' : ` (${reason})`}`
  })
  const more = items.length > maxItemNotes ? [`and ${items.length - maxItemNotes} more items`] : []
  const how = isDispatched(items, route) ? 'dispatched to routes as' : 'split into'
  return [
    `the request is ${how} ${items.length} events, and ${isDispatched(items, route) ? 'one' : 'the first'} is shown`,
    ...shown,
    ...more,
  ]
}

const runTraced = async (traced: Traced, { source, config, effects }: DryWorld, dry: DryPlan, watch: Watch): Promise<EndedRequest> => {
  if (traced.kind === 'verified') return runVerified(dry.plan(), traced.request, watch)
  if (traced.body.length > config.adapter.max_body_bytes) return { outcome: refuse('too_large'), stage: 'body_size' }
  const served = servedBy(source, dry)
  const table = {
    configured: new Map(served && [[source.name, served]]),
    subscribed: new Map(),
    multiplex: config.multiplex,
    profiles: config.profiles,
  }
  const found = lookUp(table, source.name, source.profile === defaultProfile ? undefined : source.profile)
  if (!('authenticate' in found)) return { outcome: found, stage: 'route' }
  const { headers, url = `http://127.0.0.1${routePath(source)}` } = traced
  const from = { remote: () => '127.0.0.1', isProxied: () => false }
  const proceed = await beginRequest(
    found,
    { method: traced.method ?? 'POST', url: () => url, pathAndQuery: pathAndQueryOf(url), headers, ...from, at: effects.clock.now() },
    watch,
  )
  return typeof proceed === 'function' ? proceed(traced.body) : proceed
}

/** Returns the work that the event has started: the texts that were sent, else the run that the store has; `undefined` for no work. */
const startedWork = async (store: Store, sent: readonly Outgoing[], outcome: Outcome): Promise<Starts | undefined> => {
  const [first] = sent
  const all = sent.map(({ delivery }) => delivery)
  if (first) return asStarts('direct', first.text, all.length > 1 ? { mode: 'all', to: all } : first.delivery)
  const [lease] = [...(await store.take(1, 1)), ...(await store.take(1, 1, 'groups'))]
  if (!lease) return undefined
  const { direct, job, agent = defaultAgent, prompt, delivery } = lease.run
  const starts = asStarts(direct ? 'direct' : modeByOutcome(outcome), prompt, delivery)
  return direct || job !== undefined ? starts : { ...starts, agent }
}

const modeByOutcome = (outcome: Outcome): Starts['mode'] =>
  outcome.kind === 'coalesced' ? 'group' : outcome.kind === 'accepted' && outcome.cronJob !== undefined ? 'job' : 'agent'

const asStarts = (mode: Starts['mode'], prompt: string, delivery: Destination): Starts => ({
  mode,
  prompt,
  target: targetNames(delivery),
  extra: 'to' in delivery ? delivery.to.map(({ extra }) => extra) : delivery.extra,
})
