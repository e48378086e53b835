/** Lines for one watcher of traffic, the reader. The writer never waits for a slow reader, who loses lines and is told their number. */

const maxWaitingLines = 1_000

export type LineQueueOptions<Line> = {
  /** The lines that wait from the beginning. */
  readonly first: readonly Line[]
  /** Makes the line that says how many lines were lost. */
  readonly loss: (lines: number) => Line
  /** Makes the last line, after `stop`. */
  readonly end: () => Line
  /** Called when the reader leaves, and when the reader has the last line. */
  readonly leave: (queue: LineQueue<Line>) => void
}

/** The queue of one reader. Owns the lines. Not a generator, because a generator that waits for a line cannot be ended from outside. */
export class LineQueue<Line> implements AsyncIterableIterator<Line, undefined> {
  readonly #options: LineQueueOptions<Line>
  #waiting: Line[]
  #lost = 0
  #state: 'open' | 'stopping' | 'over' = 'open'
  #wake = (): void => {}

  constructor(options: LineQueueOptions<Line>) {
    this.#options = options
    this.#waiting = [...options.first]
  }

  /** Adds all of these lines or none: half of what was said of one request would mislead. */
  push(lines: readonly Line[]): void {
    if (this.#lost > 0 || this.#waiting.length + lines.length > maxWaitingLines) this.lose(lines.length)
    else {
      this.#waiting.push(...lines)
      this.#wake()
    }
  }

  /** Counts lines that the reader does not get. After the lines that wait, the reader gets their number. */
  lose(lines: number): void {
    this.#lost += lines
    this.#wake()
  }

  /** Ends the lines once the reader has those that wait. */
  stop(): void {
    if (this.#state === 'open') this.#state = 'stopping'
    this.#wake()
  }

  async next(): Promise<IteratorResult<Line, undefined>> {
    while (this.#state !== 'over') {
      const line = this.#waiting.shift() ?? this.#lossOrEnd()
      if (line !== undefined) return { done: false, value: line }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#state = 'over'
    this.#waiting = []
    this.#options.leave(this)
    this.#wake()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Returns the line to give once no line waits: how many lines were lost, or the last line; `undefined` if neither is due. */
  #lossOrEnd(): Line | undefined {
    if (this.#lost > 0) {
      const lines = this.#lost
      this.#lost = 0
      return this.#options.loss(lines)
    }
    if (this.#state !== 'stopping') return undefined
    this.#state = 'over'
    this.#options.leave(this)
    return this.#options.end()
  }
}
