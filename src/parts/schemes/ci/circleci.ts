/** CircleCI: `circleci-signature: v1=<hex HMAC of the body>`. */

import { preset } from '../preset.ts'

export const circleci = preset({
  name: 'circleci',

  title: 'CircleCI',
  docs: 'https://circleci.com/docs/guides/integration/outbound-webhooks/#validate-outbound-webhooks',
  senderSetup: 'Project Settings → Webhooks → Add Webhook: the address of the route, its events, and a Secret token',
  keyFrom: 'you',
  key: 'the Secret token',
  events: ['workflow-completed', 'job-completed'],
  sample: 'circleci/workflow-completed',
  route: 'events: [workflow-completed]\nprompt: "{workflow.name} of {project.slug}: {workflow.status}"\n',
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'circleci-signature', label: 'v1' },
    event: { body: 'type' },
    id: { body: 'id' },
    // The button "Test Ping Event" sends a ping.
    handshakes: [{ when: { body: 'type', equals: 'ping' } }],
  },
})
