/** Square: `x-square-hmacsha256-signature: <base64 HMAC>` over `<address><body>`. */

import { preset } from '../preset.ts'

export const square = preset({
  name: 'square',

  title: 'Square',
  docs: 'https://developer.squareup.com/docs/webhooks/step3validate',
  senderSetup:
    'Developer Console → your app → Webhooks → Subscriptions → Add subscription: the address of the route (as in public_url), and its events',
  keyFrom: 'sender',
  key: 'the Signature key of the subscription; it is taken as it is shown',
  events: ['payment.updated', 'payment.created', 'order.updated', 'refund.updated', 'invoice.payment_made'],
  sample: 'square/payment.updated',
  route: 'events: [payment.updated]\nprompt: "Payment {data.id} is {data.object.payment.status} now."\n',
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'x-square-hmacsha256-signature', encoding: 'base64' },
    signed: '{url}{body}',
    event: { body: 'type' },
    id: { body: 'event_id' },
  },
})
