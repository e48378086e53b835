/**
 * The gate `filters` lets an event on when every condition in `filters` of the route holds (rules: Filters 1). Conditions that read a lookup
 * are judged by the gate `lookup`.
 */

import { compileFilters } from './kit/compile-filters.ts'
import type { StagePart } from './stage.ts'

export const filters: StagePart = {
  name: 'filters',
  compile(route, kit) {
    const onEvent = compileFilters(route, kit, filters.name, false)
    return onEvent ? { onEvent } : {}
  },
}
