/** Asana: `X-Hook-Signature: <hex HMAC of the body>`. */

import { preset } from '../preset.ts'

export const asana = preset({
  name: 'asana',

  title: 'Asana',
  docs: 'https://developers.asana.com/docs/webhooks-guide',
  senderSetup: 'POST https://app.asana.com/api/1.0/webhooks with target (the address of the route) and resource, while the gateway runs',
  keyFrom: 'sender',
  key: 'X-Hook-Secret in the answer to that request, beside "data"',
  events: ['changed', 'added', 'removed', 'deleted', 'undeleted'],
  sample: 'asana/task.changed',
  route: 'prompt: "Look at what changed in Asana: {events}"\n',
  batch: { items: 'events', type: ['action'], byEvents: true },
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'X-Hook-Signature' },
    // A request may have several events. The type of the request is the first of their types that `events` of the route lists, else the
    // type of the first event.
    event: { body: 'events.0.action' },
    // Neither a request nor an event has an id. Each event has its time in milliseconds, which makes the digest of the body unique.
    id: { digest: true },
    handshakes: [
      // Asana sends this question when the webhook is registered. Asana's answer to the registration has the secret too, and the operator
      // copies the secret from that answer. So the gateway need not store the secret.
      { when: { header: 'X-Hook-Secret' }, signed: false, answer: { headers: { 'X-Hook-Secret': '{value}' } } },
      // Now and then Asana sends a request without events, to see whether the address answers.
      { when: { header: 'X-Hook-Signature', absent: 'events.0' } },
    ],
  },
})
