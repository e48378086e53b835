/** Netlify: `X-Webhook-Signature` is a JSON Web Token (HS256), whose claim `sha256` is the digest of the body. */

import { preset } from '../preset.ts'

export const netlify = preset({
  name: 'netlify',
  title: 'Netlify',
  docs: 'https://docs.netlify.com/site-deploys/notifications/#payload-signature',
  senderSetup:
    'Project configuration → Notifications → Add notification → HTTP POST request: the event, the address of the route, and a JWS secret token',
  keyFrom: 'you',
  key: 'the JWS secret token',
  // The type of an event is the state of the deploy.
  events: ['ready', 'error', 'building', 'enqueued'],
  sample: 'netlify/deploy.ready',
  route: 'events: [ready, error]\nprompt: "The deploy of {name} is {state}: {deploy_ssl_url}"\n',
  scheme: {
    algorithm: 'jwt',
    signature: { header: 'X-Webhook-Signature' },
    issuer: 'netlify',
    body_digest: { claim: 'sha256' },
    // The header X-Netlify-Event names the event, too, but is not signed.
    event: { body: 'state' },
    // The id in the body is the id of the deploy, which is the same in the events of all its states.
    id: { digest: true },
  },
})
