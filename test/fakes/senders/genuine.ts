/**
 * Makes requests as their senders send them, signed by the senders' own libraries, and asks these libraries whether they take a request.
 */

import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { parse as parseForm } from 'node:querystring'
import {
  bolt,
  CloudEvent,
  EventWebhook,
  HTTP,
  LinearWebhookClient,
  MessageValidator,
  octokitSign,
  octokitVerify,
  Stripe,
  SvixWebhook as Svix,
  signWebhookPayload,
  twilio,
  validateSignature,
  verifyKey,
  verifyWebhookSignature,
  Webhook,
} from '../../foreign/senders.ts'
import { certificateOf } from '../certificate.ts'

export type Headers = { readonly [name: string]: string }

/** A request without its content type. Header names are in the sender's own letter case. */
export type Sent = { readonly headers: Headers; readonly body: string; readonly query: string }

/** One form in which a sender sends its events. */
type Kind = {
  readonly title: string
  /** Ways to write the content type, which all mean the same. */
  readonly contentTypes: readonly string[]
  /** The body of the event `id`, sent at `at` (milliseconds). */
  readonly body: (id: string, at: number) => string
  /** Headers beside the signature. */
  readonly headers?: (id: string) => Headers
  /** Returns the query of the address. */
  readonly query?: (body: string) => string
  /** Returns the value that was signed, which the agent is to get. */
  readonly value: (body: string) => unknown
  /** Texts that must all be in the value of a field that is repeated. That value may take several forms. */
  readonly holds?: readonly string[]
}

export type Sender = {
  /** The scheme, which is also the route's name. */
  readonly name: string
  /** The settings of the route. A route without `verify` recognises the built-in schemes by their headers. */
  readonly route: { readonly [key: string]: unknown }
  readonly kinds: readonly Kind[]
  /** The header, or the field of the body, that holds the signature. */
  readonly signature: string
  /** The headers that the sender's library makes for a body. */
  readonly sign: (request: {
    readonly body: string
    readonly id: string
    readonly at: number
    readonly query: string
  }) => Headers | Promise<Headers>
  /** Whether the sender's own library takes a request; it may throw for one that it refuses. Absent where nobody signs the body. */
  readonly takes?: (sent: Sent) => unknown
  /** How old a request may be, in seconds, where its time is signed. */
  readonly window?: number
}

const secret = 'headgate-test-secret'
const whsec = 'whsec_dGVzdHRlc3R0ZXN0dGVzdHRlc3R0ZXN0dGVzdHRlc3Q='

/** A text of somebody who wants the text to be read as something else. */
const nasty =
  'genuine "double" \'single\' & = ? # / \\ \\u0041 &payload={"a":1} {id} {__raw__} {= 1 } + %20 %2B 100 % Grüße 漢字 😀 \u2028\r\n\t</script>'

/**
 * Fields of a JSON body, without the braces: as most senders write them, as senders do that escape all but ASCII, and with a key that every
 * object of JavaScript has.
 */
const nastyFields = `"text":${JSON.stringify(nasty)},"escaped":"Gr\\u00fc\\u00dfe \\ud83d\\ude00 <\\/b>","empty":"","none":null,"__proto__":{"polluted":true}`
const parsed = (body: string): unknown => JSON.parse(body)

const json = ['application/json', 'application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON; Charset="utf-8"']
const form = [
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=utf-8',
  'application/x-www-form-urlencoded;charset=UTF-8',
  'Application/X-WWW-Form-URLEncoded; Charset=UTF-8',
]

type Fields = readonly (readonly [name: string, value: string])[]

/** The two ways to write a form: a blank as `+`, or a blank as `%20` and all escapes in small letters. */
const encodings: { readonly [how: string]: (fields: Fields) => string } = {
  'a blank as +': (fields) => new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString(),
  'a blank as %20': (fields) =>
    fields.map((pair) => pair.map((text) => encodeURIComponent(text).replace(/%../g, (hex) => hex.toLowerCase())).join('=')).join('&'),
}

