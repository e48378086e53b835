/** Finds the paths of a route that are written as in another language. The schema says where paths stand (`x-path`). */

import type { RouteSource } from '../config/config.ts'
import { definition, mapWhere } from '../config/schema-walk.ts'
import type { Diagnostic, Path } from '../core/diagnostic.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { printable } from '../core/text.ts'
import { type PathSlip, type PathUse, pathSlip } from '../expr/path-slip.ts'
import { parseTemplate, placeholders } from '../expr/placeholder.ts'
import { slipsIn } from './dialects.ts'
import { problemAt } from './problem-at.ts'

const routeSchema = definition('Route')

/**
 * A path of a route with what is wrong with it. `at`: the value that is the path, or the template that has it. `rewritten`: that value with
 * all its paths mended. Of several slips in a template, only the first that can be mended has it, because one edit replaces the whole
 * value.
 */
export type WrittenSlip = PathSlip & { readonly path: string; readonly at: Path; readonly isWhole: boolean; readonly rewritten?: string }

/** Returns the paths of a route that are likely wrong, in the order of its keys. */
export const slipsOfPaths = (spec: RouteSource['spec']): readonly WrittenSlip[] => {
  const found: WrittenSlip[] = []
  const judge = (path: string, use: PathUse, at: Path): void => {
    const slip = pathSlip(path, use)
    if (slip) found.push({ ...slip, path, at, isWhole: true, ...(slip.instead === undefined ? {} : { rewritten: slip.instead }) })
  }
  mapWhere('x-path', routeSchema, spec as Json, ({ 'x-path': use }: JsonObject, value, at) => {
    if (typeof value !== 'string') return value
    if (use !== 'key') judge(value, use as PathUse, at)
    else if (placeholders(value).length > 0) found.push(...slipsOfTemplate(value, at))
    else if (!/[{}]/.test(value)) judge(value, 'field', at)
    return value
  })
  return found
}

const slipsOfTemplate = (template: string, at: Path): readonly WrittenSlip[] => {
  const slips: WrittenSlip[] = []
  const rewritten = parseTemplate(template).map((piece) => {
    const slip = piece.kind === 'path' ? pathSlip(piece.path, 'template') : undefined
    if (piece.kind === 'path' && slip) slips.push({ ...slip, path: piece.path, at, isWhole: false })
    if (slip?.instead !== undefined) return `{${slip.instead}}`
    return piece.kind === 'text' ? piece.text : piece.kind === 'raw' ? '{__raw__}' : piece.written
  })
  // One edit replaces the whole value, so one finding has it, and it is as safe as the least safe of them.
  const isSame = slips.every((slip) => slip.isSame)
  const first = slips.findIndex(({ instead }) => instead !== undefined)
  return slips.map((slip, i) => (i === first ? { ...slip, isSame, rewritten: rewritten.join('') } : slip))
}

/**
 * Returns an error for each path at which no event has a value. Under `not`, a condition on such a field would let everything through, and
 * a lane or a limit with such a key would hold nothing back.
 */
export const checkPaths = (route: RouteSource): Diagnostic[] =>
  slipsOfPaths(route.spec)
    .filter(({ isNever }) => isNever)
    .map(({ path, at, why, help, instead, isSame, rewritten }) => {
      const found = problemAt(route, 'WH340', at, slipSentence(path, why), help)
      if (instead === undefined || !found.place) return found
      if (rewritten === undefined) return { ...found, suggest: [instead] }
      const edits = [{ place: found.place, text: JSON.stringify(rewritten) }]
      return { ...found, suggest: [instead], fix: { title: `write ${rewritten}`, safe: isSame, edits } }
    })

/**
 * Returns an error for each key whose braces are no placeholder: no payload has a field of such a name. The fix writes those as placeholders
 * that are written as in another language.
 */
export const checkKeys = (route: RouteSource): Diagnostic[] => {
  const found: Diagnostic[] = []
  mapWhere('x-path', routeSchema, route.spec as Json, ({ 'x-path': use }: JsonObject, value, at) => {
    if (use === 'key' && typeof value === 'string' && /[{}]/.test(value) && placeholders(value).length === 0)
      found.push(keyProblem(route, value, at))
    return value
  })
  return found
}

const keyProblem = (route: RouteSource, key: string, at: Path): Diagnostic => {
  const message = `no placeholder in ${JSON.stringify(printable(key, 80))}: write {a.b}, without blanks or quotes inside the braces`
  const slips = slipsIn(key, { kind: 'setting', mayHave: () => false, proves: () => undefined, unwraps: () => undefined })
  let rest = 0
  const pieces = slips.map(({ at: from, text, instead = text }) => {
    const before = key.slice(rest, from)
    rest = from + text.length
    return before + instead
  })
  const rewritten = pieces.join('') + key.slice(rest)
  const [help = 'an expression is {= … }; its language is described at https://docs.jsonata.org'] = slips.map((slip) => slip.help)
  const problem = problemAt(route, 'WH503', at, message, help)
  if (!problem.place || !slips.every(({ instead }) => instead !== undefined) || placeholders(rewritten).length === 0) return problem
  // A key in single braces with blanks stops the start, so its fix takes no meaning away and is safe.
  const isSame = slips.every(({ safe, text }) => safe ?? /^\{[^{}]+\}$/.test(text))
  const edits = [{ place: problem.place, text: JSON.stringify(rewritten) }]
  return { ...problem, help: `write ${rewritten}`, suggest: [rewritten], fix: { title: `write ${rewritten}`, safe: isSame, edits } }
}

export const slipSentence = (path: string, why: string): string => `"${printable(path, 80)}" ${why}`
