/** Published vectors of senders, their own code, and what strangers could try: checked through the gateway. */

import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import https from 'node:https'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import t, { type Test } from 'tap'
import { presets } from '../../src/parts/schemes/index.ts'
import type { Preset } from '../../src/parts/schemes/preset.ts'
import { certificateOf } from '../fakes/certificate.ts'
import { type GatewayOptions, lastEnd, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { keysFor } from '../fakes/senders/keys.ts'
import { CloudEvent, EventWebhook, HTTP, MessageValidator, validateSignature } from '../foreign/senders.ts'

type Fields = { readonly [name: string]: unknown }
type Headers = { readonly [name: string]: string }

const start = (t: Test, routes: { readonly [name: string]: Fields }, more: GatewayOptions = {}): Promise<TestGateway> =>
  startGateway(t, {
    ...more,
    routes: Object.fromEntries(Object.entries(routes).map(([name, route]) => [name, { verify: name, deliver: 'log', ...route }])),
  })
const post = async (gateway: TestGateway, route: string, headers: Headers, body: unknown, path?: string) => {
  const sent = { 'content-type': 'application/json', ...headers }
  const { status, json } = await gateway.post(route, { sign: false, headers: sent, body, ...(path === undefined ? {} : { path }) })
  return { status, ...(status < 300 && json.status === undefined ? lastEnd(gateway) : json) } as { readonly status: number } & Fields
}
/** What the answer says, as `duplicate`; its status where it says nothing. */
const ending = async (...args: Parameters<typeof post>): Promise<unknown> => (await post(...args)).status
const formType = 'application/x-www-form-urlencoded'
const named = (name: string): Preset => presets.find((each) => each.name === name) as Preset
const hmac = (secret: string, text: string, encoding: 'hex' | 'base64' = 'hex'): string =>
  createHmac('sha256', secret).update(text).digest(encoding)

t.test('Square: the vectors of its SDKs', async (t) => {
  const vectors = [
    {
      url: 'https://webhook.site/679a4f3a-dcfa-49ee-bac5-9d0edad886b9',
      key: 'Ibxx_5AKakO-3qeNVR61Dw',
      signature: 'GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4=',
      body: '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification","event_id":"ac3ac95b-f97d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z","data":{"type":"webhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}',
    },
    {
      url: 'https://webhook.site/webhooks',
      key: 'signature-key',
      signature: 'Cxt7+aTi4rKgcA0bC4g9EHdVtLSDWdqccmL5MvihU4U=',
      body: '{"data":{"type":"webhooks","id":">id<"}}',
    },
    {
      url: 'https://webhook.site/webhooks',
      key: 'signature-key',
      signature: 'W3FlCNk5IA3ZQ2LHTWoajvzfaDu/OwY2tNHIHC3IUOA=',
      body: '{"data":{"type":"webhooks","id":"fake_id"}}',
    },
  ]
  for (const { url, key, signature, body } of vectors) {
    const gateway = await start(t, { square: { secret: key, public_url: url } })
    const headers = { 'x-square-hmacsha256-signature': signature }
    t.equal(await ending(gateway, 'square', headers, body), 'accepted')
    t.equal(await ending(gateway, 'square', headers, body.replace('"webhooks"', '"webhook"')), 401)
    t.equal(await ending(gateway, 'square', headers, body, '/webhooks/square?x=1'), 401, 'another address')
    await gateway.stop()
  }
})

t.test('LINE: the vector of its page, and its own check', async (t) => {
  const secret = '8c570fa6dd201bb328f1c1eac23a96d8'
  const gateway = await start(t, { line: { secret } })
  const empty = '{"destination":"U8e742f61d673b39c7fff3cecb7536ef0","events":[]}'
  const headers = { 'x-line-signature': 'GhRKmvmHys4Pi8DxkF4+EayaH0OqtJtaZxgTD9fMDLs=' }
  t.match(await post(gateway, 'line', headers, empty), { status: 'handshake' }, 'the button Verify makes no work')
  t.equal(await ending(gateway, 'line', headers, `${empty} `), 401)
  const body = JSON.stringify({ destination: 'U8', events: [{ type: 'message', webhookEventId: '01FZ74A0TDDPYRVKNK77XKC3ZR' }] })
  const signed = named('line').sign({ secret, body, id: '01FZ74A0TDDPYRVKNK77XKC3ZR', at: 0 })
  t.ok(validateSignature(signed.body, secret, signed.headers['x-line-signature'] as string))
  const own = { 'x-line-signature': hmac(secret, body, 'base64') }
  t.match(await post(gateway, 'line', own, body), { status: 'accepted', event: 'message', delivery_id: '01FZ74A0TDDPYRVKNK77XKC3ZR' })
  t.equal(await ending(gateway, 'line', own, body), 'duplicate')
})

t.test('SendGrid: the vectors of its library, and its own check', async (t) => {
  const dropped = {
    public_key:
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==',
    time: 1_600_112_502,
    signature: 'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
    body: '[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address","sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA","sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0","smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]\r\n',
  }
  const other = {
    key: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqTxd43gyp8IOEto2LdIfjRQrIbsd4SXZkLW6jDutdhXSJCWHw8REntlo7aNDthvj+y7GjUuFDb/R1NGe1OPzpA==',
    signature: 'MEUCIQCtIHJeH93Y+qpYeWrySphQgpNGNr/U+UyUlBkU6n7RAwIgJTz2C+8a8xonZGi6BpSzoQsbVRamr2nlxFDWYNH3j/0=',
  }
  const header = 'X-Twilio-Email-Event-Webhook-Signature'
  const timeHeader = 'X-Twilio-Email-Event-Webhook-Timestamp'
  let now = dropped.time * 1000
  const gateway = await start(t, { sendgrid: { public_key: dropped.public_key } }, { now: () => now })
  const headers = { [header]: dropped.signature, [timeHeader]: String(dropped.time) }
  const sent = (changed: Headers = {}, body = dropped.body) => post(gateway, 'sendgrid', { ...headers, ...changed }, body)
  t.match(await sent(), { status: 'accepted', event: 'dropped', delivery_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA' })
  t.match(await sent(), { status: 'duplicate' })
  t.match(await sent({ [header]: other.signature }), { status: 401 })
  t.match(await sent({ [timeHeader]: String(dropped.time + 1) }), { status: 401 }, 'the time is signed')
  t.match(await sent({}, dropped.body.trimEnd()), { status: 401 }, 'the line end belongs to the body')
  now += 3_601_000
  t.match(await sent(), { status: 401 }, 'later than ids are known')
  now -= 3_601_000
  const stranger = await start(t, { sendgrid: { public_key: other.key } }, { now: () => now })
  t.equal(await ending(stranger, 'sendgrid', headers, dropped.body), 401)

  const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const key = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const { headers: made, body } = named('sendgrid').sign({ secret: key, body: dropped.body, id: 'abc', at: now, privateKey })
  const webhook = new EventWebhook()
  t.ok(webhook.verifySignature(webhook.convertPublicKeyToECDSA(key), body, made[header] as string, made[timeHeader] as string))
})

t.test('CircleCI: the vectors of its page', async (t) => {
  for (const [body, secret, signature] of [
    ['hello world', 'secret', '734cc62f32841568f45715aeb9f4d7891324e6d948e4c6c60c0621cdac48623a'],
    ['lalala', 'another-secret', 'daa220016c8f29a8b214fbfc3671aeec2145cfb1e6790184ffb38b6d0425fa00'],
    ['an-important-request-payload', 'hunter123', '9be2242094a9a8c00c64306f382a7f9d691de910b4a266f67bd314ef18ac49fa'],
    ['foo', 'secret', '773ba44693c7553d6ee20f61ea5d2757a9a4f4a44d2841ae4e95b52e4cd62db4'],
  ] as const) {
    const gateway = await start(t, { circleci: { secret } })
    const answer = await gateway.post('circleci', { sign: false, headers: { 'circleci-signature': `v1=${signature}` }, body })
    t.equal(answer.status, 400, 'the signature holds, and the body is no JSON')
    const last = await gateway.post('circleci', { sign: false, headers: { 'circleci-signature': `v2=${signature}` }, body })
    t.equal(last.status, 401, 'another label')
    await gateway.stop()
  }
})

t.test('CloudEvents: what its library sends', async (t) => {
  const gateway = await start(t, { cloudevents: { secret: 'kB3nTz91qLw7' } })
  const of = (source: string) => new CloudEvent({ id: '1', source, type: 'com.example.made', data: { n: 1 } })
  const sent = (message: { readonly headers: object; readonly body: unknown }, token = 'Bearer kB3nTz91qLw7') =>
    post(gateway, 'cloudevents', { ...(message.headers as Headers), authorization: token }, message.body)
  t.match(await sent(HTTP.binary(of('/a'))), { status: 'accepted', event: 'com.example.made', delivery_id: '/a 1' })
  t.match(await sent(HTTP.structured(of('/a'))), { status: 'duplicate' }, 'the same event in the other mode')
  t.match(await sent(HTTP.structured(of('/b'))), { status: 'accepted', delivery_id: '/b 1' }, 'an id is unique in its source')
  t.match(await sent(HTTP.structured(of('/c')), 'bearer kB3nTz91qLw7'), { status: 'accepted' }, 'in any letter case')
  t.match(await sent(HTTP.structured(of('/d')), 'Bearer kB3nTz91qLw'), { status: 401 })
})

const { key, pem } = certificateOf('sender.example.com')
const rsa = (text: string): string => signBytes('sha256', Buffer.from(text), key).toString('base64')
/** A minute on, so that the certificate is valid. */
const present = Date.now() + 60_000

t.test('PayPal: its signed text, with a certificate that the test has', async (t) => {
  const fetched: string[] = []
  const download = async (url: string): Promise<Buffer> => {
    fetched.push(url)
    return Buffer.from(pem)
  }
  // The body and the ids of a sample in PayPal's SDKs for Python and Ruby; the CRC-32 that they work out is 2771810304.
  const body =
    '{"id":"WH-0G2756385H040842W-5Y612302CV158622M","create_time":"2015-05-18T15:45:13Z","resource_type":"sale","event_type":"PAYMENT.SALE.COMPLETED","summary":"Payment completed for $ 20.0 USD","resource":{"id":"4EU7004268015634R","create_time":"2015-05-18T15:44:02Z","update_time":"2015-05-18T15:44:21Z","amount":{"total":"20.00","currency":"USD"},"payment_mode":"INSTANT_TRANSFER","state":"completed","protection_eligibility":"ELIGIBLE","protection_eligibility_type":"ITEM_NOT_RECEIVED_ELIGIBLE,UNAUTHORIZED_PAYMENT_ELIGIBLE","parent_payment":"PAY-86C81811X5228590KKVNARQQ","transaction_fee":{"value":"0.88","currency":"USD"},"links":[{"href":"https://api.sandbox.paypal.com/v1/payments/sale/4EU7004268015634R","rel":"self","method":"GET"},{"href":"https://api.sandbox.paypal.com/v1/payments/sale/4EU7004268015634R/refund","rel":"refund","method":"POST"},{"href":"https://api.sandbox.paypal.com/v1/payments/payment/PAY-86C81811X5228590KKVNARQQ","rel":"parent_payment","method":"GET"}]},"links":[{"href":"https://api.sandbox.paypal.com/v1/notifications/webhooks-events/WH-0G2756385H040842W-5Y612302CV158622M","rel":"self","method":"GET"},{"href":"https://api.sandbox.paypal.com/v1/notifications/webhooks-events/WH-0G2756385H040842W-5Y612302CV158622M/resend","rel":"resend","method":"POST"}]}'
  t.equal(crc32(body), 2_771_810_304)
  const secret = '4JH86294D6297924G'
  const gateway = await start(t, { paypal: { secret } }, { now: () => present, download })
  const id = 'dfb3be50-fd74-11e4-8bf3-77339302725b'
  const certificate = 'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-a5cafa77'
  const made = (at: number, webhook = secret): Headers => {
    const time = new Date(at).toISOString().replace(/\.\d+/, '')
    const signature = rsa(`${id}|${time}|${webhook}|2771810304`)
    return {
      'PAYPAL-CERT-URL': certificate,
      'PAYPAL-TRANSMISSION-ID': id,
      'PAYPAL-TRANSMISSION-SIG': signature,
      'PAYPAL-TRANSMISSION-TIME': time,
    }
  }
  const good = made(present)
  const sent = (headers: Headers, text = body) => post(gateway, 'paypal', headers, text)
  t.match(await sent(good), { status: 'accepted', event: 'PAYMENT.SALE.COMPLETED', delivery_id: id })
  t.match(await sent(good), { status: 'duplicate' }, 'the id of the transmission is the one that is signed')
  t.match(await sent(good, `${body} `), { status: 401 })
  t.match(await sent(made(present, '3TR748995U920805P')), { status: 401 }, 'the webhook of somebody else')
  t.match(await sent(made(present - 3_601_000)), { status: 401 })
  t.match(await sent({ ...good, 'PAYPAL-TRANSMISSION-ID': `${id}0` }), { status: 401 })
  for (const name of Object.keys(good)) t.match(await sent({ ...good, [name]: '' }), { status: 401 }, `no ${name}`)
  const right = good['PAYPAL-TRANSMISSION-SIG'] as string
  const text = `${id}|${good['PAYPAL-TRANSMISSION-TIME']}|${secret}|2771810304`
  const wrong = signBytes('sha256', Buffer.from(text), certificateOf('somebody.example.com').key).toString('base64')
  for (const bad of [wrong, 'AAAA', `${right}AA`, right.slice(0, -4)])
    t.match(await sent({ ...good, 'PAYPAL-TRANSMISSION-SIG': bad }), { status: 401 }, bad)
  for (const [first, second] of [
    [right, wrong],
    [wrong, right],
    [right, right],
  ]) {
    const lines = Object.entries({ ...good, 'PAYPAL-TRANSMISSION-SIG': first, 'paypal-transmission-sig': second }).map((each) =>
      each.join(': '),
    )
    const head = ['POST /webhooks/paypal HTTP/1.1', 'Host: a', 'Connection: close', ...lines, `Content-Length: ${body.length}`]
    t.match(await gateway.raw(`${head.join('\r\n')}\r\n\r\n${body}`), /^HTTP\/1\.1 401 /, 'twice')
  }
  const large = body.replace('{', `{"padding":"${'a'.repeat(1_000_000)}",`)
  const [newId, time] = ['dfb3be50-fd74-11e4-8bf3-77339302725c', good['PAYPAL-TRANSMISSION-TIME']]
  const signature = rsa(`${newId}|${time}|${secret}|${crc32(large)}`)
  const more = { ...good, 'PAYPAL-TRANSMISSION-ID': newId, 'PAYPAL-TRANSMISSION-SIG': signature }
  t.match(await sent(more, large), { status: 'accepted' }, 'a body of 1 MB')
  t.same(fetched, [certificate], 'it is fetched once')
  for (const url of [
    'https://api.paypal.com.example.com/v1/notifications/certs/CERT-1',
    'http://api.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.paypal.com:8443/v1/notifications/certs/CERT-1',
    'https://api.paypal.com/v1/notifications/certs/CERT-1?x=1',
    'https://api.paypal.com/v1/notifications/certs/../../invoices/1',
    'https://user@api.paypal.com/v1/notifications/certs/CERT-1',
  ])
    t.match(await sent({ ...good, 'PAYPAL-CERT-URL': url }), { status: 401 }, url)
  t.equal(fetched.length, 1, 'nothing else was fetched')
})

type Message = { readonly [field: string]: string }
const topic = 'arn:aws:sns:us-west-2:123456789012:MyTopic'
const linesOf = (message: Message): string =>
  ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
    .flatMap((name) => (message[name] === undefined ? [] : `${name}\n${message[name]}\n`))
    .join('')
const certificate = 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem'
const notification = (fields: Message = {}): Message => {
  const message = {
    Type: 'Notification',
    MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
    TopicArn: topic,
    Message: 'two\nlines',
    Timestamp: new Date(present).toISOString(),
    SignatureVersion: '2',
    SigningCertURL: certificate,
    ...fields,
  }
  return { ...message, Signature: rsa(linesOf(message)), ...fields }
}

t.test('SNS: its signed text, as AWS checks it', async (t) => {
  const fetched: string[] = []
  const download = async (url: string): Promise<Buffer> => {
    fetched.push(url)
    return Buffer.from(url.endsWith('.pem') ? pem : '<ConfirmSubscriptionResponse/>')
  }
  const routes = { aws_sns: { secret: topic, confirm_subscriptions: true }, shy: { verify: 'aws_sns', secret: topic } }
  const gateway = await start(t, routes, { now: () => present, download })
  const sent = (message: Message, route = 'aws_sns') => post(gateway, route, { 'content-type': 'text/plain; charset=UTF-8' }, message)

  const Validator = MessageValidator as new () => { validate(message: Message, done: (error: Error | null) => void): void }
  const get = https.get
  https.get = ((_url: string, answer: (response: object) => void) => {
    answer(Object.assign(Readable.from([pem]), { statusCode: 200 }))
    return { on: () => {} }
  }) as unknown as typeof get
  t.teardown(() => {
    https.get = get
  })
  for (const message of [notification(), notification({ Subject: 'Grüße' })])
    t.equal(await new Promise((resolve) => new Validator().validate({ ...message }, resolve)), null, 'AWS takes what the test signs')

  t.match(await sent(notification()), { status: 'accepted', event: 'Notification', delivery_id: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b' })
  t.match(await sent(notification()), { status: 'duplicate' })
  t.match(await sent(notification({ MessageId: '2', Subject: 'Grüße' })), { status: 'accepted' })
  t.match(await sent({ ...notification(), Message: 'other' }), { status: 401 })
  const large = notification({ MessageId: '5', Message: 'a'.repeat(1_000_000) })
  t.match(await sent(large), { status: 'accepted' }, 'a body of 1 MB')
  const stranger = certificateOf('somebody.example.com').key
  const byStranger = signBytes('sha256', Buffer.from(linesOf(notification({ MessageId: '6' }))), stranger).toString('base64')
  t.match(await sent({ ...notification({ MessageId: '6' }), Signature: byStranger }), { status: 401 }, 'another key')
  const old = notification({ MessageId: '7', SignatureVersion: '1' })
  const bySha1 = signBytes('sha1', Buffer.from(linesOf(old)), key).toString('base64')
  t.match(await sent({ ...old, Signature: bySha1 }, 'shy'), { status: 401 })
  t.ok(await gateway.line(({ reason }) => /SHA-1, which is refused: let the sender/.test(String(reason))), 'what to do is in the log')
  for (const bad of ['', 'AAAA', `${notification().Signature}AA`, notification().Signature?.slice(0, -4)])
    t.match(await sent({ ...notification({ MessageId: '8' }), Signature: bad as string }), { status: 401 }, `malformed: ${bad}`)
  t.match(await sent({ ...notification(), Subject: 'added' }), { status: 401 })
  t.match(await sent(notification({ TopicArn: `${topic}2` })), { status: 401 }, 'the topic of somebody else')
  t.match(await sent(notification({ Timestamp: new Date(present - 3_601_000).toISOString() })), { status: 401 })
  for (const name of ['Message', 'MessageId', 'Timestamp', 'TopicArn', 'Type', 'Signature', 'SigningCertURL'])
    t.match(
      await sent(Object.fromEntries(Object.entries(notification()).filter(([field]) => field !== name))),
      { status: 401 },
      `no ${name}`,
    )

  // A stranger's own topic signs what the stranger writes; read in another way, it is a message of the route's topic.
  const hidden = `evil\nMessageId\n3\nTimestamp\n${new Date(present).toISOString()}\nTopicArn\n${topic}\nType\nNotification`
  const theirs = notification({ TopicArn: 'arn:aws:sns:us-west-2:999999999999:Theirs', Message: hidden })
  const rest = linesOf(theirs).slice(`Message\n${hidden}\n`.length, -1)
  const forged = {
    ...notification({ Message: 'evil', MessageId: '3' }),
    Type: `Notification\n${rest}`,
    Signature: theirs.Signature as string,
  }
  t.equal(linesOf(forged), linesOf(theirs), 'the text is the same')
  t.match(await sent(forged), { status: 401 })

  const before = fetched.length
  for (const url of [
    'https://sns.s3.amazonaws.com/SimpleNotificationService-1.pem',
    'https://sns.s3-us-west-2.amazonaws.com/SimpleNotificationService-1.pem',
    'https://sns.s3-external-1.amazonaws.com/SimpleNotificationService-1.pem',
    'https://sns.us-west-2.amazonaws.com.example.com/SimpleNotificationService-1.pem',
    'https://sns.us-west-2.amazonaws.com/?Action=GetTopicAttributes&x=.pem',
    'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-1.pem?x=1',
    'http://sns.us-west-2.amazonaws.com/SimpleNotificationService-1.pem',
  ])
    t.match(await sent(notification({ SigningCertURL: url })), { status: 401 }, url)
  t.equal(fetched.length, before, 'nothing was fetched')

  const asked = (url: string): Message => notification({ Type: 'SubscriptionConfirmation', Token: '23', SubscribeURL: url, MessageId: '4' })
  const confirm = `https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic}&Token=23`
  t.match(await sent(asked(confirm), 'shy'), { status: 403 }, 'only where the route says so')
  t.match(await sent(asked('https://sns.example.com/')), { status: 403 })
  t.match(await sent({ ...asked(confirm), Signature: notification().Signature as string }), { status: 401 })
  t.notOk(fetched.includes(confirm))
  t.match(await sent(asked(confirm)), { status: 'handshake' })
  t.equal(fetched.at(-1), confirm)
})

t.test('what describes SNS serves as a scheme of the configuration, too', async (t) => {
  const fetched: string[] = []
  const download = async (url: string): Promise<Buffer> => {
    fetched.push(url)
    return Buffer.from(url.endsWith('.pem') ? pem : '<ConfirmSubscriptionResponse/>')
  }
  const config = { signature_schemes: { 'own-sns': named('aws_sns').description } }
  const routes = { own: { verify: 'own-sns', secret: topic, confirm_subscriptions: true } }
  const gateway = await start(t, routes, { now: () => present, download, config })
  const sent = (message: Message) => post(gateway, 'own', { 'content-type': 'text/plain; charset=UTF-8' }, message)
  t.match(await sent(notification()), { status: 'accepted', event: 'Notification', delivery_id: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b' })
  t.match(await sent({ ...notification(), Subject: 'added' }), { status: 401 })
  t.match(await sent(notification({ TopicArn: `${topic}2` })), { status: 401 }, 'the topic of somebody else')
  t.match(await sent(notification({ Timestamp: new Date(present - 3_601_000).toISOString() })), { status: 401 })
  for (const url of [certificate.replace('sns.', 'sns.s3.'), certificate.replace('Simple', 'Other')])
    t.match(await sent(notification({ SigningCertURL: url })), { status: 401 }, url)
  t.same(fetched, [certificate])
  const asked = (url: string): Message => notification({ Type: 'SubscriptionConfirmation', Token: '23', SubscribeURL: url, MessageId: '4' })
  const confirm = `https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic}&Token=23`
  t.match(await sent(asked('https://sns.example.com/')), { status: 403 })
  t.match(await sent(asked(confirm)), { status: 'handshake' })
  t.same(fetched, [certificate, confirm])
})

type Asked = { readonly method?: string; readonly headers?: Headers; readonly body?: unknown; readonly query?: string }

/** What a sender gets for its question. */
const ask = async (gateway: TestGateway, route: string, { method = 'POST', headers = {}, body, query = '' }: Asked) => {
  const path = `/webhooks/${route}${query}`
  const answer = await gateway.post(route, { sign: false, method, headers, body, path })
  const get = (name: string): string | undefined => answer.headers.get(name) ?? undefined
  return {
    status: answer.status,
    text: answer.text,
    type: get('content-type'),
    header: get,
    isSniffed: get('x-content-type-options') !== 'nosniff',
  }
}
const plain = 'text/plain; charset=utf-8'
const secret = 'mT6wq0ZsK1xR9bYc'
/** Those whose key answers questions share it with nobody. */
const keyFor = (name: string): string => (['zoom', 'x'].includes(name) ? `${secret}-${name}` : secret)

t.test('questions that nobody signs are answered from their heads', async (t) => {
  const gateway = await start(t, {
    asana: { secret },
    trello: { secret },
    dropbox: { secret },
    meta: { secret, verify_token: 'Vq3xT0bKe7mN' },
    tokenless: { verify: 'meta', secret },
    microsoft_graph: { secret },
    okta: { secret },
    azure_event_grid: { secret },
    cloudevents: { secret },
    x: { secret: 'z3ZX4v7mAAUGykl3EcmkqbartmuW8VFOOzCloLx9Q45P0hLrFu' },
    square: { secret },
  })
  const asked = (route: string, question: Asked) => ask(gateway, route, question)

  const hook = await asked('asana', { headers: { 'X-Hook-Secret': 'b537207f20cbfa02357cf448134da559' } })
  t.match([hook.status, hook.header('x-hook-secret')], [200, 'b537207f20cbfa02357cf448134da559'])
  const split = await gateway.raw(
    'POST /webhooks/asana HTTP/1.1\r\nHost: a\r\nX-Hook-Secret: caf\xe9\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
  )
  t.match(split, /^HTTP\/1\.1 403 /, 'a secret that is no secret')

  t.equal((await asked('trello', { method: 'HEAD' })).status, 200)

  const challenge = await asked('dropbox', { method: 'GET', query: '?challenge=%3Cb%3Ehi' })
  t.same([challenge.status, challenge.text, challenge.type, challenge.isSniffed], [200, '<b>hi', plain, false])

  const subscribe = (token: string) => `?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`
  const meta = await asked('meta', { method: 'GET', query: subscribe('Vq3xT0bKe7mN') })
  t.same([meta.status, meta.text, meta.type], [200, '1158201444', plain])
  t.equal((await asked('meta', { method: 'GET', query: subscribe('Vq3xT0bKe7m') })).status, 403)
  t.equal((await asked('meta', { method: 'GET', query: `${subscribe('Vq3xT0bKe7mN')}&hub.verify_token=x` })).status, 403, 'two tokens')
  t.equal((await asked('meta', { method: 'GET', query: '?hub.mode=subscribe&hub.challenge=1' })).status, 403)
  t.equal((await asked('tokenless', { method: 'GET', query: subscribe('') })).status, 403, 'a route without a verify_token')
  t.equal((await asked('meta', { method: 'GET' })).status, 405)

  const graph = await asked('microsoft_graph', {
    headers: { 'content-type': plain },
    query: '?validationToken=Validation%3A%20Testing%2B1',
  })
  t.same([graph.status, graph.text, graph.type, graph.isSniffed], [200, 'Validation: Testing+1', plain, false])
  t.equal((await asked('microsoft_graph', { query: `?validationToken=${'a'.repeat(2_000)}` })).status, 403, 'too long')

  const oktaAsks = (headers: object) => asked('okta', { method: 'GET', headers: { 'X-Okta-Verification-Challenge': 'a"b', ...headers } })
  const okta = await oktaAsks({ Authorization: secret })
  t.same([okta.status, okta.text, okta.type], [200, '{"verification":"a\\"b"}', 'application/json; charset=utf-8'])
  t.equal((await oktaAsks({})).status, 401, 'a question without the credential')
  t.equal((await oktaAsks({ Authorization: `${secret}x` })).status, 401, 'with a wrong one')
  t.equal((await asked('okta', { method: 'GET', headers: { Authorization: secret } })).status, 405, 'no question')

  for (const route of ['azure_event_grid', 'cloudevents']) {
    const options = await asked(route, { method: 'OPTIONS', headers: { 'WebHook-Request-Origin': 'eventgrid.azure.net' } })
    t.same(
      [options.status, ...['webhook-allowed-origin', 'webhook-allowed-rate', 'allow'].map(options.header)],
      [200, 'eventgrid.azure.net', '*', 'POST'],
    )
    t.equal((await asked(route, { method: 'OPTIONS' })).status, 405)
  }

  // The secret and the token of a gist by X's staff; the answer is worked out from them.
  const crc = await asked('x', { method: 'GET', query: '?crc_token=9b4507b3-9040-4669-9ca3-6b94edb50553' })
  t.same([crc.status, crc.text], [200, '{"response_token":"sha256=Cytd4Sq+NvEcV3MMrXxWJGJx5A+y/lXzzU2Maartkx8="}'])
  for (const token of ['{"for_user_id":"1"}', '[1]', '1', '""', 'a b', 'a\nb', ''])
    t.equal((await asked('x', { method: 'GET', query: `?crc_token=${encodeURIComponent(token)}` })).status, 403, `never signed: ${token}`)
  const word = '9b4507b3-9040-4669-9ca3-6b94edb50553'
  t.equal(await ending(gateway, 'x', { 'x-twitter-webhooks-signature': 'sha256=Cytd4Sq+NvEcV3MMrXxWJGJx5A+y/lXzzU2Maartkx8=' }, word), 401)

  t.equal((await asked('square', { method: 'GET' })).status, 405, 'a sender that asks nothing')
  t.equal(gateway.lines.filter(({ msg }) => msg.includes('accepted')).length, 0, 'none makes work')
})

t.test('questions that are signed are answered once the signature holds', async (t) => {
  const gateway = await start(
    t,
    { zoom: { secret: keyFor('zoom') }, asana: { secret }, azure_event_grid: { secret } },
    { now: () => present },
  )
  const time = String(Math.floor(present / 1000))
  const zoom = (body: string, signature = `v0=${hmac(keyFor('zoom'), `v0:${time}:${body}`)}`) =>
    ask(gateway, 'zoom', { headers: { 'x-zm-request-timestamp': time, 'x-zm-signature': signature }, body })
  const question = (plainToken: string): string =>
    JSON.stringify({ payload: { plainToken }, event_ts: present, event: 'endpoint.url_validation' })
  const body = question('qgg8vlvZRS6UYooatFL8Aw')
  const answer = await zoom(body)
  t.same(
    [answer.status, JSON.parse(answer.text)],
    [200, { plainToken: 'qgg8vlvZRS6UYooatFL8Aw', encryptedToken: hmac(keyFor('zoom'), 'qgg8vlvZRS6UYooatFL8Aw') }],
  )
  t.equal((await zoom(body, `v0=${'0'.repeat(64)}`)).status, 401, 'a stranger has nothing signed')
  t.equal((await zoom(question(`v0:${time}:{}`))).status, 403, 'nor Zoom what could be an event')

  const inMs = String(present)
  const ms = { 'x-zm-request-timestamp': inMs, 'x-zm-signature': `v0=${hmac(keyFor('zoom'), `v0:${inMs}:${body}`)}` }
  t.equal((await ask(gateway, 'zoom', { headers: ms, body })).status, 200, 'a time in milliseconds')
  const past = String(present - 3_700_000)
  const late = { 'x-zm-request-timestamp': past, 'x-zm-signature': `v0=${hmac(keyFor('zoom'), `v0:${past}:${body}`)}` }
  t.equal((await ask(gateway, 'zoom', { headers: late, body })).status, 401, 'a past one')

  const asana = (text: string) => ask(gateway, 'asana', { headers: { 'X-Hook-Signature': hmac(secret, text) }, body: text })
  t.same((({ status, text }) => [status, text])(await asana('{"events":[]}')), [200, ''], 'a sign of life makes no work')
  t.equal((await asana('{"events":[{"action":"changed"}]}')).status, 202)

  const validation = [{ eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent', data: { validationCode: '512d38b6-c7b8' } }]
  const validate = (query: string) =>
    ask(gateway, 'azure_event_grid', { headers: { 'aeg-event-type': 'SubscriptionValidation' }, body: validation, query })
  const validated = await validate(`?token=${secret}`)
  t.same([validated.status, validated.text], [200, '{"validationResponse":"512d38b6-c7b8"}'])
  t.equal((await validate('')).status, 401)
  t.equal((await validate(`?token=${secret}&token=${secret}`)).status, 401, 'a token twice')
})

t.test('what is not signed chooses neither type nor id, and no captured request serves twice', async (t) => {
  let now = present
  const names = [
    'asana',
    'trello',
    'zoom',
    'dropbox',
    'mailgun',
    'meta',
    'telegram',
    'microsoft_graph',
    'okta',
    'auth0',
    'circleci',
    'buildkite',
    'docker_hub',
    'x',
  ]
  const gateway = await start(t, Object.fromEntries(names.map((name) => [name, { secret: keyFor(name) }])), {
    now: () => now,
    extra: { public_url: 'https://hooks.example.com' },
  })
  const bodies: { readonly [name: string]: { readonly body: unknown; readonly event: string; readonly id?: string } } = {
    asana: { body: { events: [{ action: 'changed', created_at: '2026-05-20T14:00:00.000Z' }] }, event: 'changed' },
    trello: { body: { action: { id: '51f9', type: 'createCard' } }, event: 'createCard', id: '51f9' },
    zoom: { body: { event: 'meeting.started', event_ts: 1 }, event: 'meeting.started' },
    meta: { body: { object: 'whatsapp_business_account', entry: [{ changes: [{ field: 'messages' }] }] }, event: 'messages' },
    telegram: { body: { update_id: 10_000, edited_message: {} }, event: 'edited_message', id: '10000' },
    microsoft_graph: { body: { value: [{ id: 'g1', changeType: 'created', clientState: secret }] }, event: 'created', id: 'g1' },
    okta: {
      body: { eventId: 'o1', eventType: 'com.okta.event_hook', data: { events: [{ eventType: 'user.session.start' }] } },
      event: 'user.session.start',
      id: 'o1',
    },
    auth0: { body: [{ log_id: '900', data: { type: 's' } }], event: 's', id: '900' },
    circleci: { body: { id: 'c1', type: 'job-completed' }, event: 'job-completed', id: 'c1' },
    buildkite: { body: { event: 'build.finished' }, event: 'build.finished' },
    docker_hub: { body: { push_data: { pushed_at: 1 } }, event: 'push_data' },
    x: { body: { for_user_id: '1', favorite_events: [] }, event: 'favorite_events' },
  }
  const strange = {
    'X-GitHub-Event': 'push',
    'circleci-event-type': 'ping',
    'X-Buildkite-Event': 'ping',
    'X-GitHub-Delivery': 'new',
    'x-zm-trackingid': 'new',
  }
  const sign = (name: string, body: unknown) => {
    const {
      headers,
      body: text,
      url,
    } = named(name).sign({
      secret: keyFor(name),
      body: JSON.stringify(body),
      id: bodies[name]?.id ?? 'unused',
      at: now,
      url: `https://hooks.example.com/webhooks/${name}`,
    })
    return { headers, text, path: url?.replace('https://hooks.example.com', '') }
  }
  for (const [name, { body, event, id }] of Object.entries(bodies)) {
    const { headers, text, path } = sign(name, body)
    const first = await post(gateway, name, { ...headers, ...strange }, text, path)
    t.match(first, { status: 'accepted', event, delivery_id: id ?? /^sha256:/ }, name)
    t.match(await post(gateway, name, { ...headers, ...strange, 'X-GitHub-Delivery': 'newer' }, text, path), { status: 'duplicate' }, name)
  }
  const same = '{"list_folder":{"accounts":["dbid:1"]}}'
  for (const _ of [1, 2])
    t.match(await post(gateway, 'dropbox', { 'X-Dropbox-Signature': hmac(secret, same) }, same), {
      status: 'accepted',
      event: 'list_folder',
    })

  const token = 'e0b5477167110d68991efc6b9f89f0a11066af27834600e123'
  const time = String(Math.floor(now / 1000))
  const mail = (event: string, signed = token, at = time) => ({
    signature: { token: signed, timestamp: at, signature: hmac(secret, `${time}${token}`) },
    'event-data': { id: event, event },
  })
  t.match(await post(gateway, 'mailgun', {}, mail('delivered')), { status: 'accepted', event: 'delivered', delivery_id: token })
  t.match(await post(gateway, 'mailgun', {}, mail('failed')), { status: 'duplicate' }, 'a captured signature on another body')
  t.match(await post(gateway, 'mailgun', {}, mail('failed', token.slice(1), `${time}${token[0]}`)), { status: 401 })
  t.match(await post(gateway, 'mailgun', {}, mail('failed', `${time.at(-1)}${token}`, time.slice(0, -1))), { status: 401 })
  const {
    signature: { token: _token, ...tokenless },
    ...rest
  } = mail('failed')
  t.match(
    await post(gateway, 'mailgun', {}, { ...rest, signature: { ...tokenless, signature: hmac(secret, time) } }),
    { status: 401 },
    'no token',
  )
  now += 3_601_000
  t.match(await post(gateway, 'mailgun', {}, mail('failed')), { status: 401 }, 'later than tokens are known')

  const item = { changeType: 'created', clientState: secret }
  for (const value of [
    [item, { ...item, clientState: 'other' }],
    [item, { changeType: 'created' }],
    [{ ...item, clientState: 'other' }, item],
    [item, null],
    [],
  ])
    t.match(await post(gateway, 'microsoft_graph', {}, { value }), { status: 401 }, 'each notification has the clientState')
  t.match(await post(gateway, 'microsoft_graph', {}, { value: [item, item] }), { status: 'accepted' })
})

t.test('a header that stands twice is no signature', async (t) => {
  const names = ['asana', 'trello', 'zoom', 'dropbox', 'meta', 'telegram', 'line', 'okta', 'auth0', 'buildkite', 'x']
  const gateway = await start(
    t,
    Object.fromEntries(names.map((name) => [name, { secret: keyFor(name), public_url: 'https://a.example.com/' }])),
    {
      now: () => present,
    },
  )
  for (const name of names) {
    const { headers, body } = named(name).sign({
      secret: keyFor(name),
      body: '{"events":[{}]}',
      id: '1',
      at: present,
      url: 'https://a.example.com/',
    })
    const [header, value] = Object.entries(headers).find(([each]) => each === named(name).description.signature?.header) ?? []
    const others = Object.entries(headers)
      .flatMap(([each, text]) => (each === header ? [] : [`${each}: ${text}\r\n`]))
      .join('')
    const request = (lines: string): string =>
      `POST /webhooks/${name} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n${others}${lines}\r\n${body}`
    const one = `${header}: ${value}\r\n`
    t.match(await gateway.raw(request(one)), /^HTTP\/1\.1 20[02] /, name)
    const wrong = name === 'buildkite' ? `timestamp=1,signature=${'0'.repeat(64)}` : value?.replace(/\w/g, '0')
    const other = `${header}: ${wrong}\r\n`
    t.match(await gateway.raw(request(other + one)), /^HTTP\/1\.1 401 /, `${name}: a wrong one before it`)
  }
})

t.test('listed types take single events of a request; with split: false its type is the first that is listed', async (t) => {
  /** The first event, a listed one behind it, and the body that has them in this order. */
  const batches: { readonly [name: string]: readonly [first: string, listed: string, body: (first: string, second: string) => unknown] } = {
    asana: ['added', 'changed', (a, b) => ({ events: [{ action: a }, { action: b }] })],
    auth0: [
      'f',
      's',
      (a, b) => [
        { log_id: '1', data: { type: a } },
        { log_id: '2', data: { type: b } },
      ],
    ],
    azure_event_grid: [
      'A.Deleted',
      'A.Created',
      (a, b) => [
        { id: '1', eventType: a },
        { id: '2', eventType: b },
      ],
    ],
    cloudevents: [
      'com.a',
      'com.b',
      (a, b) => [
        { id: '1', source: 's', type: a },
        { id: '2', source: 's', type: b },
      ],
    ],
    hubspot: ['contact.deletion', 'contact.creation', (a, b) => [{ subscriptionType: a }, { subscriptionType: b }]],
    line: [
      'follow',
      'message',
      (a, b) => ({
        events: [
          { type: a, webhookEventId: '1' },
          { type: b, webhookEventId: '2' },
        ],
      }),
    ],
    mandrill: [
      'open',
      'hard_bounce',
      (a, b) => [
        { event: a, _id: '1', ts: 1 },
        { event: b, _id: '2', ts: 1 },
      ],
    ],
    meta: [
      'feed',
      'messages',
      (a, b) => ({ object: 'page', entry: [{ changes: [{ field: a }] }, { messaging: [] }, { changes: [{}, { field: b }] }] }),
    ],
    microsoft_graph: [
      'missed',
      'created',
      (a, b) => ({
        value: [
          { id: '1', lifecycleEvent: a, clientState: '***' },
          { id: '2', changeType: b, clientState: '***' },
        ],
      }),
    ],
    okta: ['user.session.end', 'user.session.start', (a, b) => ({ eventId: '1', data: { events: [{ eventType: a }, { eventType: b }] } })],
    sendgrid: [
      'open',
      'bounce',
      (a, b) => [
        { event: a, sg_event_id: '1' },
        { event: b, sg_event_id: '2' },
      ],
    ],
  }
  const several = presets.filter(({ reads }) => reads?.several).map(({ name }) => name)
  t.same(Object.keys(batches), several.sort(), 'all senders that have such requests')
  const keys = new Map(several.map((name) => [name, keysFor(named(name))]))
  const routes = Object.entries(batches).flatMap(([name, [, listed]]) => {
    const route = { verify: name, prompt: '{event_type}', events: ['elsewhere', listed], ...keys.get(name)?.route }
    return [
      [name, route],
      [`${name}-whole`, { ...route, split: false }],
    ]
  })
  const gateway = await start(t, Object.fromEntries(routes), { extra: { public_url: 'https://hooks.example.com' } })
  for (const [name, [first, listed, make]] of Object.entries(batches)) {
    const send = async (route: string, ...types: [string, string]) => {
      const { headers, body, url } = named(name).sign({
        ...(keys.get(name) ?? { secret: '' }),
        body: name === 'mandrill' ? mandrillForm(make(...types)) : JSON.stringify(make(...types)),
        id: types.join(),
        at: Date.now(),
        url: `https://hooks.example.com/webhooks/${route}`,
        contentType: name === 'mandrill' ? formType : 'application/json',
      })
      const from = gateway.lines.length
      const type = name === 'mandrill' ? { 'content-type': formType } : {}
      await post(gateway, route, { ...type, ...headers }, body, url?.replace('https://hooks.example.com', ''))
      const ends = gateway.lines.slice(from).filter(({ remote }) => remote !== undefined)
      return ends.map(({ outcome, event_type: type }) => `${outcome} ${type}`)
    }
    const ends = await send(name, first, listed)
    t.match(ends[0], /^split /, `${name} is split`)
    t.ok(ends.includes(`ignored ${first}`), `${name}: ${ends}`)
    t.equal(ends.filter((end) => end === `accepted ${listed}`).length, 1, `${name}: the second is listed`)
    t.notOk(
      (await send(name, first, first)).some((end) => end.startsWith('accepted')),
      `${name}: none is`,
    )
    t.strictSame(await send(`${name}-whole`, first, listed), [`accepted ${listed}`])
    t.strictSame(await send(`${name}-whole`, first, first), [`ignored ${first}`])
  }
})

const mandrillForm = (events: unknown): string => new URLSearchParams({ mandrill_events: JSON.stringify(events) }).toString()

t.test('Mandrill: its questions, and items that are known again however they are grouped', async (t) => {
  const url = 'https://hooks.example.com/webhooks/mandrill'
  const route = { secret, events: ['click', 'inbound', 'blacklist'], prompt: '{event_type} {delivery_id} {url}' }
  const gateway = await start(t, { mandrill: { verify: 'mandrill', ...route } }, { extra: { public_url: 'https://hooks.example.com' } })
  const sent = (body: string, key = secret, type = formType) => {
    const text = new URLSearchParams(body).get('mandrill_events')
    const signature = createHmac('sha1', key).update(`${url}mandrill_events${text}`).digest('base64')
    return post(gateway, 'mandrill', { 'content-type': type, 'X-Mandrill-Signature': signature }, body)
  }
  t.equal((await ask(gateway, 'mandrill', { method: 'HEAD' })).status, 200)
  t.match(await sent(mandrillForm([]), 'test-webhook'), { status: 401 }, 'a key that everybody knows')
  t.match(await sent(mandrillForm([])), { status: 'handshake' }, 'an empty list is no event')

  const click = { event: 'click', _id: 'm1', ts: 1, url: 'https://a.example/1', msg: { email: 'ada@example.org' } }
  const [other, mail, list] = [
    { ...click, url: 'https://a.example/2' },
    { event: 'inbound', ts: 1 },
    { type: 'blacklist', ts: 1 },
  ]
  await sent(mandrillForm([click, mail]))
  await sent(mandrillForm([list, { event: 'open', _id: 'm1', ts: 1 }, click, other]))
  const ends = gateway.lines.filter(
    ({ outcome, remote }) => remote !== undefined && /split|accepted|ignored|duplicate/.test(String(outcome)),
  )
  t.strictSame(
    ends.map(({ outcome, event_type: type, delivery_id: id }) => `${outcome} ${type} ${String(id).replace(/^sha256:\w+/, 'digest')}`),
    [
      'split click digest',
      'accepted click m1 1 click https://a.example/1',
      'accepted inbound digest#1',
      'split blacklist digest',
      'accepted blacklist digest#0',
      'ignored open m1 1 open m1',
      'duplicate click m1 1 click https://a.example/1',
      'accepted click m1 1 click https://a.example/2',
    ],
  )
  const again = mandrillForm([{ event: 'click', _id: 'm2', ts: 2 }])
  t.match(await sent(again, secret, 'application/json'), { status: 401 }, 'not sent as a form')
  t.match(await sent(`${again}&mandrill_events=%5B%5D`), { status: 401 }, 'the field twice')
  t.match(await sent(`${again}&payload=%5B%5D`), { status: 401 }, 'another field with JSON')
})
