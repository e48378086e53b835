/** Makes the fields of a route's form from the schema. A new key of routes becomes a field without a change to this file. */

import { idleKeys, isSwitchedOn } from '../config/needs.ts'
import { definition } from '../config/schema-walk.ts'
import { writeCarriedNumbers } from '../core/carried-numbers.ts'
import { type Path, pointerOf } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own, textOrEmpty, valueAt } from '../core/json.ts'
import { namesSettingSecret } from '../core/secret-names.ts'
import { fingerprint, maskJson } from '../secrets/mask.ts'
import { appliedEdits } from './draft/route-draft.ts'
import { namesKeyOf } from './names-keys.ts'
import type { TargetRow } from './service.ts'

/**
 * How a field is edited. `names`: one or several names; the program offers the names that it knows, and the user may type another name.
 * `flag`: on or off. `choice`: one of `choices`. `list`: several texts. `group`: a map whose members are fields of their own. `json`: any
 * JSON.
 */
type FieldForm = 'names' | 'text' | 'number' | 'flag' | 'choice' | 'list' | 'group' | 'json'

/** A field of the form. `path`: the path of its key in the route. */
export type FormField = {
  readonly path: Path
  readonly title: string
  /** One sentence about the field, and in `more` the long text, as Markdown. */
  readonly description: string
  readonly more: string
  readonly form: FieldForm
  readonly choices: readonly { readonly value: string; readonly description: string }[]
  readonly examples: readonly Json[]
  readonly isSecret: boolean
  /** The stage of the pipeline that reads the field; empty where the schema names none, as for a member of a group. */
  readonly stage: string
  /** Whether the group around the field must have the field. */
  readonly isRequired: boolean
  /** The value that is written in the route; `undefined` where none is written. */
  readonly value?: Json
  /** The value that the route has where the file sets none. */
  readonly default?: Json
  /** Why the field has no effect in the route as it is now, or must not stand beside another key. */
  readonly idle?: string
  /** Why the editor only shows the field, and the user cannot change it there. */
  readonly locked?: string
}

const route = definition('Route')

/** Returns the fields of a route, each with its written value, in the order of the pipeline's stages. */
export const formFields = (spec: JsonObject): readonly FormField[] => {
  const properties = isObject(route.properties) ? Object.entries(route.properties) : []
  return properties
    .filter(([, node]) => isObject(node))
    .map(([key, node]) => formField([key], node as JsonObject, spec))
    .sort((a, b) => stageAt(a) - stageAt(b))
}

/** Returns the members of a group such as `coalesce` or `retry` as fields. */
export const groupFields = (field: FormField, spec: JsonObject): readonly FormField[] => {
  const whole = nodeAt(field.path)
  const node = (field.form === 'group' && firstMap(whole)) || whole
  const members = isObject(node.properties) ? Object.entries(node.properties) : []
  const all = members.map(([key, member]) => formField([...field.path, key], isObject(member) ? member : {}, spec))
  // A group that takes any key, as `deliver_extra`, has the settings of a target. The user adds them where the target is chosen, so only
  // written members are fields here.
  return node.additionalProperties === true ? all.filter(({ value }) => value !== undefined) : all
}

/** Returns the fields of the form, each followed by its members if it is a group. */
export const allFields = (spec: JsonObject): readonly FormField[] => {
  const withMembers = (field: FormField): readonly FormField[] => [field, ...groupFields(field, spec).flatMap(withMembers)]
  return formFields(spec).flatMap(withMembers)
}

/**
 * Returns what the fields of a route lack so that they act, whether they are set or not, by the pointers of their paths. The sentences are
 * those of `validate`, without the key's name.
 */
export const lackingFields = (spec: JsonObject, around: Parameters<typeof idleKeys>[2]): { readonly [pointer: string]: string } =>
  Object.fromEntries(
    allFields(spec).flatMap(({ path, value }): [string, string][] => {
      const set = isSwitchedOn(value) ? spec : appliedEdits(spec, [{ kind: 'set', path, value: true }])
      const pointer = pointerOf(path)
      const idle = idleKeys(route, set, around).find((each) => pointerOf(each.path) === pointer)
      return idle ? [[pointer, idle.lack]] : []
    }),
  )

/**
 * Returns the settings of a target as fields: first those of its schema (a hidden setting only where it is written), then the keys that are
 * written in the `deliver_extra` at `path` and that the schema does not have.
 */
