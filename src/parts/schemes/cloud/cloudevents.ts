/** CloudEvents over HTTP: a bearer token. Nothing is signed. */

import { preset } from '../preset.ts'

export const cloudevents = preset({
  name: 'cloudevents',

  title: 'CloudEvents',
  docs: 'https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/http-webhook.md',
  senderSetup: 'the sender: the address of the route, and the header Authorization: Bearer with the secret of the route',
  keyFrom: 'you',
  key: 'the bearer token',
  events: ['com.example.someevent'],
  sample: 'cloudevents/com.example.someevent',
  route: 'prompt: "Look at this event: {__raw__}"\n',
  batch: { items: '*', type: ['type'], id: ['source', 'id'], byEvents: true },
  scheme: {
    algorithm: 'token',
    signature: { header: 'Authorization', prefix: 'Bearer ' },
    // In binary mode the type and the id are headers; otherwise they are in the body, which may be a list of events.
    event: { header: 'ce-type', body: ['type', '0.type'] },
    id: { header: 'ce-id', body: ['id', '0.id'], within: { header: 'ce-source', body: ['source', '0.source'] } },
    handshakes: [
      {
        method: 'OPTIONS',
        when: { header: 'WebHook-Request-Origin' },
        answer: { headers: { Allow: 'POST', 'WebHook-Allowed-Origin': '{value}', 'WebHook-Allowed-Rate': '*' } },
      },
    ],
  },
})
