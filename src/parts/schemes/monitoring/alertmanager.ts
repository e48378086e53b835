/**
 * Prometheus Alertmanager: a bearer token. Nothing is signed. An Alertmanager that sends `basic_auth` cannot use this preset: its route
 * needs `verify: { algorithm: basic }` instead.
 */

import { preset } from '../preset.ts'

export const alertmanager = preset({
  name: 'alertmanager',
  title: 'Alertmanager',
  docs: 'https://prometheus.io/docs/alerting/latest/configuration/#webhook_config',
  senderSetup: 'receivers → webhook_configs: url is the address of the route, and http_config.authorization.credentials is the secret',
  keyFrom: 'you',
  key: 'the credentials: a long random text',
  events: ['firing', 'resolved'],
  sample: 'alertmanager/firing',
  route: 'events: [firing]\nprompt: "{commonLabels.alertname}: {commonAnnotations.summary}"\n',
  // A group of alerts has a state of its own, so `events` does not split it. An alert that lasts is sent again with the same values.
  batch: { items: 'alerts', type: ['status'], id: ['fingerprint', 'startsAt', 'status'] },
  scheme: {
    algorithm: 'token',
    signature: { header: 'Authorization', prefix: 'Bearer ' },
    // A request has no id. The digest of the body is not used as the id, because a lasting alert is sent again in the same bytes.
    event: { body: 'status' },
  },
})
