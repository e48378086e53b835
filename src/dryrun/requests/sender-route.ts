/** Drafts a route for a well-known sender. */

import { parseSource } from '../../config/yaml/source.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { presets } from '../../parts/schemes/index.ts'
import type { Preset } from '../../parts/schemes/preset.ts'

/** Returns the route's settings without the sender's key; `undefined` where no sender has the name. */
export const routeOfSender = (name: string): JsonObject | undefined => {
  const preset = presets.find((each) => each.name === name || each.aliases?.includes(name))
  return preset && routeOfPreset(preset)
}

/** Returns the settings of a route for the preset's sender: its `verify`, and the route that the preset proposes. */
export const routeOfPreset = ({ name, about }: Preset): JsonObject => {
  const data = parseSource(name, about.route).source?.data
  return { verify: name, ...(isObject(data) ? data : {}) }
}
