/** Intercom: `X-Hub-Signature: sha1=<hex HMAC of the body>`. */

import { preset } from '../preset.ts'

export const intercom = preset({
  name: 'intercom',
  title: 'Intercom',
  docs: 'https://developers.intercom.com/docs/webhooks/setting-up-webhooks',
  senderSetup: 'Developer Hub → your app → Configure → Webhooks: the address of the route, and its topics',
  keyFrom: 'sender',
  key: 'the client secret of the app, under Basic information',
  events: ['conversation.user.created', 'conversation.user.replied', 'conversation.admin.replied', 'contact.created', 'ticket.created'],
  sample: 'intercom/conversation.user.created',
  route: 'events: [conversation.user.created]\nprompt: "{data.item.source.author.email} writes: {data.item.source.body}"\n',
  scheme: {
    algorithm: 'hmac_sha1',
    signature: { header: 'X-Hub-Signature', prefix: 'sha1=' },
    event: { body: 'topic' },
    id: { body: 'id' },
    handshakes: [
      // Intercom sends a HEAD to see whether the address answers. The condition on Host makes each HEAD this question, because every
      // request has that header.
      { method: 'HEAD', when: { header: 'Host' } },
      // The test button on Intercom's page sends a ping.
      { when: { body: 'topic', equals: 'ping' } },
    ],
  },
})
