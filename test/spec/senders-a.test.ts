/** Senders one by one: published vectors, the code of the vendors on both sides, their questions, and what an adversary would try. */

import { createHash, createHmac, createPrivateKey, createPublicKey, sign as signBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { parseSample } from '../../src/dryrun/samples/sample-file.ts'
import { presets, schemes } from '../../src/parts/schemes/index.ts'
import type { Scheme, Signed } from '../../src/parts/schemes/scheme.ts'
import { type Answer, lastEnd, startGateway } from '../fakes/gateway.ts'
import {
  bolt,
  LinearWebhookClient,
  octokitSign,
  octokitVerify,
  Stripe,
  SvixWebhook as Svix,
  signWebhookPayload,
  twilio,
  verifyKey,
  verifyWebhookSignature,
  Webhook,
} from '../foreign/senders.ts'

type Headers = { readonly [name: string]: string }
type Vector = {
  readonly verify: string
  readonly title: string
  readonly route: { readonly [key: string]: string }
  /** Unix seconds. */
  readonly at?: number
  readonly headers: Headers
  readonly body: string
  /** Behind the path. */
  readonly query?: string
  /** That of an event unless said; the body of some vectors is no JSON, which is refused only after the signature. */
  readonly status?: number
  readonly event?: string
}

const ts = 1_700_000_000
const hello = '{"hello":"world"}'
const key = 'headgate-test-secret'
const everybody = "It's a Secret to Everybody"
const formType = 'application/x-www-form-urlencoded'
const hmac = (algorithm: string, secret: string, text: string, encoding: 'hex' | 'base64' = 'hex'): string =>
  createHmac(algorithm, secret).update(text).digest(encoding)
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Its bytes have no blanks between the tokens. */
const pagerdutyBody = JSON.stringify(JSON.parse(readFileSync(new URL('../fakes/senders/pagerduty.json', import.meta.url), 'utf8')))
const hubspotBody =
  '[{"eventId":531833541,"subscriptionId":3923621,"portalId":48807704,"appId":16111050,"occurredAt":1752613920733,"subscriptionType":"contact.creation","attemptNumber":0,"objectId":138017612137,"changeFlag":"CREATED","changeSource":"CRM_UI","sourceId":"userId:76023669"}]'
const slackBody =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
const notionKey = 'secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl'
const zendeskTestKey = 'dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ=='

/** mandrill-rails, spec/fixtures/webhook_examples/click_with_signature.json: a captured request, whose key is long gone. */
const mandrillBody = readFileSync(new URL('../fakes/senders/mandrill.txt', import.meta.url), 'utf8')

/** twilio-node, spec/validation.spec.js. */
const twilioUrl = 'https://mycompany.com/myapp.php'
const twilioCall = 'CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212'
const twilioJson = '{"property": "value", "boolean": true}'
const twilioDigest = '0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620'
const twilioVector = (title: string, signature: string, more: Partial<Vector> = {}): Vector => ({
  verify: 'twilio',
  title,
  route: { secret: '12345', public_url: `${twilioUrl}?foo=1&bar=2` },
  query: '?foo=1&bar=2',
  headers: { 'Content-Type': formType, 'X-Twilio-Signature': signature },
  body: twilioCall,
  ...more,
})

/** With no source: made with the sender's construction, and agreed on by its own package where there is one. */
const vectors: readonly Vector[] = [
  {
    verify: 'slack',
    title: 'the page of Slack',
    route: { secret: '8f742231b10e8888abcd99yyyzzz85a5' },
    at: 1_531_420_618,
    headers: {
      'Content-Type': formType,
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: slackBody,
    event: '/webhook-collect',
  },
  {
    verify: 'stripe',
    title: 'generateTestHeaderString',
    route: { secret: `whsec_${key}` },
    headers: { 'Stripe-Signature': `t=${ts},v1=b8ac96a5bc36cc2c7ab20bbb88dbb330c65296a302ea6bf2880fda587d4228d7` },
    body: hello,
  },
  {
    verify: 'shopify',
    title: 'made here',
    route: { secret: key },
    headers: { 'X-Shopify-Hmac-Sha256': 'IG6xJk2CfTvzQVf6ukUiMNLxlz7L/uDbw66rdW1Ob/4=', 'X-Shopify-Topic': 'orders/create' },
    body: hello,
    event: 'orders/create',
  },
  {
    verify: 'mandrill',
    title: 'two clicks, captured',
    route: { secret: 'ntynTMaFpM_octE5R1DKAw', public_url: 'http://requestb.in/q9a918q9' },
    headers: { 'Content-Type': formType, 'X-Mandrill-Signature': '7rUa4lNJitlb178MgGOcHO6T4Bg=' },
    body: mandrillBody,
    event: 'click',
  },
  twilioVector('the call of its tests', 'RSOYDt4T1cUTdK1PDd93/VVr8B8='),
  twilioVector('a field twice, with two values', '83O6e2vORAoJHUNzJjDWN1jz+BA=', {
    body: 'MessagingBinding.Address=%2B1415xxxxxxx&MessagingBinding.Address=%2B1325xxxxxxx',
  }),
  twilioVector('a field three times, two of them equal', 'IK+Dwps556ElfBT0I3Rgjkr1wJU=', {
    body: 'Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234',
  }),
  twilioVector('an address with its port', 'kvajT1Ptam85bY51eRf/AJRuM3w=', {
    route: { secret: '12345', public_url: 'https://mycompany.com:443/myapp.php?foo=1&bar=2' },
  }),
  twilioVector('JSON', 'a9nBmqA0ju/hNViExpshrM61xv4=', {
    headers: { 'Content-Type': 'application/json', 'X-Twilio-Signature': 'a9nBmqA0ju/hNViExpshrM61xv4=' },
    query: `?foo=1&bar=2&bodySHA256=${twilioDigest}`,
    body: twilioJson,
  }),
  twilioVector('JSON, with nothing else in the query', 'y77kIzt2vzLz71DgmJGsen2scGs=', {
    headers: { 'Content-Type': 'application/json', 'X-Twilio-Signature': 'y77kIzt2vzLz71DgmJGsen2scGs=' },
    query: `?bodySHA256=${twilioDigest}`,
    route: { secret: '12345', public_url: twilioUrl },
    body: twilioJson,
  }),
  {
    verify: 'discord',
    title: 'the first key of RFC 8032',
    route: { public_key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a' },
    headers: {
      'X-Signature-Timestamp': String(ts),
      'X-Signature-Ed25519':
        '506e4e1e38ce57f3fe92c32c3dab9a3ca32466e2d11874b864ce596c6f75d485aeddc700d944aedf483d31ebb396a80b439fd151f924eb873169a67742ce0300',
    },
    body: '{"version":1,"application_id":"1234560123453231555","type":0}',
    status: 204,
  },
  {
    verify: 'gitea',
    title: 'made here',
    route: { secret: key },
    headers: { 'X-Gitea-Signature': '206eb1264d827d3bf34157faba452230d2f1973ecbfee0dbc3aeab756d4e6ffe', 'X-Gitea-Event': 'push' },
    body: hello,
    event: 'push',
  },
  {
    verify: 'gitea',
    title: 'a form, as Forgejo sends it',
    route: { secret: key },
    headers: {
      'Content-Type': formType,
      'X-Forgejo-Signature': '206eb1264d827d3bf34157faba452230d2f1973ecbfee0dbc3aeab756d4e6ffe',
      'X-Gitea-Signature': '206eb1264d827d3bf34157faba452230d2f1973ecbfee0dbc3aeab756d4e6ffe',
      'X-Forgejo-Event': 'push',
      'X-Gitea-Event': 'push',
    },
    body: new URLSearchParams({ payload: hello }).toString(),
    event: 'push',
  },
  ...['bitbucket', 'jira'].map((verify) => ({
    verify,
    title: 'the page of Atlassian',
    route: { secret: everybody },
    headers: { 'X-Hub-Signature': 'sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9' },
    body: 'Hello World!',
    status: 400,
  })),
  {
    verify: 'bitbucket',
    title: 'the page of Bitbucket',
    route: { secret: everybody },
    headers: {
      'X-Hub-Signature': 'sha256=c48e50b1d349b665dd7bf48bd243f22d5a22758c3f86714f0774aac3cab8fc5e',
      'X-Event-Key': 'repo:push',
    },
    body: '{"hello":"world","webhook":"secret"}',
    event: 'repo:push',
  },
  {
    verify: 'sentry',
    title: 'made here',
    route: { secret: key },
    headers: { 'Sentry-Hook-Signature': '206eb1264d827d3bf34157faba452230d2f1973ecbfee0dbc3aeab756d4e6ffe' },
    body: hello,
  },
  {
    verify: 'pagerduty',
    title: 'go-pagerduty, webhookv3_test.go',
    route: { secret: 'lDQHScfUeXUKaQRNF+8XIiDKZ7XX3itBAYzwU0TARw8lJqRnkKl2iB1anSb0Z+IK' },
    headers: { 'X-PagerDuty-Signature': 'v1=0c0b9495b893a39e70d1fea2fe11fbe0a825f88b9f67846f6cc07dd2bc5476cd' },
    body: pagerdutyBody,
    event: 'incident.priority_updated',
  },
  {
    verify: 'pagerduty',
    title: 'go-pagerduty, what must fail',
    route: { secret: 'lDQHScfUeXUKaQRNF+8XIiDKZ7XX3itBAYzwU0TARw8lJqRnkKl2iB1anSb0Z+IK' },
    headers: { 'X-PagerDuty-Signature': 'v1=7020c8a7ec668a9b7012bc3dd82e483394b038f4230acc6785efbf2a7d8bcaf5' },
    body: pagerdutyBody,
    status: 401,
  },
  {
    verify: 'grafana_timestamp',
    title: 'made here',
    route: { secret: key },
    headers: {
      'X-Grafana-Alerting-Signature': '3d7e69180798dc2dd951b21bc1bf704d1d4e6366d54233bd1993b6ad6ba32d52',
      'X-Grafana-Alerting-Timestamp': String(ts),
    },
    body: hello,
  },
  {
    verify: 'grafana',
    title: 'made here',
    route: { secret: key },
    headers: { 'X-Grafana-Alerting-Signature': '206eb1264d827d3bf34157faba452230d2f1973ecbfee0dbc3aeab756d4e6ffe' },
    body: hello,
  },
  {
    verify: 'notion',
    title: 'the page of Notion',
    route: { secret: notionKey },
    headers: { 'X-Notion-Signature': 'sha256=461e8cbcba8a75c3edd866f0e71280f5a85cbf21eff040ebd10fe266df38a735' },
    body: JSON.stringify({ verification_token: notionKey }),
    // Its token again, which is no event.
    status: 200,
  },
  {
    verify: 'vercel',
    title: 'made here',
    route: { secret: key },
    headers: { 'x-vercel-signature': '235670c528618c8492ab0cf5a00c9f2f5b5b30ae' },
    body: hello,
  },
  {
    verify: 'netlify',
    title: 'made here',
    route: { secret: key },
    headers: {
      'X-Webhook-Signature':
        'eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJuZXRsaWZ5Iiwic2hhMjU2IjoiOTNhMjM5NzFhOTE0ZTVlYWNiZjBhOGQyNTE1NGNkYTMwOWMzYzFjNzJmYmI5OTE0ZDQ3YzYwZjNjYjY4MTU4OCJ9.ibNhLDlPtw_iXKOWhgcsiyihZfMVRbofhpCKhJpJeBw',
    },
    body: hello,
  },
  {
    verify: 'zendesk',
    title: 'made here',
    route: { secret: key },
    headers: {
      'X-Zendesk-Webhook-Signature': 'xvVOpGEEhTyUJXpoDv4QkTJLYBAHknb+H6h7iVt+b9Y=',
      'X-Zendesk-Webhook-Signature-Timestamp': '2023-11-14T22:13:20Z',
    },
    body: hello,
  },
  {
    verify: 'zendesk',
    title: 'a vector of other receivers, with the key of its tests',
    route: { secret: zendeskTestKey },
    at: Date.parse('2021-03-25T05:09:27Z') / 1000,
    headers: {
      'X-Zendesk-Webhook-Signature': 'S/RDdU2ERmj7LHDDoWJ2onPYH+t7/f2+LTM4dL7UiLM=',
      'X-Zendesk-Webhook-Signature-Timestamp': '2021-03-25T05:09:27Z',
    },
    body: '{"event":"ticket.updated","id":123}',
  },
  {
    verify: 'zendesk',
    title: 'the key of its tests opens no other route',
    route: { secret: key },
    at: Date.parse('2021-03-25T05:09:27Z') / 1000,
    headers: {
      'X-Zendesk-Webhook-Signature': 'S/RDdU2ERmj7LHDDoWJ2onPYH+t7/f2+LTM4dL7UiLM=',
      'X-Zendesk-Webhook-Signature-Timestamp': '2021-03-25T05:09:27Z',
    },
    body: '{"event":"ticket.updated","id":123}',
    status: 401,
  },
  {
    verify: 'intercom',
    title: 'made here',
    route: { secret: key },
    headers: { 'X-Hub-Signature': 'sha1=235670c528618c8492ab0cf5a00c9f2f5b5b30ae' },
    body: hello,
  },
  {
    verify: 'hubspot',
    title: 'the page of HubSpot (v3)',
    route: { secret: 'cfc68c0b-4b4e-4ef8-b764-95350e4ea479', public_url: 'https://webhook.site/335453f5-94b3-49d9-b684-a55354d4b8df' },
    at: 1_752_613_922,
    headers: {
      'X-HubSpot-Request-Timestamp': '1752613922216',
      'X-HubSpot-Signature-v3': 'gbj1XPRvUt0noT7i7fXfTzOD4sLzQmf0VT28ZYq0EYg=',
    },
    body: hubspotBody,
    event: 'contact.creation',
  },
  {
    verify: 'typeform',
    title: 'made here',
    route: { secret: key },
    headers: { 'Typeform-Signature': 'sha256=IG6xJk2CfTvzQVf6ukUiMNLxlz7L/uDbw66rdW1Ob/4=' },
    body: hello,
  },
  {
    verify: 'calendly',
    title: 'made here',
    route: { secret: key },
    headers: { 'Calendly-Webhook-Signature': `t=${ts},v1=aed5ab2fe9ea40ad24ed5c60ee80d81ecb0f161c431c2923ba55f54e8c9e62e5` },
    body: hello,
  },
  {
    verify: 'alertmanager',
    title: 'the scheme in small letters',
    route: { secret: key },
    headers: { Authorization: `bearer ${key}` },
    body: '{"status":"firing"}',
    event: 'firing',
  },
]

/** The status for an event that is accepted. */
const answerOf = (name: string): number => presets.find((each) => each.name === name)?.respond?.status ?? 202

t.test('vectors', async (t) => {
  let now = 0
  const name = ({ verify }: Vector, i: number): string => `${verify}-${i}`
  const gateway = await startGateway(t, {
    now: () => now,
    routes: Object.fromEntries(vectors.map((each, i) => [name(each, i), { verify: each.verify, deliver: 'log', ...each.route }])),
  })
  for (const [i, vector] of vectors.entries()) {
    const { verify, title, at = ts, headers, body, query = '', status = answerOf(verify), event } = vector
    now = at * 1000
    const path = `/webhooks/${name(vector, i)}${query}`
    const answer = await gateway.post('', { sign: false, headers, body, path })
    t.equal(answer.status, status, `${verify}: ${title}`)
    if (event !== undefined) t.equal(lastEnd(gateway).event, event, `${verify}: the event`)
    if (verify !== 'alertmanager')
      t.equal((await gateway.post('', { sign: false, headers, body: `${body} `, path })).status, 401, `${verify}: ${title}, a blank more`)
  }
})

const named = new Map([...schemes, ...presets].map((scheme) => [scheme.name, scheme]))
const signAs = (
  name: string,
  request: { secret: string; body: string; url?: string; contentType?: string; privateKey?: string },
): Signed => {
  const scheme = named.get(name)
  if (!scheme) throw new Error(`there is no scheme ${name}`)
  return scheme.sign({ id: 'msg_1', at: Date.now(), ...request })
}
const lower = ({ headers }: Signed): { [name: string]: string } =>
  Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]))

