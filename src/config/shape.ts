/** Checks the shape of data (its keys, and the types and forms of its values) against a schema, and puts each problem into a sentence. */

import { type Code, codeCatalogue, type Diagnostic, diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own, valueAt } from '../core/json.ts'
import { nearest, printable } from '../core/text.ts'
import type { Check, Problem } from '../generated/validators.js'
import { targetName } from '../parts/written-names.ts'
import { schemaAt } from './schema-walk.ts'
import { oneForEachSlip, rightPlacesOf, type ShapeProblem } from './shape-problem.ts'
import { parsePointer, problemsOfBranch } from './union-errors.ts'
import { type MistypedWord, mistypedWord, wordFix } from './word-fix.ts'
import type { Source } from './yaml/source.ts'

/** A problem in words. `key`: the key of a map that is wrong or unknown. `slip`: present where the key or value is a mistyped word. */
type Sentence = {
  readonly code: Code
  readonly message: string
  readonly help?: string
  readonly suggest?: readonly string[]
  readonly key?: string
  readonly missing?: string
  readonly slip?: MistypedWord | undefined
}

const wordsOfTypes: { readonly [type: string]: string } = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  null: 'null',
}
const typeNames = (types: unknown): string =>
  [types]
    .flat()
    .map((type) => wordsOfTypes[String(type)] ?? String(type))
    .join(' or ')

const quoteValue = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : printable(JSON.stringify(value) ?? 'nothing', 60)
const describeValue = (value: Json | undefined, secret = false): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : isObject(value)
        ? 'a map'
        : secret
          ? `a ${typeof value} (not shown)`
          : quoteValue(value)

/** Returns the help for a sentence that has no help of its own: the description that the schema gives of the value. */
const helpFrom = ({ description }: JsonObject): string =>
  typeof description === 'string' ? description : '`headgate schema print` describes what the file may hold'

/** Returns the index of `routes` in a path that leads to a value inside a configured route; `undefined` for any other path. */
const routesIn = (path: Path): number | undefined => {
  // In an included file, the routes stand at the top.
  if (path[0] === 'routes') return path.length > 2 ? 0 : undefined
  const at = path[2] === 'extra' ? 3 : 2
  return path[0] === 'platforms' && path[1] === 'webhook' && path[at] === 'routes' && path.length > at + 2 ? at : undefined
}

/** Renders a path as people write it: `filters[1].field`. A path into a route begins below the route: the Diagnostic names the route. */
const writtenPath = (path: Path): string => {
  const routes = routesIn(path)
  const [first = '', ...others] = routes === undefined ? path : path.slice(routes + 2)
  return `${first}${others.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')}`
}

const didYouMean = (near: readonly string[]): { help?: string; suggest?: readonly string[] } =>
  near.length > 0 ? { help: `did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`, suggest: near } : {}

/** Returns the schema's sentence about the form that a text must have, as help. */
const formOf = (node: Json | undefined): { help?: string } =>
  isObject(node) && typeof node.patternErrorMessage === 'string' ? { help: node.patternErrorMessage } : {}

const codeOfEnum = ({ 'x-code': code }: JsonObject): Code => (typeof code === 'string' && code in codeCatalogue ? (code as Code) : 'WH103')

const hasSome = (value: Json | undefined): boolean => (typeof value === 'string' || Array.isArray(value) ? value.length > 0 : false)

/** Returns the help for a value that is not of the type `wanted`, by the mistake that most likely led to the value's type. */
const typeHelp = (wanted: string, value: Json | undefined): { help?: string } => {
  if (value === null && /object|array/.test(wanted))
    return { help: 'where the next lines belong to it, indent these lines more than its key' }
  if (!wanted.includes('string')) return wanted === 'array' && typeof value !== 'object' ? { help: 'put it in brackets: […]' } : {}
  // Without quotes `{title}` is a map.
  if (isObject(value) && Object.values(value).every((each) => each === null)) return { help: 'put the text in quotes: "{…}"' }
  return typeof value === 'number' || typeof value === 'boolean' ? { help: 'put it in quotes' } : {}
}

const unknownKey = (key: string, value: Json | undefined, node: JsonObject): Sentence => {
  const known = isObject(node.properties) ? Object.keys(node.properties) : []
  // A platform may be written by the second name of its target. The known key is the target's first name.
  const near = nearest(targetName(key), known)
  const slip = mistypedWord(key, near, isObject(value) ? value : {})
  const shown = printable(key, 60)
  const meant = isObject(node['x-meant']) ? own(node['x-meant'], key.toLowerCase().replaceAll('-', '_')) : undefined
  // A word that other tools have for the same job helps more than a word that only looks like it.
  if (typeof meant === 'string') return { code: 'WH101', message: `unknown key "${shown}"`, help: meant, key }
  const places = near.length > 0 ? [] : rightPlacesOf(key, node)
  const below = places.map((place) => `"${place}"`).join(' or ')
  const help = places.length > 0 ? `"${shown}" belongs below ${below}` : `known here: ${known.join(', ')}`
  return { code: 'WH101', message: `unknown key "${shown}"`, help, ...didYouMean(near), key, slip }
}

/**
 * Returns the sentence for a problem that the validator reported about `value`, whose schema is `node`. A `secret` value is not quoted.
 * `undefined`: there is no sentence for the keyword, because the validator usually reports another, clearer problem beside it.
 */
