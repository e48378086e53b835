/** `deliver` and `deliver_extra` as written: checked by the target itself, its secrets set apart, which are never stored. */

import type { JsonObject } from '../core/json.ts'
import { targetName } from '../core/names.ts'
import type { Route } from '../generated/config.ts'
import type { Delivery } from '../store/ports.ts'
import type { Report, TargetPart } from './part.ts'

export const readDelivery = (
  { deliver = 'log', deliver_extra = {} }: Pick<Route, 'deliver' | 'deliver_extra'>,
  targets: ReadonlyMap<string, TargetPart>,
  report: Report,
): Delivery => {
  const target = targetName(deliver)
  const part = targets.get(target)
  const written = deliver_extra as JsonObject
  part?.check?.(written, (code, path, message, help) => report(code, ['deliver_extra', ...path], message, help))
  const withheld = (part?.withheld ?? []).filter((key) => Object.hasOwn(written, key))
  const extra = Object.fromEntries(Object.entries(written).filter(([key]) => !withheld.includes(key)))
  return { target, extra, ...(withheld.length > 0 ? { withheld } : {}) }
}
