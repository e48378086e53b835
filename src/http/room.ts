/** The memory that all unread bodies may hold together, shared so that no stranger can take it from the others. */

import type { Clock } from '../core/clock.ts'

/** Bytes of bodies that may be in memory at once, over all connections. */
const maxBytes = 67_108_864
/** Of these, what large bodies leave to small ones; an ordinary event is a small one. */
const reservedBytes = 16_777_216
const smallBytes = 65_536
/** What the bodies of one client may hold. */
const maxClientBytes = 16_777_216
/** A body that comes slower than this is given up when another one needs the room; what came quickly counts for a moment only. */
const leastBytesPerSecond = 65_536
const graceMs = 2_000

/** The part of one body. */
export interface Share {
  /** `false` when so many bytes more are not to be had. */
  take(bytes: number): boolean
  /** Gives all of it back; may be called twice. */
  close(): void
}

export type ShareOptions = {
  readonly client: string
  /** The largest body that is served: it has room for one even where that is more than a client's part. */
  readonly maxBodyBytes: number
  /** Told that others need the room and this body came too slowly; has to close its share. */
  readonly giveUp: () => void
}

export interface Room {
  open(options: ShareOptions): Share
}

/** `dueAt`: it stalls when nothing more has come by then. */
type Holder = ShareOptions & { bytes: number; dueAt: number }

/** Counts bytes as they come, not as they are announced: announcing costs a stranger nothing. */
export const createRoom = (clock: Clock): Room => {
  const holders = new Set<Holder>()
  const perClient = new Map<string, number>()
  let taken = 0

  const add = (holder: Holder, bytes: number): void => {
    holder.bytes += bytes
    taken += bytes
    const held = (perClient.get(holder.client) ?? 0) + bytes
    if (held > 0) perClient.set(holder.client, held)
    else perClient.delete(holder.client)
  }

  const clientIsFull = ({ client, maxBodyBytes }: Holder, bytes: number): boolean =>
    (perClient.get(client) ?? 0) + bytes > Math.max(maxClientBytes, maxBodyBytes)

  const isFull = (holder: Holder, bytes: number): boolean => {
    const isSmall = holder.bytes + bytes <= smallBytes
    return taken + bytes > (isSmall ? maxBytes : Math.max(maxBytes - reservedBytes, holder.maxBodyBytes))
  }

  /** The body that has stalled for longest, of one client or of all. */
  const mostStalled = (except: Holder, client: string | undefined): Holder | undefined => {
    let found: Holder | undefined
    let due = clock.monotonic()
    for (const holder of holders) {
      if (holder === except || holder.bytes === 0 || holder.dueAt >= due) continue
      if (client !== undefined && holder.client !== client) continue
      found = holder
      due = holder.dueAt
    }
    return found
  }

  /** Whether room was made by giving up bodies that stall. */
  const makeRoom = (holder: Holder, bytes: number): boolean => {
    for (;;) {
      const ofClient = clientIsFull(holder, bytes)
      if (!ofClient && !isFull(holder, bytes)) return true
      const stalled = mostStalled(holder, ofClient ? holder.client : undefined)
      if (!stalled) return false
      stalled.giveUp()
    }
  }

  return {
    open(options) {
      const holder: Holder = { ...options, bytes: 0, dueAt: clock.monotonic() + graceMs }
      holders.add(holder)
      return {
        take(bytes) {
          if (!makeRoom(holder, bytes)) return false
          add(holder, bytes)
          holder.dueAt = Math.min(holder.dueAt + (bytes / leastBytesPerSecond) * 1_000, clock.monotonic() + graceMs)
          return true
        },
        close() {
          if (holders.delete(holder)) add(holder, -holder.bytes)
        },
      }
    },
  }
}
