/** Makes the spans of a request: the request itself, and the stages that waited. */

import type { Clock } from '../../core/clock.ts'
import type { EndedRequest, RequestEnded } from '../../core/facts/fact.ts'
import { outcomeName, outcomeStatus } from '../../core/outcome-table.ts'
import { type SpanPlace, spanPlaceBelow, type TraceContext } from '../../core/telemetry/trace-context.ts'
import { names } from './conventions.ts'
import type { SpanData } from './span-data.ts'

/** The address of a request in its span. The path itself would let strangers make any number of span names. */
const address = '/webhooks/:route'

/** Makes the span of a request from the fact of its end. `endMs`: when the request ended, as wall time. */
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

/** The stage of the ending, which always waits for the store where it makes work. */
const endingStage = 'dispatch'

/** A shorter stage did not wait. */
const leastMs = 1

/** Makes the spans of the stages that waited. A direct delivery has a span of its own. */
export const stageSpans = (
  { outcome, waits }: EndedRequest,
  { traceparent }: SpanPlace,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): readonly SpanData[] => {
  if (!waits) return []
  const toWall = clock.now() - clock.monotonic()
  return waits
    .filter(({ stage, startMs, endMs }) => (stage === endingStage ? outcome.kind !== 'delivered' : endMs - startMs >= leastMs))
    .map(({ stage, startMs, endMs }) => ({
      place: spanPlaceBelow(traceparent) as SpanPlace,
      name: stage === endingStage ? 'commit' : stage,
      kind: 'internal',
      startMs: startMs + toWall,
      endMs: endMs + toWall,
      attributes: { [names.stage]: stage },
    }))
}
