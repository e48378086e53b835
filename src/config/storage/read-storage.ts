/**
 * Reads the settings of the store (`storage`). In place of a value of a wrong type, which the shape check has reported, a default counts.
 */

import { type Diagnostic, diagnostic, pointerOf } from '../../core/diagnostic.ts'
import { Fault, messageOf } from '../../core/fault.ts'
import { isObject, type JsonObject, numberOr } from '../../core/json.ts'
import { defaults } from '../../generated/defaults.ts'
import type { Config, Retention } from '../config.ts'
import { hasReference } from '../secrets/reference.ts'
import type { Source } from '../yaml/source.ts'
import { parseAddress } from './server-address.ts'

/** Reads the section `storage`. WH233 reports that the store `postgres` has no address, or one that it cannot use. */
export const readStorage = (storage: JsonObject, source: Source | undefined, into: Diagnostic[]): Config['storage'] => {
  const { kind, url, schema, durability } = storage
  if (kind === 'postgres') into.push(...addressProblems(url, source))
  return {
    kind: typeof kind === 'string' ? kind : defaults.storage.kind,
    durability: durability === 'commit' ? 'commit' : defaults.storage.durability,
    retention: retentionOf(isObject(storage.retention) ? storage.retention : {}),
    ...(typeof url === 'string' ? { url } : {}),
    schema: typeof schema === 'string' ? schema : defaults.storage.schema,
  }
}

const addressProblems = (url: unknown, source: Source | undefined): Diagnostic[] => {
  const problem = (message: string, help: string, key: string): Diagnostic[] => {
    const path = ['storage', key]
    return [diagnostic('WH233', message, { help, ...(source ? { place: source.place(path) } : {}), pointer: pointerOf(path) })]
  }
  if (url === undefined) return problem('the store postgres has no address', 'add url: ${DATABASE_URL} under storage', 'kind')
  // The shape check has reported a value that is no text, and the resolving of references a reference that is still there.
  if (typeof url !== 'string' || hasReference(url)) return []
  try {
    parseAddress(url)
    return []
  } catch (error) {
    return problem(messageOf(error), (error instanceof Fault && error.hint) || 'mend the address', 'url')
  }
}

const retentionOf = ({ hours, max_bytes, max_events, max_dead_runs, payloads }: JsonObject): Retention => ({
  maxAgeMs: numberOr(hours, defaults.retention.hours) * 3_600_000,
  maxBytes: numberOr(max_bytes, defaults.retention.max_bytes),
  maxEvents: numberOr(max_events, defaults.retention.max_events),
  maxDeadRuns: numberOr(max_dead_runs, defaults.retention.max_dead_runs),
  payloads: payloads !== false,
})
