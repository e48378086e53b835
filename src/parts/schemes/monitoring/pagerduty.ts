/** PagerDuty: `X-PagerDuty-Signature: v1=<hex HMAC of the body>`, with one signature for each secret that is in use. */

import { preset } from '../preset.ts'

export const pagerduty = preset({
  name: 'pagerduty',
  title: 'PagerDuty',
  docs: 'https://docs.pagerduty.com/developer/verifying-webhook-signatures',
  senderSetup: 'Integrations → Generic Webhooks (v3) → New Webhook: the address of the route, and its events',
  keyFrom: 'sender',
  key: 'the secret of the webhook, shown once when it is made; it is taken as it is shown',
  events: ['incident.triggered', 'incident.acknowledged', 'incident.resolved', 'incident.escalated', 'service.updated'],
  sample: 'pagerduty/incident.triggered',
  route: 'events: [incident.triggered]\nprompt: "{event.data.service.summary}: {event.data.title}"\n',
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'X-PagerDuty-Signature', label: 'v1' },
    event: { body: 'event.event_type' },
    id: { body: 'event.id' },
    // The button "Send test event" sends a ping.
    handshakes: [{ when: { body: 'event.event_type', equals: 'pagey.ping' } }],
  },
})
