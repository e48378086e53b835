/** Azure Event Grid: a token in the address of the subscription. Nothing is signed. */

import { preset } from '../preset.ts'

export const azureEventGrid = preset({
  name: 'azure_event_grid',

  title: 'Azure Event Grid',
  docs: 'https://learn.microsoft.com/en-us/azure/event-grid/end-point-validation-event-grid-events-schema',
  senderSetup:
    'your topic → Event Subscription → Web Hook: the address of the route with ?token= and the secret of the route behind it, while the gateway runs',
  keyFrom: 'you',
  key: 'a long random text of letters and digits',
  events: ['Microsoft.Storage.BlobCreated', 'Microsoft.Storage.BlobDeleted', 'Microsoft.ContainerRegistry.ImagePushed'],
  sample: 'azure_event_grid/microsoft.storage.blobcreated',
  route: 'events: [Microsoft.Storage.BlobCreated]\nprompt: "{data.url} was put into the store."\n',
  batch: { items: '*', type: ['eventType', 'type'], id: [['topic', 'source'], 'id'], byEvents: true },
  scheme: {
    algorithm: 'token',
    signature: { query: 'token' },
    // In Event Grid's own schema the body is a list of events. The id of the request is the id of its first event. The type of the request
    // is the first of the events' types that `events` of the route lists, else the type of the first event. In the schema of CloudEvents
    // the body is one event.
    event: { body: ['0.eventType', '0.type', 'type'] },
    id: { body: ['0.id', 'id'], within: { body: ['0.topic', '0.source', 'source'] } },
    handshakes: [
      {
        when: { header: 'aeg-event-type', equals: 'SubscriptionValidation' },
        answer: { json: { validationResponse: '{payload.0.data.validationCode}' } },
      },
      {
        method: 'OPTIONS',
        when: { header: 'WebHook-Request-Origin' },
        answer: { headers: { Allow: 'POST', 'WebHook-Allowed-Origin': '{value}', 'WebHook-Allowed-Rate': '*' } },
      },
    ],
  },
})
