/** Makes the steps that change a route's targets and their settings. */

import type { YamlEdit } from '../../config/yaml/edit/yaml-edit.ts'
import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { type WrittenTarget, writtenTargets } from '../../parts/written-targets.ts'
import { readsKey } from '../form.ts'
import type { TargetRow } from '../service.ts'

export type { WrittenTarget }

/**
 * A step that changes the targets. `title`: names the step for the user. `dropped`: the keys of `deliver_extra` that the step removes
 * because the target does not read them.
 */
export type DeliverStep = { readonly title: string; readonly edits: readonly YamlEdit[]; readonly dropped: readonly string[] }

/** The longest list of targets that the schema allows. */
export const maxTargets = 10

/** Returns the targets of the route, in order. A route that names no target has the default target. */
export const targetsIn = ({ deliver, deliver_extra }: JsonObject): readonly WrittenTarget[] =>
  writtenTargets({
    ...(typeof deliver === 'string' || (Array.isArray(deliver) && deliver.length > 0) ? { deliver: deliver as string } : {}),
    ...(isObject(deliver_extra) ? { deliver_extra } : {}),
  })

/**
 * Makes a target the route's only target. The target keeps the settings that it had in this route; a target that the route did not have
 * gets the route's `deliver_extra`. Keys that the target does not read are dropped.
 */
export const chooseOnly = (spec: JsonObject, row: TargetRow): DeliverStep => {
  const all = targetsIn(spec)
  const isList = Array.isArray(spec.deliver)
  const own = all.find(({ target }) => target === row.name)
  const before = own?.extra ?? (isObject(spec.deliver_extra) ? spec.deliver_extra : {})
  const kept = Object.fromEntries(Object.entries(before).filter(([key]) => readsKey(row, key)))
  const dropped = Object.keys(before).filter((key) => !Object.hasOwn(kept, key))
  const isNamed = !isList && own !== undefined && spec.deliver !== undefined
  return {
    title: `deliver to ${row.name}`,
    edits: [
      ...(isNamed ? [] : [{ kind: 'set', path: ['deliver'], value: row.name } as const]),
      ...(isList ? routeExtraEdits(spec, kept) : removeFromExtra(spec, kept, dropped)),
      ...(spec.deliver_mode === undefined ? [] : [{ kind: 'remove', path: ['deliver_mode'] } as const]),
    ],
    dropped,
  }
}

/** Returns the edits that make `kept` the `deliver_extra` of the route itself. */
const routeExtraEdits = (spec: JsonObject, kept: JsonObject): readonly YamlEdit[] => {
  if (Object.keys(kept).length > 0) return [{ kind: 'set', path: ['deliver_extra'], value: kept }]
  return spec.deliver_extra === undefined ? [] : [{ kind: 'remove', path: ['deliver_extra'] }]
}

/** Returns the edits that remove the dropped keys from the route's `deliver_extra`. */
const removeFromExtra = (spec: JsonObject, kept: JsonObject, dropped: readonly string[]): readonly YamlEdit[] =>
  dropped.length > 0 && Object.keys(kept).length === 0
    ? routeExtraEdits(spec, kept)
    : dropped.map((key) => ({ kind: 'remove', path: ['deliver_extra', key] }))

/**
 * Adds a target behind those that the route names. Where `deliver` is a single name, it becomes a list, and the `deliver_extra` of the
 * route moves to the target that was there. Where the route names no target, the new target takes the place of the default.
 */
export const addTarget = (spec: JsonObject, { name }: TargetRow): DeliverStep => {
  const title = `deliver to ${name}, too`
  const [first] = targetsIn(spec)
  if (Array.isArray(spec.deliver))
    return { title, edits: [{ kind: 'insert', path: ['deliver'], at: spec.deliver.length, value: name }], dropped: [] }
  if (!first || spec.deliver === undefined) return { title, edits: [{ kind: 'set', path: ['deliver'], value: name }], dropped: [] }
  const hasExtra = Object.keys(first.extra).length > 0
  const item: Json = hasExtra ? { target: first.target, deliver_extra: first.extra } : first.target
  const edits: readonly YamlEdit[] = [
    { kind: 'set', path: ['deliver'], value: [item, name] },
    ...(spec.deliver_extra === undefined ? [] : [{ kind: 'remove', path: ['deliver_extra'] } as const]),
  ]
  return { title, edits, dropped: [] }
}

/**
 * Removes a target from a list of several targets. If one target is left, the list becomes that target, its settings become the
 * `deliver_extra` of the route, and `deliver_mode` is removed.
 */
export const dropTarget = (spec: JsonObject, place: number): DeliverStep => {
  const all = targetsIn(spec)
  const title = `deliver to ${all[place]?.target} no more`
  const [other, ...others] = all.filter((_, i) => i !== place)
  if (!other || others.length > 0) return { title, edits: [{ kind: 'remove', path: ['deliver', place] }], dropped: [] }
  const edits: readonly YamlEdit[] = [
    { kind: 'set', path: ['deliver'], value: other.target },
    ...routeExtraEdits(spec, other.extra),
    ...(spec.deliver_mode === undefined ? [] : [{ kind: 'remove', path: ['deliver_mode'] } as const]),
  ]
  return { title, edits, dropped: [] }
}

/**
 * Sets a setting of the target at a place of the list; without `value`, removes the setting. Where a target in a list has no settings of
 * its own, it first gets a copy of the route's settings that it reads.
 */
export const setExtra = (spec: JsonObject, place: number, row: TargetRow, key: string, value?: Json): DeliverStep => {
  const written = targetsIn(spec)[place]
  if (!written) return { title: '', edits: [], dropped: [] }
  const { extraPath, extra, target } = written
  const title = `${value === undefined ? 'remove' : 'set'} deliver_extra.${key} of ${target}`
  if (Array.isArray(spec.deliver) && extraPath.length === 1) {
    const shared = Object.entries(extra).filter(([each]) => each !== key && readsKey(row, each))
    const ownExtra = { ...Object.fromEntries(shared), ...(value === undefined ? {} : { [key]: value }) }
    return { title, edits: [{ kind: 'set', path: ['deliver', place], value: { target, deliver_extra: ownExtra } }], dropped: [] }
  }
  return { title, edits: [oneSetting(extraPath, extra, key, value)], dropped: [] }
}

const oneSetting = (path: Path, extra: JsonObject, key: string, value: Json | undefined): YamlEdit => {
  if (value !== undefined) return { kind: 'set', path: [...path, key], value }
  return { kind: 'remove', path: Object.keys(extra).length > 1 ? [...path, key] : path }
}
