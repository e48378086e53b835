/** Makes the spans of a request: the request itself, and the stages that waited. */

import type { RequestEnded } from '../../core/fact.ts'
import { outcomeName, outcomeStatus } from '../../core/outcome-table.ts'
import { placeBelow, type SpanPlace, type TraceContext } from '../../core/telemetry/trace-context.ts'
import { names } from './conventions.ts'
import type { SpanData } from './span-data.ts'
import { endingStage, type StageWait } from './stage-waits.ts'

/** The address of a request as spans have it: paths that strangers made up would be names without end. */
const address = '/webhooks/:route'

/** `endMs`: wall time. */
export const requestSpan = (fact: RequestEnded, place: SpanPlace, links: readonly TraceContext[], endMs: number): SpanData => {
  const { ended, route } = fact
  const { outcome, stage, verified, event, reply } = ended
  const status = reply?.status ?? outcomeStatus(outcome)
  const isPost = outcome.kind !== 'handshake' && !(outcome.kind === 'refused' && outcome.code === 'wrong_method')
  return {
    place,
    name: `${isPost ? 'POST' : 'HTTP'} ${address}`,
    kind: 'server',
    startMs: endMs - fact.ms(),
    endMs,
    attributes: {
      [names.httpMethod]: isPost ? 'POST' : '_OTHER',
      [names.httpRoute]: address,
      [names.httpStatus]: status,
      [names.route]: route?.name,
      [names.profile]: route?.profile,
      [names.outcome]: outcomeName(outcome),
      [names.stage]: stage,
      [names.eventId]: verified?.eventId,
      [names.eventType]: event?.eventType,
      [names.messagingMessageId]: event?.deliveryId,
    },
    // By the conventions, a server's span has failed where the fault is the server's.
    ...(status >= 500 ? { failure: { type: outcomeName(outcome) } } : {}),
    links,
  }
}

export const stageSpan = ({ stage, startMs, endMs }: StageWait, { traceparent }: SpanPlace): SpanData => ({
  place: placeBelow(traceparent) as SpanPlace,
  name: stage === endingStage ? 'commit' : stage,
  kind: 'internal',
  startMs,
  endMs,
  attributes: { [names.stage]: stage },
})
