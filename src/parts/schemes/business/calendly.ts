/** Calendly: `Calendly-Webhook-Signature: t=<time>,v1=<hex HMAC>` over `<time>.<body>`. */

import { preset } from '../preset.ts'

export const calendly = preset({
  name: 'calendly',
  title: 'Calendly',
  docs: 'https://developer.calendly.com/api-docs/overview/webhooks/webhook-signatures',
  senderSetup:
    'POST https://api.calendly.com/webhook_subscriptions with url (the address of the route), events, organization, scope and signing_key',
  keyFrom: 'you',
  key: 'the signing_key of the subscription',
  events: ['invitee.created', 'invitee.canceled', 'invitee_no_show.created', 'routing_form_submission.created'],
  sample: 'calendly/invitee.created',
  route:
    'events: [invitee.created]\nprompt: "{payload.name} booked {payload.scheduled_event.name} at {payload.scheduled_event.start_time}."\n',
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'Calendly-Webhook-Signature', label: 'v1' },
    timestamp: { header: 'Calendly-Webhook-Signature', label: 't', window_seconds: 180 },
    signed: '{timestamp}.{body}',
    event: { body: 'event' },
    // A request has no id. The body has the time of the event to the microsecond, which makes the digest of the body unique.
    id: { digest: true },
  },
})