const pair = (seed: string): { readonly privateKey: string; readonly publicKey: string } => {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.from(seed, 'hex')])
  const made = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(made).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
  return { privateKey: made.export({ type: 'pkcs8', format: 'pem' }).toString(), publicKey }
}
const discordKeys = pair('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60')
const whsec = 'whsec_dGVzdHRlc3R0ZXN0dGVzdHRlc3R0ZXN0dGVzdHRlc3Q='
const stripe = new Stripe('sk_test_none')

t.test('what the code of the vendors signs is taken', async (t) => {
  const now = Math.floor(Date.now() / 1000)
  const gateway = await startGateway(t, {
    routes: {
      sms: { verify: 'twilio', secret: key, public_url: 'https://hooks.example.com/sms?a=b%20c' },
      ...Object.fromEntries(
        ['stripe', 'twilio', 'notion', 'github', 'svix', 'standard_webhooks', 'gitlab'].map((name) => [
          name,
          {
            verify: name === 'gitlab' ? 'standard_webhooks' : name,
            deliver: 'log',
            secret: ['svix', 'standard_webhooks', 'gitlab'].includes(name) ? whsec : key,
            ...(name === 'twilio' ? { public_url: 'https://hooks.example.com/sms' } : {}),
          },
        ]),
      ),
    },
  })
  const status = async (route: string, headers: Headers, body = hello, query = ''): Promise<number> =>
    (await gateway.post(route, { sign: false, headers, body, path: `/webhooks/${route}${query}` })).status
  const header = stripe.webhooks.generateTestHeaderString({ payload: hello, secret: key, timestamp: now })
  t.equal(await status('stripe', { 'Stripe-Signature': header }), 202, 'stripe')
  const old = stripe.webhooks.generateTestHeaderString({ payload: hello, secret: key, timestamp: now - 400 })
  t.equal(await status('stripe', { 'Stripe-Signature': old }), 401, 'stripe, too old')

  const fields = { MessageSid: 'SM1', Body: 'Grüße & more = 100 %', From: '+15550100002', NumMedia: '0', Ärger: '' }
  const signature = twilio.getExpectedTwilioSignature(key, 'https://hooks.example.com/sms?a=b%20c', fields)
  const form = new URLSearchParams(fields).toString()
  const sent = { 'Content-Type': formType, 'X-Twilio-Signature': signature }
  t.equal(await status('sms', sent, form, '?a=b%20c'), 200, 'twilio')
  t.equal(await status('sms', sent, form, '?a=b%20d'), 401, 'twilio, another address')
  const url = `?bodySHA256=${sha256(hello)}`
  const json = { 'X-Twilio-Signature': twilio.getExpectedTwilioSignature(key, `https://hooks.example.com/sms${url}`, {}) }
  t.equal(await status('twilio', json, hello, url), 200, 'twilio, JSON')
  const asForm = { ...json, 'Content-Type': formType }
  t.equal(await status('twilio', asForm, '', url), 401, 'twilio, JSON that is sent again as an empty form')
  t.match(
    await gateway.post('twilio', { sign: false, headers: asForm, body: hello, path: `/webhooks/twilio${url}` }),
    { status: 200 },
    'a content type does not make a form of JSON',
  )

  const notion = await signWebhookPayload({ body: hello, verificationToken: key })
  t.equal(await status('notion', { 'X-Notion-Signature': notion }), 202, 'notion')
  t.equal(await status('github', { 'X-Hub-Signature-256': await octokitSign(key, hello) }), 202, 'github')
  for (const [route, made, prefix] of [
    ['svix', new Svix(whsec), 'svix'],
    ['standard_webhooks', new Webhook(whsec), 'webhook'],
    ['gitlab', new Webhook(whsec), 'webhook'],
  ] as const) {
    const sent = {
      [`${prefix}-id`]: 'msg_1',
      [`${prefix}-timestamp`]: String(now),
      [`${prefix}-signature`]: made.sign('msg_1', new Date(now * 1000), hello),
    }
    t.equal(await status(route, sent), 202, route)
    t.equal(await status(route, sent), 200, `${route} again`)
  }
})

