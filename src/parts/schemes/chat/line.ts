/** LINE: `x-line-signature: <base64 HMAC of the body>`. */

import { preset } from '../preset.ts'

export const line = preset({
  name: 'line',

  title: 'LINE',
  docs: 'https://developers.line.biz/en/docs/messaging-api/verify-webhook-signature/',
  senderSetup: 'LINE Developers Console → your channel → Messaging API → Webhook URL: the address of the route, and Use webhook on',
  keyFrom: 'sender',
  key: 'the Channel secret, under Basic settings',
  events: ['message', 'follow', 'unfollow', 'join', 'postback', 'unsend'],
  sample: 'line/message',
  route: 'events: [message]\nprompt: "{message.text}"\n',
  respond: { status: 200 },
  batch: { items: 'events', type: ['type'], id: ['webhookEventId'], byEvents: true },
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'x-line-signature', encoding: 'base64' },
    // A request may have several events. The id of the request is the id of its first event. The type of the request is the first of the
    // events' types that `events` of the route lists, else the type of the first event.
    event: { body: 'events.0.type' },
    id: { body: 'events.0.webhookEventId' },
    // The button Verify of the console sends a request without events.
    handshakes: [{ when: { body: 'destination', absent: 'events.0' } }],
  },
})
