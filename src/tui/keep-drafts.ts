/** Keeps the draft that is being edited, so that a crash or a kill costs a second of it at most. */

import type { Desk, NamedRoute } from '../app/editor/desk.ts'
import { isModified, type RouteDraft } from '../app/editor/draft/route-draft.ts'

export type Keeping = {
  readonly desk: Pick<Desk, 'keepDraft' | 'dropDraft'>
  readonly delayMs: number
  /** Waits for the work before the end, and says when it fails. */
  readonly track: (work: Promise<unknown>) => void
}

export type Keeper = {
  /** Whatever the draft is now. One that is saved, or in which all is undone, is dropped. */
  look(draft: RouteDraft | undefined): void
  close(): void
}

export const createKeeper = ({ desk, delayMs, track }: Keeping): Keeper => {
  let seen: RouteDraft | undefined
  /** The route of which a draft was kept. */
  let kept: Required<NamedRoute> | undefined
  let timer: NodeJS.Timeout | undefined
  const keep = (draft: RouteDraft): void => {
    const { name, source } = draft.opened
    kept = { name, source }
    track(desk.keepDraft({ draft }))
  }
  return {
    look(draft) {
      if (draft === seen) return
      seen = draft
      clearTimeout(timer)
      if (draft && isModified(draft)) timer = setTimeout(keep, delayMs, draft)
      else if (kept !== undefined) {
        track(desk.dropDraft(kept))
        kept = undefined
      }
    },
    close: () => clearTimeout(timer),
  }
}
