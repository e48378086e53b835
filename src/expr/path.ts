/**
 * Compiles dotted paths (`pull_request.labels.0.name`). In a list a part of a path is the index of an item, in a map it is a key. A value
 * is missing where a list has no such item or a map no such key.
 */

import { compileNumbersBehind, exactOf, type NumbersBehind, readExactly, type WithText } from '../core/exact-json.ts'
import { type ExactJson, type ExactObject, isObject, type Json, own } from '../core/json.ts'
import type { Event, Headers } from '../core/request.ts'
import { changedFiles, changedFilesField } from './changed-files.ts'
import { partsOf } from './path-parts.ts'
import { compileRequestField } from './request-field.ts'

type Step = { readonly key: string; readonly index: number }

const listIndex = /^(?:0|[1-9]\d{0,9})$/
const stepOf = (key: string): Step => ({ key, index: listIndex.test(key) ? Number(key) : -1 })

const memberAt = (at: ExactJson | undefined, step: Step): ExactJson | undefined => {
  if (typeof at !== 'object' || at === null) return undefined
  return Array.isArray(at) ? at[step.index] : own(at as ExactObject, step.key)
}

export type Getter = {
  (root: Json): Json | undefined
  (root: ExactJson): ExactJson | undefined
}

const getters = new Map<string, Getter>()
const maxGetters = 1_000

/**
 * Compiles a dotted path to a function that reads the value at the path; `undefined` is a missing value. Compiled paths are shared, because
 * thousands of routes use the same few paths.
 */
export const compilePath = (path: string): Getter => {
  const get = getters.get(path) ?? getterOf(path)
  if (getters.size < maxGetters) getters.set(path, get)
  return get
}

const getterOf = (path: string): Getter => {
  const steps = partsOf(path).map(stepOf)
  const get = (root: ExactJson): ExactJson | undefined => {
    let at: ExactJson | undefined = root
    for (const step of steps) at = memberAt(at, step)
    return at
  }
  return get as Getter
}

/** Compiles a dotted path to a function that reads the value at the path with its numbers as they were written. */
export const compileExactPath = (path: string): ((from: WithText) => ExactJson | undefined) => {
  const get = compilePath(path)
  const behind = numbersAt(path)
  return (from) => readExactly(from, get, behind)
}

const numbersAt = (path: string): NumbersBehind => compileNumbersBehind(partsOf(path).at(-1) ?? '')

/**
 * Compiles a path as `compileExactPath`, for a field of an event. `changed_files` is the list of the files that a push changes, where the
 * payload has no such key.
 */
export const compilePayloadField = (path: string): ((from: WithText) => ExactJson | undefined) => {
  const get = compileExactPath(path)
  if (path !== changedFilesField && !path.startsWith(`${changedFilesField}.`)) return get
  const inFiles = path === changedFilesField ? undefined : compilePath(path.slice(changedFilesField.length + 1))
  return (from) => {
    const files = changedFiles(from.payload)
    if (!files) return get(from)
    return inFiles ? inFiles(files) : files
  }
}

// A neutral name of a header and the name that the code host really uses mean the same header (rules: Names 1).
const headerTwins: readonly (readonly [string, string])[] = [
  ['x-hosta-', 'x-github-'],
  ['x-hostb-', 'x-gitlab-'],
]

/** Returns the other name of a header; `undefined` where it has only one. */
const twinOf = (name: string): string | undefined => {
  for (const [neutral, real] of headerTwins) {
    if (name.startsWith(neutral)) return real + name.slice(neutral.length)
    if (name.startsWith(real)) return neutral + name.slice(real.length)
  }
  return undefined
}

const compileHeader = (written: string): ((headers: Headers) => Json | undefined) => {
  const name = written.toLowerCase()
  const twin = twinOf(name)
  if (twin === undefined) return (headers) => own(headers, name)
  return (headers) => own(headers, name) ?? own(headers, twin)
}

/**
 * Returns the part of a path behind `batch.`; `undefined` for any other path. For an item of a request that was split, such a path leads to
 * the whole request, whatever the item itself has under that key.
 */
export const pathInBatch = (path: string): string | undefined => (path.startsWith('batch.') ? path.slice('batch.'.length) : undefined)

/**
 * Returns the part of a path behind `lookup.`, which is empty for `lookup` itself; `undefined` for any other path. On a route with `lookup`
 * such a path leads to the answers, whatever the payload has under that key.
 */
export const pathInLookup = (path: string): string | undefined =>
  path === 'lookup' ? '' : path.startsWith('lookup.') ? path.slice('lookup.'.length) : undefined

/** Compiles a path in the answers to lookups, as `pathInLookup` returns it. */
export const compileLookupPath = (path: string): ((from: WithText) => ExactJson | undefined) =>
  path === '' ? exactOf : compileExactPath(path)

/**
 * Compiles a condition's `field`: `event` or `event_type`, `headers.<name>`, a field of the request (`request.query.<name>`), or a path in
 * the payload (rules: Filters 3, 19). A path may begin with `payload.`: it starts in the payload's own key `payload` where the value of that
 * key is a map, else in the payload itself. The function returns `undefined` for a missing value. Numbers are read exactly.
 */
export const compileField = (field: string): ((event: Event) => ExactJson | undefined) => {
  if (field === 'event' || field === 'event_type') return (event) => event.eventType
  if (field.startsWith('headers.')) {
    const header = compileHeader(field.slice('headers.'.length))
    return (event) => header(event.headers)
  }
  const ofRequest = compileRequestField(field)
  if (ofRequest) return ofRequest
  if (field.startsWith('payload.')) {
    const inner = compilePath(field.slice('payload.'.length))
    const read = (payload: ExactJson): ExactJson | undefined => {
      const wrapped = isObject(payload) ? own(payload, 'payload') : undefined
      return inner(isObject(wrapped) ? wrapped : payload)
    }
    const behind = numbersAt(field)
    return (event) => readExactly(event, read, behind)
  }
  const ofEvent = compilePayloadField(field)
  const inLookup = pathInLookup(field)
  if (inLookup !== undefined) {
    const ofLookup = compileLookupPath(inLookup)
    return (event) => (event.lookup ? ofLookup(event.lookup) : ofEvent(event))
  }
  const inBatch = pathInBatch(field)
  if (inBatch === undefined) return ofEvent
  const ofBatch = compilePayloadField(inBatch)
  return (event) => (event.batch ? ofBatch(event.batch) : ofEvent(event))
}
