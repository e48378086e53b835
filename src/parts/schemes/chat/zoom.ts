/** Zoom: `x-zm-signature: v0=<hex HMAC>` over `v0:<time>:<body>`. */

import { preset } from '../preset.ts'

export const zoom = preset({
  name: 'zoom',

  title: 'Zoom',
  docs: 'https://developers.zoom.us/docs/api/webhooks/#verify-webhook-events',
  senderSetup: 'App Marketplace → Manage → your app → Features → Access → Event Subscriptions: the address of the route, and its events',
  keyFrom: 'sender',
  key: 'the Secret Token of the app, under Features → Access',
  events: ['meeting.started', 'meeting.ended', 'meeting.participant_joined', 'recording.completed', 'user.created'],
  sample: 'zoom/meeting.started',
  route: 'events: [meeting.started]\nprompt: "The meeting {payload.object.topic} has begun."\n',
  uncertain: 'it is not documented whether a retry (after 5, 25 and 85 minutes) has a new time; where it has not, the last one is refused',
  respond: { status: 200 },
  repeats: { byItself: true, how: 'after 5, 25 and 85 minutes' },
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'x-zm-signature', prefix: 'v0=' },
    // The window is an hour, so that a repeat within it is accepted with the time of the first try. It is no longer than delivery ids stay
    // claimed, so that a captured request is a duplicate.
    timestamp: { header: 'x-zm-request-timestamp', window_seconds: 3600 },
    signed: 'v0:{timestamp}:{body}',
    event: { body: 'event' },
    // The id of a request is in a header that is not signed. The body has the time of the event in milliseconds, which makes the digest of
    // the body unique.
    id: { digest: true },
    handshakes: [
      {
        when: { body: 'event', equals: 'endpoint.url_validation' },
        answer: { json: { plainToken: '{payload.payload.plainToken}', encryptedToken: '{hmac_hex.payload.plainToken}' } },
      },
    ],
  },
})
