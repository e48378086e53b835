/**
 * The baseline: a file of findings that are accepted because they were there before. A finding is recognised even when its line has moved.
 */

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { replaceFile } from '../../config/writing/replace-file.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { whyUnread } from '../../core/disk-fault.ts'
import { usage } from '../../core/fault.ts'
import { type JsonObject, parseObject } from '../../core/json.ts'
import { isBaseline } from '../../generated/stored-checks.js'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Hashes the message without the path of the data directory (`folder`). Returns 16 hex digits. */
const messageHash = ({ message }: Diagnostic, folder: string): string =>
  hash(message.replaceAll(`${folder}/`, '').replaceAll(folder, '')).slice(0, 16)

/** Hashes code, route, pointer and message, but not file, line and column. Returns 64 hex digits. */
export const fingerprintOf = (each: Diagnostic, folder: string): string =>
  hash(JSON.stringify([each.code, each.route ?? null, each.pointer, messageHash(each, folder)]))

/** How often each finding is in the baseline, by the key of the finding. */
type Baseline = ReadonlyMap<string, number>

/** Returns the key of a finding. `message`: the hash of its message. */
const findingKey = (code: string, route: string | null, pointer: string, message: string): string =>
  JSON.stringify([code, route, pointer, message])

/** Reads a baseline. Throws a usage Fault for a file that is missing or is no baseline. */
export const readBaseline = (file: string): Baseline => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw usage(`cannot read the baseline ${file}: ${whyUnread(error)}`, '--write-baseline makes it')
  }
  const data = parseObject(text)
  if (!isBaseline(data)) throw usage(`${file} is no baseline`, '--write-baseline makes one')
  const known = new Map<string, number>()
  for (const each of data.findings as JsonObject[]) {
    const { code, route, pointer, message, count } = each
    known.set(findingKey(String(code), route === null ? null : String(route), String(pointer), String(message)), Number(count))
  }
  return known
}

/**
 * Returns the findings that are not in the baseline, or are there more often than in the baseline. A finding that stops the start is always
 * returned.
 */
export const outsideBaseline = (found: readonly Diagnostic[], baseline: Baseline, folder: string): readonly Diagnostic[] => {
  const left = new Map(baseline)
  return found.filter((each) => {
    const key = findingKey(each.code, each.route ?? null, each.pointer, messageHash(each, folder))
    const times = left.get(key) ?? 0
    if (each.stopsStart || times === 0) return true
    left.set(key, times - 1)
    return false
  })
}

/** Writes the findings as a baseline, in an order that does not depend on their lines. A finding that stops the start is left out. */
export const writeBaseline = async (file: string, diagnostics: readonly Diagnostic[], folder: string): Promise<void> => {
  const tolerable = diagnostics.filter(({ stopsStart }) => !stopsStart)
  const counts = new Map<string, number>()
  for (const each of tolerable) {
    const key = findingKey(each.code, each.route ?? null, each.pointer, messageHash(each, folder))
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const findings = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, count]) => {
      const [code, route, pointer, message] = JSON.parse(key) as string[]
      return JSON.stringify({ code, route, pointer, message, count })
    })
  const list = findings.length === 0 ? '[]' : `[\n    ${findings.join(',\n    ')}\n  ]`
  await replaceFile(file, `{\n  "v": 1,\n  "findings": ${list}\n}\n`, 0o644)
}
