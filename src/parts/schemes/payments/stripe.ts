/** Stripe: `Stripe-Signature: t=<time>,v1=<hex HMAC>` over `<time>.<body>`. */

import { stripeEvents } from '../../known-events.ts'
import { preset } from '../preset.ts'

export const stripe = preset({
  name: 'stripe',
  title: 'Stripe',
  docs: 'https://docs.stripe.com/webhooks#verify-manually',
  senderSetup: 'Workbench → Webhooks → Add destination: the address of the route, and its events',
  keyFrom: 'sender',
  key: 'the signing secret of the destination, whsec_…; it is taken as it is shown',
  events: ['checkout.session.completed', 'invoice.paid', 'invoice.payment_failed', 'customer.subscription.deleted', 'charge.refunded'],
  furtherEvents: stripeEvents,
  sample: 'stripe/checkout.session.completed',
  route:
    'events: [checkout.session.completed]\nprompt: "{data.object.customer_details.email} paid {data.object.amount_total} {data.object.currency}."\n',
  repeats: { byItself: true, how: 'for up to three days, with growing gaps' },
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'Stripe-Signature', label: 'v1' },
    timestamp: { header: 'Stripe-Signature', label: 't' },
    signed: '{timestamp}.{body}',
    event: { body: 'type' },
    id: { body: 'id' },
  },
})
