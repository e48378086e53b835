/** What a route's `verify` names: signature schemes, or one that it describes itself. */

import type { Route } from '../generated/config.ts'

/** The name of a scheme that a route describes itself. No other scheme has it: a name without a hyphen is a built-in one's. */
export const inlineScheme = 'inline'

/** The names that count, in order; none where the first scheme decides that the headers show. */
export const verifyNames = ({ verify = [] }: Pick<Route, 'verify'>): readonly string[] =>
  typeof verify === 'string' ? [verify] : Array.isArray(verify) ? verify : [inlineScheme]
