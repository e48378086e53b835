/** Walks the registry of lookups: what each part makes of the answers of its servers. */

import t from 'tap'
import { definition } from '../../src/config/schema-walk.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { lookups } from '../../src/parts/lookups/index.ts'
import type { Got, LookupRequest } from '../../src/parts/lookups/lookup.ts'

const keys = (definition('Lookup') as { readonly properties: JsonObject }).properties

t.test('every example of a lookup gives its value, and asks nothing else', async (t) => {
  for (const part of lookups) {
    t.ok(part.name in keys, part.name)
    t.ok(part.examples.length > 0, part.name)
    for (const { spec, values, answers, value } of part.examples) {
      const about = `${part.name} ${JSON.stringify(spec)}`
      const reports: string[] = []
      part.check(spec, (_code, _path, message) => void reports.push(message))
      t.same(reports, [], about)
      t.equal(part.unasked(spec, values), undefined, about)
      for (const key of [...Object.keys(spec), ...part.reads(spec)]) t.ok(key in keys, `${about}: ${key}`)
      t.ok(
        Object.keys(values).every((key) => key in part.fills(spec)),
        about,
      )
      const asked: string[] = []
      const get = async ({ url }: LookupRequest): Promise<Got> => {
        asked.push(url)
        const payload = answers[url]
        return payload === undefined
          ? { ok: true, absent: true }
          : { ok: true, text: JSON.stringify(payload), payload, header: () => undefined }
      }
      const answer = await part.ask(spec, values, { env: {}, settings: {}, get })
      t.strictSame(answer.ok ? JSON.parse(answer.text) : answer, value, about)
      t.ok(
        Object.keys(answers).every((url) => asked.includes(url)),
        `${about}: asked ${asked.join(' ')}`,
      )
      const failing = await part.ask(spec, values, { env: {}, settings: {}, get: async () => ({ ok: false, why: 'HTTP 500' }) })
      t.strictSame(failing, { ok: false, why: 'HTTP 500' }, `${about}: a failure is handed on`)
    }
  }
})
