/** Makes parts of the exports of a plugin's module. The shape of each export is checked before the export is used. */

import type { ExactOperator } from '../../parts/operators/operator.ts'
import type { RunnerPart } from '../../parts/runners/runner.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'
import { platformOf } from '../../parts/targets/delivery/settings.ts'
import type { TargetPart } from '../../parts/targets/target.ts'
import { guardedOperator } from '../../plugin/guarded-operator.ts'
import { guardedRunner } from '../../plugin/guarded-runner.ts'
import { guardedScheme } from '../../plugin/guarded-scheme.ts'
import type { Hide } from '../../plugin/report-as.ts'
import { type Family, families, isMap, partProblems, type UnknownMap } from '../../plugin/shape.ts'
import { compileFragment } from './plugin-schema.ts'
import { type PluginTarget, readTarget } from './plugin-target.ts'

export type PluginParts = {
  readonly targets: readonly PluginTarget[]
  readonly schemes: readonly Scheme[]
  readonly runners: readonly RunnerPart[]
  readonly operators: readonly ExactOperator[]
}

/**
 * Reads the parts of a module. `builtins`: the built-in targets. `hide`: removes secrets from what the parts say. Rejects with a sentence
 * where an export is wrong.
 */
export const readPlugin = async (module: object, builtins: ReadonlyMap<string, TargetPart>, hide: Hide): Promise<PluginParts> => {
  const exported = exportsOf(module as UnknownMap)
  if (families.every((family) => exported[family] === undefined && exported[`${family}s`] === undefined))
    throw new Error('it must export either "target" or "targets", a list; or likewise a scheme, a runner or an operator')
  const given = (family: Family): readonly unknown[] => partsOfFamily(family, exported)
  const [targets, schemes, runners, operators] = [given('target'), given('scheme'), given('runner'), given('operator')]
  const { schema } = exported
  if (schema !== undefined && !isMap(schema)) throw new Error('its "schema" is not a map')
  const fragments = {
    settings: await compileFragment('settings', schema?.settings),
    extra: await compileFragment('deliver_extra', schema?.deliver_extra),
  }
  const platforms = new Set([...builtins.values()].map(platformOf))
  return {
    targets: targets.map((one) => readTarget(checkedPart('target', one), platforms, fragments, hide)),
    schemes: schemes.map((one) => guardedScheme(checkedPart('scheme', one), hide)),
    runners: runners.map((one) => guardedRunner(checkedPart('runner', one), hide)),
    operators: operators.map((one) => guardedOperator(checkedPart('operator', one), hide)),
  }
}

/**
 * Returns a module's exports. A CommonJS module has all exports under `default`. Beside `default` it has only the exports that Node found
 * in its text.
 */
const exportsOf = ({ default: whole, ...named }: UnknownMap): UnknownMap => (isMap(whole) ? { ...whole, ...named } : named)

/** Returns the parts of a family that a module exports, singly or as a list. */
const partsOfFamily = (family: Family, exported: UnknownMap): readonly unknown[] => {
  const [one, several] = [exported[family], exported[`${family}s`]]
  if (one === undefined && several === undefined) return []
  const given = one === undefined ? several : several === undefined ? [one] : undefined
  if (Array.isArray(given) && given.length > 0) return given
  throw new Error(`it must export either "${family}" or "${family}s", a list`)
}

/** Checks that the members of a part have the right types, and returns the part. Throws an Error with a sentence. */
const checkedPart = <T>(family: Family, part: unknown): T => {
  const [problem] = partProblems(family, part)
  if (problem !== undefined) throw new Error(problem)
  return part as T
}
