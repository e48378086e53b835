/** Says of a run whether the targets of its reply are down, and how long it waits for them. */

import type { Profile } from '../../config/config.ts'
import { receiverAddress } from '../../parts/delivery/receiver.ts'
import { settingsOf } from '../../parts/delivery/settings.ts'
import { deliveriesOf } from '../../parts/destination.ts'
import type { TargetPart } from '../../parts/targets/target.ts'
import type { Lease, RunId } from '../../store/ports.ts'
import type { Breakers, Place } from './breakers.ts'

type World = { readonly targets: ReadonlyMap<string, TargetPart>; readonly profiles: ReadonlyMap<string, Profile> }

export interface Outages {
  /**
   * Returns how long a run waits that could deliver its reply to no target now, in milliseconds; `undefined` where it need not wait. A run
   * without a reply may be let begin, for its reply to be the trial.
   */
  waitBefore(lease: Lease): number | undefined
  /** Returns how long a run waits for the targets at these positions, which are down, in milliseconds. The run has its reply. */
  waitFor(lease: Lease, positions: readonly number[]): number
  /** Call this once the store has the end of an attempt, or the attempt has failed. */
  ended(lease: Lease): void
}

/** `world` returns the targets and profiles as they are configured now. */
export const createOutages = (breakers: Breakers, world: () => World): Outages => {
  /** The places that the runs in progress will wait for. */
  const waiting = new Map<RunId, { readonly places: readonly Place[]; readonly hasReply: boolean }>()

  /** Returns the place of each delivery; `undefined` for a target or profile that is not configured, where a sending fails at once. */
  const placesOf = ({ run }: Lease): readonly (Place | undefined)[] => {
    const { targets, profiles } = world()
    const owner = profiles.get(run.profile)
    return deliveriesOf(run.delivery).map(({ target, extra }) => {
      const part = targets.get(target)
      if (!part || !owner) return undefined
      return { target, address: receiverAddress(part, extra, settingsOf(part, owner.platforms, owner.env)) }
    })
  }
  const wait = (lease: Lease, places: readonly Place[], hasReply: boolean): number => {
    waiting.set(lease.runId, { places, hasReply })
    return breakers.waitMs(places)
  }

  return {
    waitBefore(lease) {
      if (breakers.open === 0) return undefined
      const { progress, reply, runId } = lease
      const places = placesOf(lease).filter((_, position) => !progress?.[position])
      const known = places.filter((place) => place !== undefined)
      if (known.length === 0 || known.length < places.length || known.some((place) => breakers.isClosed(place))) return undefined
      const goes = known.some((place) => (reply === undefined ? breakers.mayBegin(place, runId) : !breakers.isHeld(place)))
      return goes ? undefined : wait(lease, known, reply !== undefined)
    },
    waitFor(lease, positions) {
      const places = placesOf(lease)
      return wait(
        lease,
        positions.flatMap((position) => places[position] ?? []),
        true,
      )
    },
    ended(lease) {
      const { places = [], hasReply = false } = waiting.get(lease.runId) ?? {}
      waiting.delete(lease.runId)
      breakers.ended(lease, places, hasReply)
    },
  }
}
