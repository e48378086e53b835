/** Linear: `Linear-Signature: <hex HMAC of the body>`. A time of sending in the body must be within a minute of the arrival. */

import { header } from '../../core/headers.ts'
import { own, parseObject, textWithMember } from '../../core/json.ts'
import { linearEvents } from '../known-events.ts'
import { checkHmac, hexDigest, hmac, sentBodyHmac } from './kit/hmac.ts'
import { whyTooFar } from './kit/timestamp.ts'
import type { CheckBody, Scheme } from './scheme.ts'

const name = 'linear-signature'
const malformed = `${name} is not 64 hex digits`
const timeField = 'webhookTimestamp'
const toleranceSeconds = 60

/**
 * Adds the check of the time in the body, which must be within a minute of the arrival (`at`, milliseconds). The body is parsed only when
 * its signature is valid, and a body without a time passes.
 */
const withTimeCheck =
  (check: CheckBody, at: number): CheckBody =>
  (body) => {
    const holds = check(body)
    if (holds !== true) return holds
    const payload = parseObject(body.toString('utf8'))
    const sent = payload && own(payload, timeField)
    if (typeof sent !== 'number') return true
    return whyTooFar(`${timeField} of the body`, sent / 1000, at / 1000, toleranceSeconds) ?? true
  }

export const linear: Scheme = {
  name: 'linear',
  title: 'Linear',
  signatureIn: { headers: [name] },
  waitsSeconds: 5,
  events: linearEvents,
  senderKey: 'the signing secret that Linear shows at the webhook, lin_wh_…',
  shows: (headers) => header(headers, name) !== undefined,
  compile(secret) {
    const checkHead = checkHmac(secret, ({ headers }) => sentBodyHmac(hexDigest(header(headers, name) ?? ''), malformed))
    return (head) => {
      const checkBody = checkHead(head)
      return typeof checkBody === 'string' ? checkBody : withTimeCheck(checkBody, head.at)
    }
  },
  reads: { deliveryId: (headers) => header(headers, 'linear-delivery') },
  sign({ secret, body, id, at, event }) {
    const payload = parseObject(body)
    const timed = payload ? textWithMember(body, payload, timeField, String(at)) : body
    return {
      headers: {
        ...(event === undefined ? {} : { 'X-GitHub-Event': event }),
        'Linear-Delivery': id,
        'Linear-Signature': hmac(secret, timed).toString('hex'),
      },
      body: timed,
    }
  },
}
