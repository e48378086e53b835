/** Makes runs of events, and commits the work of an ending: a run, or an event of a group. */

import type { NewRun, RunFile } from '../../../core/new-run.ts'
import { type Outcome, overloaded } from '../../../core/outcome.ts'
import type { Event, KeptFile } from '../../../core/request.ts'
import type { Route } from '../../../generated/config.ts'
import type { Group, Joined, Lane } from '../../../store/ports.ts'
import { type EventClaim, heldBack } from '../../claim.ts'
import { commitWork } from '../../commit-work.ts'
import type { Effects } from '../../effects.ts'
import type { EventMessage } from './message.ts'

/** What a route gives to each of its runs. The stores read the priority from the text of the run, so it stands second there. */
type RouteMembers = Pick<NewRun, 'priority'>

const noMembers: RouteMembers = {}

/** Returns what a route gives to each of its runs. The usual priority is not stored. */
export const routeMembers = ({ priority }: Pick<Route, 'priority'>): RouteMembers =>
  priority === undefined || priority === 'normal' ? noMembers : { priority }

/** Returns the fields that a job's run takes from the event. The profile is not among them: the run has the profile of the job. */
export const jobEventFields = ({ eventId, route, eventType: event, deliveryId, at, traceparent, endKeys }: Event) => ({
  eventId,
  ...(endKeys === undefined ? {} : { endKeys }),
  route,
  event,
  deliveryId,
  acceptedAt: at,
  ...(traceparent === undefined ? {} : { traceparent }),
})

/**
 * Makes the run of an event, ready to be stored. Its usual fields are written out, because every accepted event passes here: a run that is
 * merged from several objects takes 6 µs to make and to turn into JSON, instead of 1.5.
 */
export const agentRun = (
  {
    eventId,
    profile,
    route,
    eventType: event,
    deliveryId,
    itemBy,
    at: acceptedAt,
    traceparent,
    rateKey,
    files,
    endKeys,
    deliverIf,
    agent,
    given,
  }: Event,
  { prompt: { text: prompt, untrusted }, delivery }: EventMessage,
  session: NewRun['session'],
  members: RouteMembers,
): NewRun => {
  const run = { eventId, profile, route, event, deliveryId, acceptedAt, prompt, delivery }
  const isPlain = untrusted.length === 0 && !session && !files && !deliverIf && agent === undefined && !given && itemBy === undefined
  if (isPlain && traceparent === undefined && rateKey === undefined && endKeys === undefined && members === noMembers) return run
  return {
    ...(members === noMembers && endKeys === undefined
      ? run
      : { ...{ eventId, ...members, ...(endKeys === undefined ? {} : { endKeys }) }, ...run }),
    ...(itemBy === undefined ? {} : { itemBy }),
    ...(untrusted.length > 0 ? { untrusted } : {}),
    ...(session ? { session } : {}),
    ...(deliverIf ? { deliverIf } : {}),
    ...(agent === undefined ? {} : { agent }),
    ...(given ? { given } : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(rateKey === undefined ? {} : { rateKey }),
    ...(files ? { files: files.map(storedFile) } : {}),
  }
}

/** Makes the run that delivers the text of an event without an agent. */
export const directRun = (event: Event, { prompt: { text }, delivery }: EventMessage, members: RouteMembers): NewRun => ({
  ...agentRun(event, { prompt: { text, untrusted: [] }, delivery }, undefined, members),
  direct: true,
})

const storedFile = ({ name, type, sha256, content }: KeptFile): RunFile => ({ name, type, sha256, data: content.toString('base64') })

/**
 * Commits a run with the claim of its event, and resolves to the outcome. Without a lane, the run may start at once. In a lane, the run may
 * have to wait for its turn. A run waits in the store, never in memory. Where a claim holds the event back until it is known whether the
 * event is the last one (`cooldown.last`), the event waits in a group.
 */
export const acceptAgent = (run: NewRun, claim: EventClaim, effects: Effects, lane?: Lane): Promise<Outcome> =>
  claim.beside?.last
    ? joinGroup(run, claim, { ...lastGroup, key: claim.beside.key, ...(lane ? { lane } : {}) }, effects)
    : commitWork(effects, { run, claim, lane, ending: claim.ending }, (handed) => {
        if (handed === 'duplicate' || handed === 'repeated') return heldBack(run, handed, claim)
        return handed === 'busy' ? overloaded('its lane is full') : accepted(run)
      })

/** The group of the events that a claim holds back. The store knows when the claim ends. */
const lastGroup = { windowMs: 0, maxWaitMs: 0, keep: 'latest', afterClaim: true } as const

const accepted = ({ route, event, deliveryId }: NewRun): Outcome => ({ kind: 'accepted', route, event, deliveryId })

/** Adds the run of one event to its group in the store, and resolves to the event's outcome. */
export const joinGroup = (run: NewRun, claim: EventClaim, group: Group, effects: Effects): Promise<Outcome> =>
  commitWork<Joined>(effects, { run, claim, group, ending: claim.ending }, (joined) => {
    if (joined === 'accepted') return accepted(run)
    if (joined === 'duplicate' || joined === 'repeated') return heldBack(run, joined, claim)
    // When the store can take no further group, the event becomes a run of its own at once (rules: Limits 3).
    if (joined === 'full') return acceptAgent(run, group.afterClaim ? withoutBeside(claim) : claim, effects, group.lane)
    return { kind: 'coalesced', route: run.route, event: run.event, deliveryId: run.deliveryId, group: joined.group }
  })

const withoutBeside = ({ beside: _, ...claim }: EventClaim): EventClaim => claim
