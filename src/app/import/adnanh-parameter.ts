/** References to request values of adnanh/webhook (`source`, `name`) as fields of conditions. */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json } from '../../core/json.ts'
import type { ReportLeftOut } from './imported.ts'

export type Field = {
  readonly field: string
  /** As the source calls it. */
  readonly name: string
  /** Its value can only be a text. */
  readonly isText: boolean
}

const byHand = 'write a condition on the payload or a header instead'
const query = [
  'conditions do not read the query of the address',
  'where it is a secret: verify: { algorithm: token, signature: { query: <name> } }; let the sender put anything else into a header or the payload',
] as const
const reasons: { readonly [source: string]: readonly [reason: string, todo: string] } = {
  url: query,
  query,
  request: [
    "conditions do not read the method or the client's address",
    'every post is a POST; addresses go into "allow_from" of the route',
  ],
  'raw-request-body': ['conditions read the payload, not its text', byHand],
  template: ['Go templates are not carried over', byHand],
  context: ['no command runs before a route', 'put a script into scripts/ and name it as the "script" of the route'],
}

/** The field, or `undefined` after saying why there is none. */
export const fieldOf = (parameter: Json, path: Path, say: ReportLeftOut): Field | undefined => {
  const { source, name } = isObject(parameter) ? parameter : {}
  const from = String(source)
  if (typeof name === 'string' && name !== '') {
    if (from === 'header') return { field: `headers.${name}`, name, isText: true }
    const field = from === 'payload' ? payloadField(name, path, say) : undefined
    if (field !== undefined) return { field, name, isText: false }
    if (from === 'payload') return undefined
  }
  const [reason, todo] = reasons[from] ?? [`conditions have no source "${from}"`, byHand]
  say(path, reason, todo, true)
  return undefined
}

/** Names that mean something else in a condition get the prefix that says "of the payload". */
const payloadField = (name: string, path: Path, say: ReportLeftOut): string | undefined => {
  const [first = '', second = ''] = name.split('.')
  if (first === 'root' && /^\d+$/.test(second)) {
    const todo = `where the payload is a list, the field is "${name.slice('root.'.length)}"`
    say(path, '"root" may stand for a payload that is a list, or for a key of that name', todo, true)
    return undefined
  }
  return first === 'event' || first === 'event_type' || first === 'headers' ? `payload.${name}` : name
}
