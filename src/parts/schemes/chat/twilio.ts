/**
 * Twilio: `X-Twilio-Signature: <base64 HMAC-SHA1>` over the address and the fields of the form. For a body in JSON, the address has the
 * digest of the body.
 */

import { preset } from '../preset.ts'

export const twilio = preset({
  name: 'twilio',
  title: 'Twilio',
  docs: 'https://www.twilio.com/docs/usage/webhooks/webhooks-security',
  senderSetup:
    'Phone Numbers → Manage → Active numbers → the number: the address of the route as webhook, with HTTP POST; public_url is this address',
  keyFrom: 'sender',
  key: 'the primary Auth Token of the account, under Account Info',
  // The state `received` of an incoming message, and the states of an outgoing message or of a call.
  events: ['received', 'delivered', 'undelivered', 'failed', 'sent', 'completed'],
  sample: 'twilio/message.received',
  route: 'events: [received]\nprompt: "{From} writes: {Body}"\n',
  waitsSeconds: 15,
  uncertain:
    'where the address names a port, Twilio may sign it without; public_url then says it without; a product that sends JSON without its digest (bodySHA256) in the address is refused',
  // An answer in TwiML, Twilio's language of instructions, without an instruction.
  respond: { status: 200, body: '<Response/>', content_type: 'text/xml' },
  scheme: {
    algorithm: 'hmac_sha1',
    sends: ['form', 'json'],
    port: 'either',
    signature: { header: 'X-Twilio-Signature', encoding: 'base64' },
    signed: '{url}{form}',
    body_digest: { query: 'bodySHA256' },
    event: { body: ['MessageStatus', 'SmsStatus', 'CallStatus'] },
    // The digest of the body is the id. MessageSid and CallSid name a message and a call, but not a single state of them. A header with a
    // token recognises repeats, but that header is not signed.
    id: { digest: true },
  },
})
