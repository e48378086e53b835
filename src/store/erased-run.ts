/** What an erasure says of a run that it erased, and which runs and groups it is about. */

import type { NewRun } from '../core/new-run.ts'
import type { ErasedRun } from './store-part.ts'

/** `ended`: the attempts of a run that is neither done nor dead. */
export const erasedRun = ({ eventId, profile, route, event, deliveryId }: NewRun, ended?: number): ErasedRun => ({
  ...{ eventId, profile, route, event, deliveryId },
  ...(ended === undefined ? {} : { ended }),
})

/** The events of an erasure, as sets. */
export type ErasureSets = { readonly ids: ReadonlySet<string>; readonly groups: ReadonlySet<string> }

/** Whether a run is about an erased event: it is the run of the event, or it keeps the prompts of all events of its group. */
export const isRunToErase = ({ eventId, merged }: NewRun, { ids, groups }: ErasureSets): boolean =>
  ids.has(eventId) || (merged?.keep === 'all' && groups.has(merged.group))
