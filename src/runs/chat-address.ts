/** Finds the chat that the reply of a run goes to. Only the target itself knows how its settings name a chat. */

import type { Profile } from '../config/config.ts'
import type { Delivery, NewRun } from '../core/new-run.ts'
import type { ChatAddress } from '../core/session.ts'
import { deliveriesOf } from '../parts/destination.ts'
import { settingsOf } from '../parts/targets/delivery/settings.ts'
import type { TargetPart } from '../parts/targets/target.ts'

type TargetsAndProfiles = { readonly targets: ReadonlyMap<string, TargetPart>; readonly profiles: ReadonlyMap<string, Profile> }

/** Returns the chat of a delivery; `undefined` where the target is not a chat, or has no address with these settings. */
const chatAddressOf = (
  { target, extra }: Delivery,
  profile: string,
  { targets, profiles }: TargetsAndProfiles,
): ChatAddress | undefined => {
  const [part, owner] = [targets.get(target), profiles.get(profile)]
  if (!part?.chat || !owner) return undefined
  const chat = part.chat(extra, settingsOf(part, owner.platforms, owner.env))
  return chat && { platform: part.name, ...chat }
}

/** Returns the chat of the first target of a run that is a chat; `undefined` where no target is a chat. */
export const chatAddressOfRun = ({ delivery, profile }: NewRun, world: TargetsAndProfiles): ChatAddress | undefined =>
  deliveriesOf(delivery)
    .map((each) => chatAddressOf(each, profile, world))
    .find((address) => address !== undefined)
