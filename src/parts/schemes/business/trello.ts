/** Trello: `X-Trello-Webhook: <base64 HMAC-SHA1>` over `<body><address>`. */

import { preset } from '../preset.ts'

export const trello = preset({
  name: 'trello',

  title: 'Trello',
  docs: 'https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/#webhook-signatures',
  senderSetup:
    'POST https://api.trello.com/1/webhooks with callbackURL (the address of the route, as in public_url) and idModel, while the gateway runs',
  keyFrom: 'sender',
  key: 'the Secret of your Power-Up, under API Key on https://trello.com/power-ups/admin; it is neither the API key nor a token',
  events: ['updateCard', 'createCard', 'commentCard', 'addMemberToCard', 'deleteCard'],
  sample: 'trello/updatecard',
  route: 'events: [updateCard, createCard]\nprompt: "{action.type} by {action.memberCreator.fullName}: {action.data.card.name}"\n',
  respond: { status: 200 },
  scheme: {
    algorithm: 'hmac_sha1',
    signature: { header: 'X-Trello-Webhook', encoding: 'base64' },
    signed: '{body}{url}',
    event: { body: 'action.type' },
    id: { body: 'action.id' },
    // Trello sends a HEAD to see whether the address answers. The condition on Host makes each HEAD this question, because every request
    // has that header.
    handshakes: [{ method: 'HEAD', when: { header: 'Host' } }],
  },
})