t.test('the code of the vendors takes what "webhook test" signs', async (t) => {
  // The id of the test goes into the body where the sender has it there.
  const charge = signAs('stripe', { secret: key, body: hello })
  t.equal(stripe.webhooks.constructEvent(charge.body, charge.headers['Stripe-Signature'] as string, key).id, 'msg_1', 'stripe')
  const command = signAs('slack', { secret: key, body: slackBody, contentType: formType })
  const slack = lower(command)
  const headers = {
    'x-slack-signature': slack['x-slack-signature'] as string,
    'x-slack-request-timestamp': Number(slack['x-slack-request-timestamp']),
  }
  t.ok(bolt.isValidSlackRequest({ signingSecret: key, body: command.body, headers }), 'slack')
  t.notOk(bolt.isValidSlackRequest({ signingSecret: 'other', body: command.body, headers }), 'slack, another key')

  const url = 'https://hooks.example.com/webhooks/sms'
  const sms = signAs('twilio', { secret: key, body: twilioCall, url, contentType: formType })
  const fields = Object.fromEntries(new URLSearchParams(twilioCall))
  t.ok(twilio.validateRequest(key, sms.headers['X-Twilio-Signature'] as string, url, fields), 'twilio')
  const json = signAs('twilio', { secret: key, body: hello, url })
  t.ok(twilio.validateRequestWithBody(key, json.headers['X-Twilio-Signature'] as string, json.url as string, hello), 'twilio, JSON')

  const app = signAs('discord', { secret: discordKeys.publicKey, privateKey: discordKeys.privateKey, body: hello })
  const discord = lower(app)
  const [signature, time] = [discord['x-signature-ed25519'] as string, discord['x-signature-timestamp'] as string]
  t.ok(await verifyKey(app.body, signature, time, discordKeys.publicKey), 'discord')
  t.notOk(await verifyKey(`${app.body} `, signature, time, discordKeys.publicKey), 'discord, another body')

  const page = signAs('notion', { secret: key, body: hello })
  const notion = lower(page)['x-notion-signature'] as string
  t.ok(await verifyWebhookSignature({ body: page.body, verificationToken: key, signature: notion }), 'notion')
  t.ok(await octokitVerify(key, hello, lower(signAs('github', { secret: key, body: hello }))['x-hub-signature-256'] as string), 'github')
  const linear = signAs('linear', { secret: key, body: '{"action":"create","type":"Issue","webhookTimestamp":1}' })
  const linearSignature = lower(linear)['linear-signature'] as string
  t.ok(new LinearWebhookClient(key).verify(Buffer.from(linear.body), linearSignature), 'linear')
  t.same(new Svix(whsec).verify(hello, lower(signAs('svix', { secret: whsec, body: hello }))), { hello: 'world' }, 'svix')
  const standard = lower(signAs('standard_webhooks', { secret: whsec, body: hello }))
  t.same(new Webhook(whsec).verify(hello, standard), { hello: 'world' }, 'standard_webhooks')
})

