/** Turns the fixes of findings into steps of a draft: a step changes the route as its fix changes the text. */

import { fixTexts, withoutToolsets } from '../../check/validate/fixes.ts'
import type { YamlEdit } from '../../config/yaml/edit/yaml-edit.ts'
import { carriedData, type ParsedYaml, parseYaml } from '../../config/yaml/source.ts'
import type { Diagnostic, Path } from '../../core/diagnostic.ts'
import { equalJson, isObject, type Json, type JsonObject, own, valueAt } from '../../core/json.ts'
import type { DraftStep, OpenedRoute } from './route-draft.ts'

/**
 * Returns a step for each fix that changes the route, in the order of the findings; none for a subscription. No fix of `toolsets` becomes a
 * step, because only people set toolsets (rules: Subscriptions 7).
 */
export const stepsOfFixes = (
  findings: readonly Diagnostic[],
  parsed: ParsedYaml,
  { base, source, file }: OpenedRoute,
): readonly DraftStep[] => {
  const fixable = findings.map(withoutToolsets).filter(({ fix }) => fix !== undefined)
  if (fixable.length === 0 || source !== 'config') return []
  const { text } = parsed
  const before = routeIn(parsed, base)
  if (before === undefined) return []
  return fixable.flatMap((finding) => {
    const [fixed] = fixTexts([finding], new Map([[finding.place?.file ?? file, text]])).files
    const after = fixed && routeIn(parseYaml('', fixed.after), base)
    const edits = after === undefined ? [] : editsBetween(before, after)
    return edits.length > 0 ? [{ title: finding.fix?.title ?? '', edits }] : []
  })
}

const routeIn = (parsed: ParsedYaml, base: Path): Json | undefined => {
  const data = carriedData(parsed)
  return isObject(data) ? valueAt(data, base) : undefined
}

/** Returns edits that turn `before` into `after` and keep equal members. Maps, and lists of equal length, are compared member by member. */
const editsBetween = (before: Json, after: Json, path: Path = []): readonly YamlEdit[] => {
  if (equalJson(before, after)) return []
  if (isObject(before) && isObject(after)) {
    const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
    const renamed = new Map(gone.flatMap((key) => newNameOf(key, before, after)))
    return [
      ...gone.map((key): YamlEdit => {
        const name = renamed.get(key)
        return name === undefined ? { kind: 'remove', path: [...path, key] } : { kind: 'rename', path: [...path, key], key: name }
      }),
      ...Object.entries(after).flatMap(([key, value]): readonly YamlEdit[] => {
        if ([...renamed.values()].includes(key)) return []
        const old = own(before, key)
        return old === undefined ? [{ kind: 'set', path: [...path, key], value }] : editsBetween(old, value, [...path, key])
      }),
    ]
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return after.flatMap((item, i) => editsBetween(before[i] ?? null, item, [...path, i]))
  return [{ kind: 'set', path, value: after }]
}

/** Returns the key with its new name, where a map has the value of the key under one new name: a value that stays keeps its comments. */
const newNameOf = (key: string, before: JsonObject, after: JsonObject): readonly (readonly [key: string, name: string])[] => {
  const value = own(before, key) ?? null
  const names = Object.entries(after).flatMap(([name, now]) => (!Object.hasOwn(before, name) && equalJson(now, value) ? [name] : []))
  return names.length === 1 ? names.map((name) => [key, name]) : []
}
