/** Bounds the memory of all unfinished bodies together, and the part of it for one client, so that no client can use up the memory. */

import type { Clock } from '../core/clock.ts'

/** The most bytes of unfinished bodies in memory at once, over all connections. */
const maxBytes = 67_108_864
/** The part of `maxBytes` that only small bodies may use. An ordinary event is small. */
const reservedBytes = 16_777_216
/** The largest body that counts as small. */
const smallBytes = 65_536
/** The most bytes for the bodies of one client, or `max_body_bytes` where that is more. */
const maxClientBytes = 16_777_216
/** A body that comes at a lower rate stalls. A stalled body is given up when another body needs its memory. */
const leastBytesPerSecond = 65_536
/** A body stalls at the earliest this long after its start, and at the latest this long after its last bytes. */
const graceMs = 2_000

/** The bytes of memory that one unfinished body has. */
export interface Reservation {
  /** Reserves memory for `bytes` more bytes. `false`: there is no memory for these bytes. */
  take(bytes: number): boolean
  /** Says that the gateway itself has stopped reading this body. Until `resume`, the body does not stall. */
  pause(): void
  /** Says that the gateway reads this body again. */
  resume(): void
  /** Gives all bytes back. May be called twice. */
  close(): void
}

export type ReservationOptions = {
  /** The network of the client's address. All bodies of one network share the memory of one client. */
  readonly client: string
  /** The largest body that is served. Neither the limit for one client nor that for all large bodies is below this size. */
  readonly maxBodyBytes: number
  /** Called when this body stalls and another body needs its memory. It must close the reservation. */
  readonly giveUp: () => void
}

export interface BodyMemory {
  /** Begins the reservation of one body, with no bytes yet. */
  reserve(options: ReservationOptions): Reservation
  readonly bytes: number
}

/** One unfinished body. `dueAt`: the time on the monotonic clock at which the body stalls, unless more bytes come before. */
type Holder = ReservationOptions & { bytes: number; dueAt: number }

/**
 * Makes the memory that all bodies share. Bytes count when they have come, not when they are announced: announcing costs no sender
 * anything.
 */
export const createBodyMemory = (clock: Clock): BodyMemory => {
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

  /** Returns the body other than `except` that has stalled for longest, of one client or of all; `undefined` when no body has stalled. */
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

  /**
   * Gives up other stalled bodies until `bytes` more of this body fit: only bodies of its client while that client is at its limit, else
   * bodies of all clients. `false`: no such body is left, and the bytes do not fit.
   */
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
    get bytes() {
      return taken
    },
    reserve(options) {
      const holder: Holder = { ...options, bytes: 0, dueAt: clock.monotonic() + graceMs }
      holders.add(holder)
      return {
        take(bytes) {
          if (!makeRoom(holder, bytes)) return false
          add(holder, bytes)
          holder.dueAt = Math.min(holder.dueAt + (bytes / leastBytesPerSecond) * 1_000, clock.monotonic() + graceMs)
          return true
        },
        pause() {
          holder.dueAt = Number.POSITIVE_INFINITY
        },
        resume() {
          holder.dueAt = clock.monotonic() + graceMs
        },
        close() {
          if (holders.delete(holder)) add(holder, -holder.bytes)
        },
      }
    },
  }
}
