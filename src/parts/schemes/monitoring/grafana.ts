/** Grafana Alerting: `X-Grafana-Alerting-Signature: <hex HMAC of the body>`. */

import { preset } from '../preset.ts'

export const grafana = preset({
  name: 'grafana',
  title: 'Grafana',
  docs: 'https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/',
  senderSetup:
    'Alerting → Contact points → Webhook: the address of the route, and under HMAC Signature a secret; Timestamp Header stays empty (with one it is grafana_timestamp), and Header as it is',
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
    // A request has no id. The digest of the body is not used as the id, because a lasting alert is sent again in the same bytes.
    event: { body: 'status' },
  },
})