t.test('questions before the first event', async (t) => {
  const at = ts * 1000
  const names = ['slack', 'discord', 'intercom', 'bitbucket', 'notion', 'jira', 'shopify', 'buildkite', 'circleci', 'pagerduty']
  const gateway = await startGateway(t, {
    now: () => at,
    routes: Object.fromEntries(
      names.flatMap((name) => {
        const route = { verify: name, deliver: 'log', ...(name === 'discord' ? { public_key: discordKeys.publicKey } : { secret: key }) }
        return [
          [name, route],
          [`${name}-pings`, { ...route, events: ['ping', 'pagey.ping'] }],
        ]
      }),
    ),
  })
  let asked = 0
  const ask = async (name: string, body: string, contentType = 'application/json', changed?: string): Promise<Answer> => {
    const isDiscord = name === 'discord'
    const secret = isDiscord ? discordKeys.publicKey : key
    const privateKey = isDiscord ? { privateKey: discordKeys.privateKey } : {}
    const made = (named.get(name.replace('-pings', '')) as Scheme).sign({
      secret,
      body,
      id: `msg_${++asked}`,
      at,
      contentType,
      ...privateKey,
    })
    const sent = { sign: false, body: changed ?? made.body, headers: { 'Content-Type': contentType, ...made.headers } }
    const answer = await gateway.post(name, sent)
    return answer.text === '' ? { ...answer, json: lastEnd(gateway) } : answer
  }
  t.test('Slack', async (t) => {
    const question = JSON.stringify({
      token: 'x',
      challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
      type: 'url_verification',
    })
    const answer = await ask('slack', question)
    t.equal(answer.status, 200)
    t.equal(answer.text, '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P')
    t.match(answer.headers.get('content-type'), 'text/plain')
    t.equal((await ask('slack', hello, 'application/json', question)).status, 401, 'not signed')
    const checked = await ask('slack', 'ssl_check=1&token=x', formType)
    t.same([checked.status, checked.text], [200, ''], 'the look at the certificate')
    const press = new URLSearchParams({ payload: JSON.stringify({ type: 'block_actions', trigger_id: '1.2.3' }) }).toString()
    t.match(
      (await ask('slack', press, formType)).json,
      { status: 'accepted', event: 'block_actions', delivery_id: /^msg_/ },
      'its trigger_id',
    )
    const command = await ask('slack', 'command=%2Fdeploy&text=url_verification&trigger_id=4.5.6', formType)
    t.match(command.json, { status: 'accepted', event: '/deploy' })
    const mention = await ask('slack', '{"type":"event_callback","event_id":"Ev1","event":{"type":"app_mention"}}')
    t.match(mention.json, { status: 'accepted', event: 'app_mention', delivery_id: `msg_${asked}` }, 'the id is that of the body')
  })
  t.test('Discord', async (t) => {
    const events = await ask('discord', '{"version":1,"application_id":"1","type":0}')
    t.equal(events.status, 204, 'PING of webhook events')
    t.equal(events.headers.get('content-length'), null, 'a 204 says no length')
    t.ok(events.headers.get('content-type'), 'with a type of content, as its page asks for')
    const ping = await ask('discord', '{"id":"1","application_id":"1","type":1,"version":1}')
    t.same([ping.status, ping.json], [200, { type: 1 }], 'PING of interactions')
    t.match(ping.headers.get('content-type'), 'application/json')
    t.equal(
      (await ask('discord', '{"type":2}', 'application/json', '{"type":1}')).status,
      401,
      'a wrong signature, which Discord tries, too',
    )
    const event = '{"version":1,"application_id":"1","type":1,"event":{"type":"ENTITLEMENT_CREATE"}}'
    t.match((await ask('discord', event)).json, { status: 'accepted', event: 'ENTITLEMENT_CREATE' }, 'an event is no PING')
  })
  t.test('Intercom', async (t) => {
    const there = await gateway.post('intercom', { sign: false, method: 'HEAD' })
    t.same([there.status, there.text], [200, ''])
    t.equal((await gateway.post('intercom', { sign: false, method: 'GET' })).status, 405, 'but no GET')
    for (const name of ['jira', 'notion']) t.equal((await gateway.post(name, { sign: false, method: 'HEAD' })).status, 405, `nor ${name}`)
  })
  t.test('pings, which a route may list', async (t) => {
    for (const [name, type, field] of [
      ['intercom', 'ping', 'topic'],
      ['buildkite', 'ping', 'event'],
      ['circleci', 'ping', 'type'],
      ['pagerduty', 'pagey.ping', 'event'],
    ] as const) {
      const body = JSON.stringify({ [field]: name === 'pagerduty' ? { id: '1', event_type: type } : type })
      t.equal((await ask(name, body)).status, 200, name)
      t.equal(lastEnd(gateway).status, 'handshake', name)
      t.equal((await ask(name, body, 'application/json', `${body} `)).status, 401, `${name}, not signed`)
      t.match((await ask(`${name}-pings`, body)).json, { status: 'accepted', event: type }, `${name}, listed`)
    }
  })
  t.test('the look of Slack at a certificate', async (t) => {
    const look = async (body: string, headers: Headers = {}): Promise<readonly [number, string]> => {
      const answer = await gateway.post('slack', { sign: false, body, headers: { 'Content-Type': formType, ...headers } })
      return [answer.status, answer.text]
    }
    t.same(await look('ssl_check=1&token=x'), [200, ''], 'nobody signs it')
    t.same(await look('{"ssl_check":"1"}'), [200, ''], 'as JSON, whatever its content type says')
    t.equal(lastEnd(gateway).status, 'handshake')
    for (const [why, body, headers] of [
      ['a command', 'command=%2Fdeploy&token=x'],
      ['another value', 'ssl_check=2'],
      ['the other question, whose answer is not the same for all', 'type=url_verification&challenge=x'],
      ['another value in JSON', '{"ssl_check":"2"}'],
      ['a long body', `ssl_check=1&token=${'x'.repeat(1_100)}`],
      [
        'a wrong signature',
        'ssl_check=1',
        { 'X-Slack-Request-Timestamp': String(ts), 'X-Slack-Signature': `v0=${hmac('sha256', 'other', `v0:${ts}:ssl_check=1`)}` },
      ],
    ] as const)
      t.equal((await look(body, headers))[0], 401, why)
    const chunked = `POST /webhooks/slack HTTP/1.1\r\nHost: a\r\nContent-Type: ${formType}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nb\r\nssl_check=1\r\n0\r\n\r\n`
    t.match(await gateway.raw(chunked), /^HTTP\/1\.1 401 /, 'of no known length')
    const [status] = await look('ssl_check=1', { 'X-Hub-Signature': 'sha1=00' })
    t.equal(status, 200, 'the header of another sender')
    t.equal(
      (await gateway.post('jira', { sign: false, body: 'ssl_check=1', headers: { 'Content-Type': formType } })).status,
      401,
      'another',
    )
  })
  t.test('the token of Notion again', async (t) => {
    const send = async (content: object, by = key): Promise<unknown> => {
      const body = JSON.stringify(content)
      const headers = { 'X-Notion-Signature': await signWebhookPayload({ body, verificationToken: by }) }
      const { status } = await gateway.post('notion', { sign: false, body, headers })
      return status === 401 ? 401 : lastEnd(gateway).status
    }
    t.equal(await send({ verification_token: key }), 'handshake', 'it is in no event')
    t.equal(await send({ verification_token: 'of-a-stranger' }, 'of-a-stranger'), 401, 'signed by itself')
    t.equal(await send({ id: 'n1', type: 'page.created', verification_token: 'x' }), 'accepted')
  })
  t.test('Bitbucket', async (t) => {
    const ping = { sign: false, headers: { 'X-Event-Key': 'diagnostics:ping' }, body: '{"test":true}' }
    t.equal((await gateway.post('bitbucket', ping)).status, 200)
    t.equal((await gateway.post('jira', ping)).status, 401, 'no other sender')
    t.equal((await gateway.post('bitbucket', { ...ping, headers: { 'X-Event-Key': 'repo:push' } })).status, 401)
  })
})