export const extraFieldsOf = (
  { name, settings }: Pick<TargetRow, 'name' | 'settings'>,
  spec: JsonObject,
  path: Path = ['deliver_extra'],
): readonly FormField[] => {
  const properties = isObject(settings.properties) ? settings.properties : {}
  const extra = valueAt(spec, path)
  const written = isObject(extra) ? Object.keys(extra) : []
  const offered = Object.entries(properties).filter(
    ([key, node]) => (isObject(node) && node.doNotSuggest !== true) || written.includes(key),
  )
  const required = Array.isArray(settings.required) ? settings.required : []
  return [
    ...offered.map(([key, node]) => ({ ...formField([...path, key], node as JsonObject, spec), isRequired: required.includes(key) })),
    ...written
      .filter((key) => own(properties, key) === undefined)
      .map((key) => undeclaredField(name, [...path, key], spec, readsKey({ settings }, key))),
  ]
}

/** Whether a target reads a key of `deliver_extra`. Any other key has no effect. */
export const readsKey = ({ settings }: Pick<TargetRow, 'settings'>, key: string): boolean =>
  settings.additionalProperties === true ||
  key.startsWith('x-') ||
  (isObject(settings.properties) && own(settings.properties, key) !== undefined)

/** Makes the field of a key that is written in `deliver_extra`, and that the schema of the target does not have. */
const undeclaredField = (target: string, path: Path, spec: JsonObject, isRead: boolean): FormField => {
  const field = formField(path, typeof valueAt(spec, path) === 'object' ? {} : { type: 'string' }, spec)
  const isSecret = namesSettingSecret(String(path.at(-1)))
  return { ...field, isSecret, ...(isRead ? {} : { idle: `${target} does not read it` }) }
}

const pipeline = route['x-pipeline'] as readonly string[]

const stageAt = ({ stage }: FormField): number => pipeline.indexOf(stage)

/** Returns the schema of the field at a path; an empty schema where the schema of routes has no such field. */
const nodeAt = (path: Path): JsonObject =>
  path.reduce<JsonObject>((node, key) => {
    const { properties } = firstMap(node) ?? node
    const next = isObject(properties) ? own(properties, String(key)) : undefined
    return isObject(next) ? withReferenced(next) : {}
  }, route)

/** Returns the schema of the map that a field of several kinds takes first of all; `undefined` for any other field. */
const firstMap = ({ oneOf }: JsonObject): JsonObject | undefined => {
  const first = Array.isArray(oneOf) && isObject(oneOf[0]) ? withReferenced(oneOf[0]) : {}
  return isObject(first.properties) ? first : undefined
}

const takesMap = (node: JsonObject, value: Json | undefined): boolean =>
  firstMap(node) !== undefined && (value === undefined || isObject(value))

/** Returns a node of the schema, merged with the definition that its `$ref` names. */
const withReferenced = (node: JsonObject): JsonObject => {
  if (typeof node.$ref !== 'string') return node
  return { ...definition(node.$ref.slice('#/definitions/'.length)), ...node }
}

const formField = (path: Path, written: JsonObject, spec: JsonObject): FormField => {
  const node = withReferenced(written)
  const value = valueAt(spec, path)
  const [key = ''] = path
  const idle = path.length === 1 ? idleBecause(String(key), spec) : undefined
  const holder = nodeAt(path.slice(0, -1))
  const locked = toolKeys.has(String(key)) ? 'set by hand in the file only' : undefined
  return {
    path,
    title: textOrEmpty(node.title) || String(path.at(-1)),
    description: textOrEmpty(node.description),
    more: textOrEmpty(node.markdownDescription),
    form: namesKeyOf(path, value) ? 'names' : takesMap(node, value) ? 'group' : formOf(node, value),
    choices: choicesOf(node),
    examples: Array.isArray(node.examples) ? node.examples : [],
    isSecret: [node, node.items, node.additionalProperties].some((each) => isObject(each) && each['x-secret'] === true),
    stage: textOrEmpty(node['x-stage']),
    isRequired: Array.isArray(holder.required) && holder.required.includes(String(path.at(-1))),
    ...(value === undefined ? {} : { value }),
    ...(node.default === undefined ? {} : { default: node.default }),
    ...(idle === undefined ? {} : { idle }),
    ...(locked === undefined ? {} : { locked }),
  }
}

/** Keys that give an agent its tools. Users change them by hand in the file only (rules: Subscriptions 7). */
const toolKeys: ReadonlySet<string> = new Set(['toolsets'])

/**
 * Returns how a field is edited, by its schema and its written value. A field that takes a text or a list is edited as a text, unless a
 * list is written, or the text must be one of several words.
 */