/** Makes the kinds of a form, one in each way to write it. */
const forms = (title: string, fields: (id: string) => Fields, more: Partial<Kind> = {}): Kind[] =>
  Object.entries(encodings).map(([how, write]) => ({
    title: `${title}, ${how}`,
    contentTypes: form,
    body: (id) => write(fields(id)),
    value: (body) => Object.fromEntries(new URLSearchParams(body)),
    ...more,
  }))

const jsonKind = (title: string, body: Kind['body'], more: Partial<Kind> = {}): Kind => ({
  title,
  contentTypes: json,
  body,
  value: parsed,
  ...more,
})

const payloadOf = (body: string): unknown => parsed(new URLSearchParams(body).get('payload') as string)

const seconds = (at: number): string => String(Math.floor(at / 1000))
const hex = (text: string): string => createHmac('sha256', secret).update(text).digest('hex')

const { webhooks: stripe } = new Stripe('sk_test_none')

const stripeSender: Sender = {
  name: 'stripe',
  route: { verify: 'stripe', secret },
  kinds: [jsonKind('an event', (id) => `{"id":"evt_${id}","object":"event","type":"charge.refunded",${nastyFields}}`)],
  signature: 'Stripe-Signature',
  sign: ({ body, at }) => ({
    'Stripe-Signature': stripe.generateTestHeaderString({ payload: body, secret, timestamp: Math.floor(at / 1000) }),
  }),
  takes: ({ headers, body }) => stripe.constructEvent(body, headers['Stripe-Signature'] as string, secret),
  window: 300,
}

const slackSender: Sender = {
  name: 'slack',
  route: { verify: 'slack', secret },
  kinds: [
    jsonKind(
      'an event',
      (id) => `{"token":"t","type":"event_callback","event_id":"Ev${id}","event":{"type":"app_mention",${nastyFields}}}`,
    ),
    ...forms('a slash command', (id) => [
      ['token', 't'],
      ['command', '/deploy'],
      ['text', nasty],
      ['enterprise_id', ''],
      ['response_url', 'https://hooks.slack.com/commands/T1/2/3'],
      ['trigger_id', id],
    ]),
    ...forms('an interaction', (id) => [['payload', `{"type":"block_actions","trigger_id":"${id}",${nastyFields}}`]], { value: payloadOf }),
  ],
  signature: 'X-Slack-Signature',
  // The library has no function that signs, so this computes what its verifySlackRequest computes.
  sign: ({ body, at }) => ({ 'X-Slack-Request-Timestamp': seconds(at), 'X-Slack-Signature': `v0=${hex(`v0:${seconds(at)}:${body}`)}` }),
  takes: ({ headers, body }) =>
    bolt.isValidSlackRequest({
      signingSecret: secret,
      body,
      headers: {
        'x-slack-signature': headers['X-Slack-Signature'] as string,
        'x-slack-request-timestamp': Number(headers['X-Slack-Request-Timestamp']),
      },
    }),
  window: 300,
}

const twilioUrl = 'https://hooks.example.com/sms'
const twilioSms = (id: string): Fields => [
  ['MessageSid', `SM${id}`],
  ['Body', nasty],
  ['From', '+15550100002'],
  ['NumMedia', '0'],
  // Twilio's debugger has such a field. Only a small `payload` is the event itself.
  ['Payload', '{"a":1}'],
  ['Ärger', 'ja'],
  ['FromCity', ''],
]
/** Returns the fields of a form, as `express.urlencoded` hands them to the library; none where the address has the digest of the body. */
const twilioFields = ({ body, query }: Pick<Sent, 'body' | 'query'>) => (query.includes('bodySHA256') ? {} : { ...parseForm(body) })
const idempotency = { headers: (id: string) => ({ 'I-Twilio-Idempotency-Token': id }) }

export const signTwilio = (url: string, sent: Pick<Sent, 'body' | 'query'>): string =>
  twilio.getExpectedTwilioSignature(secret, `${url}${sent.query}`, twilioFields(sent))
/** Whether the library takes a request that came to this address. */
export const twilioTakes = (url: string, signature: string, { body, query }: Pick<Sent, 'body' | 'query'>): boolean =>
  query.includes('bodySHA256')
    ? twilio.validateRequestWithBody(secret, signature, `${url}${query}`, body)
    : twilio.validateRequest(secret, signature, `${url}${query}`, twilioFields({ body, query }))

