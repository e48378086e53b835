/** Exports a recorded event as a test: the request without its secrets and personal data, and its outcome. */

import { queryText } from '../../core/address/path-and-query.ts'
import { exactOf } from '../../core/exact-json.ts'
import { isJson, type Json, type JsonObject } from '../../core/json.ts'
import { stars } from '../../core/secret-names.ts'
import type { EventView, RawRequest } from '../../journal/record.ts'
import { filters } from '../../parts/stages/filters.ts'
import { lookup } from '../../parts/stages/lookup.ts'
import type { Sample } from '../samples/sample-file.ts'
import { scrub } from '../samples/scrub.ts'

/**
 * Returns the recorded event as an entry of `tests` in YAML. `secrets`: the known secrets, which are removed. The sender's
 * signature is left out, because it would not fit the changed request: `headgate test` signs the request of a test anew.
 */
export const exportedTest = (
  view: EventView,
  { method, pathAndQuery = '', headers, body }: RawRequest,
  secrets: readonly string[],
): JsonObject => {
  const texts = Object.entries(headers).flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : []))
  const query = queryText(pathAndQuery).slice(1)
  const { sample } = scrub({ query, headers: Object.fromEntries(texts), body: body.toString('utf8') }, secrets)
  const { event_type: event, event_id: id, route, outcome, stage, reason } = view
  return {
    name: `${event ?? 'an event'} is ${outcome} (${id.slice(0, 8)})`,
    route,
    send: {
      ...bodyMember(sample),
      ...(sample.query ? { query: sample.query } : {}),
      ...(method === undefined ? {} : { method }),
      ...(event === undefined || event === 'unknown' ? {} : { event }),
      ...furtherHeaders(sample),
    },
    expect: {
      outcome,
      ...(outcome === 'ignored' && stage !== undefined ? { stopped_at: stage } : {}),
      ...((stage === filters.name || stage === lookup.name) && reason?.startsWith('filters')
        ? { rule: reason.split(' ')[0]?.replace(/:$/, '') ?? '' }
        : {}),
    },
  }
}

/** Returns the body as data where it is JSON whose numbers doubles represent exactly, else as text. */
const bodyMember = ({ body }: Sample): JsonObject => {
  if (!isJson(body)) return { body }
  const payload = JSON.parse(body) as Json
  return exactOf({ text: body, payload }) === payload ? { payload } : { body }
}

/**
 * Returns the sender's own headers (`x-…`), which the conditions of a route may read. Headers with the signature, with the type or an id of
 * the event, or about the connection are left out, and so are masked headers.
 */
const furtherHeaders = ({ headers }: Sample): JsonObject => {
  const kept = Object.entries(headers).filter(
    ([name, value]) => name.startsWith('x-') && value !== stars && !/sign|event|delivery|id$|forwarded|real-ip/.test(name),
  )
  return kept.length > 0 ? { headers: Object.fromEntries(kept) } : {}
}
