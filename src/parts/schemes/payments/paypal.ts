/** PayPal: an RSA signature over `<transmission id>|<time>|<webhook id>|<CRC-32 of the body>`, with a certificate from PayPal's hosts. */

import { preset } from '../preset.ts'

export const paypal = preset({
  name: 'paypal',

  title: 'PayPal',
  docs: 'https://developer.paypal.com/api/rest/webhooks/rest/#link-messageverification',
  senderSetup: 'Developer Dashboard → Apps & Credentials → your app → Webhooks → Add Webhook: the address of the route, and its events',
  keyFrom: 'sender',
  key: 'the Webhook ID that is shown there; the mock events of the simulator have another one',
  events: ['PAYMENT.CAPTURE.COMPLETED', 'CHECKOUT.ORDER.APPROVED', 'PAYMENT.SALE.COMPLETED', 'BILLING.SUBSCRIPTION.ACTIVATED'],
  sample: 'paypal/payment.capture.completed',
  route: 'events: [PAYMENT.CAPTURE.COMPLETED]\nprompt: "{summary} ({resource.id})"\n',
  uncertain:
    'it is not documented on which hosts certificates may be, nor whether a retry has a new time; where it has not, those after an hour are refused',
  scheme: {
    algorithm: 'rsa_sha256',
    signature: { header: 'PAYPAL-TRANSMISSION-SIG', encoding: 'base64' },
    certificate: {
      header: 'PAYPAL-CERT-URL',
      hosts: ['api.paypal.com', 'api-m.paypal.com', 'api.sandbox.paypal.com', 'api-m.sandbox.paypal.com'],
      path: '/v1/notifications/certs/*',
    },
    // The window is as long as delivery ids stay claimed, an hour. Within it, a request with a captured signature is a duplicate. After it,
    // the signature could be sent with another body of the same CRC-32.
    timestamp: { header: 'PAYPAL-TRANSMISSION-TIME', unit: 'iso8601', window_seconds: 3600 },
    signed: '{id}|{timestamp}|{secret}|{crc32}',
    event: { body: 'event_type' },
    // The id of the transmission is signed. The id in the body is covered only by a CRC-32, for which another body is easily made.
    id: { header: 'PAYPAL-TRANSMISSION-ID' },
  },
})
