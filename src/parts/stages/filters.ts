/** The gate `filters` lets an event on when every condition in `filters` of the route holds (rules: Filters 1). */

import type { Json } from '../../core/json.ts'
import type { Ignored } from '../../core/outcome.ts'
import { withDigits } from '../../core/written-digits.ts'
import { compileConditions, type FilterVerdict } from '../../expr/condition.ts'
import type { StagePart } from './stage.ts'

export const filters: StagePart = {
  name: 'filters',
  compile(route, { name, profileDir, operators, report, recompileAtReload, adopt, effects: { onlooker } }) {
    if (route.filters === undefined) return {}
    const holds = compileConditions(withDigits(route.filters as Json), {
      operators,
      profileDir,
      recompileAtReload,
      adopt,
      ...(onlooker ? { compiled: onlooker.condition } : {}),
      report: (code, path, message, help) => report(code, ['filters', ...path], message, help),
    })
    const ignored = (verdict: FilterVerdict): Ignored => ({
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
