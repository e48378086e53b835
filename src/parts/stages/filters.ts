/** The gate `filters` lets an event on when every condition in `filters` of the route holds (rules: Filters 1). */

import type { Path } from '../../core/diagnostic.ts'
import { ExactNumber } from '../../core/exact-number.ts'
import { type ExactJson, type ExactObject, type Json, put } from '../../core/json.ts'
import type { Ignored } from '../../core/outcome.ts'
import { compileConditions, type Verdict } from '../../expr/condition.ts'
import type { StageKit, StagePart } from './stage.ts'

/** Returns filters with these numbers as they are written. */
const withDigits = (filters: ExactJson, numbers: StageKit['longNumbers']): ExactJson =>
  numbers.reduce((before, { path, digits }) => replaced(before, path, new ExactNumber(digits)), filters)

const replaced = (value: ExactJson, [key, ...rest]: Path, by: ExactNumber): ExactJson => {
  if (key === undefined) return by
  const copy = (Array.isArray(value) ? [...value] : { ...(value as ExactObject) }) as ExactObject
  put(copy, String(key), replaced(copy[key] as ExactJson, rest, by))
  return copy
}

export const filters: StagePart = {
  name: 'filters',
  compile(route, { name, profileDir, operators, longNumbers, report, recompileAtReload, adopt, effects: { onlooker } }) {
    if (route.filters === undefined) return {}
    const holds = compileConditions(withDigits(route.filters as Json, longNumbers), {
      operators,
      profileDir,
      recompileAtReload,
      adopt,
      ...(onlooker ? { compiled: onlooker.condition } : {}),
      report: (code, path, message, help) => report(code, ['filters', ...path], message, help),
    })
    const ignored = (verdict: Verdict): Ignored => ({
      kind: 'ignored',
      reason: 'filter',
      route: name,
      detail: () => (verdict.pass ? '' : verdict.rule()),
    })
    return {
      onEvent(event) {
        const verdict = holds(event)
        if (verdict instanceof Promise) return verdict.then((settled) => (settled.pass ? event : ignored(settled)))
        return verdict.pass ? event : ignored(verdict)
      },
    }
  },
}
