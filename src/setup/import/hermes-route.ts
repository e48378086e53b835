/** Turns a route of hermes-agent into a route of headgate. Most keys stay as they are, and paths below `~/.hermes/` become relative. */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { namesRequestSecret } from '../../core/secret-names.ts'
import { keepDigits } from '../../core/written-digits.ts'
import { exists } from '../../parts/operators/exists.ts'
import { inFile } from '../../parts/operators/in-file.ts'
import { missing } from '../../parts/operators/missing.ts'
import type { ReportLeftOut } from './imported.ts'

const homePrefix = /^~\/\.hermes\//
const envReference = /\$\{[A-Za-z_]\w*\}/
const byHand = 'write it by hand, without the secret'

/**
 * Makes the settings of the route. In hermes-agent a `null` is the same as no key. Keys that headgate refuses stay: the check of the import
 * takes them out, with the reason.
 */
export const hermesRoute = (entry: JsonObject, report: ReportLeftOut): JsonObject => {
  const spec = Object.fromEntries(Object.entries(entry).filter(([key, value]) => value !== null && !saysNothing(key, value)))
  if ('toolsets' in spec) {
    report(
      ['toolsets'],
      'an agent gets its tools by hand',
      'name toolsets of this version in the file, if the senders of the route may use them',
    )
    delete spec.toolsets
  }
  reportReferences(spec, [], report)
  return Object.fromEntries(Object.entries(spec).map(([key, value]) => [key, valueOfKey(key, value, report)]))
}

/** Whether a key has no meaning in hermes-agent: an empty map of filters lets every event pass there. */
const saysNothing = (key: string, value: Json): boolean => key === 'filters' && isObject(value) && Object.keys(value).length === 0

const valueOfKey = (key: string, value: Json, report: ReportLeftOut): Json => {
  if (key === 'script' && typeof value === 'string') return value.replace(homePrefix, '').replace(/^scripts\//, '')
  if (key === 'deliver_extra' && isObject(value)) return withoutSecrets(value, report)
  if (key !== 'filters' || typeof value !== 'object') return value
  return (Array.isArray(value) ? value : [value as Json]).flatMap((each, i) => conditionOf(each, ['filters', i], report))
}

/** Returns the condition as a list; an empty list where the condition would bring a secret into the YAML, which is reported. */
const conditionOf = (condition: Json, path: Path, report: ReportLeftOut): Json[] => {
  if (comparesSecret(condition)) {
    report(path, 'it compares a secret, which must not stand in the YAML', byHand, true)
    return []
  }
  return [withPaths(condition)]
}

const comparesSecret = (value: Json): boolean => {
  if (Array.isArray(value)) return value.some(comparesSecret)
  if (!isObject(value)) return false
  return (
    (typeof value.field === 'string' && !(exists.name in value) && !(missing.name in value) && namesRequestSecret(value.field)) ||
    Object.values(value).some(comparesSecret)
  )
}

/** Returns a condition in which paths of files below `~/.hermes/` are relative. */
const withPaths = (value: Json): Json => {
  if (Array.isArray(value)) return keepDigits(value, value.map(withPaths))
  if (!isObject(value)) return value
  const below = (key: string, item: Json): Json =>
    key === inFile.name && typeof item === 'string' ? item.replace(homePrefix, '') : groups.has(key) ? withPaths(item) : item
  return keepDigits(value, Object.fromEntries(Object.entries(value).map(([key, item]) => [key, below(key, item)])))
}

const groups: ReadonlySet<string> = new Set(['all', 'any', 'not'])

const withoutSecrets = (extra: JsonObject, report: ReportLeftOut): JsonObject => {
  const secrets = Object.keys(extra).filter(namesRequestSecret)
  for (const key of secrets)
    report(['deliver_extra', key], 'it names a secret, which must not stand in the YAML', 'set it for the target: docs/targets.md')
  return keepDigits(extra, Object.fromEntries(Object.entries(extra).filter(([key]) => !secrets.includes(key))))
}

/**
 * Reports references to the environment (`${NAME}`) that are not in the secret. hermes-agent resolves them in every text, headgate only in
 * secrets.
 */
const reportReferences = (value: Json, path: Path, report: ReportLeftOut): void => {
  if (typeof value === 'string' && path[0] !== 'secret' && envReference.test(value))
    report(
      path,
      'a reference to the environment counts only in a secret: the text stays as it is',
      'write the value in its place',
      path[0] === 'filters',
    )
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) reportReferences(item, [...path, Array.isArray(value) ? Number(key) : key], report)
}
