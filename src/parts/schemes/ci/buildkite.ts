/** Buildkite: `X-Buildkite-Signature: timestamp=<time>,signature=<hex HMAC>` over `<time>.<body>`. */

import { preset } from '../preset.ts'

export const buildkite = preset({
  name: 'buildkite',

  title: 'Buildkite',
  docs: 'https://buildkite.com/docs/apis/webhooks/pipelines#webhook-signature',
  senderSetup:
    'Organization Settings → Notification Services → Add Webhook: the address of the route, its events, and "Send an HMAC signature"',
  keyFrom: 'sender',
  key: 'the Token of the webhook',
  events: ['build.finished', 'build.scheduled', 'build.running', 'job.started', 'job.finished', 'agent.connected'],
  sample: 'buildkite/build.finished',
  route: 'events: [build.finished]\nprompt: "Build {build.number} of {pipeline.name}: {build.state}"\n',
  uncertain: 'it names no window for its time, so that a retry which keeps its first time would be refused after five minutes',
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'X-Buildkite-Signature', label: 'signature' },
    timestamp: { header: 'X-Buildkite-Signature', label: 'timestamp' },
    signed: '{timestamp}.{body}',
    event: { body: 'event' },
    // A request has no id. The times of the build in the body make the digest of the body unique.
    id: { digest: true },
    // Buildkite sends a ping when the settings of the webhook change.
    handshakes: [{ when: { body: 'event', equals: 'ping' } }],
  },
})
