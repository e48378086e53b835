/** Holds the compiled entries of a file of subscriptions or jobs. The file is read again only after a change (rules: Subscriptions 1). */

import { parseEntries, readSnapshot } from '../config/read-consistent.ts'
import { carryDigits } from '../core/carried-numbers.ts'
import { type Code, type Diagnostic, diagnostic } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import { absent, stampOf } from '../core/file-stamp.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { takingTurns } from '../core/turns/taking-turns.ts'

export type EntriesOptions<T> = {
  readonly file: string
  /** The code that reports a file that is not usable as a whole. */
  readonly corrupt: Code
  /** Compiles one entry, and reports its problems. */
  readonly compile: (name: string, entry: Json) => T
  /** Whether a value stays valid as long as its entry is unchanged. When absent, every value does. */
  readonly lasts?: (value: T) => boolean
  /** Called with each value that is held no longer: its entry was removed or compiled again, or `close` was called. */
  readonly drop?: (value: T) => void
  readonly report: (diagnostics: readonly Diagnostic[]) => void
}

/** An entry and the value that `compile` made of it. `text`: the entry as JSON. */
type CompiledEntry<T> = { readonly text: string; readonly value: T }

/** The compiled entries of a file, as the file was when it was last read and usable. */
export class Entries<T> {
  readonly #options: EntriesOptions<T>
  /** The stamp of the file when it was last read and usable; empty until then. */
  #readStamp = ''
  #isClosed = false
  /** The stamp of the unusable file that was last reported; empty while the file is usable. */
  #reportedStamp = ''
  #entries: ReadonlyMap<string, CompiledEntry<T>> = new Map()

  constructor(options: EntriesOptions<T>) {
    this.#options = options
  }

  get(name: string): T | undefined {
    return this.#entries.get(name)?.value
  }

  *[Symbol.iterator](): IterableIterator<readonly [name: string, value: T]> {
    for (const [name, { value }] of this.#entries) yield [name, value]
  }

  /** Whether the file has been usable, or missing, at least once when it was read. */
  get ready(): boolean {
    return this.#readStamp !== ''
  }

  /** Whether the last good entries stay in use because the present file is not usable. */
  get stale(): boolean {
    return this.ready && this.#reportedStamp !== ''
  }

  /**
   * Reads the file again if its stamp has changed. While the file is not usable, the last good entries stay. Returns whether the entries
   * were replaced.
   */
  refresh(): boolean {
    const now = stampOf(this.#options.file)
    const entries = this.#read(now)
    if (!entries) return false
    const next = new Map<string, CompiledEntry<T>>()
    for (const [name, entry] of Object.entries(entries)) next.set(name, this.#compile(name, entry))
    this.#replace(next, now)
    return true
  }

  /**
   * As `refresh`, but other work runs between the entries. Until `load` has ended, `get` returns the old entries. When a `refresh` has read
   * the file in this time, `load` drops the entries that it compiled itself, and with `renew` begins again. `renew`: values that do not
   * last are made anew, too, also while the file is unchanged.
   */
  async load(renew = false): Promise<void> {
    const now = stampOf(this.#options.file)
    const entries = this.#read(now, renew)
    if (!entries) return
    const before = this.#entries
    const next = new Map<string, CompiledEntry<T>>()
    const turn = takingTurns()
    for (const [name, entry] of Object.entries(entries)) {
      next.set(name, this.#compile(name, entry, renew))
      await turn()
      if (this.#entries === before) continue
      this.#dropOthers(next, before)
      return renew && !this.#isClosed ? this.load(renew) : undefined
    }
    this.#replace(next, now)
  }

  close(): void {
    this.#isClosed = true
    this.#dropOthers(this.#entries, new Map())
    this.#entries = new Map()
  }

  /** Reads the entries of a file; `undefined` when it is unchanged, or not usable. */
  #read(stamp: string, evenUnchanged = false): JsonObject | undefined {
    if (stamp === this.#readStamp && !evenUnchanged) return undefined
    try {
      return parseEntries(stamp === absent ? '{}' : readSnapshot(this.#options.file))
    } catch (error) {
      this.#reportUnusable(stamp, error)
      return undefined
    }
  }

  #replace(entries: ReadonlyMap<string, CompiledEntry<T>>, stamp: string): void {
    this.#dropOthers(this.#entries, entries)
    this.#entries = entries
    // The stamp is kept only now: a file that could not be read, for example without a free descriptor, is tried again.
    this.#readStamp = stamp
    this.#reportedStamp = ''
  }

  /** Drops those of `entries` that are not among `kept`. */
  #dropOthers(entries: ReadonlyMap<string, CompiledEntry<T>>, kept: ReadonlyMap<string, CompiledEntry<T>>): void {
    const { drop } = this.#options
    if (!drop) return
    for (const [name, entry] of entries) if (kept.get(name) !== entry) drop(entry.value)
  }

  /** Reports, once for each state of the file, that the file is not usable and the last good entries stay in use. */
  #reportUnusable(stamp: string, error: unknown): void {
    if (stamp === this.#reportedStamp) return
    this.#reportedStamp = stamp
    const { file, corrupt, report } = this.#options
    const help = `the last good set stays in use: mend the file, or restore it from ${file}.bak`
    report([diagnostic(corrupt, `${file}: ${messageOf(error)}`, { help })])
  }

  /** Returns an entry compiled. An entry whose text has not changed is compiled again only to `renew` it, if its value does not last. */
  #compile(name: string, entry: Json, renew = false): CompiledEntry<T> {
    const { compile, lasts = () => true } = this.#options
    // Two entries that differ only in a digit past 2^53 would be one text: both numbers have the same double.
    const text = JSON.stringify(carryDigits(entry))
    const known = this.#entries.get(name)
    return known?.text === text && !(renew && !lasts(known.value)) ? known : { text, value: compile(name, entry) }
  }
}
