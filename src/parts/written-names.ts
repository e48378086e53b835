/** Reads names in a route: of targets, by their aliases too, and of the signature schemes in `verify`. */

import { own } from '../core/json.ts'
import type { Route } from '../generated/config.ts'
import { targetAliases } from '../generated/settings.ts'

/**
 * The name of the scheme that a route describes itself. No scheme of a plugin or of `signature_schemes` has this name, because names
 * without a hyphen are reserved for built-in schemes.
 */
export const inlineScheme = 'inline'

/** Returns the names of the schemes in order; empty where `verify` is absent: then the headers of each request choose the scheme. */
export const verifyNames = ({ verify = [] }: Pick<Route, 'verify'>): readonly string[] =>
  typeof verify === 'string' ? [verify] : Array.isArray(verify) ? verify : [inlineScheme]

/** Returns the target that an alias stands for; any other name as it is (rules: Names 1). */
export const targetName = (name: string): string => own(targetAliases, name) ?? name
