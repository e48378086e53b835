/** Gives a lookup the environment of its route's profile, and the settings of the platform that it asks. */

import type { Profile } from '../config/config.ts'
import type { LookupKit, LookupPart } from '../parts/lookups/lookup.ts'
import { platformSettings } from '../parts/platform-settings.ts'

/** `profile`: absent where it is not served. */
export const lookupAccess = (
  { platform }: Pick<LookupPart, 'platform'>,
  profile: Pick<Profile, 'env' | 'platforms'> | undefined,
): Pick<LookupKit, 'env' | 'settings'> => {
  const { env = {}, platforms = {} } = profile ?? {}
  return { env, settings: platform === undefined ? {} : platformSettings(platform, { env, platforms }) }
}
