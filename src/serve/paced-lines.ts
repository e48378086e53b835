/**
 * Gives a watcher the lines of a bounded number of requests and attempts a second, in groups, so that watching costs a gateway little
 * however much traffic there is. The watcher is told how many lines were left out.
 */

import type { Clock } from '../core/clock.ts'
import { Allowance } from '../core/turns/allowance.ts'
import type { LineQueue } from '../core/turns/line-queue.ts'
import { Timer } from '../core/turns/timer.ts'

/** The time in which lines are gathered to a group, in milliseconds. Each group costs a write to the watcher's socket. */
const groupMs = 100

export class PacedLines<Line> {
  readonly #queue: LineQueue<Line>
  readonly #allowance: Allowance
  #group: Line[] = []
  #leftOut = 0
  readonly #timer: Timer

  /** `queue`: gets the groups. `perSecond`: the most requests and attempts a second. */
  constructor(clock: Clock, queue: LineQueue<Line>, perSecond: number) {
    this.#queue = queue
    this.#timer = new Timer(clock, () => this.flush())
    this.#allowance = new Allowance(clock, perSecond, 1_000)
  }

  /** Takes the lines of one request or attempt. `lines` makes them, and is not called where they are left out. `count`: their number. */
  push(count: number, lines: () => readonly Line[]): void {
    if (this.#allowance.take(1)) this.#group.push(...lines())
    else this.#leftOut += count
    this.#timer.startUnlessRunning(groupMs)
  }

  /** Hands the present group to the queue. Called before the queue stops, too. */
  flush(): void {
    this.#timer.stop()
    if (this.#group.length > 0) this.#queue.push(this.#group)
    if (this.#leftOut > 0) this.#queue.lose(this.#leftOut)
    this.#group = []
    this.#leftOut = 0
  }
}
