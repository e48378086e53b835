/** The forms of names, and the aliases of providers (rules: Names 1). */

import { nearest } from './text.ts'

/** The name of a route, a profile or a skill. */
export const routeNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** The name of a file of tests, such as `github.webhook-test.yaml`. */
export const testFileForm = /\.webhook-test\.(?:ya?ml|json)$/

/**
 * The name of a part that a plugin brings. Such a name has a hyphen, and names of built-in parts have none, so a part that a later version
 * builds in never has the name of a plugin's part. Keys that begin with `x-` are free for the operator's notes, so no part has such a name.
 */
export const pluginNamePattern = /^(?!x-)[a-z0-9]+(-[a-z0-9]+)+$/u

/** Returns the way out for the name of a part that no plugin brings. `known`: the names of all parts that are there. */
export const unknownPluginHelp = (name: string, known: Iterable<string>): string => {
  const near = nearest(name, known)
  return near.length > 0
    ? `did you mean ${near.map((word) => `"${word}"`).join(' or ')}?`
    : 'name the module that brings it under "plugins"'
}

/** The neutral names of code hosts, each with the provider that it stands for. Samples have the provider's name. */
const providerAliases: ReadonlyMap<string, string> = new Map([
  ['code-host-a', 'github'],
  ['host-a', 'github'],
  ['hosta', 'github'],
  ['code-host-b', 'gitlab'],
  ['host-b', 'gitlab'],
  ['hostb', 'gitlab'],
])

/** Returns the provider that an alias stands for, and any other name as it is. */
export const providerName = (name: string): string => providerAliases.get(name) ?? name
