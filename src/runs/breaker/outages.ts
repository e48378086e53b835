/** Says of a run whether the targets of its reply are down, and how long it waits for them. */

import type { Profile } from '../../config/config.ts'
import { deliveriesOf } from '../../parts/destination.ts'
import { receiverAddress } from '../../parts/targets/delivery/receiver.ts'
import { settingsOf } from '../../parts/targets/delivery/settings.ts'
import type { TargetPart } from '../../parts/targets/target.ts'
import type { Lease, RunId } from '../../store/ports.ts'
import type { Breakers, Receiver } from './breakers.ts'

type World = { readonly targets: ReadonlyMap<string, TargetPart>; readonly profiles: ReadonlyMap<string, Profile> }

export interface Outages {
  /**
   * Returns how long a run waits because it could deliver its reply to no target now, in milliseconds; `undefined` where it need not wait.
   * A run without a reply may be let begin, for its reply to be the trial.
   */
  waitBefore(lease: Lease): number | undefined
  /** Returns how long a run waits for the targets at these positions, which are down, in milliseconds. The run has its reply. */
  waitFor(lease: Lease, positions: readonly number[]): number
  /** Call this once the store has the end of an attempt, or the attempt has failed. */
  ended(lease: Lease): void
}

/** Makes the outages of a gateway from its breakers. `world`: returns the targets and profiles as they are configured now. */
export const createOutages = (breakers: Breakers, world: () => World): Outages => {
  /** The receivers that the runs in progress will wait for. */
  const waiting = new Map<RunId, { readonly receivers: readonly Receiver[]; readonly hasReply: boolean }>()

  /**
   * Returns the receiver of each delivery; `undefined` where the target or the profile is not configured, so that the delivery fails at
   * once.
   */
  const receiversOf = ({ run }: Lease): readonly (Receiver | undefined)[] => {
    const { targets, profiles } = world()
    const owner = profiles.get(run.profile)
    return deliveriesOf(run.delivery).map(({ target, extra }) => {
      const part = targets.get(target)
      if (!part || !owner) return undefined
      return { target, address: receiverAddress(part, extra, settingsOf(part, owner.platforms, owner.env)) }
    })
  }
  const wait = (lease: Lease, receivers: readonly Receiver[], hasReply: boolean): number => {
    waiting.set(lease.runId, { receivers, hasReply })
    return breakers.waitMs(receivers)
  }

  return {
    waitBefore(lease) {
      if (breakers.open === 0) return undefined
      const { progress, reply, runId } = lease
      const receivers = receiversOf(lease).filter((_, position) => !progress?.[position])
      const known = receivers.filter((receiver) => receiver !== undefined)
      if (known.length === 0 || known.length < receivers.length || known.some((receiver) => breakers.isClosed(receiver))) return undefined
      const goes = known.some((receiver) => (reply === undefined ? breakers.mayBegin(receiver, runId) : !breakers.isHeld(receiver)))
      return goes ? undefined : wait(lease, known, reply !== undefined)
    },
    waitFor(lease, positions) {
      const receivers = receiversOf(lease)
      return wait(
        lease,
        positions.flatMap((position) => receivers[position] ?? []),
        true,
      )
    },
    ended(lease) {
      const { receivers = [], hasReply = false } = waiting.get(lease.runId) ?? {}
      waiting.delete(lease.runId)
      breakers.ended(lease, receivers, hasReply)
    },
  }
}
