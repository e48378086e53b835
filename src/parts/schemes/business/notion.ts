/** Notion: `X-Notion-Signature: sha256=<hex HMAC of the body>`. */

import { preset } from '../preset.ts'

export const notion = preset({
  name: 'notion',
  title: 'Notion',
  docs: 'https://developers.notion.com/reference/webhooks#step-3-validating-event-payloads-recommended',
  senderSetup: 'your integration → Webhooks → Create a subscription: the address of the route, and its events',
  // Notion makes the token, and sends it first in a request that is signed with the token itself. At that time the route cannot have the
  // token as its key. Only the owner of the route may see the token.
  keyFrom: 'sender',
  key: 'the verification token (secret_…) that Notion posts first',
  before: {
    what: 'Until the token is there, the route takes no events, and asks for a word of your own behind the address: `?begin=<the word>`. `headgate events list` and `headgate events show ID` show the token, which no model sees and no log has: paste it into Notion, put it in the place of the word, and write the route below, where the word in the address opens nothing any more',
    route:
      '# webhook-ignore WH311: until the token is there\nverify: { algorithm: token, signature: { query: begin } }\nsecret: ${NOTION_SECRET} # the word: 16 letters or more\nevents: [none]\n',
  },
  events: ['page.content_updated', 'page.created', 'page.properties_updated', 'page.deleted', 'comment.created'],
  sample: 'notion/page.content_updated',
  route: 'events: [page.created, page.content_updated]\nprompt: "Look at the Notion page {entity.id}: {type}."\n',
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'X-Notion-Signature', prefix: 'sha256=' },
    event: { body: 'type' },
    id: { body: 'id' },
    // When an operator asks Notion to send the token again, the request is signed with the token. It is answered as a handshake, so that it
    // becomes no event, and no model sees the token.
    handshakes: [{ when: { body: 'verification_token', absent: 'id' } }],
  },
})
