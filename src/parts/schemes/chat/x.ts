/** X: `x-twitter-webhooks-signature: sha256=<base64 HMAC of the body>`. */

import { preset } from '../preset.ts'

export const x = preset({
  name: 'x',

  title: 'X',
  docs: 'https://docs.x.com/x-api/webhooks/quickstart',
  senderSetup: 'POST https://api.x.com/2/webhooks with url (the address of the route, without a port), while the gateway runs',
  keyFrom: 'sender',
  key: 'the API Key Secret (consumer secret) of the app, under Keys and tokens',
  events: ['tweet_create_events', 'direct_message_events', 'favorite_events', 'follow_events', 'tweet_delete_events', 'user_event'],
  sample: 'x/direct_message_events',
  route: 'events: [direct_message_events]\nprompt: "{direct_message_events.0.message_create.message_data.text}"\n',
  waitsSeconds: 3,
  uncertain:
    'it is not documented which characters a crc_token has; one with others than letters, digits and + / - _ = is not answered, and the webhook becomes invalid',
  respond: { status: 200 },
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'x-twitter-webhooks-signature', prefix: 'sha256=', encoding: 'base64' },
    event: {
      present: [
        'tweet_create_events',
        'direct_message_events',
        'favorite_events',
        'follow_events',
        'tweet_delete_events',
        'user_event',
        'block_events',
        'mute_events',
        'direct_message_indicate_typing_events',
        'direct_message_mark_read_events',
      ],
    },
    // A request has no id, so the digest of the body is the id. The id of a message would not do: two users of the app may get the same
    // message.
    id: { digest: true },
    handshakes: [{ method: 'GET', when: { query: 'crc_token' }, answer: { json: { response_token: 'sha256={hmac_base64}' } } }],
  },
})
