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

export const createMetricsObserver = (meter: Meter, clock: Pick<Clock, 'now'>): Observer => ({
  on(fact) {
    if (fact.kind === 'request_ended') countRequest(fact, meter, clock)
    else if (fact.kind === 'attempt_committed') countAttempt(fact.run, meter)
    else countOther(fact, meter)
  },
})

const countRequest = ({ ended, route, ms, batch, replay }: RequestEnded, meter: Meter, clock: Pick<Clock, 'now'>): void => {
  const { outcome, stage, verified } = ended
  const name = route?.name ?? noRoute
  if (replay) return void meter.add('replays', [name, outcomeName(outcome)])
  meter.add('requests', [name, outcomeName(outcome), stage])
  // An item of a request that was split is counted with its outcome. Its time and its bytes are those of the request.
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

const countOther = (fact: Exclude<Fact, RequestEnded>, meter: Meter): void => {
  switch (fact.kind) {
    case 'commit_ended':
      meter.add('commits', [resultOf(fact.ok)])
      meter.add('commitCalls', [], fact.calls)
      meter.add('commitSeconds', [], seconds(fact.ms))
      break
    case 'text_sent':
      meter.add('deliveries', [fact.target, resultOf(fact.ok)])
      meter.add('deliverySeconds', [fact.target], seconds(fact.ms))
      break
    case 'payload_mismatched':
      meter.add('mismatches', [fact.route, fact.action])
      break
    case 'redaction_missed':
      for (const field of fact.fields) meter.add('redactionsMissed', [fact.route, field])
      break
    case 'script_ended':
      meter.add('scriptSeconds', [resultOf(fact.ok)], seconds(fact.ms))
      break
    case 'records_lost':
      meter.add('recordsLost', [], fact.lines)
      break
    case 'job_started':
      meter.add('jobs', [fact.job])
      break
    case 'model_called':
      countModelCall(fact, meter)
      break
    case 'tool_called':
      meter.add('toolCalls', [fact.toolset, fact.tool, resultOf(fact.ok)])
      meter.add('toolSeconds', [fact.toolset, fact.tool], seconds(fact.ms))
      break
    case 'budget_used_up':
      meter.add('budgets', [fact.cause.route || jobRuns, fact.key])
      break
    case 'breaker_changed':
      meter.set('breakers', [fact.target, fact.address], fact.state === 'closed' ? 0 : 1)
  }
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
