/** Reads the settings of a platform by its name, for parts that are no targets and use the same connection. */

import type { JsonObject } from '../core/json.ts'
import { platformOf, settingsOf } from './targets/delivery/settings.ts'
import { targets } from './targets/index.ts'

/** Returns the settings of `platforms.<name>` with those from the environment; none where no target has such a platform. */
export const platformSettings = (
  name: string,
  {
    platforms,
    env,
  }: { readonly platforms: { readonly [name: string]: JsonObject }; readonly env: { readonly [name: string]: string | undefined } },
): JsonObject => {
  const target = targets.find((each) => platformOf(each) === name)
  return target ? settingsOf(target, platforms, env) : {}
}
