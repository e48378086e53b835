/** Slack: `X-Slack-Signature: v0=<hex HMAC>` over `v0:<time>:<body>`. */

import { preset } from '../preset.ts'

export const slack = preset({
  name: 'slack',
  title: 'Slack',
  docs: 'https://docs.slack.dev/authentication/verifying-requests-from-slack',
  senderSetup: 'your app → Event Subscriptions (or Slash Commands, Interactivity): the address of the route as Request URL',
  keyFrom: 'sender',
  key: 'the Signing Secret of the app, under Basic Information',
  // The type of a slash command is its name.
  events: ['app_mention', 'message', 'reaction_added', 'block_actions', '/deploy'],
  sample: 'slack/message.channels',
  route: 'events: [app_mention, message]\nprompt: "{event.text}"\n',
  respond: { status: 200 },
  waitsSeconds: 3,
  repeats: {
    byItself: true,
    how: 'three times: at once, after a minute and after five; it stops sending where nearly all events of an hour fail',
  },
  scheme: {
    algorithm: 'hmac_sha256',
    // Events are JSON; commands and interactions are forms.
    sends: ['json', 'form'],
    signature: { header: 'X-Slack-Signature', prefix: 'v0=' },
    timestamp: { header: 'X-Slack-Request-Timestamp' },
    signed: 'v0:{timestamp}:{body}',
    event: { body: ['event.type', 'type', 'command'] },
    id: { body: ['event_id', 'trigger_id'] },
    handshakes: [
      { when: { body: 'type', equals: 'url_verification' }, answer: { text: '{payload.challenge}' } },
      // Now and then Slack checks the certificate of the address of a slash command. Slack does not always sign this request, so anybody
      // who sends it gets an empty 200.
      { when: { body: 'ssl_check', equals: '1' }, signed: false },
    ],
  },
})
