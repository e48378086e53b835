/** Names of routes, plugins and providers: their forms, and second names (rules: Names 1). */

import { nearest } from './text.ts'

export const routeName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** The name of what a plugin brings. No built-in name has a hyphen, so that none of a later version can clash. */
export const pluginName = /^(?!x-)[a-z0-9]+(-[a-z0-9]+)+$/u

/** The way out for a name that no plugin brings. */
export const unpluggedHelp = (name: string, known: Iterable<string>): string => {
  const near = nearest(name, known)
  return near.length > 0
    ? `did you mean ${near.map((word) => `"${word}"`).join(' or ')}?`
    : 'name the module that brings it under "plugins"'
}

/** Second names of the code hosts, where samples are named by who sends them. */
const providerAliases: ReadonlyMap<string, string> = new Map([
  ['code-host-a', 'github'],
  ['host-a', 'github'],
  ['hosta', 'github'],
  ['code-host-b', 'gitlab'],
  ['host-b', 'gitlab'],
  ['hostb', 'gitlab'],
])

/** The real name of a provider of samples. */
export const providerName = (name: string): string => providerAliases.get(name) ?? name
