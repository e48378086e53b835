/** Reads which targets a `deliver` names, each with its settings as they are written. */

import type { Path } from '../core/diagnostic.ts'
import { withTextIds } from '../core/exact-json.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { withDigits } from '../core/written-digits.ts'
import type { Route } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import { targetName } from './written-names.ts'

/** The keys of a route, a job or a rule of alerts that say where its texts go. */
export type DeliverySpec = Pick<Route, 'deliver' | 'deliver_extra' | 'deliver_mode'>

/** A target as the configuration has it. `path` and `extraPath`: the paths of the target and of its settings in the route, job or rule. */
export type WrittenTarget = { readonly target: string; readonly extra: JsonObject; readonly path: Path; readonly extraPath: Path }

/**
 * Returns the targets of a `deliver`, in order. A target that is written by an alias has its proper name. A target without a
 * `deliver_extra` of its own has the `deliver_extra` beside `deliver`. Targets and stores know only doubles, so a whole number past 2^53 is
 * the text of its digits.
 */
export const writtenTargets = ({ deliver = defaults.route.deliver, deliver_extra = {} }: DeliverySpec): readonly WrittenTarget[] => {
  const readTarget = (item: Json, path: Path): WrittenTarget => {
    const ownExtra = isObject(item) ? item.deliver_extra : undefined
    const isOwn = isObject(ownExtra)
    const extra = withTextIds(withDigits(isOwn ? ownExtra : (deliver_extra as JsonObject))) as JsonObject
    const target = targetName(String(isObject(item) ? item.target : item))
    return { target, extra, path, extraPath: isOwn ? [...path, 'deliver_extra'] : ['deliver_extra'] }
  }
  return Array.isArray(deliver) ? deliver.map((item, i) => readTarget(item as Json, ['deliver', i])) : [readTarget(deliver, ['deliver'])]
}
