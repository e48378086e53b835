/** Turns parameters of adnanh/webhook, which refer to a value of a request by `source` and `name`, into fields of conditions. */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json } from '../../core/json.ts'
import { isRequestField } from '../../expr/request-field.ts'
import type { ReportLeftOut } from './imported.ts'

export type ParameterField = {
  /** The field as conditions name it: `headers.X-Name`, `request.query.name`, `pull_request.draft`. */
  readonly field: string
  /** The name of the header, the parameter or the payload's value, as the hook has it. */
  readonly name: string
  /** Whether the value of the field is always a text. */
  readonly isText: boolean
}

const byHand = 'write a condition on the payload or a header instead'
const reasons: { readonly [source: string]: readonly [reason: string, todo: string] } = {
  request: ["conditions do not read the client's address", 'addresses go into "allow_from" of the route'],
  'raw-request-body': ['conditions read the payload, not its text', byHand],
  template: ['Go templates are not carried over', byHand],
  context: ['no command runs before a route', 'put a script into scripts/ and name it as the "script" of the route'],
}

/** Returns the field for a parameter. A parameter that no condition can read is reported, and has no field. */
export const parameterField = (parameter: Json, path: Path, report: ReportLeftOut): ParameterField | undefined => {
  const { source, name } = isObject(parameter) ? parameter : {}
  const from = String(source)
  if (typeof name === 'string' && name !== '') {
    if (from === 'header') return { field: `headers.${name}`, name, isText: true }
    if (from === 'url' || from === 'query') return { field: `request.query.${name}`, name, isText: true }
    if (from === 'request' && name.toLowerCase() === 'method') return { field: 'request.method', name, isText: true }
    const field = from === 'payload' ? payloadField(name, path, report) : undefined
    if (field !== undefined) return { field, name, isText: false }
    if (from === 'payload') return undefined
  }
  const [reason, todo] = reasons[from] ?? [`conditions have no source "${from}"`, byHand]
  report(path, reason, todo, true)
  return undefined
}

/**
 * Returns the field of a value of the payload. A name that would mean something else in a condition gets the prefix `payload.`.
 * `undefined`: the name has two meanings, which is reported.
 */
const payloadField = (name: string, path: Path, report: ReportLeftOut): string | undefined => {
  const [first = '', second = ''] = name.split('.')
  if (first === 'root' && /^\d+$/.test(second)) {
    const todo = `where the payload is a list, the field is "${name.slice('root.'.length)}"`
    report(path, '"root" may stand for a payload that is a list, or for a key of that name', todo, true)
    return undefined
  }
  // The parser of adnanh/webhook begins the name of an attribute of XML with a hyphen.
  const inPayload = name.replace(/(^|\.)-(?=[^.])/g, '$1@')
  const isOther = first === 'event' || first === 'event_type' || first === 'headers' || isRequestField(name)
  return isOther ? `payload.${inPayload}` : inPayload
}
