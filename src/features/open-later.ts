/** Opens a part of the gateway when it is needed for the first time, so that nothing of the part is loaded before. */

/** An open part, and how to close it. */
export type OpenedPart<T> = { readonly part: T; readonly close: () => Promise<void> | void }

/** `begin`: opens the part where it is needed, at the start and after each reload. `part`: absent until then. */
export type LaterPart<T> = { readonly begin: () => Promise<void>; readonly part: () => T | undefined }

/** Prepares a part, and adds to `closing` how to close it. */
export const openLater = <T>(
  closing: (() => Promise<unknown>)[],
  isNeeded: () => boolean,
  open: () => Promise<OpenedPart<T>>,
): LaterPart<T> => {
  let opened: OpenedPart<T> | undefined
  let opening: Promise<void> | undefined
  let isClosed = false
  closing.push(async () => {
    isClosed = true
    await opening
    await opened?.close()
  })
  return {
    part: () => opened?.part,
    async begin() {
      if (isClosed || !isNeeded()) return
      opening ??= open().then((part) => {
        opened = part
      })
      await opening
    },
  }
}
