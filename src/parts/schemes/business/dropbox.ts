/** Dropbox: `X-Dropbox-Signature: <hex HMAC of the body>`. */

import { preset } from '../preset.ts'

export const dropbox = preset({
  name: 'dropbox',

  title: 'Dropbox',
  docs: 'https://www.dropbox.com/developers/reference/webhooks',
  senderSetup: 'App Console → your app → Settings → Webhooks → Webhook URIs: the address of the route, while the gateway runs',
  keyFrom: 'sender',
  key: 'the App secret, under Settings',
  events: ['list_folder'],
  sample: 'dropbox/list_folder',
  route: 'prompt: "Files changed in the Dropbox accounts {list_folder.accounts}."\n',
  respond: { status: 200 },
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'X-Dropbox-Signature' },
    // A request has no id. The digest of the body is not used as the id, because two changes of one account are sent in the same bytes.
    event: { present: ['list_folder'] },
    handshakes: [{ method: 'GET', when: { query: 'challenge' }, answer: { text: '{value}' } }],
  },
})
