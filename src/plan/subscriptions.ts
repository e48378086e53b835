/** The subscriptions file as served routes: one consistent snapshot, read again only when the file changed (spec: Subscription 1). */

import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { parseSubscriptions, readSubscription } from '../config/subscriptions.ts'
import { type Diagnostic, diagnostic } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import type { Json } from '../core/json.ts'
import type { Compiled } from './compile.ts'
import { type Served, servedBy } from './table.ts'

const maxFileBytes = 16_777_216
const snapshotTries = 5

export type SubscriptionsOptions = {
  readonly file: string
  readonly config: Config
  readonly compile: (route: NonNullable<ReturnType<typeof readSubscription>['route']>) => Compiled
  /** Told of entries that are not served, and of a file that is not usable. */
  readonly report: (diagnostics: readonly Diagnostic[]) => void
}

type Entry = { readonly text: string; readonly served: Served | undefined }

/** Owns the snapshot of one subscriptions file. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions
  #seen = ''
  #told = ''
  #entries: ReadonlyMap<string, Entry> = new Map()

  constructor(options: SubscriptionsOptions) {
    this.#options = options
  }

  /** The route of this name in the file as it is now. */
  get(name: string): Served | undefined {
    this.refresh()
    return this.#entries.get(name)?.served
  }

  get size(): number {
    return this.#entries.size
  }

  /** Reads the file again if its times, size or inode changed; a torn or corrupt one keeps the last good set. Never throws. */
  refresh(): void {
    const now = signatureOf(this.#options.file)
    if (now === this.#seen) return
    try {
      const text = now === absent ? '{}' : readSnapshot(this.#options.file)
      // Not before: what could not be read this time (no descriptor free) is tried again at the next request.
      this.#seen = now
      this.#entries = this.#compile(parseSubscriptions(text))
      this.#told = ''
    } catch (error) {
      this.#keep(now, error)
    }
  }

  /** Says, once for each state of the file, that the last good set stays. */
  #keep(signature: string, error: unknown): void {
    if (signature === this.#told) return
    this.#told = signature
    const help = 'the last good set stays in use: mend the file, or restore it from webhook_subscriptions.json.bak'
    this.#options.report([diagnostic('WH803', `${this.#options.file}: ${messageOf(error)}`, { help })])
  }

  /** Only what changed is compiled again. */
  #compile(entries: { readonly [name: string]: Json }): Map<string, Entry> {
    const next = new Map<string, Entry>()
    for (const [name, entry] of Object.entries(entries)) {
      const text = JSON.stringify(entry)
      const known = this.#entries.get(name)
      next.set(name, known?.text === text ? known : { text, served: this.#serve(name, entry) })
    }
    return next
  }

  #serve(name: string, entry: Json): Served | undefined {
    const { config, compile, report, file } = this.#options
    const place = () => ({ file, line: 1, column: 1, endLine: 1, endColumn: 1 })
    const { route, diagnostics } = readSubscription(name, entry, config, { place })
    const compiled = route ? compile(route) : undefined
    const all = [...diagnostics, ...(compiled?.diagnostics ?? [])].map((each) => ({ ...each, route: name }))
    if (all.length > 0) report(all)
    if (!route || !compiled?.plan) return undefined
    return servedBy(route, compiled.plan)
  }
}

const absent = 'absent'

const signatureOf = (file: string): string => {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
    return stat ? `${stat.mtimeNs} ${stat.ctimeNs} ${stat.size} ${stat.ino}` : absent
  } catch (error) {
    // A loop of links, a folder that may not be searched: reading it will say so.
    return messageOf(error)
  }
}

/** The file's text, unchanged while it was read; writers replace it whole, so a second try is rare. */
const readSnapshot = (file: string): string => {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    for (let tries = 0; tries < snapshotTries; tries++) {
      const before = fstatSync(fd, { bigint: true })
      if (!before.isFile()) throw new Error('not a regular file')
      if (before.size > maxFileBytes) throw new Error(`larger than ${maxFileBytes} bytes`)
      const bytes = Buffer.alloc(Number(before.size))
      const read = readSync(fd, bytes, 0, bytes.length, 0)
      const after = fstatSync(fd, { bigint: true })
      if (read === bytes.length && before.mtimeNs === after.mtimeNs && before.size === after.size) return bytes.toString('utf8')
    }
    throw new Error('it keeps changing while it is read')
  } finally {
    closeSync(fd)
  }
}
