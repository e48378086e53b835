/**
 * Measures the coverage of routes by tests. The points to reach are an event that passes, each condition on a field with both results, and
 * each placeholder with a value. A condition is a point only after a test has judged it, and a placeholder only after a test has rendered
 * its text.
 */

import type { RouteSource } from '../../config/config.ts'
import type { Trace } from '../trace/trace.ts'

/** A point of a route that tests should reach. `seen`: a test has reached it. */
type Point = { readonly name: string; seen: boolean }

/** The coverage of one route: `seen` of `all` points were reached. */
export type RouteCoverage = {
  readonly route: string
  readonly seen: number
  readonly all: number
  /** The points that no test has reached, in words. */
  readonly missed: readonly string[]
}

export type Coverage = {
  /** Adds the points of one traced event. */
  add(source: RouteSource, traced: Pick<Trace, 'conditions' | 'placeholders' | 'stoppedAt'>): void
  /** Returns the coverage of each route. A route without tests has reached no point. */
  routes(all: readonly RouteSource[]): readonly RouteCoverage[]
}

export const createCoverage = (): Coverage => {
  const points = new Map<string, Map<string, Point>>()
  const mark = (route: string, key: string, name: string, seen: boolean): void => {
    const known = points.get(route) ?? new Map<string, Point>()
    points.set(route, known)
    const point = known.get(key) ?? { name, seen: false }
    known.set(key, point)
    point.seen ||= seen
  }
  return {
    add({ name: route }, { conditions, placeholders, stoppedAt }) {
      mark(route, 'taken', 'an event that it takes', stoppedAt === null)
      for (const { name, field, holds } of conditions) {
        // A condition without a field, such as a group of conditions, is not counted.
        if (field === undefined) continue
        mark(route, `${name} holds`, `${name} (${field}) holds`, holds)
        mark(route, `${name} does not`, `${name} (${field}) says no`, !holds)
      }
      for (const { where, written, missing } of placeholders)
        mark(route, `${where} ${written}`, `${where}: ${written} has a value`, !missing)
    },
    routes: (all) =>
      all.map(({ name: route }) => {
        const known = [...(points.get(route)?.values() ?? [{ name: 'an event that it takes', seen: false }])]
        const missed = known.flatMap(({ name, seen }) => (seen ? [] : name))
        return { route, seen: known.length - missed.length, all: known.length, missed }
      }),
  }
}
