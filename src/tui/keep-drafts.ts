/** Stores the drafts that are being edited soon after each change, so that a crash or a kill loses only the latest changes. */

import { systemClock } from '../core/clock.ts'
import { Timer } from '../core/turns/timer.ts'
import type { RouteDraft } from '../edit/draft/route-draft.ts'
import type { EditorService } from '../edit/service.ts'
import { isSameRoute } from './model/pending.ts'

export type DraftKeeperOptions = {
  readonly service: Pick<EditorService, 'keepDraft' | 'dropDraft'>
  /** Milliseconds from the latest change until the drafts are stored. */
  readonly delayMs: number
  /** Waits for the work before the editor ends, and reports its failure. */
  readonly track: (work: Promise<unknown>) => void
}

export type DraftKeeper = {
  /**
   * Sets the drafts that have unsaved changes. Where a draft that this keeper stored is not among them, its stored copy is dropped. Drafts
   * that an earlier run of the editor left stay.
   */
  update(drafts: readonly RouteDraft[]): void
  close(): void
}

/** Makes a keeper, which stores and drops drafts through the editor service. */
export const createDraftKeeper = ({ service, delayMs, track }: DraftKeeperOptions): DraftKeeper => {
  let latest: readonly RouteDraft[] = []
  let kept: readonly RouteDraft[] = []
  const drop = ({ opened: { name, source } }: RouteDraft): void => track(service.dropDraft({ name, source }))
  const keep = (): void => {
    for (const draft of latest) if (!kept.includes(draft)) track(service.keepDraft({ draft }))
    kept = latest
  }
  const timer = new Timer(systemClock, keep)
  return {
    update(drafts) {
      if (drafts.length === latest.length && drafts.every((draft, i) => draft === latest[i])) return
      latest = drafts
      timer.stop()
      const isStillEdited = (one: RouteDraft): boolean => drafts.some(({ opened }) => isSameRoute(opened, one.opened))
      for (const gone of kept.filter((draft) => !isStillEdited(draft))) drop(gone)
      kept = kept.filter(isStillEdited)
      timer.start(delayMs)
    },
    close: () => timer.stop(),
  }
}