const problemSentence = (problem: Problem, value: Json | undefined, node: JsonObject, secret: boolean): Sentence | undefined => {
  const { keyword, params } = problem
  const shown = secret ? 'the value (not shown)' : quoteValue(value)
  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(String(params.additionalProperty), value, node)
    case 'propertyNames':
      return {
        code: 'WH108',
        message: `"${printable(String(params.propertyName), 80)}" cannot be a name here`,
        ...formOf(node.propertyNames),
        key: String(params.propertyName),
      }
    case 'type':
      return {
        code: 'WH102',
        // A text in place of a list or map is not quoted, because it may be anything, even a secret.
        message: `must be ${typeNames(params.type)}, found ${typeof value === 'string' && !/string|number|integer|boolean/.test(String(params.type)) ? 'a text' : describeValue(value, secret)}`,
        ...typeHelp(String(params.type), value),
      }
    case 'enum': {
      const allowed = (params.allowedValues as Json[]).map(String)
      const near = nearest(String(value), allowed)
      return {
        code: codeOfEnum(node),
        message: `${shown} is not one of the known values`,
        help: `use one of: ${allowed.join(', ')}`,
        ...didYouMean(near),
        slip: typeof value === 'string' && !secret ? mistypedWord(value, near) : undefined,
      }
    }
    case 'const':
      return { code: 'WH103', message: `only ${quoteValue(params.allowedValue as Json)} has a meaning here, found ${shown}` }
    case 'required':
      return {
        code: 'WH104',
        message: `"${String(params.missingProperty)}" is missing`,
        help: 'add it',
        missing: String(params.missingProperty),
      }
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return { code: 'WH105', message: `${shown} is out of range: it must be ${String(params.comparison)} ${String(params.limit)}` }
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return { code: 'WH105', message: hasSome(value) ? `is too short: at least ${String(params.limit)}` : 'must not be empty' }
    case 'maxLength':
    case 'maxItems':
      return { code: 'WH105', message: `is too long: at most ${String(params.limit)}` }
    case 'pattern':
      return {
        code: 'WH105',
        message: `${shown} is not of the right form`,
        ...formOf(node),
      }
    default:
      return undefined
  }
}

/**
 * Returns every problem of shape in `data`, in sentences. `check`: the validator of the schema `root`. `hidden`: whether the value at a
 * path must not be quoted.
 */
export const shapeProblems = (
  check: Check,
  root: JsonObject,
  data: Json,
  hidden: (path: Path) => boolean = () => false,
): ShapeProblem[] => {
  if (check(data)) return []
  const problems = check.errors ?? []
  const seen = new Set<string>()
  const reported: ShapeProblem[] = []
  for (const problem of problemsOfBranch(problems, root, data)) {
    const path = parsePointer(problem.instancePath, data)
    const node = schemaAt(root, data, path)
    const sentence = problemSentence(
      problem,
      valueAt(data, path),
      node,
      node['x-secret'] === true || node['x-address'] === true || hidden(path),
    )
    if (!sentence) continue
    const { key, message, missing, help = helpFrom(node), ...more } = sentence
    const full = key === undefined ? path : [...path, key]
    const id = `${sentence.code}${pointerOf(full)}`
    if (seen.has(id)) continue
    seen.add(id)
    const isNested = key !== undefined && routesIn(path) !== undefined
    const subject = (key !== undefined && !isNested) || path.length === 0 ? message : `${writtenPath(path)}: ${message}`
    reported.push({
      ...more,
      help,
      message: subject,
      path: full,
      of: key === undefined ? 'value' : 'key',
      missing: missing === undefined ? undefined : { key: missing, path },
    })
  }
  return reported.length > 0 ? oneForEachSlip(reported, root, data) : [problemWithoutSentence(problems[0], data)]
}

/** Returns the problem for data that the validator refused only by keywords for which there is no sentence. */
const problemWithoutSentence = (problem: Problem | undefined, data: Json): ShapeProblem => {
  const path = parsePointer(problem?.instancePath ?? '', data)
  const message = `does not fit its schema (${problem?.keyword ?? 'false'})`
  return { code: 'WH105', message: path.length === 0 ? message : `${writtenPath(path)}: ${message}`, help: helpFrom({}), path, of: 'value' }
}

/** Returns a Diagnostic for every problem of shape (`shapeProblems`) in `data`, which stands at the path `base` in its file. */
export const checkShape = (
  check: Check,
  root: JsonObject,
  data: Json,
  source: Pick<Source, 'place'>,
  base: Path = [],
  hidden?: (path: Path) => boolean,
): Diagnostic[] =>
  shapeProblems(check, root, data, hidden).map(({ code, message, path, of, slip, missing: _, ...more }) => {
    const full = [...base, ...path]
    const place = source.place(full, of)
    const fix = slip && wordFix(place, slip)
    return diagnostic(code, message, { ...more, pointer: pointerOf(full), place, ...(fix ? { fix } : {}) })
  })

/** Returns the pointers of the values that Diagnostics are about, and of every map and list around these values. */
export const brokenPointers = (found: readonly Diagnostic[]): ReadonlySet<string> => {
  const all = new Set<string>()
  for (const { pointer } of found) for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) all.add(at)
  return all
}

/** Whether a Diagnostic is about the value at this path, or about a value inside it. `broken`: the result of `brokenPointers`. */
export const isBroken = (path: Path, broken: ReadonlySet<string>): boolean => broken.size > 0 && broken.has(pointerOf(path))
