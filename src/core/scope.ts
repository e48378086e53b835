/**
 * The one lifecycle: whoever opens something tells a scope how it is closed, and the end of the scope closes all of that once, whatever
 * fails meanwhile.
 */

type Close = () => unknown

/**
 * The result of a part's `compile`: a function, or a function with the `close` of what it owns.
 * @example
 * compile(path) {
 *   const watcher = watch(String(path))
 *   return { run: (value) => watcher.has(value), close: () => watcher.close() }
 * }
 */
export type Closable<F> = F | { readonly run: F; readonly close: () => void | Promise<void> }

/** Takes the result of a `compile`, and returns the bare function. The scope that adopts the result calls its `close` later. */
export type Adopt = <F>(made: Closable<F>) => F

/** A scope for whoever only uses what is open in it: `hold` before the use, `release` after the use. */
export type HeldScope = Pick<Scope, 'hold' | 'release'>

type ScopeOptions = {
  /** Closes everything at the same time, because nothing in the scope needs another thing of it. */
  readonly isUnordered?: boolean
  /** Calls a `close` in the place of the scope, so that it can stop waiting for the `close`, or catch an error of it. */
  readonly call?: (close: Close) => unknown
}

const isOpened = <F>(made: Closable<F>): made is { readonly run: F; readonly close: () => void | Promise<void> } =>
  typeof made === 'object' && made !== null && 'run' in made && 'close' in made

/** What is open until a common end. Whoever makes the scope is its first holder. */
export class Scope {
  readonly #options: ScopeOptions
  readonly #around: Scope | undefined
  #closes: Set<Close> | undefined
  #abort: AbortController | undefined
  #holders = 1
  #closing: Promise<void> | undefined
  #isClosed = false
  #hasEnded = false

  constructor(options: ScopeOptions = {}, around?: Scope) {
    this.#options = options
    this.#around = around
    around?.defer(this.close)
  }

  /** Whether the scope has begun to close. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Aborts when the scope begins to close. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#isClosed) this.#abort.abort()
    return this.#abort.signal
  }

  /** Whether there is nothing to close. */
  get isEmpty(): boolean {
    return !this.#closes?.size
  }

  /** Makes a scope that ends with this one at the latest: at its place among what was deferred. */
  inner(options?: ScopeOptions): Scope {
    return new Scope(options, this)
  }

  /** Lets the end of the scope call `close`, before what was deferred earlier. What comes after the end is called at once. */
  defer(close: Close): void {
    // A `close` that is deferred after the end of the scope has nobody who waits for it, so nobody could be told of its failure.
    if (this.#hasEnded) return void this.#call(close).catch(() => {})
    this.#closes ??= new Set()
    this.#closes.add(close)
  }

  /** As `Adopt`. */
  readonly adopt: Adopt = <F>(made: Closable<F>): F => {
    if (!isOpened<F>(made)) return made
    this.defer(() => made.close())
    return made.run
  }

  hold(): void {
    this.#holders++
  }

  /** Closes what is open when the last holder has released. */
  release(): void {
    if (--this.#holders === 0) void this.close()
  }

  /** Closes what is open, even while it is held, and resolves when all is closed. Then it rejects with the first error, if any. */
  readonly close = (): Promise<void> => {
    this.#isClosed = true
    this.#abort?.abort()
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  async #closeAll(): Promise<void> {
    const errors: unknown[] = []
    for (let next = this.#take(); next.length > 0; next = this.#take())
      await Promise.all(next.map((close) => this.#call(close).catch((error) => errors.push(error))))
    this.#hasEnded = true
    if (this.#around) this.#around.#forget(this.close)
    if (errors.length > 0) throw errors[0]
  }

  #forget(close: Close): void {
    this.#closes?.delete(close)
  }

  /** Takes out what is to be closed next. */
  #take(): readonly Close[] {
    const closes = [...(this.#closes ?? [])]
    const next = this.#options.isUnordered ? closes : closes.slice(-1)
    for (const close of next) this.#closes?.delete(close)
    return next
  }

  async #call(close: Close): Promise<void> {
    await (this.#options.call ? this.#options.call(close) : close())
  }
}
