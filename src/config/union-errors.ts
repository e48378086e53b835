/** What the validator says of a value that may have one form or another: only what its author can make use of is kept. */

import type { Path } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import type { Problem } from '../generated/validators.js'
import { schemaAt, typeOf } from './schema-walk.ts'

/** A JSON Pointer into `data` as a path, with numbers where it goes through lists. */
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

/** What stands at a path; nothing where it leads nowhere. */
export const valueAt = (data: Json, path: Path): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (Array.isArray(at) ? at[Number(key)] : isObject(at) ? at[String(key)] : undefined), data)

/** In a union only the branch of the value's own type speaks; when none has it, one sentence names all the types. */
export const problemsOfBranch = (problems: readonly Problem[], root: JsonObject, data: Json): readonly Problem[] => {
  const unions = new Set(problems.filter(({ keyword }) => keyword === 'oneOf').map(({ instancePath }) => instancePath))
  const isBranchType = (problem: Problem): boolean => problem.keyword === 'type' && unions.has(problem.instancePath)
  // A list of values says more than the form that may stand in its place.
  const listed = new Set(problems.filter(({ keyword }) => keyword === 'enum').map(({ instancePath }) => instancePath))
  const isBranchForm = ({ keyword, instancePath }: Problem): boolean =>
    keyword === 'pattern' && unions.has(instancePath) && listed.has(instancePath)
  // What may stand in place of a text says nothing about a list.
  const isOtherBranch = ({ keyword, instancePath, params }: Problem): boolean =>
    keyword === 'enum' &&
    unions.has(instancePath) &&
    (params.allowedValues as Json[]).every((value) => typeof value !== typeof valueAt(data, parsePointer(instancePath, data)))
  const isSilent = (problem: Problem): boolean =>
    problem.keyword === 'oneOf' || isBranchType(problem) || isBranchForm(problem) || isOtherBranch(problem) || 'propertyName' in problem
  const kept = problems.filter((problem) => !isSilent(problem))
  for (const union of unions) {
    const types = problems.filter((problem) => isBranchType(problem) && problem.instancePath === union).map(({ params }) => params.type)
    const path = parsePointer(union, data)
    const { oneOf: branches, type } = schemaAt(root, data, path)
    if (type === typeOf(valueAt(data, path) ?? null)) continue
    // A branch may be a union of its own, and speak more than once.
    const spoke = new Set(types.map(String)).size
    if (types.length > 0 && (!Array.isArray(branches) || spoke >= branches.length)) {
      kept.push({ keyword: 'type', instancePath: union, schemaPath: '', params: { type: [...new Set(types.flat())] } })
    }
  }
  return kept
}
