/** Datadog: a bearer token, which the operator puts into the custom headers. Nothing is signed. */

import { preset } from '../preset.ts'

export const datadog = preset({
  name: 'datadog',
  title: 'Datadog',
  docs: 'https://docs.datadoghq.com/integrations/webhooks/',
  senderSetup:
    'Integrations → Webhooks → New: the address of the route, the custom headers {"Authorization": "Bearer <the secret>"}, and a payload that keeps "id": "$ID" and "event_type": "$EVENT_TYPE"',
  keyFrom: 'you',
  key: 'the text behind Bearer: a long random one',
  events: ['metric_alert_monitor', 'query_alert_monitor', 'service_check', 'log_alert', 'event_v2_alert'],
  sample: 'datadog/metric_alert_monitor',
  route: 'prompt: "{title}\\n\\n{body}"\n',
  scheme: {
    algorithm: 'token',
    // Datadog sends forms where its switch "Encode as form" is on.
    sends: ['json', 'form'],
    signature: { header: 'Authorization', prefix: 'Bearer ' },
    event: { body: 'event_type' },
    id: { body: 'id' },
  },
})