t.test('what each sender sends has its type and its id', async (t) => {
  const at = ts * 1000
  /** The type; whether the same request again is a duplicate, without the headers that nobody signs. */
  const expected: { readonly [name: string]: readonly [event: string, id: 'signed' | 'header' | 'none'] } = {
    stripe: ['checkout.session.completed', 'signed'],
    slack: ['message', 'signed'],
    // The test's own id stands in it, as in an interaction; a webhook event of Discord has none.
    discord: ['APPLICATION_AUTHORIZED', 'signed'],
    shopify: ['orders/create', 'header'],
    twilio: ['received', 'header'],
    gitea: ['push', 'header'],
    bitbucket: ['pullrequest:created', 'header'],
    jira: ['jira:issue_updated', 'header'],
    sentry: ['issue', 'header'],
    pagerduty: ['incident.triggered', 'signed'],
    grafana: ['firing', 'none'],
    alertmanager: ['firing', 'none'],
    datadog: ['metric_alert_monitor', 'signed'],
    notion: ['page.content_updated', 'signed'],
    vercel: ['deployment.succeeded', 'signed'],
    netlify: ['ready', 'signed'],
    zendesk: ['zen:event-type:ticket.created', 'header'],
    intercom: ['conversation.user.created', 'signed'],
    hubspot: ['contact.propertyChange', 'signed'],
    typeform: ['form_response', 'signed'],
    calendly: ['invitee.created', 'signed'],
  }
  const gateway = await startGateway(t, {
    now: () => at,
    extra: { public_url: 'https://hooks.example.com' },
    routes: Object.fromEntries(
      Object.keys(expected).map((name) => [
        name,
        { verify: name, deliver: 'log', ...(name === 'discord' ? { public_key: discordKeys.publicKey } : { secret: key }) },
      ]),
    ),
  })
  for (const [name, [event, id]] of Object.entries(expected)) {
    t.test(name, async (t) => {
      const preset = presets.find((each) => each.name === name) as (typeof presets)[number]
      const file = new URL(`../../samples/${preset.about.sample}.json`, import.meta.url)
      const sample = parseSample(readFileSync(file, 'utf8'), preset.about.sample)
      const contentType = sample.headers['Content-Type'] as string
      const body = sample.body
      const signed = preset.sign({
        secret: name === 'discord' ? discordKeys.publicKey : key,
        body,
        id: 'msg_1',
        at,
        url: `https://hooks.example.com/webhooks/${name}`,
        contentType,
        ...(name === 'discord' ? { privateKey: discordKeys.privateKey } : {}),
      })
      const kept = Object.fromEntries(Object.entries({ ...sample.headers, ...signed.headers }).filter(([, value]) => value !== '***'))
      const send = async (more: Headers = {}): Promise<Answer> =>
        gateway.post(name, {
          sign: false,
          body: signed.body,
          headers: { ...kept, ...more },
          path: (signed.url ?? `/webhooks/${name}`).replace(/^https?:..[^/]*/, ''),
        })
      await send()
      t.match(lastEnd(gateway), { status: 'accepted', event })
      await send({ 'X-Request-ID': 'another', 'X-GitHub-Delivery': 'another' })
      t.equal(lastEnd(gateway).status, id === 'none' ? 'accepted' : 'duplicate', `the same again: ${id}`)
    })
  }
})

