/** Discord: an Ed25519 signature over `<time><body>`, for interactions and for webhook events. */

import { preset } from '../preset.ts'

export const discord = preset({
  name: 'discord',
  title: 'Discord',
  docs: 'https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint',
  senderSetup:
    'your application → Webhooks → Endpoint URL: the address of the route, and its events; a route for interactions answers them in "respond", with {"type":5} as application/json',
  keyFrom: 'sender',
  key: 'the Public Key of the application, under General Information (hex): it goes into public_key',
  events: ['APPLICATION_AUTHORIZED', 'APPLICATION_DEAUTHORIZED', 'ENTITLEMENT_CREATE'],
  sample: 'discord/application_authorized',
  route: 'events: [APPLICATION_AUTHORIZED]\nprompt: "{event.data.user.username} added the application."\n',
  respond: { status: 204 },
  waitsSeconds: 3,
  scheme: {
    algorithm: 'ed25519',
    signature: { header: 'X-Signature-Ed25519' },
    // Discord documents no window for the time, and repeats an event for up to ten minutes. So the window is longer than ten minutes.
    timestamp: { header: 'X-Signature-Timestamp', window_seconds: 900 },
    signed: '{timestamp}{body}',
    event: { body: ['event.type', 'data.name', 'type'] },
    id: { body: 'id' },
    handshakes: [
      { when: { body: 'type', equals: 0 }, answer: { status: 204 } },
      { when: { body: 'type', equals: 1, absent: 'event' }, answer: { json: { type: 1 } } },
    ],
  },
})
