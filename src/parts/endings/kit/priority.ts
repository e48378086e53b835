/** Reads the priority of a route's runs (rules: Runs 11). */

import type { NewRun } from '../../../core/new-run.ts'
import type { Route } from '../../../generated/config.ts'

/** `undefined` for the usual priority, which is not stored. */
export const runPriority = ({ priority }: Pick<Route, 'priority'>): NewRun['priority'] => (priority === 'normal' ? undefined : priority)
