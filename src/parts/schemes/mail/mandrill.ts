/** Mandrill: `X-Mandrill-Signature: <base64 HMAC-SHA1>` over the address, the name of its only field, and the JSON in that field. */

import { preset } from '../preset.ts'

export const mandrill = preset({
  name: 'mandrill',
  title: 'Mandrill (Mailchimp Transactional)',
  aliases: ['mailchimp_transactional'],
  docs: 'https://mailchimp.com/developer/transactional/guides/track-respond-activity-webhooks/#authenticating-webhook-requests',
  senderSetup:
    'Settings → Webhooks → Add a Webhook, while the gateway runs with any text as the key: the address of the route, without user and password in it; public_url is this address. A request has up to 1,000 events, and incoming mail has its attachments: raise max_body_bytes for these',
  keyFrom: 'sender',
  key: 'the Key of the webhook, which the list of webhooks shows once the webhook is there',
  events: ['hard_bounce', 'soft_bounce', 'reject', 'spam', 'unsub', 'open', 'click', 'inbound'],
  furtherEvents: ['send', 'deferral', 'delivered', 'blacklist', 'whitelist'],
  sample: 'mandrill/hard_bounce',
  route: 'events: [hard_bounce, spam]\nprompt: "Mail to {msg.email}: {event_type}"\n',
  // Mandrill creates a webhook only where its question (HEAD) is answered with 200. Whether it takes 202 for events is not documented.
  respond: { status: 200 },
  repeats: { byItself: true, how: 'failed batches, until somebody gives up on them under Settings → Webhooks' },
  batch: {
    items: '*',
    // A change of a list of addresses has `type`, and everything else `event`.
    type: ['event', 'type'],
    // `_id` is the id of the mail, not of the event: in one second a mail may be opened, and two of its links clicked.
    id: ['_id', 'ts', 'event', ['url', '_id']],
    byEvents: true,
  },
  scheme: {
    algorithm: 'hmac_sha1',
    sends: ['form'],
    signature: { header: 'X-Mandrill-Signature', encoding: 'base64' },
    // Mandrill signs the address and all fields, of which it documents one. A field beside it is neither signed nor read.
    signed: '{url}mandrill_events{json}',
    event: { body: ['0.event', '0.type'] },
    // An event has no id of its own. The digest of the events is the id of the request.
    id: { digest: true },
    handshakes: [
      // Mandrill sends a HEAD to see whether the address answers. Only where it gets no 200, it posts an empty list, signed with a key that
      // everybody knows. The condition on Host makes each HEAD this question, because every request has that header.
      { method: 'HEAD', when: { header: 'Host' } },
      { when: { header: 'X-Mandrill-Signature', absent: '0' } },
    ],
  },
})
