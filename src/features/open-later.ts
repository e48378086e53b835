/** Opens a part of the gateway when it is needed for the first time, so that nothing of the part is loaded before. */

import type { Scope } from '../core/scope.ts'

/**
 * `begin`: opens the part where it is needed, at the start and after each reload. `part`: absent until then. `close`: closes the part
 * before the gateway closes, or makes sure that the part is never opened.
 */
type LaterPart<T> = {
  readonly begin: () => Promise<void>
  readonly part: () => T | undefined
  readonly close: () => Promise<void>
}

/** Prepares a part. It is closed at this place of `around`, also where it is opened later. */
export const openLater = <T>(around: Scope, isNeeded: () => boolean, open: (scope: Scope) => Promise<T>): LaterPart<T> => {
  const scope = around.inner()
  let part: T | undefined
  let opening: Promise<void> | undefined
  scope.defer(() => opening)
  return {
    part: () => part,
    async begin() {
      if (scope.isClosed || !isNeeded()) return
      opening ??= open(scope).then((opened) => {
        part = opened
      })
      await opening
    },
    close: scope.close,
  }
}