/** A form and a JSON body of Twilio. `query`: what stands behind the path. */
export const twilioBodies: readonly { readonly contentType: string; readonly body: string; readonly query: string }[] = [
  { contentType: form[0] as string, body: (encodings['a blank as +'] as (fields: Fields) => string)(twilioSms('1')), query: '' },
  { contentType: json[0] as string, body: `{${nastyFields}}`, query: `?bodySHA256=${twilio.getExpectedBodyHash(`{${nastyFields}}`)}` },
]

export const twilioSender: Sender = {
  name: 'twilio',
  route: { verify: 'twilio', secret, public_url: twilioUrl },
  kinds: [
    ...forms('a message', twilioSms, idempotency),
    // The library signs each different value once, in the order of the values.
    ...forms(
      'a field that is repeated',
      (id) => [
        ['Digits', 'genuine'],
        ['To', `+1${id}`],
        ['Digits', 'alpha & omega'],
        ['Digits', 'genuine'],
      ],
      { ...idempotency, holds: ['genuine', 'alpha & omega'] },
    ),
    jsonKind('JSON', (id) => `{"id":"${id}",${nastyFields}}`, {
      ...idempotency,
      query: (body) => `?bodySHA256=${twilio.getExpectedBodyHash(body)}`,
    }),
  ],
  signature: 'X-Twilio-Signature',
  sign: (sent) => ({ 'X-Twilio-Signature': signTwilio(twilioUrl, sent) }),
  takes: (sent) => twilioTakes(twilioUrl, sent.headers['X-Twilio-Signature'] as string, sent),
}

const twilioQuery = "?a=b%20c&who=O'Neil+%2B&empty="
/** Twilio posts to the whole address that it was given, and signs the address with its query. */
const twilioAtQuery: Sender = {
  ...twilioSender,
  name: 'twilio-at-a-query',
  route: { ...twilioSender.route, public_url: `${twilioUrl}${twilioQuery}` },
  kinds: [
    ...forms('a message', twilioSms, { ...idempotency, query: () => twilioQuery }),
    jsonKind('JSON', (id) => `{"id":"${id}",${nastyFields}}`, {
      ...idempotency,
      query: (body) => `${twilioQuery}&bodySHA256=${twilio.getExpectedBodyHash(body)}`,
    }),
  ],
}

const discordKeys = generateKeyPairSync('ed25519')
const discordKey = discordKeys.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex')

const discordSender: Sender = {
  name: 'discord',
  route: { verify: 'discord', public_key: discordKey },
  kinds: [
    jsonKind('an interaction', (id) => `{"id":"${id}","application_id":"1","type":2,"data":{"name":"deploy",${nastyFields}},"version":1}`),
    // The event has no id. The number of its user makes it another event.
    jsonKind(
      'a webhook event',
      (id) => `{"version":1,"application_id":"1","type":1,"event":{"type":"ENTITLEMENT_CREATE","data":{"user_id":"${id}",${nastyFields}}}}`,
    ),
  ],
  signature: 'X-Signature-Ed25519',
  // The library only verifies, so the test signs.
  sign: ({ body, at }) => ({
    'X-Signature-Ed25519': signBytes(null, Buffer.from(`${seconds(at)}${body}`), discordKeys.privateKey).toString('hex'),
    'X-Signature-Timestamp': seconds(at),
  }),
  takes: ({ headers, body }) =>
    verifyKey(body, headers['X-Signature-Ed25519'] as string, headers['X-Signature-Timestamp'] as string, discordKey),
  window: 900,
}

/** Makes the senders Standard Webhooks, and Svix with header names of its own. */
const webhookSender = (name: string, prefix: string, made: Webhook | Svix): Sender => ({
  name,
  route: { secret: whsec },
  kinds: [jsonKind('an event', (id) => `{"type":"contact.created","n":"${id}",${nastyFields}}`)],
  signature: `${prefix}signature`,
  sign: ({ body, id, at }) => ({
    [`${prefix}id`]: `msg_${id}`,
    [`${prefix}timestamp`]: seconds(at),
    [`${prefix}signature`]: made.sign(`msg_${id}`, new Date(at), body),
  }),
  takes: ({ headers, body }) => made.verify(body, { ...headers }),
  window: 300,
})

