/** Zendesk: `X-Zendesk-Webhook-Signature: <base64 HMAC>` over `<time><body>`. */

import { preset } from '../preset.ts'

export const zendesk = preset({
  name: 'zendesk',
  title: 'Zendesk',
  docs: 'https://developer.zendesk.com/documentation/webhooks/verifying/',
  senderSetup:
    'Admin Center → Apps and integrations → Webhooks: the address of the route, POST and JSON; its test works once the webhook is made',
  keyFrom: 'sender',
  key: 'the signing secret of the webhook (Reveal secret); it is taken as it is shown',
  events: ['zen:event-type:ticket.created', 'zen:event-type:ticket.status_changed', 'zen:event-type:ticket.comment_added'],
  sample: 'zendesk/ticket.created',
  route: 'events: ["zen:event-type:ticket.created"]\nprompt: "Ticket {detail.id} came in: {detail.subject}."\n',
  uncertain:
    'an older page of Zendesk signs the body before the time, the present one the time before the body, as is checked here; it names no window for its time, so that a retry which keeps its first time would be refused after five minutes',
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'X-Zendesk-Webhook-Signature', encoding: 'base64' },
    timestamp: { header: 'X-Zendesk-Webhook-Signature-Timestamp', unit: 'iso8601' },
    signed: '{timestamp}{body}',
    event: { body: 'type' },
    // The owner of a trigger writes its body, so an "id" in the body may be the id of the ticket, which is the same for every change of the
    // ticket.
    id: { header: 'X-Zendesk-Webhook-Invocation-Id' },
  },
})
