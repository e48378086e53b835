/** Meta (Facebook, Instagram, Messenger, WhatsApp): `X-Hub-Signature-256: sha256=<hex HMAC of the body>`. */

import { preset } from '../preset.ts'

export const meta = preset({
  name: 'meta',

  title: 'Meta (WhatsApp, Instagram, Messenger)',
  aliases: ['whatsapp'],
  docs: 'https://developers.facebook.com/docs/graph-api/webhooks/getting-started/',
  senderSetup:
    'your app → Webhooks (or WhatsApp → Configuration): the address of the route as Callback URL, and the verify_token of the route as Verify token',
  keyFrom: 'sender',
  key: 'the App secret, under App settings → Basic',
  events: ['messages', 'message_template_status_update', 'feed', 'comments', 'photos'],
  sample: 'meta/messages',
  route: 'verify_token: "${META_VERIFY_TOKEN:-Vq3xT0bKe7mN}"\nevents: [messages]\nprompt: "{value.messages.0.text.body}"\n',
  respond: { status: 200 },
  batch: { items: 'entry.*.changes', type: ['field'], byEvents: true },
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'X-Hub-Signature-256', prefix: 'sha256=' },
    // A request may have several entries, an entry several changes, and each change has its type in `field`. The type of the request is the
    // first of these types that `events` of the route lists, else the type of the first change. The entries of Messenger have no changes,
    // so the type is `object`.
    event: { body: ['entry.0.changes.0.field', 'object'] },
    // A request has no id, and the id of a message is the same for each state of the message.
    id: { digest: true },
    handshakes: [
      {
        method: 'GET',
        when: { query: 'hub.mode', equals: 'subscribe' },
        token: { query: 'hub.verify_token' },
        answer: { text: '{query.hub.challenge}' },
      },
    ],
  },
})
