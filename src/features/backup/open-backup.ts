/** Keeps the hold on the file of a gateway's store while a backup copies the file. */

import { randomUUID } from 'node:crypto'
import { minuteMs } from '../../core/clock.ts'
import type { HeldFile } from '../../store/store-part.ts'
import type { FeatureKit, OpenedFeature } from '../feature.ts'

/**
 * A backup whose process ended early does not release its hold. The hold then ends by itself, because the log of the store grows meanwhile.
 */
const longestHoldMs = 10 * minuteMs

type Hold = { readonly id: string; readonly held: HeldFile; readonly cancel: () => void }

/** A new hold ends the one before. */
export const openBackup = ({ store, clock }: FeatureKit) => {
  let present: Hold | undefined
  const release = async (hold: Hold | undefined): Promise<boolean> => {
    if (!hold) return false
    if (present === hold) present = undefined
    hold.cancel()
    return hold.held.release()
  }
  return {
    operations: {
      async holdStore() {
        const held = await store.hold?.()
        if (!held) return {}
        await release(present)
        const hold: Hold = { id: randomUUID(), held, cancel: clock.after(longestHoldMs, () => void release(hold)) }
        present = hold
        return { hold: hold.id, file: held.file }
      },
      releaseStore: async ({ hold }) => ({ whole: hold === present?.id && (await release(present)) }),
    },
  } satisfies OpenedFeature
}
