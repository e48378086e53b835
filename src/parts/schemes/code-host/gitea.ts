/** Gitea and Forgejo: `X-Gitea-Signature: <hex HMAC of the JSON>`. In a form, the JSON is the field `payload`. */

import { preset } from '../preset.ts'

export const gitea = preset({
  name: 'gitea',
  title: 'Gitea, Forgejo',
  aliases: ['forgejo'],
  docs: 'https://docs.gitea.com/usage/webhooks',
  senderSetup: 'Settings → Webhooks → Add webhook → Gitea (or Forgejo): the address of the route, POST, a secret, and its events',
  keyFrom: 'you',
  key: 'the secret of the webhook',
  events: ['push', 'pull_request', 'issues', 'issue_comment', 'release', 'create'],
  actionField: 'action',
  sample: 'gitea/push',
  route: 'events: [push]\nprompt: "{pusher.login} pushed to {ref} of {repository.full_name}."\n',
  scheme: {
    algorithm: 'hmac_sha256',
    sends: ['json', 'form'],
    // Forgejo sends this header, too, beside a header of its own. Without a secret the header is empty.
    signature: { header: 'X-Gitea-Signature' },
    signed: '{json}',
    event: { header: 'X-Gitea-Event' },
    id: { header: 'X-Gitea-Delivery' },
  },
})
