/**
 * Handles a body of several chunks while it is read: it reserves memory for the unfinished body, and pauses the connection where its bytes
 * would keep small requests waiting.
 */

import type { Socket } from 'node:net'
import type { BodyMemory, Reservation, ReservationOptions } from './body-memory.ts'
import type { Pace } from './pace.ts'

export class PacedBody {
  readonly #socket: Socket
  readonly #pace: Pace
  readonly #reservation: Reservation
  #hasWaited = false
  #isPaused = false

  constructor(socket: Socket, pace: Pace, memory: BodyMemory, options: ReservationOptions) {
    this.#socket = socket
    this.#pace = pace
    this.#reservation = memory.reserve(options)
  }

  /** Reserves memory for a chunk of `bytes` bytes. `false`: there is no memory for the chunk. */
  reserve(bytes: number): boolean {
    return this.#reservation.take(bytes)
  }

  /** Counts a chunk of `bytes` bytes. Pauses the connection where this turn has read enough bytes. */
  keepPace(bytes: number): void {
    if (this.#pace.take(bytes, this.#resumeBody, this.#hasWaited)) return
    this.#hasWaited = true
    this.#reservation.pause()
    this.#pause()
  }

  /**
   * Gives the memory back, and calls `answer`, which refuses the body. In a turn that has read enough bytes, the answer waits for its turn
   * like a paused connection: a sender that is refused at once would send again at once.
   */
  refuse(bytes: number, answer: () => void): void {
    this.close()
    const inTurn = (): void => {
      this.#resume()
      answer()
    }
    if (this.#pace.take(bytes, inTurn, false)) answer()
    else this.#pause()
  }

  /** Gives the memory back. May be called twice. */
  close(): void {
    this.#reservation.close()
  }

  readonly #resumeBody = (): void => {
    this.#reservation.resume()
    this.#resume()
  }

  #pause(): void {
    this.#isPaused = true
    // After each chunk, the request's stream asks for more in `process.nextTick`, which resumes the socket (`_read` in
    // lib/_http_incoming.js). A microtask runs after that call, and before the next chunk is read.
    queueMicrotask(() => {
      if (this.#isPaused) this.#socket.pause()
    })
  }

  #resume(): void {
    this.#isPaused = false
    this.#socket.resume()
  }
}
