/**
 * The schema that a plugin may bring for the settings and the `deliver_extra` of its targets. What does not fit the schema is reported in
 * the same sentences as what does not fit the configuration's own schema.
 */

import type { Profile } from '../../config/config.ts'
import { checkShape, shapeProblems } from '../../config/shape.ts'
import type { Diagnostic, Report } from '../../core/diagnostic.ts'
import { messageOf } from '../../core/fault.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { isTemplate } from '../../expr/placeholder.ts'
import type { Check, Problem } from '../../generated/validators.js'
import { platformOf, settingsOf } from '../../parts/targets/delivery/settings.ts'
import type { TargetPart } from '../../parts/targets/target.ts'

export type Fragment = { readonly root: JsonObject; readonly check: Check }

/**
 * Compiles a part of the module's schema; `undefined` where the module has none. Only this function loads the compiler of schemas. Rejects
 * with a sentence where the schema is wrong.
 */
export const compileFragment = async (name: string, schema: unknown): Promise<Fragment | undefined> => {
  if (schema === undefined) return undefined
  if (!isObject(schema as Json)) throw new Error(`its schema.${name} is not a JSON Schema`)
  const root = schema as JsonObject
  if (root.$async !== undefined) throw new Error(`its schema.${name} is asynchronous`)
  // The bundle has only the default export of a CommonJS package.
  const { Ajv } = (await import('ajv')).default
  try {
    return { root, check: new Ajv({ allErrors: true, strict: false, logger: false }).compile(root) as Check }
  } catch (error) {
    throw new Error(`its schema.${name} is not a JSON Schema (draft-07): ${messageOf(error)}`)
  }
}

/**
 * Checks a `deliver_extra`. Of a text with a placeholder only the type counts, because the text is not known until an event fills it in.
 * `withheld`: keys whose values are not quoted.
 */
export const checkExtra = ({ root, check }: Fragment, values: JsonObject, withheld: readonly string[], report: Report): void => {
  const lenient: Check = (data) => {
    if (check(data)) return true
    const errors = check.errors ?? []
    const open = errors.filter(({ keyword, instancePath }) => keyword !== 'type' && isTemplate(valueAtPointer(values, instancePath)))
    // Once the text is filled in, one branch of a choice (`anyOf`) may hold. Then the errors of the other branches mean nothing.
    const choices = errors.filter(
      (one) => choiceKeywords.has(one.keyword) && open.some(({ instancePath: at }) => at.startsWith(one.instancePath)),
    )
    const isOpen = ({ schemaPath }: Problem): boolean => choices.some((choice) => `${schemaPath}/`.startsWith(`${choice.schemaPath}/`))
    lenient.errors = errors.filter((error) => !open.includes(error) && !isOpen(error))
    return lenient.errors.length === 0
  }
  const hidden = ([key]: readonly (string | number)[]): boolean => withheld.includes(String(key))
  for (const { message, path, help = 'its plugin says which settings it takes' } of shapeProblems(lenient, root, values, hidden))
    report('WH707', path, message, help)
}

const choiceKeywords: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'if'])

const valueAtPointer = (data: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((at, key) => (at as { [key: string]: unknown } | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], data)

/**
 * Checks the section under `platforms` of a plugin's target, together with its values in the environment. Without a section nothing is
 * checked. `enabled` and notes (`x-…`) are not keys of the plugin.
 */
export const checkSection = (part: TargetPart, { root, check }: Fragment, { platforms, env, place }: Profile): readonly Diagnostic[] => {
  const platform = platformOf(part)
  if (!place || !Object.hasOwn(platforms, platform)) return []
  const settings = Object.entries(settingsOf(part, platforms, env)).filter(([key]) => key !== 'enabled' && !key.startsWith('x-'))
  return checkShape(check, root, Object.fromEntries(settings), { place }, ['platforms', platform], () => true)
}