t.test('what an adversary would try', async (t) => {
  const at = ts * 1000
  const names = [
    'stripe',
    'slack',
    'twilio',
    'gitea',
    'pagerduty',
    'netlify',
    'zendesk',
    'hubspot',
    'calendly',
    'intercom',
    'alertmanager',
    'typeform',
  ]
  const gateway = await startGateway(t, {
    now: () => at,
    extra: { public_url: 'https://hooks.example.com' },
    routes: Object.fromEntries(names.map((name) => [name, { verify: name, deliver: 'log', secret: key }])),
  })
  const status = async (name: string, headers: Headers, body = hello, query = ''): Promise<number> =>
    (await gateway.post(name, { sign: false, headers, body, path: `/webhooks/${name}${query}` })).status
  const raw = async (name: string, lines: readonly string[], body = hello): Promise<string> => {
    const head = [`POST /webhooks/${name} HTTP/1.1`, 'Host: x', 'Connection: close', ...lines, `Content-Length: ${Buffer.byteLength(body)}`]
    return (await gateway.raw(`${head.join('\r\n')}\r\n\r\n${body}`)).slice(9, 12)
  }

  t.test('a part of the signed text that is missing is no empty text', async (t) => {
    t.equal(await status('slack', { 'X-Slack-Signature': `v0=${hmac('sha256', key, `v0::${hello}`)}` }), 401, 'slack')
    t.equal(
      await status('slack', { 'X-Slack-Request-Timestamp': '', 'X-Slack-Signature': `v0=${hmac('sha256', key, `v0::${hello}`)}` }),
      401,
    )
    t.equal(await status('stripe', { 'Stripe-Signature': `v1=${hmac('sha256', key, `.${hello}`)}` }), 401, 'stripe')
    t.equal(await status('stripe', { 'Stripe-Signature': `t=,v1=${hmac('sha256', key, `.${hello}`)}` }), 401)
    t.equal(await status('calendly', { 'Calendly-Webhook-Signature': `v1=${hmac('sha256', key, `.${hello}`)}` }), 401, 'calendly')
    t.equal(await status('zendesk', { 'X-Zendesk-Webhook-Signature': hmac('sha256', key, hello, 'base64') }), 401, 'zendesk')
    const v3 = hmac('sha256', key, `POSThttps://hooks.example.com/webhooks/hubspot${hello}`, 'base64')
    t.equal(await status('hubspot', { 'X-HubSpot-Signature-v3': v3 }), 401, 'hubspot')
    const empty = hmac('sha256', key, '')
    t.equal(await status('gitea', { 'Content-Type': formType, 'X-Gitea-Signature': empty }, 'a=b'), 401, 'a form of gitea without payload')
    const url = hmac('sha1', key, 'https://hooks.example.com/webhooks/twilio', 'base64')
    t.equal(await status('twilio', { 'X-Twilio-Signature': url }), 401, 'JSON of twilio without the digest')
    t.equal(await status('twilio', { 'X-Twilio-Signature': url, 'Content-Type': 'text/plain' }), 401)
  })

  t.test('an empty signature, as Gitea without a secret sends it', async (t) => {
    t.equal(await status('gitea', { 'X-Gitea-Signature': '', 'X-Hub-Signature': 'sha1=', 'X-Hub-Signature-256': 'sha256=' }), 401)
    t.equal(await status('intercom', { 'X-Hub-Signature': 'sha1=' }), 401)
    t.equal(await status('alertmanager', { Authorization: 'Bearer ' }), 401)
  })

  t.test('another algorithm, or the form of another sender', async (t) => {
    t.equal(await status('intercom', { 'X-Hub-Signature': `sha256=${hmac('sha256', key, hello)}` }), 401)
    t.equal(await status('typeform', { 'Typeform-Signature': `sha256=${hmac('sha256', key, hello)}` }), 401, 'hex in the place of base64')
    t.equal(await status('pagerduty', { 'X-PagerDuty-Signature': `v0=${hmac('sha256', key, hello)}` }), 401)
    t.equal(
      await status('hubspot', { 'X-HubSpot-Signature': sha256(`${key}${hello}`), 'X-HubSpot-Signature-Version': 'v1' }),
      401,
      'v1 is no HMAC',
    )
    t.equal(await status('alertmanager', { Authorization: `Basic ${key}` }), 401)
    t.equal(await status('alertmanager', { Authorization: key }), 401)
  })

  t.test('tokens of Netlify', async (t) => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const token = (header: object, claims: object, by = key): string => {
      const text = `${part(header)}.${part(claims)}`
      return `${text}.${createHmac('sha256', by).update(text).digest('base64url')}`
    }
    const [header, claims] = [
      { alg: 'HS256', typ: 'JWT' },
      { iss: 'netlify', sha256: sha256(hello) },
    ]
    const sent = (value: string): Promise<number> => status('netlify', { 'X-Webhook-Signature': value })
    t.equal(await sent(token({ ...header, alg: 'none' }, claims)), 401)
    t.equal(await sent(`${part({ alg: 'none' })}.${part(claims)}.`), 401)
    t.equal(await sent(token({ ...header, alg: 'HS512' }, claims)), 401)
    t.equal(await sent(token(header, { ...claims, iss: 'somebody' })), 401)
    t.equal(await sent(token(header, { sha256: claims.sha256 })), 401)
    t.equal(await sent(token(header, { iss: 'netlify' })), 401, 'no digest of a body')
    t.equal(await sent(token(header, { ...claims, sha256: sha256('{}') })), 401, 'the token of another body')
    t.equal(await sent(token(header, claims, 'other')), 401)
    t.equal(await sent(`Bearer ${token(header, claims)}`), 401)
    t.equal(await sent(token(header, claims)), 202)
  })

  t.test('what is signed of a form', async (t) => {
    const sign = (url: string, fields: string): Headers => ({
      'Content-Type': formType,
      'X-Twilio-Signature': hmac('sha1', key, `https://hooks.example.com/webhooks/twilio${url}${fields}`, 'base64'),
    })
    t.equal(await status('twilio', sign('', 'From1'), 'From=1'), 200)
    t.equal(await status('twilio', sign('', 'From1'), 'From=1&Body=x'), 401, 'a field more')
    t.equal(await status('twilio', { ...sign('', 'From1'), 'Content-Type': 'application/json' }, '{"From":"1"}'), 401, 'as JSON')
    t.equal(
      await status('twilio', sign(`?bodySHA256=${sha256('From=1')}`, ''), 'From=1', `?bodySHA256=${sha256('From=1')}`),
      401,
      'by the digest only',
    )
    const gitea = { 'Content-Type': formType, 'X-Gitea-Signature': hmac('sha256', key, hello) }
    const payload = new URLSearchParams({ payload: '{"other":1}' }).toString()
    t.equal(await status('gitea', gitea, `${payload}&payload=${encodeURIComponent(hello)}`), 401, 'the first payload counts on both sides')
    t.equal(await status('gitea', { ...gitea, 'Content-Type': 'application/json' }, `payload=${encodeURIComponent(hello)}`), 401)
  })

  t.test('headers that stand twice', async (t) => {
    const good = hmac('sha256', key, hello)
    const wrong = hmac('sha256', 'other', hello)
    t.equal(await raw('gitea', [`X-Gitea-Signature: ${wrong}`, `X-Gitea-Signature: ${good}`]), '401')
    t.equal(await raw('gitea', [`X-Gitea-Signature: ${good}`, `X-Gitea-Signature: ${good}`]), '401')
    t.equal(
      await raw('typeform', ['Typeform-Signature: sha256=x', `Typeform-Signature: sha256=${hmac('sha256', key, hello, 'base64')}`]),
      '401',
    )
    // Two secrets are in use while one takes the other's place: any of the signatures may hold.
    t.equal(await raw('pagerduty', [`X-PagerDuty-Signature: v1=${wrong},v1=${good}`]), '202')
    t.equal(await raw('pagerduty', [`X-PagerDuty-Signature: v1=${wrong},v1=${wrong}`]), '401')
    const stripe = (time: number): string => `v1=${hmac('sha256', key, `${time}.${hello}`)}`
    t.equal(await raw('stripe', [`Stripe-Signature: t=${ts},${stripe(ts)},v0=00`]), '202')
    t.equal(await raw('stripe', [`Stripe-Signature: t=${ts - 4_000},${stripe(ts - 4_000)},t=${ts}`]), '401', 'two times')
    t.equal(await raw('stripe', [`Stripe-Signature: t=${ts}`, `Stripe-Signature: t=${ts - 4_000},${stripe(ts - 4_000)}`]), '401')
    const slack = `X-Slack-Signature: v0=${hmac('sha256', key, `v0:${ts}:${hello}`)}`
    t.equal(await raw('slack', [slack, `X-Slack-Request-Timestamp: ${ts}`, `X-Slack-Request-Timestamp: ${ts}`]), '401')
    t.equal(await raw('alertmanager', [`Authorization: Bearer ${key}`, 'Authorization: Bearer wrong']), '401', 'Node keeps the first only')
  })

  t.test('windows', async (t) => {
    const calendly = (time: number): Promise<number> =>
      status('calendly', { 'Calendly-Webhook-Signature': `t=${time},v1=${hmac('sha256', key, `${time}.${hello}`)}` })
    t.equal(await calendly(ts - 181), 401)
    t.equal(await calendly(ts + 181), 401)
    t.equal(await calendly(ts - 180), 202)
    const zendesk = (time: string): Promise<number> =>
      status('zendesk', {
        'X-Zendesk-Webhook-Signature': hmac('sha256', key, `${time}${hello}`, 'base64'),
        'X-Zendesk-Webhook-Signature-Timestamp': time,
      })
    t.equal(await zendesk('2023-11-14T22:08:19Z'), 401)
    t.equal(await zendesk('2023-11-14T22:08:20Z'), 202)
    t.equal(await zendesk('1700000000'), 401, 'seconds are none of its')
    const hubspot = (time: number): Promise<number> =>
      status('hubspot', {
        'X-HubSpot-Signature-v3': hmac('sha256', key, `POSThttps://hooks.example.com/webhooks/hubspot${hello}${time}`, 'base64'),
        'X-HubSpot-Request-Timestamp': String(time),
      })
    t.equal(await hubspot(at - 301_000), 401)
    t.equal(await hubspot(ts), 401, 'seconds are none of its')
    t.equal(await hubspot(at - 299_000), 202)
  })

  t.test('what Twilio and Discord sign is the text of one route', async (t) => {
    const signature = hmac('sha1', key, 'https://hooks.example.com/webhooks/otherFrom1', 'base64')
    t.equal(await status('twilio', { 'Content-Type': formType, 'X-Twilio-Signature': signature }, 'From=1'), 401)
    const other = pair('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb')
    const made = signBytes(null, Buffer.from(`${ts}${hello}`), other.privateKey).toString('hex')
    t.notOk(await verifyKey(hello, made, String(ts), discordKeys.publicKey))
  })
})

