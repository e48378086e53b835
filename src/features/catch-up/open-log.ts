/** Opens the log of a route's sender, with the settings and the environment of the route's profile. */

import type { Config, RouteSource } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { platformSettings } from '../../parts/platform-settings.ts'
import { senderLogsByName } from '../../parts/sender-logs/index.ts'
import type { CatchUpSettings, SenderLog, SenderLogPart } from '../../parts/sender-logs/sender-log.ts'
import type { Keep } from '../../parts/targets/target.ts'

/** Returns the log that the settings name. The schema allows no other name. */
export const partOf = ({ from }: CatchUpSettings): SenderLogPart => {
  const part = senderLogsByName.get(from)
  if (!part) throw new Error(`there is no log "${from}"`)
  return part
}

export const openLog = (
  { profile: name, spec }: RouteSource,
  settings: CatchUpSettings,
  { config, clock, keep }: { readonly config: Pick<Config, 'profiles'>; readonly clock: Clock; readonly keep: Keep },
): SenderLog => {
  const { env = {}, platforms = {} } = config.profiles.get(name) ?? {}
  return partOf(settings).open(settings, {
    env,
    clock,
    keep,
    events: spec.events ?? [],
    platform: (wanted) => platformSettings(wanted, { platforms, env }),
  })
}
