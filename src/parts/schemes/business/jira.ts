/** Jira Cloud: `X-Hub-Signature: sha256=<hex HMAC of the body>`, from webhooks that an administrator makes. */

import { preset } from '../preset.ts'

export const jira = preset({
  name: 'jira',
  title: 'Jira',
  docs: 'https://developer.atlassian.com/cloud/jira/platform/webhooks/#secure-admin-webhooks',
  senderSetup: 'System → WebHooks → Create a WebHook: the address of the route, its events, a secret, and the body not excluded',
  keyFrom: 'you',
  key: 'the secret of the webhook',
  events: ['jira:issue_created', 'jira:issue_updated', 'jira:issue_deleted', 'comment_created', 'worklog_created'],
  sample: 'jira/issue_updated',
  route: 'events: ["jira:issue_updated", "jira:issue_created"]\nprompt: "{issue.key}: {issue.fields.summary}"\n',
  uncertain: 'webhooks that an app registers are signed in another way or not at all, and old versions of Jira Data Center sign none',
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'X-Hub-Signature', prefix: 'sha256=' },
    event: { body: 'webhookEvent' },
    id: { header: 'X-Atlassian-Webhook-Identifier' },
  },
})
