/**
 * Lists the properties that the fuzz cannot ask of some senders, by scheme, each with the reason. All other properties must hold for every
 * sender.
 */

import type { Json } from '../../src/core/json.ts'
import { sortedFields, valueAtPath } from './parts.ts'

/** Schemes that sign nothing: whoever has captured one request can write any other. Each with the reason. */
export const unsigned: { readonly [scheme: string]: string } = {
  gitlab: 'its token is the secret itself',
  alertmanager: 'its token is the secret itself',
  auth0: 'its token is the secret itself',
  azure_event_grid: 'its token, in the address, is the secret itself',
  cloudevents: 'its token is the secret itself',
  datadog: 'its token is the secret itself',
  docker_hub: 'its token, in the address, is the secret itself',
  microsoft_graph: 'its clientState, in the body, is the secret itself',
  okta: 'its token is the secret itself',
  postmark: 'user and password are the secret itself',
  telegram: 'its token is the secret itself',
}

const membersOf = (payload: Json, names: readonly string[]): Json => names.map((name) => valueAtPath(payload, name.split('.')) ?? null)

/** Returns the fields of a form. A field that has the same value several times counts once. */
const pairsOf = (payload: Json): [string, string][] =>
  Object.entries((payload ?? {}) as { readonly [name: string]: Json }).flatMap(([name, value]) =>
    [...new Set([value].flat())].map((each): [string, string] => [name, String(each)]),
  )

/** Schemes whose signature covers only a part of the body. `covered` returns this part of a payload, and only this part is compared. */
export const partly: { readonly [scheme: string]: { readonly why: string; readonly covered: (payload: Json) => Json } } = {
  aws_sns: {
    why: 'it signs these fields and no others',
    covered: (payload) => membersOf(payload, ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']),
  },
  mailgun: {
    why: 'it signs its time and its token, which is the delivery id, and nothing of the event',
    covered: (payload) => membersOf(payload, ['signature.timestamp', 'signature.token']),
  },
  mailgun_inbound: {
    why: 'it signs its time and its token, which is the delivery id, and nothing of the mail',
    covered: (payload) => membersOf(payload, ['timestamp', 'token']),
  },
  paypal: {
    why: 'it signs a CRC-32 of the body, for which another body is easily made, and the id of the transmission',
    covered: () => null,
  },
  twilio: {
    why: 'it signs names and values of the form in a row, with nothing between: where one ends and the next begins nobody can tell, nor whether a value stood twice',
    covered: (payload) => sortedFields(pairsOf(payload)),
  },
}

/** Schemes whose events have no id on purpose, because the same bytes may be two events. */
export const nameless: { readonly [scheme: string]: string } = {
  dropbox: 'an account that changes twice is told of in the same bytes',
  grafana: 'the same alert comes again in the same words while it lasts',
}

/** Schemes whose id is in a header that is not signed: a request counts as a repeat only while these headers are the same. */
export const headerIds: { readonly [scheme: string]: string } = {
  bitbucket: 'X-Request-UUID is not signed',
  gitea: 'X-Gitea-Delivery is not signed',
  github: 'X-GitHub-Delivery is not signed',
  jira: 'X-Atlassian-Webhook-Identifier is not signed',
  linear: 'Linear-Delivery is not signed',
  sentry: 'Request-ID is not signed',
  shopify: 'X-Shopify-Webhook-Id is not signed',
  v1: 'X-Request-ID is not signed',
  v2: 'X-Request-ID is not signed',
  zendesk: 'X-Zendesk-Webhook-Invocation-Id is not signed',
}
