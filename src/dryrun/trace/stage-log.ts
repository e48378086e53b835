/**
 * Notes which stages an event reaches and how long each stage takes, and returns the results of all stages in the order of the pipeline.
 */

import { definition } from '../../config/schema-walk.ts'
import type { Clock } from '../../core/clock.ts'
import { exactOf } from '../../core/exact-json.ts'
import type { EndedRequest } from '../../core/facts/fact.ts'
import { isTakenOutcome, outcomeReason } from '../../core/outcome-table.ts'
import type { Event } from '../../core/request.ts'
import type { Watch } from '../../engine/run.ts'
import { renderJson } from '../../expr/render.ts'
import { duplicate } from '../../parts/stages/duplicate.ts'
import { signature } from '../../parts/stages/signature.ts'
import { unusedStage } from './plan-observer.ts'

export type TracedStage = {
  readonly stage: string
  /** `skip`: the stage did not run, for the `reason`. `error`: a bug of headgate. */
  readonly result: 'pass' | 'stop' | 'skip' | 'error'
  readonly ms: number
  readonly reason?: string
  /** The beginning of the payload as JSON, before and after a stage that changed it. */
  readonly change?: { readonly before: string; readonly after: string }
}

/** The most UTF-16 units of a payload that are shown before and after a stage. */
const maxShownUnits = 2000
const shownPayload = (event: Event): string => renderJson(exactOf(event), maxShownUnits, 0)

const pipeline = definition('Route')['x-pipeline'] as readonly string[]
/** The stages that come before the plan of a route. No plan reports them. */
const beforePlan: readonly string[] = ['body_size', 'route']
/** The stages up to the signature. These stages check a request when it arrives. A request that is taken as verified skips them. */
const requestStages = pipeline.slice(0, pipeline.indexOf(signature.name) + 1)

export type StageLog = {
  readonly watch: Watch
  /** Returns the event as it was parsed; `undefined` where the request ended before. */
  parsed(): Event | undefined
  /** Returns the event as it was at the last stage that it reached; `undefined` as for `parsed`. */
  seen(): Event | undefined
  /** Whether the plan has reported the stage. */
  reached(stage: string): boolean
  /** Returns the result of every stage. `kind`: whether the request was posted or taken as verified. */
  stages(ended: EndedRequest, kind: 'post' | 'verified'): readonly TracedStage[]
}

export const createStageLog = (clock: Clock): StageLog => {
  const times = new Map<string, number>()
  const changes = new Map<string, NonNullable<TracedStage['change']>>()
  let last = clock.monotonic()
  let parsed: Event | undefined
  let seen: Event | undefined
  return {
    watch: {
      stage: (stage, _ended, event) => {
        const now = clock.monotonic()
        times.set(stage, now - last)
        last = now
        // The first item of a request that is split comes after the request.
        if (!parsed || (event?.batch && !parsed.batch)) parsed = event
        else if (event && seen && event.payload !== seen.payload)
          changes.set(stage, { before: shownPayload(seen), after: shownPayload(event) })
        seen = event ?? seen
      },
    },
    parsed: () => parsed,
    seen: () => seen,
    reached: (stage) => times.has(stage),
    stages: (ended, kind) =>
      pipeline.map((stage) => {
        const change = changes.get(stage)
        return { stage, ms: times.get(stage) ?? 0, ...resultOf(stage, ended, kind, times), ...(change ? { change } : {}) }
      }),
  }
}

const resultOf = (
  stage: string,
  { outcome, stage: end }: EndedRequest,
  kind: 'post' | 'verified',
  times: ReadonlyMap<string, number>,
): Pick<TracedStage, 'result' | 'reason'> => {
  const at = pipeline.indexOf(stage)
  const endsAt = pipeline.indexOf(end)
  if (kind === 'verified' && requestStages.includes(stage)) return { result: 'skip', reason: 'it was let in when it came' }
  if (at > endsAt) return { result: 'skip', reason: 'not reached' }
  if (at === endsAt && !isTakenOutcome(outcome)) {
    const reason = outcomeReason(outcome)
    const isBug = outcome.kind === 'refused' && outcome.code === 'internal'
    return { result: isBug ? 'error' : 'stop', ...(reason === undefined ? {} : { reason }) }
  }
  // The ending commits the claim and the work at once, so the stage `duplicate` is not reported by itself.
  const isDone = times.has(stage) || beforePlan.includes(stage) || stage === duplicate.name || at === endsAt
  return isDone ? { result: 'pass' } : { result: 'skip', reason: unusedStage }
}
