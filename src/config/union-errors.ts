/**
 * Picks, of the errors that the validator reports about a union (`oneOf` in the schema), the errors that help the author of the file. The
 * validator reports the errors of all branches, of which the author meant one.
 */

import type { Path } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, valueAt } from '../core/json.ts'
import type { Problem } from '../generated/validators.js'
import { schemaAt, typeOf } from './schema-walk.ts'

/** Parses a JSON Pointer into `data` to a path, with numbers where it goes through lists. */
export const parsePointer = (pointer: string, data: Json): Path => {
  let at: Json | undefined = data
  return pointer
    .split('/')
    .slice(1)
    .map((raw) => {
      const key = raw.replaceAll('~1', '/').replaceAll('~0', '~')
      const part = Array.isArray(at) ? Number(key) : key
      at = Array.isArray(at) ? at[Number(key)] : isObject(at) ? at[key] : undefined
      return part
    })
}

/**
 * Keeps, of a union, the errors of the branch for the value's type. Where no branch has that type, one error names the types of all
 * branches. Errors about other values stay, with two exceptions: of a value of a wrong type only the error about its type stays, and of a
 * key that is no allowed name only the error of `propertyNames`.
 */
export const problemsOfBranch = (problems: readonly Problem[], root: JsonObject, data: Json): readonly Problem[] => {
  const unions = new Set(problems.filter(({ keyword }) => keyword === 'oneOf').map(({ instancePath }) => instancePath))
  const isBranchType = (problem: Problem): boolean => problem.keyword === 'type' && unions.has(problem.instancePath)
  // The allowed values of one branch help more than the pattern of another branch.
  const listed = new Set(problems.filter(({ keyword }) => keyword === 'enum').map(({ instancePath }) => instancePath))
  const isBranchForm = ({ keyword, instancePath }: Problem): boolean =>
    keyword === 'pattern' && unions.has(instancePath) && listed.has(instancePath)
  // Allowed values that are texts say nothing about a value of another type.
  const isOtherBranch = ({ keyword, instancePath, params }: Problem): boolean =>
    keyword === 'enum' &&
    unions.has(instancePath) &&
    (params.allowedValues as Json[]).every((value) => typeof value !== typeof valueAt(data, parsePointer(instancePath, data)))
  // Of a value with a wrong type only the type is reported, and not that the value is none of the allowed values.
  const mistyped = new Set(
    problems.filter((each) => each.keyword === 'type' && !isBranchType(each)).map(({ instancePath }) => instancePath),
  )
  const isPastType = ({ keyword, instancePath }: Problem): boolean => keyword === 'enum' && mistyped.has(instancePath)
  const isSilent = (problem: Problem): boolean =>
    problem.keyword === 'oneOf' ||
    'propertyName' in problem ||
    [isBranchType, isBranchForm, isOtherBranch, isPastType].some((silences) => silences(problem))
  const kept = problems.filter((problem) => !isSilent(problem))
  // A list may have thousands of wrong items, each of them a union.
  const typesByUnion = new Map<string, unknown[]>()
  for (const { instancePath, params } of problems.filter(isBranchType)) {
    const types = typesByUnion.get(instancePath)
    if (types) types.push(params.type)
    else typesByUnion.set(instancePath, [params.type])
  }
  for (const union of unions) {
    const types = typesByUnion.get(union) ?? []
    const path = parsePointer(union, data)
    const { oneOf: branches, type } = schemaAt(root, data, path)
    if (type === typeOf(valueAt(data, path) ?? null)) continue
    // A branch may be a union itself, and so give several errors.
    const reportingBranches = new Set(types.map(String)).size
    if (types.length > 0 && (!Array.isArray(branches) || reportingBranches >= branches.length)) {
      kept.push({ keyword: 'type', instancePath: union, schemaPath: '', params: { type: [...new Set(types.flat())] } })
    }
  }
  return kept
}
