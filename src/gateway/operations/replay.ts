/**
 * Runs a stored raw request through the present configuration: as a new event, or, in a dry run, only to tell which work the event would
 * start.
 */

import { randomUUID } from 'node:crypto'
import type { RouteSource } from '../../config/config.ts'
import { emitRequest } from '../../core/facts/emit-request.ts'
import type { EndedRequest } from '../../core/facts/fact.ts'
import type { Facts } from '../../core/facts/facts.ts'
import type { Refused } from '../../core/outcome.ts'
import { describeOutcome, isTakenOutcome } from '../../core/outcome-table.ts'
import type { RoutePlan } from '../../core/plan.ts'
import type { RequestHead, VerifiedRequest } from '../../core/request.ts'
import { repeatRequest } from '../../datadir/records/request-again.ts'
import { trace } from '../../dryrun/trace/trace.ts'
import { runVerified } from '../../engine/run.ts'
import type { ControlQuestions, ReplayResult } from '../../generated/control.ts'
import type { EventRecords } from '../../journal/event-records.ts'
import { ReadOnceBody } from '../../parts/body/request-body.ts'
import { servedAs } from '../../plan/table.ts'
import type { SharedEffects } from '../../serve/effects.ts'
import type { LiveConfig } from '../../serve/live-config.ts'

export type ReplayOptions = {
  readonly records: Pick<EventRecords, 'event' | 'raw'>
  readonly shared: SharedEffects
  readonly serving: () => LiveConfig
  /** Gets a Fact at the end of each replay, but not of a dry run. */
  readonly facts: Pick<Facts, 'emit'>
}

const replayMissing = (why: string): ReplayResult => ({ found: false, why })

/**
 * Replays a request, or with `dry_run` only traces it. A request whose signature held is not checked again. A refused request that was kept
 * runs only if its signature holds now. `found: false`: the request cannot be replayed, for the reason `why`.
 */
export const replay = async (question: Omit<ControlQuestions['replay'], 'ahead'>, options: ReplayOptions): Promise<ReplayResult> => {
  const { records, shared, facts } = options
  const { id, body, same_id: sameId = false, dry_run: dryRun = false } = question
  const again = await repeatRequest(records, id, { at: shared.clock.now(), sameId, body })
  if (!again.found) return again
  const { view } = again
  // The configuration is asked for only now, because a reload may have replaced it since the question came.
  const serving = options.serving()
  const name = question.route ?? view.dispatched_by ?? view.route
  const served = servedAs(serving.table, name)
  if (!served) return replayMissing(`there is no route "${name}" any more`)
  const { max_body_bytes: maxBodyBytes } = serving.config.adapter
  const { length } = 'request' in again ? again.request.body : again.unverified.body
  if (length > maxBodyBytes) return replayMissing(`its payload has ${length} bytes: at most ${maxBodyBytes} are accepted`)
  if (!served.plan) return replayMissing(`the route "${served.source.name}" is disabled`)
  const plan = served.plan()
  plan.scope.hold()
  try {
    const request =
      'request' in again ? onRoute(question.route, again.request) : await verifyAgain(plan, again.unverified, shared.clock.now())
    if (typeof request === 'string') return replayMissing(request)
    const { to } = request.replay ?? {}
    const { source } = (to === undefined ? undefined : servedAs(serving.table, to)) ?? served
    const note = request.replay?.isNew ? passedBy(source.spec) : undefined
    if (dryRun) return await rehearse(request, serving, shared, served.source, note)
    const ended = withNote(await runVerified(plan, request), note)
    return tellReplay(request, ended, { plan, of: view.event_id, isEdited: body !== undefined }, facts)
  } finally {
    plan.scope.release()
  }
}

/** Says which key of the route does not count for the replay of an event under a new id; `undefined` where each counts. */
const passedBy = ({ duplicates, cooldown }: RouteSource['spec']): string | undefined => {
  if (cooldown) return 'as a replay it was not held back by cooldown'
  return duplicates?.key === undefined ? undefined : 'as a replay it was not compared by the key of duplicates'
}

/** Adds a note to the outcome of an event that was taken, for its record and the answer to the operator. */
const withNote = (ended: EndedRequest, note: string | undefined): EndedRequest => {
  const { outcome } = ended
  if (note === undefined || !(isTakenOutcome(outcome) || outcome.kind === 'split')) return ended
  return { ...ended, outcome: { ...outcome, note: [outcome.note ?? [], note].flat().join('; ') } }
}

/** Returns the request as it is replayed on a route that the question names: that route alone takes it, whatever dispatched it before. */
const onRoute = (named: string | undefined, { replay, ...request }: VerifiedRequest): VerifiedRequest => ({
  ...request,
  ...(replay ? { replay: named === undefined ? replay : { ...replay, to: undefined } } : {}),
})

/** What is recorded of a replay: its plan, the id of the repeated event (`of`), and whether the body was edited. */
type RepeatedEvent = { readonly plan: RoutePlan; readonly of: string; readonly isEdited: boolean }

const tellReplay = (
  request: VerifiedRequest,
  ended: EndedRequest,
  { plan, of, isEdited }: RepeatedEvent,
  facts: ReplayOptions['facts'],
): ReplayResult => {
  const { headers, remote } = request
  // The event of a route that was dispatched to is one of that route.
  const { route: name = plan.name, profile = plan.profile } = (ended.items ? undefined : ended.event) ?? {}
  const replay = { of, isEdited, by: name === plan.name ? undefined : plan.name }
  emitRequest(facts, { kind: 'request_ended', ended, route: { name, profile }, headers, remote, ms: () => 0, replay })
  return { found: true, event_id: request.eventId, stage: ended.stage, ...describeOutcome(ended.outcome) }
}

/**
 * Returns the request as verified with the route's present keys, or a sentence on why it stays refused. The event keeps the delivery id of
 * the request. A refused request claims no id, so its first replay is no duplicate.
 */
const verifyAgain = async (
  plan: RoutePlan,
  { body, ...head }: RequestHead & { readonly body: Buffer },
  now: number,
): Promise<VerifiedRequest | string> => {
  const refused = ({ detail }: Refused): string => `its signature does not hold with the present keys: ${detail ?? 'refused'}`
  const check = plan.authenticate.run(head)
  if (typeof check !== 'function') return refused(check)
  const read = new ReadOnceBody(head.headers, body)
  const verification = await check(read)
  if ('kind' in verification) return refused(verification)
  const { method, pathAndQuery, headers, remote } = head
  return { eventId: randomUUID(), method, pathAndQuery, headers, remote, at: now, body, verification, read }
}

/** Traces the request through its plan with dry effects, and returns the outcome and the work that the event would start. */
const rehearse = async (
  request: VerifiedRequest,
  serving: LiveConfig,
  { clock }: SharedEffects,
  source: RouteSource,
  known: string | undefined,
): Promise<ReplayResult> => {
  const { config, catalogue, jobs } = serving
  const traced = await trace({ kind: 'verified', request }, { source, config, catalogue, effects: { jobs, clock } })
  const { outcome, stage, notes, starts } = traced
  const [note = known] = notes
  return { found: true, stage, ...describeOutcome(outcome), ...(note === undefined ? {} : { note }), ...(starts ? { starts } : {}) }
}
