/** Docker Hub: a token in the address. Nothing is signed. */

import { preset } from '../preset.ts'

export const dockerHub = preset({
  name: 'docker_hub',

  title: 'Docker Hub',
  docs: 'https://docs.docker.com/docker-hub/repos/manage/webhooks/',
  senderSetup: 'your repository → Webhooks: the address of the route with ?token= and the secret of the route behind it',
  keyFrom: 'you',
  key: 'a long random text of letters and digits',
  events: ['push_data'],
  sample: 'docker_hub/push',
  route: 'prompt: "{repository.repo_name}:{push_data.tag} was pushed by {push_data.pusher}."\n',
  scheme: {
    algorithm: 'token',
    signature: { query: 'token' },
    event: { present: ['push_data'] },
    // A request has no id. The time in the body makes the digest of the body unique.
    id: { digest: true },
  },
})
