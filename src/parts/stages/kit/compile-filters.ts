/** Compiles those of a route's filters that are judged before its lookups, or those that read an answer and are judged after them. */

import type { ExactJson, Json } from '../../../core/json.ts'
import { type Ignored, listUnavailable, type Refused } from '../../../core/outcome.ts'
import type { EventGate } from '../../../core/plan.ts'
import type { Event } from '../../../core/request.ts'
import { withDigits } from '../../../core/written-digits.ts'
import { compileConditions, type FilterVerdict } from '../../../expr/condition.ts'
import type { Route } from '../../../generated/config.ts'
import { lookupReads } from '../../lookup-reads.ts'
import type { StageKit } from '../stage.ts'

/** `stage`: the stage that judges them. `readsLookups`: those that read an answer, or the others. Returns `undefined` where it has nothing to judge. */
export const compileFilters = (
  { filters, lookup }: Route,
  { name, profileDir, openList, operators, report, recompileAtReload, adopt, effects: { onlooker } }: StageKit,
  stage: string,
  readsLookups: boolean,
): EventGate | undefined => {
  if (filters === undefined) return undefined
  const isPicked = (condition: ExactJson): boolean =>
    (lookup !== undefined && lookupReads(condition, ['filters']).length > 0) === readsLookups
  const written = withDigits(filters as Json)
  const isEmpty = Array.isArray(written) ? !written.some(isPicked) : !isPicked(written)
  if (isEmpty) return undefined
  const holds = compileConditions(written, {
    operators,
    profileDir,
    openList,
    recompileAtReload,
    adopt,
    isPicked,
    ...(onlooker ? { compiled: (condition) => onlooker.condition(condition, stage) } : {}),
    report: (code, path, message, help) => report(code, ['filters', ...path], message, help),
  })
  const judged = (verdict: FilterVerdict, event: Event): Event | Ignored | Refused => {
    if (verdict.pass) return event
    if (verdict.isLater) return listUnavailable(verdict.rule())
    return { kind: 'ignored', reason: 'filter', route: name, detail: verdict.rule }
  }
  return (event) => {
    const verdict = holds(event)
    return verdict instanceof Promise ? verdict.then((settled) => judged(settled, event)) : judged(verdict, event)
  }
}
