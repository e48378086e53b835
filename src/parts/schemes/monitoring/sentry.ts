/** Sentry: `Sentry-Hook-Signature: <hex HMAC of the body>`, from an integration. */

import { preset } from '../preset.ts'

export const sentry = preset({
  name: 'sentry',
  title: 'Sentry',
  docs: 'https://docs.sentry.io/integrations/integration-platform/webhooks/',
  senderSetup: 'Settings → Custom Integrations → your integration: the address of the route as Webhook URL, and its events',
  keyFrom: 'sender',
  key: 'the client secret of the integration, under Credentials',
  events: ['issue', 'event_alert', 'metric_alert', 'error', 'comment', 'installation'],
  actionField: 'action',
  sample: 'sentry/issue.created',
  route: 'events: [issue]\nprompt: "{action}: {data.issue.title} in {data.issue.project.slug}"\n',
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'Sentry-Hook-Signature' },
    // Sentry also sends a time in Sentry-Hook-Timestamp, but does not sign it.
    event: { header: 'Sentry-Hook-Resource' },
    id: { header: 'Request-ID' },
  },
})
