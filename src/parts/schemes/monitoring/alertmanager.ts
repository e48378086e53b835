/**
 * Prometheus Alertmanager: a bearer token. Nothing is signed. A route for an Alertmanager with basic_auth has `verify: { algorithm: basic
 * }`.
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
  scheme: {
    algorithm: 'token',
    signature: { header: 'Authorization', prefix: 'Bearer ' },
    // There is no id, and no digest in its place: a lasting alert is sent again in the same bytes.
    event: { body: 'status' },
  },
})
