/** Finds the paths of a route that are written as in another language. The schema says where paths stand (`x-path`). */

import type { RouteSource } from '../config/config.ts'
import { definition, mapWhere } from '../config/schema-walk.ts'
import type { Diagnostic, Path } from '../core/diagnostic.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { printable } from '../core/text.ts'
import { type PathSlip, type PathUse, pathSlip } from '../expr/path-slip.ts'
import { parseTemplate } from '../expr/placeholder.ts'
import { problemAt } from './problem-at.ts'

const routeSchema = definition('Route')

/** A path of a route with what is wrong with it. `at`: the value that is the path, or the template that has it. */
export type WrittenSlip = PathSlip & { readonly path: string; readonly at: Path; readonly isWhole: boolean }

/** Returns the paths of a route that are likely wrong, in the order of its keys. */
export const slipsOfPaths = (spec: RouteSource['spec']): readonly WrittenSlip[] => {
  const found: WrittenSlip[] = []
  const judge = (path: string, use: PathUse, at: Path, isWhole: boolean): void => {
    const slip = pathSlip(path, use)
    if (slip) found.push({ ...slip, path, at, isWhole })
  }
  mapWhere('x-path', routeSchema, spec as Json, ({ 'x-path': use }: JsonObject, value, at) => {
    if (typeof value !== 'string') return value
    if (use !== 'key') judge(value, use as PathUse, at, true)
    else {
      const pieces = parseTemplate(value).filter(({ kind }) => kind !== 'text')
      for (const piece of pieces) if (piece.kind === 'path') judge(piece.path, 'template', at, false)
      if (pieces.length === 0 && !/[{}]/.test(value)) judge(value, 'field', at, true)
    }
    return value
  })
  return found
}

/**
 * Returns an error for each path at which no event has a value. Under `not`, a condition on such a field would let everything through, and
 * a lane or a limit with such a key would hold nothing back.
 */
export const checkPaths = (route: RouteSource): Diagnostic[] =>
  slipsOfPaths(route.spec)
    .filter(({ isNever }) => isNever)
    .map(({ path, at, why, help, instead, isSame, isWhole }) => {
      const found = problemAt(route, 'WH340', at, slipSentence(path, why), help)
      if (instead === undefined || !found.place) return found
      const fix = { title: help, safe: isSame, edits: [{ place: found.place, text: JSON.stringify(instead) }] }
      return { ...found, suggest: [instead], ...(isWhole ? { fix } : {}) }
    })

export const slipSentence = (path: string, why: string): string => `"${printable(path, 80)}" ${why}`
