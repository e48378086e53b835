/** Gives each imported route a name that can stand in an address. */

import { routeNamePattern } from '../../core/names.ts'

/** Returns a function that turns a name of the source into the name of a route. No two routes get equal names. */
export const createRouteNames = (): ((wanted: string) => string) => {
  const taken = new Set<string>()
  return (wanted) => {
    const base = routeNamePattern.test(wanted) ? wanted : usableRouteName(wanted)
    let name = base
    for (let n = 2; taken.has(name); n++) name = `${base.slice(0, 60)}-${n}`
    taken.add(name)
    return name
  }
}

const usableRouteName = (wanted: string): string =>
  wanted
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64) || 'route'
