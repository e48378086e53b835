/** A file of run-time entries as compiled things: one consistent snapshot, read again only when the file changed (spec: Subscription 1). */

import { absent, parseEntries, readSnapshot, stampOf } from '../config/snapshot.ts'
import { type Code, type Diagnostic, diagnostic } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import type { Json } from '../core/json.ts'

export type EntriesOptions<T> = {
  readonly file: string
  /** What a file that is not usable as a whole is reported as. */
  readonly corrupt: Code
  /** One entry; it reports its own problems. */
  readonly compile: (name: string, entry: Json) => T
  readonly report: (diagnostics: readonly Diagnostic[]) => void
}

type Entry<T> = { readonly text: string; readonly value: T }

/** Owns the snapshot of one file. */
export class Entries<T> {
  readonly #options: EntriesOptions<T>
  #seen = ''
  #told = ''
  #entries: ReadonlyMap<string, Entry<T>> = new Map()

  constructor(options: EntriesOptions<T>) {
    this.#options = options
  }

  get(name: string): T | undefined {
    return this.#entries.get(name)?.value
  }

  get size(): number {
    return this.#entries.size
  }

  *[Symbol.iterator](): IterableIterator<readonly [name: string, value: T]> {
    for (const [name, { value }] of this.#entries) yield [name, value]
  }

  /** Whether there is a set: the file was usable once, or not there. */
  get ready(): boolean {
    return this.#seen !== ''
  }

  /** Reads the file again if its times, size or inode changed; a torn or corrupt one keeps the last good set. Whether it changed. */
  refresh(): boolean {
    const { file } = this.#options
    const now = stampOf(file)
    if (now === this.#seen) return false
    try {
      const entries = parseEntries(now === absent ? '{}' : readSnapshot(file))
      this.#entries = this.#compile(entries)
      // Not before: what could not be read this time (no descriptor free) is tried again the next time.
      this.#seen = now
      this.#told = ''
      return true
    } catch (error) {
      this.#keep(now, error)
      return false
    }
  }

  /** Says, once for each state of the file, that the last good set stays. */
  #keep(stamp: string, error: unknown): void {
    if (stamp === this.#told) return
    this.#told = stamp
    const { file, corrupt, report } = this.#options
    const help = `the last good set stays in use: mend the file, or restore it from ${file}.bak`
    report([diagnostic(corrupt, `${file}: ${messageOf(error)}`, { help })])
  }

  /** Only what changed is compiled again. */
  #compile(entries: { readonly [name: string]: Json }): Map<string, Entry<T>> {
    const next = new Map<string, Entry<T>>()
    for (const [name, entry] of Object.entries(entries)) {
      const text = JSON.stringify(entry)
      const known = this.#entries.get(name)
      next.set(name, known?.text === text ? known : { text, value: this.#options.compile(name, entry) })
    }
    return next
  }
}