t.test('a header that nobody signs names no type where the body does', async (t) => {
  const gateway = await startGateway(t, {
    routes: { netlify: { verify: 'netlify', secret: key, deliver: 'log' }, notion: { verify: 'notion', secret: key, deliver: 'log' } },
  })
  const disguise = { 'X-GitHub-Event': 'push', 'X-Gitlab-Event': 'Push Hook', 'X-Gitea-Event': 'push', 'X-Netlify-Event': 'deploy_created' }
  for (const [name, body, event] of [
    ['netlify', '{"state":"error"}', 'error'],
    ['netlify', '{"form":"contact"}', 'unknown'],
    ['notion', '{"entity":"x"}', 'unknown'],
  ] as const) {
    const made = signAs(name, { secret: key, body })
    const answer = await gateway.post(name, { sign: false, body: made.body, headers: { ...made.headers, ...disguise } })
    t.match(answer.json, { status: 'accepted', event }, `${name}: ${body}`)
  }
})

t.test('the token of Notion, which comes before the route can have it', async (t) => {
  const token = { verify: { algorithm: 'token', signature: { query: 'begin' } }, secret: key, deliver: 'log' }
  const gateway = await startGateway(t, { routes: { before: token, after: { verify: 'notion', secret: notionKey, deliver: 'log' } } })
  const body = JSON.stringify({ verification_token: notionKey })
  const post = async (path: string, headers: Headers = {}, sent = body): Promise<number> =>
    (await gateway.post('', { sign: false, body: sent, headers, path: `/webhooks/${path}` })).status
  t.equal(await post('before'), 401, 'not for everybody')
  t.equal(await post(`before?begin=${key}`), 202)
  t.equal(await post(`after?begin=${key}`), 401, 'afterwards the word in the address opens nothing')
  const signature = await signWebhookPayload({ body: hello, verificationToken: notionKey })
  t.equal(await post(`after?begin=${key}`, { 'X-Notion-Signature': signature }, hello), 202)
})

