/**
 * Reviews what a route says of its requests: a GET whose parameters no signature covers (WH350), conditions on fields that its payloads
 * cannot have (WH351), and keys that read another kind of body (WH210).
 */

import { insecure } from '../../config/config.ts'
import { partsOf } from '../../expr/path-parts.ts'
import { isRequestField } from '../../expr/request-field.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'
import { verifyNames } from '../../parts/written-names.ts'
import { checkedWith } from '../route-schemes.ts'
import { canonicalField, leavesOf } from './filters/fields.ts'
import type { Subject } from './subject.ts'

export const reviewRequests = (subject: Subject): void => {
  reviewGet(subject)
  reviewConditions(subject)
  reviewKeys(subject)
}

const reviewGet = ({ route, spec, catalogue, say }: Subject): void => {
  if (!spec.methods?.includes('GET') || route.secrets.includes(insecure)) return
  const covering = verifyNames(spec).length > 0 && checkedWith(route, catalogue).every(coversAddress)
  if (covering) return
  say('WH350', ['methods'], 'a GET has no body for a signature: whoever has one GET can send it with other parameters', {
    help: 'let a token in a header or in the address be checked: verify: { algorithm: token, signature: { query: token } }',
    of: 'key',
  })
}

/** Whether a request without a body proves its sender: by its address, or by a secret or token of its own. */
const coversAddress = ({ signatureIn, signsParts }: Scheme): boolean => (signatureIn ? signatureIn.address === true : signsParts !== true)

/** Reports conditions on fields that no payload has: of a text, or of parameters, which are texts without fields in them. */
const reviewConditions = ({ spec, say }: Subject): void => {
  const { body, methods = ['POST'] } = spec
  const isFlat = body === 'none' || methods.every((method) => method === 'GET')
  if (!isFlat && body !== 'text') return
  for (const { field, path } of leavesOf(spec.filters)) {
    if (isAround(field)) continue
    const [first, ...rest] = partsOf(field.replace(/^payload\.(?=.)/, ''))
    if (rest.length === 0 && (isFlat || first === 'text')) continue
    const has = isFlat ? 'parameters of the address are texts, and have no fields in them' : 'the payload of a text is { text: … }'
    say('WH351', [...path, 'field'], `no payload of the route has "${field}": ${has}`, {
      help: isFlat ? 'name the parameter alone' : 'write field: text',
    })
  }
}

const isAround = (field: string): boolean =>
  canonicalField(field) === 'event_type' || field.startsWith('headers.') || field.startsWith('batch.') || isRequestField(field)

const reviewKeys = ({ spec, say }: Subject): void => {
  const { body = 'auto' } = spec
  const idle = [
    ...(spec.attachments && body !== 'auto' && body !== 'multipart' ? ['attachments'] : []),
    ...(spec.split !== undefined && spec.split !== false && (body === 'text' || body === 'none') ? ['split'] : []),
  ]
  for (const key of idle)
    say('WH210', [key], `"${key}" has no effect with body: ${body}`, { help: `remove it, or change "body"`, of: 'key' })
}
