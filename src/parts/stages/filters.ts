/** The gate `filters` lets an event on when every condition in `filters` of the route holds (rules: Filters 1). */

import type { Json } from '../../core/json.ts'
import { type Ignored, type Refused, refuse } from '../../core/outcome.ts'
import type { Event } from '../../core/request.ts'
import { withDigits } from '../../core/written-digits.ts'
import { compileConditions, type FilterVerdict } from '../../expr/condition.ts'
import type { StagePart } from './stage.ts'

export const filters: StagePart = {
  name: 'filters',
  compile(route, { name, profileDir, dataDir, operators, report, recompileAtReload, adopt, effects: { onlooker } }) {
    if (route.filters === undefined) return {}
    const holds = compileConditions(withDigits(route.filters as Json), {
      operators,
      profileDir,
      dataDir,
      recompileAtReload,
      adopt,
      ...(onlooker ? { compiled: onlooker.condition } : {}),
      report: (code, path, message, help) => report(code, ['filters', ...path], message, help),
    })
    const judged = (verdict: FilterVerdict, event: Event): Event | Ignored | Refused => {
      if (verdict.pass) return event
      if (verdict.isLater) return refuseUntilListed(verdict)
      return { kind: 'ignored', reason: 'filter', route: name, detail: verdict.rule }
    }
    return {
      onEvent(event) {
        const verdict = holds(event)
        return verdict instanceof Promise ? verdict.then((settled) => judged(settled, event)) : judged(verdict, event)
      },
    }
  },
}

const retryAfterSeconds = 60

/** Refuses an event until the list is there that a condition needs: nobody may pass a list for allowing or for blocking unseen. */
export const refuseUntilListed = ({ rule }: Extract<FilterVerdict, { readonly pass: false }>): Refused =>
  refuse('list_unavailable', { retryAfterSeconds, detail: rule() })
