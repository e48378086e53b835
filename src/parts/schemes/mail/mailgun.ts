/** Mailgun: an HMAC over `<time><token>`. The time, the token and the HMAC are in the body, of which nothing else is signed. */

import { preset } from '../preset.ts'

export const mailgun = preset({
  name: 'mailgun',

  title: 'Mailgun',
  docs: 'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks',
  senderSetup: 'Send → Sending → Webhooks: the address of the route for each event',
  keyFrom: 'sender',
  key: 'the HTTP webhook signing key of the account that sends the mail, under Settings → API Security',
  events: ['delivered', 'failed', 'accepted', 'opened', 'clicked', 'complained', 'unsubscribed'],
  sample: 'mailgun/delivered',
  route: 'events: [delivered, failed, complained]\nprompt: "Mail to {event-data.recipient}: {event-data.event}"\n',
  uncertain: 'it is not documented whether a retry has a new time; where it has not, those after an hour are refused',
  respond: { status: 200 },
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { body: 'signature.signature' },
    // The window is an hour, so that a repeat within it is accepted with the time of the first try. It is no longer than delivery ids stay
    // claimed, so that a captured request is a duplicate.
    timestamp: { body: 'signature.timestamp', window_seconds: 3600 },
    signed: '{timestamp}{payload.signature.token}',
    event: { body: 'event-data.event' },
    // The token is signed, and the event's own id is not. With the token as the delivery id, a captured signature serves no second body.
    id: { body: 'signature.token' },
  },
})
