/** Known ways to make another request of a captured one, over a real socket: each is refused, or is the captured event once more. */

import { createHash, createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { presets, schemes } from '../../src/parts/schemes/index.ts'
import type { Scheme } from '../../src/parts/schemes/scheme.ts'
import { certificateOf } from '../fakes/certificate.ts'
import { type GatewayOptions, startGateway, type TestGateway } from '../fakes/gateway.ts'

type Headers = { readonly [name: string]: string }
/** Its body is sent in UTF-8, its headers and target as they are. `at`: when it comes, milliseconds. */
type Sent = { readonly route: string; readonly target: string; readonly headers: Headers; readonly body: string; readonly at: number }
/** What a sender posts, which is taken, and what is made of it, which is not. */
type Forgery = { readonly title: string; readonly genuine: readonly Sent[]; readonly forged: readonly Sent[]; readonly ends: RegExp }

const refused = /^40[01]$/
const repeated = /^(?:40[01]|duplicate)$/

const secret = 'vT7nQ2xLr9Zp4kWc8YbE3mHs'
const present = 1_750_000_000_000
const seconds = String(present / 1000)
const form = 'application/x-www-form-urlencoded'
const json = 'application/json'
const origin = 'https://hooks.example.com'

const hmac = (text: string, encoding: 'hex' | 'base64' | 'base64url' = 'hex'): string =>
  createHmac('sha256', secret).update(text).digest(encoding)
const scheme = (name: string): Scheme => [...presets, ...schemes].find((each) => each.name === name) as Scheme

const pair = generateKeyPairSync('ed25519')
const public_key = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

type Asked = { readonly route?: string; readonly type?: string; readonly query?: string; readonly id?: string; readonly from?: string }

/** What a sender posts. */
const signed = (name: string, body: string, { route = name, type = json, query = '', id = 'evt_1', from = origin }: Asked = {}): Sent => {
  const url = `${from}/webhooks/${route}${query}`
  const made = scheme(name).sign({ secret, body, id, at: present, url, contentType: type, privateKey })
  const target = (made.url ?? url).slice(from.length)
  return { route, target, headers: { ...made.headers, 'Content-Type': type }, body: made.body, at: present }
}

/** The same request, but for what is changed. */
const as = (sent: Sent, { headers = {}, ...changed }: Partial<Sent>): Sent => ({
  ...sent,
  ...changed,
  headers: { ...sent.headers, ...headers },
})
const called = (sent: Sent, type: string): Sent => as(sent, { headers: { 'Content-Type': type } })
/** A signature over a text, as GitHub and the generic V1 send theirs. */
const asBody = (text: string, digest = hmac(text)): readonly Sent[] => {
  const to = (route: string, name: string, value: string): Sent => ({
    route,
    target: `/webhooks/${route}`,
    headers: { [name]: value, 'X-Request-ID': 'forged', 'Content-Type': form },
    body: text,
    at: present,
  })
  const made = [to('any', 'X-Webhook-Signature', digest), to('github', 'X-Hub-Signature-256', `sha256=${digest}`)]
  return made.flatMap((sent) => [sent, called(sent, json)])
}

const evil = encodeURIComponent('{"ref":"FORGED"}')
/** An event with a title, which a stranger wrote. */
const titled = `{"id":"evt_1","event_id":"evt_1","type":"invoice.paid","title":"&payload=${evil}&x="}`

const push = '{"ref":"refs/heads/main","pusher":{"login":"robin"}}'
const around = ['', ' ', '\ufeff'].map((start) => `${start}{"ref":"FORGED","x":"&payload=${encodeURIComponent(push)}&y="}`)
const gitea = signed('gitea', push)
const giteaForm = signed('gitea', `payload=${encodeURIComponent(push)}`, { type: form, id: 'evt_2' })
const v2Number = signed('v2', '17', { route: 'any', id: 'evt_3' })
const v2Text = signed('v2', `"a&payload=${evil}&b="`, { route: 'any' })

const contents: readonly Forgery[] = [
  {
    title: 'Gitea: other JSON around what was signed',
    genuine: [gitea, giteaForm],
    forged: [...around, `["&payload=${encodeURIComponent(push)}&y="]`].flatMap((body) => [
      as(giteaForm, { body }),
      called(as(gitea, { body }), form),
    ]),
    ends: refused,
  },
  {
    title: 'V2: a number, with its time in front of it as another number of V1',
    genuine: [v2Number],
    forged: [{ ...v2Number, headers: { 'X-Webhook-Signature': hmac(`${seconds}.17`), 'Content-Type': json }, body: `${seconds}.17` }],
    ends: refused,
  },
  {
    title: 'V2: a number, with its time in front of it as the field of a Gitea form',
    genuine: [v2Number],
    forged: [as(giteaForm, { headers: { 'X-Gitea-Signature': hmac(`${seconds}.17`) }, body: `payload=${seconds}.17` })],
    ends: refused,
  },
  { title: 'V2: a text in JSON, read as a form', genuine: [v2Text], forged: [called(v2Text, form)], ends: /duplicate/ },
]

const message = (text: string, query = ''): Sent =>
  signed('twilio', new URLSearchParams({ AccountSid: 'AC1', Body: text, From: '+15550100002', SmsStatus: 'received' }).toString(), {
    type: form,
    query,
  })
const [brace, inner, hello] = [message('"}{"From":"evil","x":"'), message('payload{"From":"evil"}~'), message('hello')]
/** The fields behind the text of the message. */
const rest = 'From%2B15550100002SmsStatusreceived'
const digested = signed('twilio', '{"From":"+15550100002"}')

const fields: readonly Forgery[] = [
  {
    title: 'Twilio: a form that is JSON, with the same names and values in a row',
    genuine: [brace],
    forged: [as(brace, { body: `{"From":"evil","x":"${rest}&AccountSidAC1Body"}` })],
    ends: refused,
  },
  {
    title: 'Twilio: a field called payload, from within a text',
    genuine: [inner],
    forged: [as(inner, { body: `AccountSidAC1Body&payload=${encodeURIComponent('{"From":"evil"}')}&~${rest}` })],
    ends: refused,
  },
  {
    title: 'Twilio: the first fields in the address',
    genuine: [hello],
    forged: [as(hello, { target: '/webhooks/twilio?AccountSidAC1', body: hello.body.replace('AccountSid=AC1&', '') })],
    ends: refused,
  },
  {
    title: 'Twilio: the digest of JSON, which stands in the address, as a form',
    genuine: [digested],
    forged: [called(as(digested, { target: '/webhooks/twilio', body: encodeURIComponent(digested.target.replace(/.*(?=\?)/, '')) }), form)],
    ends: refused,
  },
]

const inQuery = (name: string): Forgery => {
  const sent = signed(name, titled)
  const cuts = [3, sent.body.indexOf('&payload')]
  return {
    title: `${name}: the body in the query, and the query in the body`,
    genuine: [sent],
    forged: [
      ...cuts.map((at) => called(as(sent, { target: `${sent.target}?${sent.body.slice(0, at)}`, body: sent.body.slice(at) }), form)),
    ],
    ends: refused,
  }
}

/** Whose signatures are of a text that is no body: a time in front of it, an address, the claims of a token. */
const texts: readonly (readonly [name: string, text: (sent: Sent) => string])[] = [
  ['v2', ({ body }) => `${seconds}.${body}`],
  ['standard_webhooks', ({ body }) => `evt_1.${seconds}.${body}`],
  ['svix', ({ body }) => `evt_1.${seconds}.${body}`],
  ['stripe', ({ body }) => `${seconds}.${body}`],
  ['slack', ({ body }) => `v0:${seconds}:${body}`],
  ['zendesk', ({ body }) => `${new Date(present).toISOString()}${body}`],
  ['square', ({ body }) => `${origin}/webhooks/square${body}`],
  ['hubspot', ({ body }) => `POST${origin}/webhooks/hubspot${body}${present}`],
  ['netlify', ({ headers }) => headers['X-Webhook-Signature']?.replace(/\.[^.]*$/, '') ?? ''],
  ['mailgun', () => `${seconds}evt_1`],
]
const mail = '{"signature":{"timestamp":"1","token":"1","signature":"1"},"event-data":{"event":"delivered"}}'

const redressed = texts.map(([name, textOf]): Forgery => {
  const sent = signed(name, name === 'mailgun' ? mail : titled, schemes.some((each) => each.name === name) ? { route: 'any' } : {})
  return { title: `${name}: what it signed as a body of GitHub and V1`, genuine: [sent], forged: asBody(textOf(sent)), ends: refused }
})

const digits = '123e0b5477167110d68991efc6b9f89f0a11066af27834600e'
const delivered = signed('mailgun', mail, { id: digits })
const slackForm = (value: object): Sent => {
  const body = `payload=${encodeURIComponent(JSON.stringify(value))}`
  const headers = { 'X-Slack-Request-Timestamp': seconds, 'X-Slack-Signature': `v0=${hmac(`v0:${seconds}:${body}`)}`, 'Content-Type': form }
  return { route: 'slack', target: '/webhooks/slack', headers, body, at: present }
}
const charged = signed('stripe', titled)
/** Mailgun signs its time and its token in a row: here the token is what Stripe signed behind the time. */
const asMailgun: Sent = {
  route: 'mailgun',
  target: '/webhooks/mailgun',
  headers: { 'Content-Type': json },
  body: JSON.stringify({
    signature: { timestamp: seconds, token: `.${charged.body}`, signature: hmac(`${seconds}.${charged.body}`) },
    'event-data': { event: 'failed' },
  }),
  at: present,
}
/** Calendly, too, signs a time, a dot and its body. */
const decimal = signed('v2', '123.456', { route: 'any', id: 'evt_5' })
const asCalendly: Sent = {
  route: 'calendly',
  target: '/webhooks/calendly',
  headers: { 'Calendly-Webhook-Signature': `t=${seconds}.123,v1=${hmac(`${seconds}.123.456`)}`, 'Content-Type': json },
  body: '456',
  at: present,
}
/** Tokens of Mailgun are hexadecimal, and most begin with a digit. */
const tokens = ['5516989a10ffd681426f00cb33a8a58f8ce917c8e01a7361d3', '54321098765432109876543210987654321098765432109876']
const mailed = tokens.map((token) => signed('mailgun', mail, { id: token }))
const closed = slackForm({ type: 'view_closed', user: { id: 'U1' } })
const authorized = ((): Sent => {
  const body =
    '{"version":1,"type":1,"event":{"type":"APPLICATION_AUTHORIZED","timestamp":"2026-05-20T14:25:28Z","data":{"user":{"id":"1"}}}}'
  const signature = signBytes(null, Buffer.from(`${seconds}${body}`), pair.privateKey).toString('hex')
  const headers = { 'X-Signature-Timestamp': seconds, 'X-Signature-Ed25519': signature, 'Content-Type': json }
  return { route: 'discord', target: '/webhooks/discord', headers, body, at: present }
})()
const paid = signed('stripe', titled, { route: 'shop' })
const renamed = (sent: Sent): readonly Sent[] => [sent, as(sent, { headers: { 'X-Request-ID': 'new', 'X-GitHub-Delivery': 'new' } })]

const ids: readonly Forgery[] = [
  {
    title: 'Mailgun: the first digits of the token as milliseconds of the time',
    genuine: [delivered],
    forged: [as(delivered, { body: delivered.body.replace(`"${seconds}"`, `"${seconds}123"`).replace(digits, digits.slice(3)) })],
    ends: repeated,
  },
  { title: 'Slack: an interaction without an id', genuine: [closed], forged: renamed(closed), ends: repeated },
  { title: 'Discord: an event without an id', genuine: [authorized], forged: renamed(authorized), ends: repeated },
  {
    title: 'Stripe: an id in a header of another sender that the route takes',
    genuine: [paid],
    forged: [as(paid, { headers: { 'X-Shopify-Webhook-Id': 'new' } })],
    ends: repeated,
  },
]

/** A token for a body, with times that the test chooses. */
const tokened = (claims: object, id: string): Sent => {
  const body = JSON.stringify({ id, state: 'ready' })
  const parts = [{ alg: 'HS256' }, { iss: 'netlify', sha256: createHash('sha256').update(body).digest('hex'), ...claims }]
  const input = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const headers = { 'X-Webhook-Signature': `${input}.${hmac(input, 'base64url')}`, 'Content-Type': json }
  return { route: 'netlify', target: '/webhooks/netlify', headers, body, at: present }
}
const now = present / 1000

const times: readonly Forgery[] = [
  {
    title: 'a token whose times are over, or to come',
    genuine: [tokened({ exp: now + 60 }, '1')],
    forged: [{ exp: now - 3_600 }, { iat: now - 3_600 }, { nbf: now + 3_600 }].map((claims) => tokened(claims, '2')),
    ends: refused,
  },
  {
    title: 'a token whose times are texts',
    genuine: [],
    forged: [{ exp: `${now - 3_600}` }, { iat: `${now - 3_600}` }, { nbf: `${now + 3_600}` }, { exp: [now - 3_600] }].map((claims) =>
      tokened(claims, '3'),
    ),
    ends: refused,
  },
]

/** How a request ends: `accepted`, `duplicate` and so on, or the status of a refusal. */
const ending = async (gateway: TestGateway, { route, target, headers, body }: Sent): Promise<string> => {
  const lines = Object.entries({ Host: 'hooks.example.com', ...headers }).map((each) => each.join(': '))
  const head = [`POST ${target} HTTP/1.1`, 'Connection: close', ...lines, `Content-Length: ${Buffer.byteLength(body)}`]
  const answer = await gateway.raw(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]))
  const status = answer.slice(9, 12)
  if (status >= '300') return status
  return String(gateway.lines.findLast((line) => line.route === route && line.stage !== undefined)?.outcome)
}