const fromGithub = { headers: (id: string) => ({ 'X-GitHub-Event': 'issues', 'X-GitHub-Delivery': id }) }
const githubEvent = (id: string): string => `{"action":"opened","n":"${id}",${nastyFields}}`

/** A payload as GitHub sends it: as JSON, or as the field of a form. */
export const githubBodies: { readonly [contentType: string]: (payload: string) => string } = {
  [json[0] as string]: (payload) => payload,
  [form[0] as string]: (payload) => new URLSearchParams({ payload }).toString(),
}

export const githubSender: Sender = {
  name: 'github',
  route: { secret },
  kinds: [
    jsonKind('JSON', githubEvent, fromGithub),
    ...forms('a form', (id) => [['payload', githubEvent(id)]], { ...fromGithub, value: payloadOf }),
  ],
  signature: 'X-Hub-Signature-256',
  sign: async ({ body }) => ({ 'X-Hub-Signature-256': await octokitSign(secret, body) }),
  takes: ({ headers, body }) => octokitVerify(secret, body, headers['X-Hub-Signature-256'] as string),
}

const sendgridKeys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const sendgridKey = sendgridKeys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const sendgridHeader = 'X-Twilio-Email-Event-Webhook-Signature'
const sendgridTime = 'X-Twilio-Email-Event-Webhook-Timestamp'
const eventWebhook = new EventWebhook()

const sendgridSender: Sender = {
  name: 'sendgrid',
  route: { verify: 'sendgrid', public_key: sendgridKey },
  kinds: [
    jsonKind(
      'a list of events',
      (id) => `[{"event":"delivered","sg_event_id":"${id}",${nastyFields}},{"event":"open","sg_event_id":"2"}]\r\n`,
    ),
  ],
  signature: sendgridHeader,
  // The library only verifies, so the test signs.
  sign: ({ body, at }) => ({
    [sendgridHeader]: signBytes('sha256', Buffer.from(`${seconds(at)}${body}`), sendgridKeys.privateKey).toString('base64'),
    [sendgridTime]: seconds(at),
  }),
  takes: ({ headers, body }) =>
    eventWebhook.verifySignature(
      eventWebhook.convertPublicKeyToECDSA(sendgridKey),
      body,
      headers[sendgridHeader] as string,
      headers[sendgridTime] as string,
    ),
  window: 3600,
}

export const sns = certificateOf('sns.example.com')
const snsTopic = 'arn:aws:sns:us-west-2:123456789012:MyTopic'
const snsFields = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']

/** Returns a body as SNS writes it: indented, with a blank before each colon. */
const snsBody = (fields: { readonly [name: string]: string }): string => {
  const message: { readonly [name: string]: string } = {
    Type: 'Notification',
    TopicArn: snsTopic,
    SignatureVersion: '2',
    SigningCertURL: 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem',
    ...fields,
  }
  const text = snsFields.flatMap((name) => (message[name] === undefined ? [] : `${name}\n${message[name]}\n`)).join('')
  const signed = { ...message, Signature: signBytes('sha256', Buffer.from(text), sns.key).toString('base64') }
  return `{\n${Object.entries(signed)
    .map(([name, value]) => `  "${name}" : ${JSON.stringify(value)}`)
    .join(',\n')}\n}`
}

const Validator = MessageValidator as new () => { validate(message: unknown, done: (error: Error | null) => void): void }
const snsTypes = ['text/plain; charset=UTF-8', 'text/plain;charset=utf-8', 'text/plain', 'application/json']
const fromSns = {
  contentTypes: snsTypes,
  headers: (id: string) => ({ 'x-amz-sns-message-type': 'Notification', 'x-amz-sns-message-id': id, 'x-amz-sns-topic-arn': snsTopic }),
}
const snsTime = (at: number) => ({ Timestamp: new Date(at).toISOString() })

