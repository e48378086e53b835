/** Turns a route of hermes-agent into a route of headgate: its keys stay, and paths in its home folder become relative. */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { namesRequestSecret } from '../../core/secrets/secret-names.ts'
import { exists } from '../../parts/operators/exists.ts'
import { inFile } from '../../parts/operators/in-file.ts'
import { missing } from '../../parts/operators/missing.ts'
import type { ReportLeftOut } from './imported.ts'

const homePrefix = /^~\/\.hermes\//
const envReference = /\$\{[A-Za-z_]\w*\}/
const byHand = 'write it by hand, without the secret'

/** Makes the route. hermes-agent takes `null` for absent. Keys that the loader refuses stay, because its finding says why. */
export const hermesRoute = (entry: JsonObject, say: ReportLeftOut): JsonObject => {
  const spec = Object.fromEntries(Object.entries(entry).filter(([key, value]) => value !== null && !saysNothing(key, value)))
  if ('toolsets' in spec) {
    say(
      ['toolsets'],
      'an agent gets its tools by hand',
      'name toolsets of this version in the file, if the senders of the route may use them',
    )
    delete spec.toolsets
  }
  tellReferences(spec, [], say)
  return Object.fromEntries(Object.entries(spec).map(([key, value]) => [key, valueOfKey(key, value, say)]))
}

/** Whether a key says nothing: in hermes-agent an empty map of filters lets every event pass. */
const saysNothing = (key: string, value: Json): boolean => key === 'filters' && isObject(value) && Object.keys(value).length === 0

const valueOfKey = (key: string, value: Json, say: ReportLeftOut): Json => {
  if (key === 'script' && typeof value === 'string') return value.replace(homePrefix, '').replace(/^scripts\//, '')
  if (key === 'deliver_extra' && isObject(value)) return withoutSecrets(value, say)
  if (key !== 'filters' || typeof value !== 'object') return value
  return (Array.isArray(value) ? value : [value as Json]).flatMap((each, i) => conditionOf(each, ['filters', i], say))
}

/** Returns the condition, or none where a secret would stand in the YAML. */
const conditionOf = (condition: Json, path: Path, say: ReportLeftOut): Json[] => {
  if (comparesSecret(condition)) {
    say(path, 'it compares a secret, which must not stand in the YAML', byHand, true)
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

const withPaths = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(withPaths)
  if (!isObject(value)) return value
  const below = (key: string, item: Json): Json =>
    key === inFile.name && typeof item === 'string' ? item.replace(homePrefix, '') : groups.has(key) ? withPaths(item) : item
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, below(key, item)]))
}

const groups: ReadonlySet<string> = new Set(['all', 'any', 'not'])

const withoutSecrets = (extra: JsonObject, say: ReportLeftOut): JsonObject => {
  const secrets = Object.keys(extra).filter(namesRequestSecret)
  for (const key of secrets)
    say(['deliver_extra', key], 'it names a secret, which must not stand in the YAML', 'set it for the target: docs/targets.md')
  return Object.fromEntries(Object.entries(extra).filter(([key]) => !secrets.includes(key)))
}

/** Reports references to the environment outside of secrets: hermes-agent resolves them everywhere, headgate only in secrets. */
const tellReferences = (value: Json, path: Path, say: ReportLeftOut): void => {
  if (typeof value === 'string' && path[0] !== 'secret' && envReference.test(value))
    say(
      path,
      'a reference to the environment counts only in a secret: the text stays as it is',
      'write the value in its place',
      path[0] === 'filters',
    )
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) tellReferences(item, [...path, Array.isArray(value) ? Number(key) : key], say)
}
