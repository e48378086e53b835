/** Sends a text to its target with the settings of its own profile; whatever goes wrong is an answer, never a throw. */

import type { Profile } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { messageOf } from '../core/fault.ts'
import type { Route } from '../generated/config.ts'
import { writtenTargets } from '../parts/delivery.ts'
import type { Outgoing, Sent, TargetPart } from '../parts/part.ts'
import { platformOf, settingsOf } from '../parts/settings.ts'

export type SenderOptions = {
  readonly targets: ReadonlyMap<string, TargetPart>
  readonly profile: (name: string) => Profile | undefined
  /** Its route or job as written, for the secrets that are never stored. */
  readonly written: (outgoing: Outgoing) => Pick<Route, 'deliver' | 'deliver_extra'> | undefined
  readonly log: (outgoing: Outgoing) => void
  readonly clock: Clock
}

const never = (why: string): Sent => ({ ok: false, why, repeatable: false })

export const createSender = ({ targets, profile, written, log, clock }: SenderOptions): ((outgoing: Outgoing) => Promise<Sent>) => {
  return async (outgoing) => {
    const part = targets.get(outgoing.delivery.target)
    if (!part) return never(`the target "${outgoing.delivery.target}" is not built in this version`)
    const owner = profile(outgoing.profile)
    if (!owner) return never(`profile "${outgoing.profile}" is no longer served`)
    const settings = settingsOf(part, owner.platforms, owner.env)
    if (settings.enabled === false) return never(`platforms.${platformOf(part)} is switched off`)
    const { extra: stored, withheld = [] } = outgoing.delivery
    const now = withheld.length > 0 ? writtenTargets(written(outgoing) ?? {})[outgoing.place] : undefined
    const secrets = Object.entries(now?.target === part.name ? now.extra : {}).filter(([key]) => withheld.includes(key))
    if (secrets.length < withheld.length)
      return never(
        `the ${outgoing.job === undefined ? 'route' : 'job'} no longer says its ${withheld.join(', ')}, and nothing goes out without`,
      )
    const extra = { ...stored, ...Object.fromEntries(secrets) }
    try {
      return await part.send({ ...outgoing, delivery: { ...outgoing.delivery, extra } }, { settings, env: owner.env, log, clock })
    } catch (error) {
      return never(messageOf(error))
    }
  }
}
