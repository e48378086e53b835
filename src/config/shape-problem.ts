/**
 * Problems of shape in words. One slip may cause several problems, which this file joins into one: a misspelt key is also missing under its
 * right name, and lines that are not indented enough are read as keys of the map around them. The file also says where a misplaced key
 * would be right.
 */

import { type Diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own, valueAt } from '../core/json.ts'
import { configSchema, memberSchema, schemaAt, schemaOfValue } from './schema-walk.ts'
import type { MistypedWord } from './word-fix.ts'

/** A problem of shape, at a path into the checked data. `of`: whether the problem is about the key at the path or about its value. */
export type ShapeProblem = Pick<Diagnostic, 'code' | 'message' | 'help' | 'suggest'> & {
  readonly path: Path
  readonly of: 'key' | 'value'
  /** The key that is missing in the map at `path`. */
  readonly missing?: { readonly key: string; readonly path: Path } | undefined
  readonly slip?: MistypedWord | undefined
}

/**
 * Returns the problems, with one for each slip. `data`: the checked value, which the schema `root` describes, with its keys in the order of
 * the file.
 */
export const oneForEachSlip = (problems: readonly ShapeProblem[], root: JsonObject, data: Json): ShapeProblem[] => {
  // The keys that unknown keys most likely were meant to be: where they are missing, that is not reported as well. They are a set, because
  // a list may have thousands of maps with such a slip.
  const meant = new Set(
    problems.flatMap(({ code, path, suggest }) => (code === 'WH101' && suggest ? [meantAt(path.slice(0, -1), suggest[0])] : [])),
  )
  const isSlip = ({ code, missing }: ShapeProblem): boolean =>
    code === 'WH104' && missing !== undefined && meant.has(meantAt(missing.path, missing.key))
  return joinOutdented(
    problems.filter((each) => !isSlip(each)),
    root,
    data,
  )
}

const meantAt = (around: Path, key: string | undefined): string => pointerOf([...around, key ?? ''])

const samePath = (a: Path, b: Path): boolean => a.length === b.length && a.every((part, i) => part === b[i])

/** Joins the problems of keys that stand beside an empty map, and would be right inside of it, to the problem of that map. */
const joinOutdented = (problems: readonly ShapeProblem[], root: JsonObject, data: Json): ShapeProblem[] => {
  const joined = new Set<ShapeProblem>()
  const result: ShapeProblem[] = []
  for (const problem of problems) {
    if (joined.has(problem)) continue
    const outdented = outdentedBeside(problem, problems, root, data)
    for (const { problems } of outdented) for (const each of problems) joined.add(each)
    const [first] = outdented
    const name = String(problem.path.at(-1))
    result.push(
      first
        ? { ...problem, help: `indent "${first.key}"${outdented.length > 1 ? ', and the keys after it,' : ''} more than "${name}"` }
        : problem,
    )
  }
  return result.filter((problem) => !joined.has(problem))
}

/** A key that stands beside an empty map, with the problems at it and below it. */
type Outdented = { readonly key: string; readonly problems: readonly ShapeProblem[] }

const outdentedBeside = ({ path, code }: ShapeProblem, problems: readonly ShapeProblem[], root: JsonObject, data: Json): Outdented[] => {
  const around = valueAt(data, path.slice(0, -1))
  const name = path.at(-1)
  if (code !== 'WH102' || typeof name !== 'string' || !isObject(around) || own(around, name) !== null) return []
  const member = memberSchema(schemaAt(root, data, path.slice(0, -1)), name)
  const inside = member && schemaOfValue(member, {})
  const keys = Object.keys(around)
  const found: Outdented[] = []
  for (const key of keys.slice(keys.indexOf(name) + 1)) {
    const own = problems.filter((each) => samePath(each.path.slice(0, path.length), [...path.slice(0, -1), key]))
    if (own.length === 0 || !inside || !memberSchema(inside, key)) break
    found.push({ key, problems: own })
  }
  return found
}

const deepest = 4

/**
 * Returns where a key that is unknown in `node` would be right, as paths below `node` or, with all of its keys, below the whole
 * configuration; the nearest first, and none where the key is right in more than two places.
 */
export const rightPlacesOf = (key: string, node: JsonObject): readonly string[] => {
  const below = placesBelow(key, node)
  const places = below.length > 0 ? below : placesBelow(key, configSchema)
  return places.length > 2 ? [] : places
}

const placesBelow = (key: string, root: JsonObject): string[] => {
  let level: readonly (readonly [path: string, node: JsonObject])[] = [['', root]]
  for (let depth = 0; depth < deepest && level.length > 0; depth++) {
    const next = level.flatMap(([path, node]) =>
      Object.entries(isObject(node.properties) ? node.properties : {}).map(([name, value]): [string, JsonObject] => [
        path === '' ? name : `${path}.${name}`,
        schemaOfValue(isObject(value) ? value : {}, {}),
      ]),
    )
    const found = next.filter(([, node]) => isObject(node.properties) && isObject(own(node.properties, key))).map(([path]) => path)
    if (found.length > 0) return found
    level = next
  }
  return []
}
