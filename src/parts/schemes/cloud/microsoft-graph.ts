/** Microsoft Graph: each notification in the body has the `clientState` of its subscription. Nothing is signed. */

import { preset } from '../preset.ts'

export const microsoftGraph = preset({
  name: 'microsoft_graph',

  title: 'Microsoft Graph',
  docs: 'https://learn.microsoft.com/en-us/graph/change-notifications-delivery-webhooks',
  senderSetup:
    'POST https://graph.microsoft.com/v1.0/subscriptions with notificationUrl (the address of the route) and clientState, while the gateway runs',
  keyFrom: 'you',
  key: 'the clientState: at most 128 characters, and the same one for all subscriptions of the route',
  events: ['created', 'updated', 'deleted', 'reauthorizationRequired', 'subscriptionRemoved', 'missed'],
  sample: 'microsoft_graph/created',
  route: 'events: [created]\nprompt: "Look at {resource} in Microsoft Graph."\n',
  waitsSeconds: 3,
  repeats: { byItself: true, how: 'for up to four hours' },
  batch: { items: 'value', type: ['lifecycleEvent', 'changeType'], id: ['id'], byEvents: true },
  scheme: {
    algorithm: 'token',
    // All notifications of a request must have the same clientState.
    signature: { body: 'value.*.clientState' },
    event: { body: ['value.0.lifecycleEvent', 'value.0.changeType'] },
    id: { body: 'value.0.id' },
    handshakes: [{ when: { query: 'validationToken' }, signed: false, answer: { text: '{value}' } }],
  },
})
