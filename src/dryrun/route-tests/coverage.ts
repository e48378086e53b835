/**
 * Measures the coverage of routes by tests. The points to reach are an event that passes, each condition on a field with both results, and
 * each placeholder with a value. The placeholders of texts other than the prompt are known only once a test has rendered the text, and count
 * from then on. All other points count before any test, so that a route without tests counts in full.
 */

import type { RouteSource } from '../../config/config.ts'
import { parseTemplate } from '../../expr/placeholder.ts'
import { leavesOf } from '../../plan/review/filters/fields.ts'
import { writtenPath } from '../../plan/review/subject.ts'
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
  const markTaken = (route: string, seen: boolean): void => mark(route, 'taken', 'an event that it takes', seen)
  /**
   * Marks the two points of a condition: that it holds, and that it does not. `holds`: the result that a test had; `undefined` where no
   * test has evaluated the condition yet.
   */
  const markCondition = (route: string, name: string, field: string, holds: boolean | undefined): void => {
    mark(route, `${name} holds`, `${name} (${field}) holds`, holds === true)
    mark(route, `${name} does not`, `${name} (${field}) says no`, holds === false)
  }
  const markPlaceholder = (route: string, where: string, written: string, seen: boolean): void =>
    mark(route, `${where} ${written}`, `${where}: ${written} has a value`, seen)
  const markAll = ({ name: route, spec }: RouteSource): void => {
    markTaken(route, false)
    for (const { path, field } of leavesOf(spec.filters)) markCondition(route, writtenPath(path), field, undefined)
    for (const piece of parseTemplate(spec.prompt ?? ''))
      if (piece.kind !== 'text') markPlaceholder(route, 'prompt', piece.kind === 'raw' ? '{__raw__}' : piece.written, false)
  }
  return {
    add({ name: route }, { conditions, placeholders, stoppedAt }) {
      markTaken(route, stoppedAt === null)
      // A condition without a field, such as a group of conditions, is not counted.
      for (const { name, field, holds } of conditions) if (field !== undefined) markCondition(route, name, field, holds)
      for (const { where, written, missing } of placeholders) markPlaceholder(route, where, written, !missing)
    },
    routes: (all) =>
      all.map((source) => {
        markAll(source)
        const { name: route } = source
        const known = [...(points.get(route)?.values() ?? [])]
        const missed = known.flatMap(({ name, seen }) => (seen ? [] : name))
        return { route, seen: known.length - missed.length, all: known.length, missed }
      }),
  }
}
