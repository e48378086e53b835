/** The forms of the names of routes and plugins, and the aliases of providers (rules: Names 1). */

import { nearest } from './text.ts'

export const routeNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** The name of a plugin's part. Built-in names never have a hyphen, so no later version can clash with it. */
export const pluginNamePattern = /^(?!x-)[a-z0-9]+(-[a-z0-9]+)+$/u

/** Returns the help for a name that no plugin brings. */
export const unknownPluginHelp = (name: string, known: Iterable<string>): string => {
  const near = nearest(name, known)
  return near.length > 0
    ? `did you mean ${near.map((word) => `"${word}"`).join(' or ')}?`
    : 'name the module that brings it under "plugins"'
}

/** The aliases of code hosts, each with its provider. Samples are named by their provider. */
const providerAliases: ReadonlyMap<string, string> = new Map([
  ['code-host-a', 'github'],
  ['host-a', 'github'],
  ['hosta', 'github'],
  ['code-host-b', 'gitlab'],
  ['host-b', 'gitlab'],
  ['hostb', 'gitlab'],
])

/** Returns the provider that a name or an alias stands for. */
export const providerName = (name: string): string => providerAliases.get(name) ?? name
