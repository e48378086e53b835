/**
 * The lists of signature schemes, and of the presets of senders. Of the schemes that a route may use unnamed, the first in the list whose
 * headers a request has verifies the request (rules: Authentication 1). The order of the presets decides nothing.
 */

import { asana } from './business/asana.ts'
import { calendly } from './business/calendly.ts'
import { dropbox } from './business/dropbox.ts'
import { hubspot } from './business/hubspot.ts'
import { intercom } from './business/intercom.ts'
import { jira } from './business/jira.ts'
import { notion } from './business/notion.ts'
import { shopify } from './business/shopify.ts'
import { trello } from './business/trello.ts'
import { typeform } from './business/typeform.ts'
import { zendesk } from './business/zendesk.ts'
import { discord } from './chat/discord.ts'
import { line } from './chat/line.ts'
import { meta } from './chat/meta.ts'
import { slack } from './chat/slack.ts'
import { telegram } from './chat/telegram.ts'
import { twilio } from './chat/twilio.ts'
import { x } from './chat/x.ts'
import { zoom } from './chat/zoom.ts'
import { buildkite } from './ci/buildkite.ts'
import { circleci } from './ci/circleci.ts'
import { dockerHub } from './ci/docker-hub.ts'
import { awsSns } from './cloud/aws-sns.ts'
import { azureEventGrid } from './cloud/azure-event-grid.ts'
import { cloudevents } from './cloud/cloudevents.ts'
import { microsoftGraph } from './cloud/microsoft-graph.ts'
import { netlify } from './cloud/netlify.ts'
import { vercel } from './cloud/vercel.ts'
import { bitbucket } from './code-host/bitbucket.ts'
import { gitea } from './code-host/gitea.ts'
import { v1, v2 } from './generic.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import { auth0 } from './identity/auth0.ts'
import { okta } from './identity/okta.ts'
import { linear } from './linear.ts'
import { mailgun } from './mail/mailgun.ts'
import { mailgunInbound } from './mail/mailgun-inbound.ts'
import { mandrill } from './mail/mandrill.ts'
import { postmark } from './mail/postmark.ts'
import { sendgrid } from './mail/sendgrid.ts'
import { sendgridInbound } from './mail/sendgrid-inbound.ts'
import { alertmanager } from './monitoring/alertmanager.ts'
import { datadog } from './monitoring/datadog.ts'
import { grafana } from './monitoring/grafana.ts'
import { grafanaTimestamp } from './monitoring/grafana-timestamp.ts'
import { pagerduty } from './monitoring/pagerduty.ts'
import { sentry } from './monitoring/sentry.ts'
import { paypal } from './payments/paypal.ts'
import { square } from './payments/square.ts'
import { stripe } from './payments/stripe.ts'
import type { Preset } from './preset.ts'
import type { Scheme } from './scheme.ts'
import { standardWebhooks, svix } from './standard-webhooks.ts'

/** The schemes that each route may use without naming them. */
export const schemes: readonly Scheme[] = [svix, standardWebhooks, linear, github, gitlab, v2, v1]

/** The presets of senders. Each serves only routes that name it in `verify`. */
export const presets: readonly Preset[] = [
  asana,
  calendly,
  dropbox,
  hubspot,
  intercom,
  jira,
  notion,
  shopify,
  trello,
  typeform,
  zendesk,
  discord,
  line,
  meta,
  slack,
  telegram,
  twilio,
  x,
  zoom,
  buildkite,
  circleci,
  dockerHub,
  awsSns,
  azureEventGrid,
  cloudevents,
  microsoftGraph,
  netlify,
  vercel,
  bitbucket,
  gitea,
  auth0,
  okta,
  mailgun,
  mailgunInbound,
  mandrill,
  postmark,
  sendgrid,
  sendgridInbound,
  alertmanager,
  datadog,
  grafana,
  grafanaTimestamp,
  pagerduty,
  sentry,
  paypal,
  square,
  stripe,
]

/**
 * The scheme for senders that may choose how they sign. `webhook test` uses it where neither the route nor the sample shows a scheme, and
 * for a signature that must be refused (`--scheme bad`).
 */
export const ownScheme: Scheme = v2
