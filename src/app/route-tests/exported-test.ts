/** A recorded event as a test: what production got, without what must not be passed on, and what came of it. */

import type { Json, JsonObject } from '../../core/json.ts'
import { stars } from '../../core/secrets/mask.ts'
import type { EventView, RawRequest } from '../../journal/record.ts'
import { filters } from '../../parts/stages/filters.ts'
import { isJson } from '../json-text.ts'
import type { Sample } from '../samples/sample-file.ts'
import { scrub } from '../samples/scrub.ts'

/** One entry of `tests`; how its sender signed it, the test does not ask again. */
export const exportedTest = (view: EventView, { headers, body }: RawRequest, secrets: readonly string[]): JsonObject => {
  const texts = Object.entries(headers).flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : []))
  const { sample } = scrub({ headers: Object.fromEntries(texts), body: body.toString('utf8') }, secrets)
  const { event_type: event, event_id: id, route, outcome, stage, reason } = view
  return {
    name: `${event ?? 'an event'} is ${outcome} (${id.slice(0, 8)})`,
    route,
    send: { ...contentOf(sample), ...(event === undefined || event === 'unknown' ? {} : { event }), ...furtherHeaders(sample) },
    expect: {
      outcome,
      ...(outcome === 'ignored' && stage !== undefined ? { stopped_at: stage } : {}),
      ...(stage === filters.name && reason !== undefined ? { rule: reason.split(' ')[0]?.replace(/:$/, '') ?? '' } : {}),
    },
  }
}

/** As YAML where that keeps every digit, else the text. */
const contentOf = ({ body }: Sample): JsonObject => {
  return isJson(body) && !/\d{16}/.test(body) ? { payload: JSON.parse(body) as Json } : { body }
}

/** What conditions may look at: headers of the sender's own, none of a signature or of the connection. */
const furtherHeaders = ({ headers }: Sample): JsonObject => {
  const kept = Object.entries(headers).filter(
    ([name, value]) => name.startsWith('x-') && value !== stars && !/sign|event|delivery|id$|forwarded|real-ip/.test(name),
  )
  return kept.length > 0 ? { headers: Object.fromEntries(kept) } : {}
}
