/** SendGrid: an ECDSA signature over `<time><body>`, for its Event Webhook. */

import { preset } from '../preset.ts'

export const sendgrid = preset({
  name: 'sendgrid',

  title: 'SendGrid',
  docs: 'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features',
  senderSetup: 'Settings → Mail Settings → Event Webhooks: the address of the route, its events, and Signature Verification on',
  keyFrom: 'sender',
  key: 'the Verification Key of the webhook: it goes into public_key',
  events: ['delivered', 'processed', 'bounce', 'dropped', 'open', 'click', 'spamreport'],
  sample: 'sendgrid/delivered',
  route: 'prompt: "Look for bounces in this list of mail events: {__raw__}"\n',
  uncertain: 'it is not documented whether a retry has a new time; where it has not, those after an hour are refused',
  batch: { items: '*', type: ['event'], id: ['sg_event_id'], byEvents: true },
  scheme: {
    algorithm: 'ecdsa_p256',
    signature: { header: 'X-Twilio-Email-Event-Webhook-Signature', encoding: 'base64' },
    // The window is an hour, so that a repeat within it is accepted with the time of the first try. It is no longer than delivery ids stay
    // claimed, so that a captured request is a duplicate.
    timestamp: { header: 'X-Twilio-Email-Event-Webhook-Timestamp', window_seconds: 3600 },
    signed: '{timestamp}{body}',
    // The body is a list of events. The id of the request is the id of its first event. The type of the request is the first of the events'
    // types that `events` of the route lists, else the type of the first event.
    event: { body: '0.event' },
    id: { body: '0.sg_event_id' },
  },
})