const named = ['calendly', 'gitea', 'twilio', 'square', 'hubspot', 'stripe', 'slack', 'zendesk', 'netlify', 'mailgun', 'github']
const routes = {
  ...Object.fromEntries(named.map((name) => [name, { verify: name, secret, deliver: 'log' }])),
  discord: { verify: 'discord', public_key, deliver: 'log' },
  shop: { verify: ['shopify', 'stripe'], secret, deliver: 'log' },
  any: { secret, deliver: 'log' },
}

const start = async (t: Test, more: GatewayOptions = {}) => {
  let time = present
  const gateway = await startGateway(t, { routes, now: () => time, extra: { public_url: origin }, ...more })
  return async (sent: Sent): Promise<string> => {
    time = sent.at
    return ending(gateway, sent)
  }
}

const tryAll = async (t: Test, forgeries: readonly Forgery[]): Promise<void> => {
  for (const { title, genuine, forged, ends } of forgeries) {
    await t.test(title, async (t) => {
      const end = await start(t)
      for (const sent of genuine) t.equal(await end(sent), 'accepted', 'what the sender posts')
      for (const [i, sent] of forged.entries()) t.match(await end(sent), ends, `forgery ${i + 1}, posted to ${sent.route}`)
    })
  }
}

t.test('another body, or another reading of it', (t) => tryAll(t, contents))
t.test('fields without their boundaries', (t) => tryAll(t, fields))
t.test('an address that ends elsewhere', (t) => tryAll(t, ['square', 'hubspot'].map(inQuery)))
t.test('an address that the Host and the body make together', async (t) => {
  const end = await start(t, { extra: {} })
  const body = titled.replace('&payload', '/webhooks/square?&payload')
  const sent = signed('square', body, { from: 'http://hooks.example.com' })
  t.equal(await end(sent), 'accepted')
  const at = body.indexOf('/webhooks')
  const host = `hooks.example.com/webhooks/square${body.slice(0, at)}`
  const forged = as(sent, {
    target: '/webhooks/square?',
    headers: { Host: host, 'Content-Type': form },
    body: body.slice(at + '/webhooks/square?'.length),
  })
  t.match(await end(forged), refused)
})
t.test('a signature of another scheme with the same key', (t) => tryAll(t, redressed))
t.test('a signature of Stripe for Mailgun', (t) =>
  tryAll(t, [{ title: 'its body as the token', genuine: [charged], forged: [asMailgun], ends: refused }]),
)
t.test('a decimal of V2 as a time of Calendly', (t) =>
  tryAll(t, [{ title: 'its first part in the time', genuine: [decimal], forged: [asCalendly], ends: refused }]),
)
t.test('a time and a token of Mailgun as a form, or a number', (t) =>
  tryAll(t, [
    {
      title: 'of GitHub and V1',
      genuine: mailed,
      forged: tokens.flatMap((token) => asBody(`${seconds}${token}`)),
      ends: refused,
    },
  ]),
)
t.test('the same event under another id', (t) => tryAll(t, ids))
t.test('times', (t) => tryAll(t, times))

