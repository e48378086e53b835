/** Shopify: `X-Shopify-Hmac-Sha256: <base64 HMAC of the body>`. */

import { preset } from '../preset.ts'

export const shopify = preset({
  name: 'shopify',
  title: 'Shopify',
  docs: 'https://shopify.dev/docs/apps/build/webhooks/verify-deliveries',
  senderSetup: 'Settings → Notifications → Webhooks of the shop, or the webhooks of your app: the address of the route, in JSON',
  keyFrom: 'sender',
  key: 'what the page with your webhooks says they are signed with; for an app its client secret, taken as it is shown',
  events: ['orders/create', 'orders/paid', 'products/update', 'customers/create', 'app/uninstalled'],
  sample: 'shopify/orders_create',
  route: 'events: [orders/create]\nprompt: "{email} ordered for {total_price} {currency}: {name}."\n',
  waitsSeconds: 5,
  repeats: { byItself: true, how: 'eight times within four hours; after that it may delete the webhook' },
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'X-Shopify-Hmac-Sha256', encoding: 'base64' },
    event: { header: 'X-Shopify-Topic' },
    id: { header: 'X-Shopify-Webhook-Id' },
  },
})
