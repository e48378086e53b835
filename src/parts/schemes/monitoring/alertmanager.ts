/** Prometheus Alertmanager: it signs nothing, and shows a bearer token. With basic_auth write `verify: { algorithm: basic }`. */

import { preset } from '../preset.ts'

export const alertmanager = preset({
  name: 'alertmanager',
  title: 'Alertmanager',
  docs: 'https://prometheus.io/docs/alerting/latest/configuration/#webhook_config',
  there: 'receivers → webhook_configs: url is the address of the route, and http_config.authorization.credentials is the secret',
  keyFrom: 'you',
  key: 'the credentials: a long random text',
  events: ['firing', 'resolved'],
  sample: 'alertmanager/firing',
  route: 'events: [firing]\nprompt: "{commonLabels.alertname}: {commonAnnotations.summary}"\n',
  scheme: {
    algorithm: 'token',
    signature: { header: 'Authorization', prefix: 'Bearer ' },
    // It has no id, and the same alert comes again in the same words while it lasts.
    event: { body: 'status' },
  },
})
