/** HubSpot: `X-HubSpot-Signature-v3: <base64 HMAC>` over `<method><address><body><time>`. */

import { preset } from '../preset.ts'

export const hubspot = preset({
  name: 'hubspot',
  title: 'HubSpot',
  docs: 'https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation',
  senderSetup: 'your app → Webhooks → Target URL: the address of the route without a query, and its subscriptions',
  keyFrom: 'sender',
  key: 'the client secret of the app, under Auth',
  events: ['contact.creation', 'contact.propertyChange', 'company.creation', 'deal.propertyChange', 'contact.deletion'],
  sample: 'hubspot/contact.property_change',
  route: 'events: [contact.propertyChange, contact.creation]\nprompt: "Look at the contact {objectId}."\n',
  uncertain: 'it decodes some escapes (%2F, %3A and others) of the address before it signs; an address without escapes is safe',
  waitsSeconds: 5,
  // Two events may have the same eventId, as HubSpot's page on webhooks says.
  batch: { items: '*', type: ['subscriptionType'], id: ['eventId', 'subscriptionType', 'objectId', 'occurredAt'], byEvents: true },
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'X-HubSpot-Signature-v3', encoding: 'base64' },
    timestamp: { header: 'X-HubSpot-Request-Timestamp', unit: 'milliseconds' },
    signed: '{method}{url}{body}{timestamp}',
    // The body is a list of up to a hundred events. The type of the request is the first of their types that `events` of the route lists,
    // else the type of the first event.
    event: { body: '0.subscriptionType' },
    // The digest of the body is the id, because two events may have the same eventId, as HubSpot's page on webhooks says.
    id: { digest: true },
  },
})
