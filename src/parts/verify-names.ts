/** The signature schemes in a route's `verify`: names, or a scheme that the route describes. */

import type { Route } from '../generated/config.ts'

/**
 * The name of a scheme that a route describes. No plugin's scheme has it, because a name without a hyphen is reserved for built-in schemes.
 */
export const inlineScheme = 'inline'

/** Returns the names in order; empty where the headers choose the scheme. */
export const verifyNames = ({ verify = [] }: Pick<Route, 'verify'>): readonly string[] =>
  typeof verify === 'string' ? [verify] : Array.isArray(verify) ? verify : [inlineScheme]
