/**
 * Mailgun's inbound mail (Receiving → Routes): an HMAC over `<time><token>`. The time, the token and the HMAC are fields of a form, which is
 * multipart where the mail has attachments. Nothing else of the mail is signed.
 */

import { preset } from '../preset.ts'

export const mailgunInbound = preset({
  name: 'mailgun_inbound',

  title: 'Mailgun, inbound mail',
  docs: 'https://documentation.mailgun.com/docs/mailgun/user-manual/receive-forward-store/receive-http',
  senderSetup: 'Receiving → Routes → forward("…") with the address of the route, or store(notify="…")',
  keyFrom: 'sender',
  key: 'the HTTP webhook signing key of the account that gets the mail, under Settings → API Security',
  events: ['unknown'],
  sample: 'mailgun_inbound/mail',
  route: 'attachments: {}\nprompt: "Answer the mail of {from}: {subject}\\n\\n{stripped-text}"\n',
  uncertain: 'it is not documented whether a retry has a new time; where it has not, those after an hour are refused',
  // Any other answer than 200 and 406 is a failure, after which Mailgun posts for eight hours.
  respond: { status: 200 },
  scheme: {
    sends: ['form', 'multipart'],
    algorithm: 'hmac_sha256',
    signature: { body: 'signature' },
    // The window is an hour, so that a repeat within it is accepted with the time of the first try. It is no longer than delivery ids stay
    // claimed, so that a captured request is a duplicate.
    timestamp: { body: 'timestamp', window_seconds: 3600 },
    signed: '{timestamp}{payload.token}',
    // The token is signed, and the Message-Id is not. With the token as the delivery id, a captured signature serves no second mail.
    id: { body: 'token' },
  },
})
