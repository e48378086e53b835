/**
 * SendGrid's Inbound Parse: an ECDSA signature over `<time><body>`, where a security policy asks for it. A mail comes as multipart, with
 * its attachments as files.
 */

import { preset } from '../preset.ts'

export const sendgridInbound = preset({
  name: 'sendgrid_inbound',

  title: 'SendGrid, inbound mail',
  docs: 'https://www.twilio.com/docs/sendgrid/for-developers/parsing-email/securing-your-parse-webhooks',
  senderSetup:
    'Settings → Inbound Parse: host and the address of the route; then by its API a security policy with signature.enabled (POST /v3/user/webhooks/security/policies), set as security_policy of the parse setting',
  keyFrom: 'sender',
  key: 'the public_key of the security policy, which the API returns: it goes into public_key',
  events: ['unknown'],
  sample: 'sendgrid_inbound/mail',
  route: 'attachments: {}\nprompt: "Answer the mail of {from}: {subject}\\n\\n{text}"\n',
  uncertain:
    'its page says neither which headers have the signature nor which bytes are signed: those of the Event Webhook are taken, the time and the raw body, as other receivers do; whether a retry has a new time is not documented',
  scheme: {
    sends: ['multipart'],
    algorithm: 'ecdsa_p256',
    signature: { header: 'X-Twilio-Email-Event-Webhook-Signature', encoding: 'base64' },
    // The window is an hour, so that a repeat within it is accepted with the time of the first try. It is no longer than delivery ids stay
    // claimed, so that a captured request is a duplicate.
    timestamp: { header: 'X-Twilio-Email-Event-Webhook-Timestamp', window_seconds: 3600 },
    signed: '{timestamp}{body}',
    // A mail has no id of the sender. The digest of the signed text is the same for a repeat with the same bytes.
    id: { digest: true },
  },
})
