/** What only a body of several chunks needs: memory while it is unfinished, and a pause where it would keep small requests waiting. */

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

  /** Reserves memory for a chunk. `false`: there is none. */
  reserve(bytes: number): boolean {
    return this.#reservation.take(bytes)
  }

  /** Pauses the connection after a chunk of so many bytes, where the turn has had enough. */
  keepPace(bytes: number): void {
    if (this.#pace.take(bytes, this.#goOn, this.#hasWaited)) return
    this.#hasWaited = true
    this.#reservation.pause()
    this.#pause()
  }

  /** Gives the memory back, and calls `answer` in turn, because a sender that is refused at once comes again at once. */
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

  readonly #goOn = (): void => {
    this.#reservation.resume()
    this.#resume()
  }

  #pause(): void {
    this.#isPaused = true
    // After each chunk the request's stream asks for more in `process.nextTick`, which resumes the socket (`_read` in
    // lib/_http_incoming.js). Microtasks run after it, and before the next chunk is read.
    queueMicrotask(() => {
      if (this.#isPaused) this.#socket.pause()
    })
  }

  #resume(): void {
    this.#isPaused = false
    this.#socket.resume()
  }
}
