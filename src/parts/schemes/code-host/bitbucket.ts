/** Bitbucket Cloud and Data Center: `X-Hub-Signature: sha256=<hex HMAC of the body>`. */

import { preset } from '../preset.ts'

export const bitbucket = preset({
  name: 'bitbucket',
  title: 'Bitbucket',
  docs: 'https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/',
  senderSetup: 'Repository settings → Webhooks → Add webhook: the address of the route, a secret, and its triggers',
  keyFrom: 'you',
  key: 'the secret of the webhook',
  events: ['repo:push', 'pullrequest:created', 'pullrequest:updated', 'pullrequest:fulfilled', 'pullrequest:comment_created'],
  sample: 'bitbucket/pullrequest_created',
  route: 'events: ["pullrequest:created"]\nprompt: "{actor.display_name} opened {pullrequest.title} in {repository.full_name}."\n',
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'X-Hub-Signature', prefix: 'sha256=' },
    event: { header: 'X-Event-Key' },
    // Data Center sends X-Request-Id instead, which is read for all senders where this header is missing.
    id: { header: 'X-Request-UUID' },
    // The button "Test connection" of Data Center sends this question, not always with a signature.
    handshakes: [{ when: { header: 'X-Event-Key', equals: 'diagnostics:ping' }, signed: false }],
  },
})
