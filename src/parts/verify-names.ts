/** Reads `verify` of a route: the names of signature schemes, or a scheme that the route describes itself. */

import type { Route } from '../generated/config.ts'

/**
 * The name of the scheme that a route describes itself. No scheme of a plugin or of `signature_schemes` has this name, because names
 * without a hyphen are reserved for built-in schemes.
 */
export const inlineScheme = 'inline'

/** Returns the names of the schemes in order; empty where `verify` is absent: then the headers of each request choose the scheme. */
export const verifyNames = ({ verify = [] }: Pick<Route, 'verify'>): readonly string[] =>
  typeof verify === 'string' ? [verify] : Array.isArray(verify) ? verify : [inlineScheme]
