/** Checks a file of subscriptions or jobs: the file as a whole, its mode, and each entry at its place. */

import { existsSync, statSync } from 'node:fs'
import { NotEntries, parseEntries, readSnapshot } from '../config/read-consistent.ts'
import { refuseOdd } from '../config/writing/replace-file.ts'
import { parseSource, type Source } from '../config/yaml/source.ts'
import { type Diagnostic, diagnostic } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import type { Json } from '../core/json.ts'

/** What the check of a file needs to know of its entries. `check` returns the findings about one entry. */
export type EntryChecks = {
  readonly noun: 'subscriptions' | 'jobs'
  /** The code that reports a file that is not usable as a whole. */
  readonly corrupt: 'WH803' | 'WH806'
  readonly check: (name: string, entry: Json, place: Source['place']) => readonly Diagnostic[]
}

export type CheckedEntries = {
  readonly diagnostics: readonly Diagnostic[]
  readonly entries: readonly string[]
  /** The number of files that were read: 1, or 0 without a file. */
  readonly files: number
  /** The texts of these files, for code frames. */
  readonly texts: ReadonlyMap<string, string>
}

/** Checks a file of entries. Without a file nothing is wrong. */
export const checkEntries = (file: string, checks: EntryChecks): CheckedEntries => {
  // `existsSync` is also false where a part of the path is a file. `statSync` would throw there.
  const stat = existsSync(file) ? statSync(file, { throwIfNoEntry: false }) : undefined
  if (!stat) return { diagnostics: [], entries: [], files: 0, texts: new Map() }
  const findings: Diagnostic[] = (stat.mode & 0o077) === 0 ? [] : [openToOthers(file, stat.mode)]
  let text: string
  try {
    refuseOdd(file)
    text = readSnapshot(file)
  } catch (error) {
    const unread = diagnostic(checks.corrupt, messageOf(error), {
      place: topOfFile(file),
      help: 'put a regular, readable file in its place',
    })
    return { diagnostics: [unread], entries: [], files: 1, texts: new Map() }
  }
  const texts = new Map([[file, text]])
  try {
    const entries = Object.entries(parseEntries(text))
    const { source, diagnostics } = parseSource(file, text)
    const place: Source['place'] = (path, of) => source?.place(path, of) ?? topOfFile(file)
    findings.push(...diagnostics, ...entries.flatMap(([name, entry]) => checks.check(name, entry, place)))
    return { diagnostics: findings.map(startsAnyway), entries: entries.map(([name]) => name), files: 1, texts }
  } catch (error) {
    if (!(error instanceof NotEntries)) throw error
    findings.push(corruptFile(file, checks, error))
    return { diagnostics: findings, entries: [], files: 1, texts }
  }
}

const topOfFile = (file: string) => ({ file, line: 1, column: 1, endLine: 1, endColumn: 1 })

const openToOthers = (file: string, bits: number): Diagnostic => {
  const mode = (bits & 0o777).toString(8).padStart(4, '0')
  return diagnostic('WH804', `${file} has mode ${mode}: others can read its secrets`, { place: topOfFile(file), help: `chmod 600 ${file}` })
}

/**
 * Lets the gateway start despite a finding: an entry with a mistake is skipped, and all other entries are served (rules: Subscriptions 5).
 */
const startsAnyway = (each: Diagnostic): Diagnostic => ({ ...each, stopsStart: false })

const corruptFile = (file: string, { noun, corrupt: code }: EntryChecks, { message, line, column }: NotEntries): Diagnostic =>
  diagnostic(code, `the ${noun} file is not usable: ${message}`, {
    place: { file, line, column, endLine: line, endColumn: column },
    help: `mend it by hand, or restore ${file}.bak; until then the gateway serves the last good set`,
  })
