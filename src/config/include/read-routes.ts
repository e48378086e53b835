/** Reads the routes of a configuration: those of the main file, and those of the files that it includes. */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json, valueAt } from '../../core/json.ts'
import type { CheckedData, FileReadings } from '../files.ts'
import { type IncludeOptions, readIncluded } from './read-included.ts'
import { type RoutesPart, routesPart, withoutTwins } from './routes-part.ts'

type RoutesOptions = IncludeOptions & {
  readonly main: IncludeOptions['main'] & Pick<CheckedData, 'found'>
  /** The routes of the main file, with secrets resolved, and their path in it. */
  readonly routes: Json | undefined
  readonly base: Path
}

/** Returns the routes of each file. A name that stands in several files is reported, and none of its routes is returned. */
export const readIncludedRoutes = ({ main, routes, base, ...options }: RoutesOptions, into: FileReadings): readonly RoutesPart[] => {
  const { source, bad, found } = main
  const raw = source ? valueAt(source.data, base) : undefined
  const own = source ? [routesPart(routes, { raw: isObject(raw) ? raw : {}, place: source.place, base, bad, found })] : []
  const twins = withoutTwins([...own, ...readIncluded({ main, ...options }, into)])
  into.diagnostics.push(...twins.found)
  return twins.parts
}
