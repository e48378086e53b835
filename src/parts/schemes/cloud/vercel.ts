/** Vercel: `x-vercel-signature: <hex HMAC-SHA1 of the body>`. */

import { preset } from '../preset.ts'

export const vercel = preset({
  name: 'vercel',
  title: 'Vercel',
  docs: 'https://vercel.com/docs/webhooks/webhooks-api#securing-webhooks',
  senderSetup: 'the settings of the team → Webhooks → Create Webhook: the address of the route, and its events',
  keyFrom: 'sender',
  key: 'the secret of the webhook, shown once when it is made; for an integration its client secret',
  events: ['deployment.succeeded', 'deployment.error', 'deployment.created', 'deployment.canceled', 'project.created'],
  sample: 'vercel/deployment.succeeded',
  route: 'events: [deployment.succeeded, deployment.error]\nprompt: "{type} of {payload.deployment.name}: {payload.links.deployment}"\n',
  scheme: {
    algorithm: 'hmac_sha1',
    signature: { header: 'x-vercel-signature' },
    event: { body: 'type' },
    id: { body: 'id' },
  },
})
