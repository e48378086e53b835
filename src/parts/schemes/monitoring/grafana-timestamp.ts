/** Grafana Alerting with a Timestamp Header: `X-Grafana-Alerting-Signature: <hex HMAC>` over `<time>:<body>`. */

import { preset } from '../preset.ts'

/**
 * Requires the header with the time. Where the contact point has no Timestamp Header, Grafana signs the body alone. The preset `grafana` is
 * for that form.
 */
export const grafanaTimestamp = preset({
  name: 'grafana_timestamp',
  title: 'Grafana, with a time',
  docs: 'https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/',
  senderSetup:
    'Alerting → Contact points → Webhook: the address of the route, and under HMAC Signature a secret, Header as it is, and X-Grafana-Alerting-Timestamp as Timestamp Header',
  keyFrom: 'you',
  key: 'the secret under HMAC Signature',
  events: ['firing', 'resolved'],
  sample: 'grafana/alert.firing',
  route: 'events: [firing]\nprompt: "{title}: {commonAnnotations.summary}"\n',
  uncertain:
    'a Grafana older than 12 may call its signature X-Grafana-Alert-Signature; "Header" of the contact point says which name it sends',
  batch: { items: 'alerts', type: ['status'], id: ['fingerprint', 'startsAt', 'status'] },
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'X-Grafana-Alerting-Signature' },
    timestamp: { header: 'X-Grafana-Alerting-Timestamp' },
    signed: '{timestamp}:{body}',
    event: { body: 'status' },
    // A request has no id. A lasting alert is sent again in the same bytes, but with another time, so the time and the digest of the body
    // together are the id.
    id: { digest: true, within: { header: 'X-Grafana-Alerting-Timestamp' } },
  },
})