/** The library of SNS fetches the certificate by `https.get`. A test that calls `takes` puts `sns.pem` there. */
const snsSender: Sender = {
  name: 'aws_sns',
  route: { verify: 'aws_sns', secret: snsTopic },
  kinds: [
    jsonKind('a text', (MessageId, at) => snsBody({ MessageId, Message: nasty, ...snsTime(at) }), fromSns),
    jsonKind(
      'JSON in a text, with a subject',
      (MessageId, at) => snsBody({ MessageId, Message: `{${nastyFields}}`, Subject: 'ALARM: "cpu" & more', ...snsTime(at) }),
      fromSns,
    ),
  ],
  signature: 'Signature',
  sign: () => ({}),
  takes: ({ body }) => new Promise((resolve) => new Validator().validate(parsed(body), (error) => resolve(error === null))),
  window: 3600,
}

const lineSender: Sender = {
  name: 'line',
  route: { verify: 'line', secret },
  kinds: [
    jsonKind(
      'a message',
      (id) => `{"destination":"U8","events":[{"type":"message","webhookEventId":"${id}","message":{${nastyFields}}}]}`,
      {},
    ),
  ],
  signature: 'x-line-signature',
  // The library only verifies, so the test signs.
  sign: ({ body }) => ({ 'x-line-signature': createHmac('sha256', secret).update(body).digest('base64') }),
  takes: ({ headers, body }) => validateSignature(body, secret, headers['x-line-signature'] as string),
}

const linearWebhooks = new LinearWebhookClient(secret)

const linearSender: Sender = {
  name: 'linear',
  route: { secret },
  kinds: [
    jsonKind('an issue', (id, at) => `{"action":"create","type":"Issue","data":{"id":"${id}",${nastyFields}},"webhookTimestamp":${at}}`, {
      headers: (id) => ({ 'Linear-Delivery': id, 'Linear-Event': 'Issue' }),
    }),
  ],
  signature: 'Linear-Signature',
  // The library only verifies, so the test signs.
  sign: ({ body }) => ({ 'Linear-Signature': hex(body) }),
  takes: ({ headers, body }) => linearWebhooks.verify(Buffer.from(body), headers['Linear-Signature'] as string),
  window: 60,
}

const notionSender: Sender = {
  name: 'notion',
  route: { verify: 'notion', secret },
  kinds: [jsonKind('an event', (id) => `{"id":"${id}","type":"page.created",${nastyFields}}`)],
  signature: 'X-Notion-Signature',
  sign: async ({ body }) => ({ 'X-Notion-Signature': await signWebhookPayload({ body, verificationToken: secret }) }),
  takes: ({ headers, body }) =>
    verifyWebhookSignature({ body, verificationToken: secret, signature: headers['X-Notion-Signature'] as string }),
}

const cloudEvent = (id: string) => new CloudEvent({ id, source: '/a', type: 'com.example.made', data: parsed(`{${nastyFields}}`) })
const withoutType = (headers: object): Headers =>
  Object.fromEntries(Object.entries(headers as Headers).filter(([name]) => name !== 'content-type'))

const cloudeventsSender: Sender = {
  name: 'cloudevents',
  route: { verify: 'cloudevents', secret },
  kinds: [
    jsonKind('binary', (id) => HTTP.binary(cloudEvent(id)).body as string, {
      headers: (id) => withoutType(HTTP.binary(cloudEvent(id)).headers),
    }),
    jsonKind('structured', (id) => HTTP.structured(cloudEvent(id)).body as string, {
      contentTypes: [
        'application/cloudevents+json; charset=utf-8',
        'application/cloudevents+json',
        'Application/CloudEvents+JSON;Charset=UTF-8',
      ],
    }),
  ],
  signature: 'Authorization',
  sign: () => ({ Authorization: `Bearer ${secret}` }),
}

export const senders: readonly Sender[] = [
  stripeSender,
  slackSender,
  twilioSender,
  twilioAtQuery,
  discordSender,
  webhookSender('svix', 'svix-', new Svix(whsec)),
  webhookSender('standard_webhooks', 'webhook-', new Webhook(whsec)),
  githubSender,
  sendgridSender,
  snsSender,
  lineSender,
  linearSender,
  notionSender,
  cloudeventsSender,
]
