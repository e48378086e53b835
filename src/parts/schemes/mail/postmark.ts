/** Postmark: user and password by HTTP Basic. Nothing is signed. */

import { preset } from '../preset.ts'

export const postmark = preset({
  name: 'postmark',

  title: 'Postmark',
  docs: 'https://postmarkapp.com/developer/webhooks/webhooks-overview#protecting-your-webhook',
  senderSetup: 'Server → Message Stream → Webhooks → Add webhook: the address of the route, Basic auth credentials, and its events',
  keyFrom: 'you',
  key: 'user and password of the Basic auth credentials, as "user:password"',
  events: ['Bounce', 'Delivery', 'SpamComplaint', 'Open', 'Click', 'SubscriptionChange'],
  sample: 'postmark/bounce',
  route: 'events: [Bounce]\nprompt: "Mail to {Email} bounced: {Description}"\n',
  respond: { status: 200 },
  scheme: {
    algorithm: 'basic',
    event: { body: 'RecordType' },
    // Only bounces and complaints have an id. For any other event the digest of the body is the id.
    id: { body: 'ID', digest: true },
  },
})