t.test('a key that answers questions serves no other route, so that no answer is a signature of an event', async (t) => {
  for (const verify of ['x', 'zoom'])
    await t.rejects(startGateway(t, { routes: { ...routes, asks: { verify, secret } } }), /answers questions/, verify)
})

t.test('two ids are two events', async (t) => {
  const end = await start(t)
  for (const [first, second] of [
    ['漢'.repeat(201), '丢'.repeat(201)],
    ['漢'.repeat(201), 'Ģ'.repeat(201)],
    [`${'a'.repeat(201)}漢`, `${'a'.repeat(201)}丢`],
    [`${'a'.repeat(201)}1`, `${'a'.repeat(201)}2`],
  ] as const) {
    const [one, two] = [first, second].map((id) =>
      signed('stripe', `{"type":"a","n":"${first.at(-1)}${second.at(-1)}"}`, { id: id + first + second }),
    )
    t.equal(await end(one as Sent), 'accepted')
    t.equal(await end(two as Sent), 'accepted', `${first.slice(-3)} and ${second.slice(-3)}`)
    t.equal(await end(two as Sent), 'duplicate', 'and the same one again is a repeat')
  }
})

t.test('Amazon SNS: the fields that it signs are texts, or are not there', async (t) => {
  const { key, pem } = certificateOf('sender.example.com')
  /** A minute on, so that the certificate is valid. */
  const present = Date.now() + 60_000
  const topic = 'arn:aws:sns:us-west-2:123456789012:MyTopic'
  const message = (fields: { readonly [name: string]: string }) => {
    const signed = { Message: '5', TopicArn: topic, Timestamp: new Date(present).toISOString(), Type: 'Notification', ...fields }
    const names = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const
    const lines = names.flatMap((name) => (name in signed ? [`${name}\n${(signed as { [name: string]: string })[name]}\n`] : []))
    return {
      ...signed,
      SigningCertURL: 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-1.pem',
      Signature: signBytes('sha256', Buffer.from(lines.join('')), key).toString('base64'),
    }
  }
  const end = await start(t, {
    routes: {
      aws_sns: { verify: 'aws_sns', secret: topic, deliver: 'log' },
      both: { verify: ['meta', 'aws_sns'], secret: topic, deliver: 'log' },
    },
    download: async () => Buffer.from(pem),
  })
  const sent = (body: object, route = 'aws_sns'): Sent => ({
    route,
    target: `/webhooks/${route}`,
    headers: { 'Content-Type': 'text/plain; charset=UTF-8' },
    body: JSON.stringify(body),
    at: present,
  })
  t.equal(await end(sent(message({ MessageId: '1' }))), 'accepted')
  for (const Subject of [{ forged: true }, ['forged'], [{ text: 'forged' }]])
    t.match(await end(sent({ ...message({ MessageId: '2' }), Subject })), refused, `an unsigned Subject ${JSON.stringify(Subject)}`)
  t.match(await end(sent({ ...message({ MessageId: '3' }), Message: 5 })), refused, 'a number for a text')
  t.match(await end(sent({ ...message({ MessageId: '4' }), MessageId: 4 })), refused, 'a number for the id')
  t.equal(await end(sent(message({ MessageId: '5' }), 'both')), 'accepted')
  t.match(
    await end(sent({ ...message({ MessageId: '5' }), forged: true }, 'both')),
    repeated,
    'on a route of another sender too, with a field added',
  )
})