const formOf = (node: JsonObject, value: Json | undefined): FieldForm => {
  const branches = Array.isArray(node.oneOf) ? node.oneOf.filter(isObject).map(withReferenced) : []
  if (Array.isArray(node.enum)) return 'choice'
  if (branches.some(({ type }) => type === 'string') && typeof (value ?? '') === 'string' && !branches.some(({ enum: all }) => all))
    return 'text'
  // A field that takes a text or a number, as the id of a chat, is edited as a text.
  if (branches.length === 0 && Array.isArray(node.type) && node.type.includes('string')) return 'text'
  switch (branches.length > 0 ? 'union' : node.type) {
    case 'boolean':
      return 'flag'
    case 'number':
    case 'integer':
      return 'number'
    case 'string':
      return 'text'
    case 'array':
      return isObject(node.items) && withReferenced(node.items).type === 'string' ? 'list' : 'json'
    case 'object':
      return isObject(node.properties) ? 'group' : 'json'
    case 'union':
      return branches.some((branch) => Array.isArray(branch.enum)) ? 'choice' : 'json'
    default:
      return isObject(node.properties) ? 'group' : 'json'
  }
}

const choicesOf = (node: JsonObject): FormField['choices'] => {
  const branches = Array.isArray(node.oneOf) ? node.oneOf.filter(isObject).map(withReferenced) : []
  const holder = [node, ...branches].find((each) => Array.isArray(each.enum))
  const values = Array.isArray(holder?.enum) ? holder.enum : []
  const texts = Array.isArray(holder?.enumDescriptions) ? holder.enumDescriptions : []
  return values.map((value, i) => ({ value: String(value), description: textOrEmpty(texts[i]) }))
}

/** The `keys` have no effect in a route that has the key `when`, and not the key `unless`. */
type IgnoredKeys = { readonly when: string; readonly unless?: string; readonly keys: readonly string[] }

const conflicts = route['x-conflicts'] as unknown as readonly { readonly keys: readonly string[] }[]
const ignored = route['x-ignored'] as unknown as readonly IgnoredKeys[]

/**
 * Says which key of the route excludes `key`, or leaves it without effect, whether `key` is set or not; `undefined` where no key does.
 * `validate` reports this for a key that is used.
 */
const idleBecause = (key: string, spec: JsonObject): string | undefined => {
  const isSet = (other: string): boolean => own(spec, other) !== undefined && own(spec, other) !== false
  const rival = conflicts.find(({ keys }) => keys.includes(key) && keys.some((other) => other !== key && isSet(other)))
  if (rival) return `does not go with ${rival.keys.find((other) => other !== key)}`
  const idle = ignored.find(({ when, unless, keys }) => keys.includes(key) && isSet(when) && (unless === undefined || !isSet(unless)))
  return idle && `has no effect with ${idle.when}`
}

/** Returns the value of a field on one line, for people. A secret is shown as its fingerprint. */
export const shownValue = ({ value, isSecret }: Pick<FormField, 'value' | 'isSecret'>): string => {
  if (value === undefined) return '-'
  if (isSecret && isObject(value))
    return Object.entries(value)
      .map(([key, each]) => `${key}: ${secretShown(each)}`)
      .join(', ')
  if (isSecret) return [value].flat().map(secretShown).join(', ')
  if (typeof value === 'string') return writeCarriedNumbers(value)
  if (Array.isArray(value))
    return value.every((item) => typeof item === 'string') ? writeCarriedNumbers(value.join(', ')) : `${value.length} items`
  return writeCarriedNumbers(JSON.stringify(maskJson(value)))
}

/**
 * Returns a reference (`${NAME}`, `file:/path`, `credential:NAME`, `exec:PROVIDER/ID`), a mask, or the word that switches verification off
 * as it is written. Any other text is a secret, of which only the fingerprint is shown.
 */
const secretShown = (value: Json): string => {
  const text = String(value)
  return /^(?:\$\{\w+\}|(?:file|credential|exec):.*|\*\*\*.*|INSECURE_NO_AUTH)$/.test(text) ? text : `set here, fp ${fingerprint(text)}`
}

/**
 * `agent`: an agent is asked. `direct`: the rendered message is sent without an agent. `job`: a scheduled job is started. `dispatch`: other
 * routes take the event.
 */
export type Mode = 'agent' | 'direct' | 'job' | 'dispatch'

/** Returns the mode of a route, which says what becomes of an event that the route takes. */
export const modeOf = (spec: JsonObject): Mode => {
  if (spec.dispatch !== undefined) return 'dispatch'
  return spec.deliver_only === true ? 'direct' : spec.cron_job !== undefined ? 'job' : 'agent'
}