t.test('a route of each preset starts as it is proposed', async (t) => {
  const keyOf = (keys: string | undefined): object =>
    keys === 'public' ? { public_key: discordKeys.publicKey } : keys === 'none' ? {} : { secret: key }
  for (const { name, keys, about } of presets.filter(({ keys }) => keys !== 'public')) {
    const route = { verify: name, ...keyOf(keys), ...(parse(about.route) as object) }
    const gateway = await startGateway(t, { routes: { [name]: route } })
    t.same(
      gateway.lines.filter(({ level }) => level === 'error'),
      [],
      name,
    )
    await gateway.stop(0)
  }
})

t.test('Grafana with a time, and without one', async (t) => {
  let at = ts * 1000
  const gateway = await startGateway(t, {
    now: () => at,
    routes: Object.fromEntries(['grafana', 'grafana_timestamp'].map((name) => [name, { verify: name, secret: key, deliver: 'log' }])),
  })
  const alert = '{"status":"firing"}'
  const [plain, timed] = [hmac('sha256', key, alert), hmac('sha256', key, `${ts}:${alert}`)]
  const status = async (name: string, signature: string, time?: string, body = alert): Promise<number> => {
    const headers = { 'X-Grafana-Alerting-Signature': signature, ...(time === undefined ? {} : { 'X-Grafana-Alerting-Timestamp': time }) }
    return (await gateway.post(name, { sign: false, body, headers })).status
  }
  t.equal(await status('grafana', plain), 202)
  t.equal(await status('grafana', plain), 202, 'the same alert again')
  t.equal(await status('grafana', timed, String(ts)), 401, 'what a contact point with a Timestamp Header signs')
  t.equal(await status('grafana', timed, undefined, `${ts}:${alert}`), 401, 'nor is that text a body')
  t.equal(await status('grafana_timestamp', timed, String(ts)), 202)
  t.equal(await status('grafana_timestamp', timed, String(ts)), 200, 'a repeat')
  t.equal(await status('grafana_timestamp', timed.toUpperCase(), String(ts)), 200, 'in other letters')
  for (const time of [undefined, '', String(ts + 1), `0${ts}`]) t.equal(await status('grafana_timestamp', timed, time), 401, `time ${time}`)
  t.equal(await status('grafana_timestamp', plain), 401, 'nobody can leave the time out')
  t.equal(await status('grafana_timestamp', plain, ''), 401)
  at += 60_000
  t.equal(await status('grafana_timestamp', hmac('sha256', key, `${ts + 60}:${alert}`), String(ts + 60)), 202, 'the same alert later')
  at += 300_000
  t.equal(await status('grafana_timestamp', timed, String(ts)), 401)
})

t.test('what a sender wants for an event, unless the route says it', async (t) => {
  const names = ['twilio', 'slack', 'discord', 'zoom']
  // A key that answers questions serves nobody else.
  const keyOf = (name: string): string => (name === 'zoom' ? 'of-zoom-alone' : key)
  const gateway = await startGateway(t, {
    now: () => ts * 1000,
    routes: Object.fromEntries(
      names.flatMap((verify) => {
        const route = {
          verify,
          deliver: 'log',
          ...(verify === 'discord' ? { public_key: discordKeys.publicKey } : { secret: keyOf(verify) }),
        }
        const respond = { status: 201, body: '{"type":5}', content_type: 'application/json' }
        return [
          [verify, { ...route, public_url: 'https://a.example.com/' }],
          [`${verify}-own`, { ...route, public_url: 'https://a.example.com/', respond }],
        ]
      }),
    ),
  })
  const answers: { readonly [name: string]: readonly unknown[] } = {
    twilio: [200, 'text/xml', '<Response/>'],
    slack: [200, 'text/plain; charset=utf-8', ''],
    discord: [204, 'text/plain; charset=utf-8', ''],
    zoom: [200, 'text/plain; charset=utf-8', ''],
  }
  for (const name of names)
    for (const route of [name, `${name}-own`]) {
      const body = name === 'twilio' ? 'From=1' : '{"type":"a"}'
      const contentType = name === 'twilio' ? formType : 'application/json'
      const secret = name === 'discord' ? discordKeys.publicKey : keyOf(name)
      const { privateKey } = discordKeys
      const url = 'https://a.example.com/'
      const made = (named.get(name) as Scheme).sign({ secret, body, id: route, at: ts * 1000, url, contentType, privateKey })
      const { headers, status, text } = await gateway.post(route, {
        sign: false,
        body: made.body,
        headers: { 'Content-Type': contentType, ...made.headers },
      })
      t.same([status, headers.get('content-type'), text], route === name ? answers[name] : [201, 'application/json', '{"type":5}'], route)
    }
})
