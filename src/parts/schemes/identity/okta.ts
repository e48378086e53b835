/** Okta event hooks: a token in `Authorization`. Nothing is signed. */

import { preset } from '../preset.ts'

export const okta = preset({
  name: 'okta',

  title: 'Okta',
  docs: 'https://developer.okta.com/docs/concepts/event-hooks/',
  senderSetup:
    'Admin Console → Workflow → Event Hooks → Create Event Hook: the address of the route, and Authorization as Authentication field',
  keyFrom: 'you',
  key: 'the Authentication secret',
  events: ['user.session.start', 'user.lifecycle.create', 'user.lifecycle.deactivate', 'user.account.lock', 'group.user_membership.add'],
  sample: 'okta/user.session.start',
  route: 'events: [user.session.start, user.account.lock]\nprompt: "{displayMessage}: {actor.alternateId}"\n',
  respond: { status: 200 },
  batch: { items: 'data.events', type: ['eventType'], id: ['uuid'], byEvents: true },
  scheme: {
    algorithm: 'token',
    signature: { header: 'Authorization' },
    // A request may have several events. The type of the request is the first of their types that `events` of the route lists, else the
    // type of the first event.
    event: { body: 'data.events.0.eventType' },
    id: { body: 'eventId' },
    handshakes: [
      { method: 'GET', signed: true, when: { header: 'X-Okta-Verification-Challenge' }, answer: { json: { verification: '{value}' } } },
    ],
  },
})
