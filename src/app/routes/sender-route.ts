/** A route to begin with for a well-known sender. */

import { parseSource } from '../../config/yaml/source.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { presets } from '../../parts/schemes/index.ts'
import type { Preset } from '../../parts/schemes/preset.ts'

/** Its keys but the one of the sender; `undefined` for a name of no sender. */
export const routeOfSender = (name: string): JsonObject | undefined => {
  const preset = presets.find((each) => each.name === name || each.aliases?.includes(name))
  return preset && routeOfPreset(preset)
}

export const routeOfPreset = ({ name, about }: Preset): JsonObject => {
  const data = parseSource(name, about.route).source?.data
  return { verify: name, ...(isObject(data) ? data : {}) }
}
