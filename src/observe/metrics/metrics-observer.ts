/** An observer that counts and times facts. No label has a value of a payload, a path or a header. */

import type { Clock } from '../../core/clock.ts'
import type { Fact, RequestEnded, RunAttempt } from '../../core/facts/fact.ts'
import type { Observer } from '../../core/facts/facts.ts'
import { isTakenOutcome, outcomeName } from '../../core/outcome-table.ts'
import type { Meter } from './meter.ts'

/** The label of requests for which no route was found. The names of routes never begin with `_`. */
const noRoute = '_unknown'
/** The label `route` of the runs of scheduled jobs. */
const jobRuns = '_job'

const resultOf = (ok: boolean): string => (ok ? 'ok' : 'failed')
const seconds = (ms: number): number => ms / 1000

export const createMetricsObserver = (meter: Meter, clock: Pick<Clock, 'now'>): Observer<'metrics'> => ({
  handlers: {
    request_ended: (fact) => countRequest(fact, meter, clock),
    attempt_committed: ({ run }) => countAttempt(run, meter),
    commit_ended({ ok, calls, ms }) {
      meter.add('commits', [resultOf(ok)])
      meter.add('commitCalls', [], calls)
      meter.add('commitSeconds', [], seconds(ms))
    },
    text_sent({ target, ok, ms }) {
      meter.add('deliveries', [target, resultOf(ok)])
      meter.add('deliverySeconds', [target], seconds(ms))
    },
    payload_mismatched: ({ route, action }) => meter.add('mismatches', [route, action]),
    redaction_missed({ route, fields }) {
      for (const field of fields) meter.add('redactionsMissed', [route, field])
    },
    lookup_ended: ({ lookup, result }) => meter.add('lookups', [lookup, result]),
    script_ended: ({ ok, ms }) => meter.add('scriptSeconds', [resultOf(ok)], seconds(ms)),
    list_fetched: ({ list, ok }) => meter.add('listFetches', [list, resultOf(ok)]),
    records_lost: ({ lines }) => meter.add('recordsLost', [], lines),
    job_started: ({ job }) => meter.add('jobs', [job]),
    model_called: (fact) => countModelCall(fact, meter),
    tool_called({ toolset, tool, ok, ms }) {
      meter.add('toolCalls', [toolset, tool, resultOf(ok)])
      meter.add('toolSeconds', [toolset, tool], seconds(ms))
    },
    budget_used_up: ({ cause, key }) => meter.add('budgets', [cause.route || jobRuns, key]),
    breaker_changed: ({ target, address, state }) => meter.set('breakers', [target, address], state === 'closed' ? 0 : 1),
  },
})

const countRequest = ({ ended, route, ms, batch, replay }: RequestEnded, meter: Meter, clock: Pick<Clock, 'now'>): void => {
  const { outcome, stage, verified } = ended
  const name = route?.name ?? noRoute
  if (replay) return void meter.add('replays', [name, outcomeName(outcome)])
  meter.add('requests', [name, outcomeName(outcome), stage])
  // An item of a request that was split is counted with its outcome. Its time and its bytes are the time and the bytes of the whole
  // request.
  if (verified && !batch) {
    meter.add('requestSeconds', [name], seconds(ms()))
    meter.add('bodyBytes', [name], verified.body.length)
  }
  if (isTakenOutcome(outcome)) meter.set('lastAccepted', [name], seconds(clock.now()))
}

const countAttempt = (run: RunAttempt, meter: Meter): void => {
  const { end, usage, attempt, acceptedAt, startedAt, ms } = run
  const route = run.route || jobRuns
  meter.add('attempts', [route, end.kind === 'done' && end.silent ? 'silent' : end.kind])
  if (end.kind === 'cancelled' || end.kind === 'expired') return
  meter.add('attemptSeconds', [route], seconds(ms))
  if (attempt === 1) meter.add('runWaitSeconds', [route], seconds(Math.max(0, startedAt - acceptedAt)))
  if (usage?.cost !== undefined) meter.add('cost', [route], usage.cost)
}

const countModelCall = (call: Extract<Fact, { kind: 'model_called' }>, meter: Meter): void => {
  const { provider, model, ok, inputTokens, outputTokens, ms } = call
  meter.add('modelCalls', [provider, model, resultOf(ok)])
  meter.add('modelSeconds', [provider, model], seconds(ms))
  for (const [direction, tokens] of [
    ['input', inputTokens],
    ['output', outputTokens],
  ] as const)
    if (Number.isSafeInteger(tokens) && tokens > 0) meter.add('tokens', [provider, model, direction], tokens)
}
