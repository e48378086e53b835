/**
 * Signature schemes as data: those that a configuration describes, keys that are fetched, handshakes, shaped answers, and who may post at
 * all.
 */

import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { request } from 'node:http'
import fc from 'fast-check'
import t from 'tap'
import type { SignatureScheme } from '../../src/generated/config.ts'
import { checkConfig } from '../../src/generated/validators.js'
import { HmacKey } from '../../src/node-internals/hmac-key.ts'
import { ReadOnceBody } from '../../src/parts/body/request-body.ts'
import { describedScheme } from '../../src/parts/schemes/described/described.ts'
import { isBrokenDescription } from '../../src/parts/schemes/described/description.ts'
import { fakeCli } from '../fakes/cli.ts'
import { steppedClock } from '../fakes/clock.ts'
import { type Answer, startGateway, type TestGateway } from '../fakes/gateway.ts'

const at = 1_750_000_000_000
const seconds = at / 1000
const hex = (text: string, key: string, hash = 'sha256'): string => createHmac(hash, key).update(text).digest('hex')
const body = '{"a":1,"id":"e1","type":"order.paid"}'

const asked = (gateway: TestGateway, method: string, path: string, headers: { [name: string]: string } = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const sent = request(`${gateway.url}${path}`, { method, headers, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers as never, text, json: {} }))
    })
    sent.on('error', reject)
    sent.end()
  })

t.test('a scheme of the configuration, and one of a route', async (t) => {
  const gateway = await startGateway(t, {
    now: () => at,
    config: {
      signature_schemes: {
        'acme-sign': {
          algorithm: 'hmac_sha512',
          signature: { header: 'X-Acme', label: 's', separator: ';', encoding: 'base64' },
          timestamp: { header: 'X-Acme', label: 't', unit: 'milliseconds', window_seconds: 10 },
          signed: '{method}|{header.X-Acme-Id}|{timestamp}|{body}',
          id: { body: 'id' },
          event: { body: ['kind', 'type'] },
        },
      },
    },
    routes: {
      acme: { verify: 'acme-sign', secret: 'k', events: ['order.paid'] },
      plain: { verify: 'github', secret: 'k' },
      dated: { verify: { algorithm: 'token', signature: { header: 'X-Pass' }, timestamp: { body: 'time' } }, secret: 'token-of-12' },
      inline: { verify: { algorithm: 'token', signature: { header: 'Authorization', prefix: 'Bearer ' } }, secret: 'token-of-12' },
      basic: { verify: { algorithm: 'basic', signature: { header: 'authorization' } }, secret: 'me:token-of-12' },
    },
  })
  const acme = (time = String(at), text = body, id = 'i1'): { [name: string]: string } => ({
    'X-Acme-Id': id,
    'X-Acme': `t=${time};s=${createHmac('sha512', 'k').update(`POST|${id}|${time}|${text}`).digest('base64')}`,
  })
  const post = (route: string, headers: { [name: string]: string }, text = body) =>
    gateway.post(route, { sign: false, headers, body: text })
  const good = await post('acme', acme())
  t.match(good, { status: 202, json: { event: 'order.paid', delivery_id: 'e1' } })
  t.match(
    await post('acme', { ...acme(), 'X-GitHub-Event': 'push', 'X-Request-ID': 'other' }),
    { status: 200, json: { status: 'duplicate' } },
    'nothing unsigned changes type or id',
  )
  t.equal((await post('acme', acme(), `${body} `)).status, 401)
  t.equal((await post('acme', acme(String(at - 11_000)))).status, 401, 'too old')
  t.equal((await post('acme', acme(String(at + 11_000)))).status, 401, 'from the future')
  t.equal((await post('acme', { ...acme(), 'X-Acme-Id': 'i2' })).status, 401, 'a signed header was changed')
  const { 'X-Acme-Id': _, ...without } = acme()
  t.equal((await post('acme', without)).status, 401, 'what is signed and missing is no empty text')
  t.equal((await post('acme', { ...acme(), 'X-Acme': `t=1;${acme()['X-Acme']}` })).status, 401, 'two times')
  t.equal((await post('acme', { 'X-Hub-Signature-256': `sha256=${hex(body, 'k')}` })).status, 401, 'no other scheme counts')
  t.equal((await post('plain', acme())).status, 401, 'and it serves only routes that name it')
  t.equal((await post('inline', { Authorization: 'bearer token-of-12' }, '{"b":1}')).status, 202)
  const basic = async (text: string) => (await post('basic', { Authorization: `Basic ${Buffer.from(text).toString('base64')}` })).status
  t.same([await basic('me:token-of-12'), await basic('me:token-of-13')], [202, 401], 'the name of the header leaves the prefix as it is')
  const dated = async (pass: string, time: number) => (await post('dated', { 'X-Pass': pass }, `{"time":${time}}`)).status
  t.equal(await dated('token-of-12', seconds), 202, 'a credential in the head goes with a time in the body')
  t.same([await dated('token-of-13', seconds), await dated('token-of-12', seconds - 3_600)], [401, 401])
  for (const wrong of ['Bearer token-of-13', 'Bearer token-of-12 ', 'token-of-12', 'Basic token-of-12', 'Bearer '])
    t.equal(
      (await post('inline', { Authorization: wrong.trimStart() }, '{"b":1}')).status,
      wrong.endsWith('12 ') ? 202 : 401,
      JSON.stringify(wrong),
    )
})

t.test('large bodies with a public key: many at a time, with the second of two keys, and one changed byte', async (t) => {
  const [other, pair] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')]
  const pem = ({ publicKey }: typeof pair): string => publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const verify = { algorithm: 'ed25519', signature: { header: 'X-Sig' }, signed: '{header.X-Time}{body}' } as const
  const gateway = await startGateway(t, { routes: { r: { verify, public_key: [pem(other), pem(pair)], deliver: 'log' } } })
  const post = (text: string, signed = text) =>
    gateway.post('r', {
      sign: false,
      headers: { 'X-Time': 't', 'X-Sig': sign(null, Buffer.from(`t${signed}`), pair.privateKey).toString('hex') },
      body: text,
    })
  // Sizes around those from which a check waits for its turn, and goes to the pool.
  const texts = [1000, 65_000, 66_000, 270_000, 900_000].flatMap((length) => [0, 1].map((n) => `{"n":${n},"text":"${'x'.repeat(length)}"}`))
  const answers = await Promise.all(texts.flatMap((text) => [post(text), post(text, text.replace('x"}', 'y"}'))]))
  t.same(
    answers.map(({ status }) => status),
    texts.flatMap(() => [202, 401]),
  )
})

t.test('keys that are fetched: a JWKS, kept, rotated, and not asked too often', async (t) => {
  const pairs = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }))
  const jwk = (i: number) => ({ ...(pairs[i]?.publicKey.export({ format: 'jwk' }) as object), kid: `k${i}`, use: 'sig', alg: 'RS256' })
  const token = (i: number, claims: object, kid = `k${i}`, more: object = {}): string => {
    const signed = [{ alg: 'RS256', kid, ...more }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    return `${signed}.${sign('sha256', Buffer.from(signed), pairs[i]?.privateKey as never).toString('base64url')}`
  }
  const clock = steppedClock(at)
  let served = [jwk(0)]
  let fetched = 0
  let isDown = false
  const gateway = await startGateway(t, {
    clock,
    download: async () => {
      fetched++
      if (isDown) throw new Error('HTTP 500')
      return Buffer.from(JSON.stringify({ keys: served }))
    },
    routes: {
      r: { verify: { algorithm: 'jwt', jwks_url: 'https://sender.example/jwks', issuer: 'them', audience: 'us' } },
    },
  })
  const claims = { iss: 'them', aud: ['us', 'others'], exp: seconds + 600 }
  let n = 0
  const post = async (jwt: string) =>
    (await gateway.post('r', { sign: false, headers: { Authorization: `Bearer ${jwt}`, 'X-Request-ID': String(n++) }, body })).status
  t.equal(await post(token(0, claims)), 202)
  t.equal(await post(token(0, claims)), 202)
  t.equal(fetched, 1, 'the keys are kept')
  for (const [why, bad] of [
    ['another issuer', token(0, { ...claims, iss: 'you' })],
    ['another audience', token(0, { ...claims, aud: 'you' })],
    ['expired', token(0, { ...claims, exp: seconds - 600 })],
    ['an expiry that is a text', token(0, { ...claims, exp: String(seconds + 600) })],
    ['a begin that is no number', token(0, { ...claims, nbf: true })],
    ['an age that is no number', token(0, { ...claims, iat: null })],
    ['another key', token(1, claims, 'k0')],
    ['no signature', `${token(0, claims).split('.').slice(0, 2).join('.')}.`],
    [
      'alg none',
      [{ alg: 'none', kid: 'k0' }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
        .concat('.AA'),
    ],
    ['no token', 'abc'],
    ['a rule that is not known', token(0, claims, 'k0', { crit: ['b64'], b64: false })],
    ['a list of rules that is empty', token(0, claims, 'k0', { crit: [] })],
  ] as const)
    t.equal(await post(bad), 401, why)
  t.equal(await post(token(1, claims)), 503, 'an unknown key waits until the sender is asked again')
  t.equal(fetched, 1, 'the sender was asked a moment ago')
  served = [jwk(0), jwk(1)]
  clock.advance(31_000)
  t.same(await Promise.all([post(token(1, claims)), post(token(1, claims))]), [202, 202], 'a new key is found')
  t.equal(fetched, 2, 'by one question')
  isDown = true
  clock.advance(4_000_000)
  const later = { ...claims, exp: clock.now() / 1000 + 600 }
  t.equal(await post(token(0, later)), 202, 'a sender whose keys cannot be had is known by the last ones')
  clock.advance(31_000)
  t.equal(await post(token(0, later, 'k9')), 503, 'and asked to try again with others')
})

t.test('handshakes are answered before any route work, and only as their scheme says', async (t) => {
  const gateway = await startGateway(t, {
    now: () => at,
    routes: {
      slack: { verify: 'slack', secret: 's' },
      github: { secret: 's' },
      pings: { secret: 's', events: ['ping'] },
      get: {
        verify: {
          algorithm: 'hmac_sha256',
          signature: { header: 'X-S' },
          handshakes: [
            { method: 'GET', when: { query: 'hub.challenge' }, token: { query: 'hub.verify_token' }, answer: { text: '{value}' } },
            { method: 'GET', when: { query: 'crc' }, answer: { json: { response: 'sha256={hmac_base64}' } } },
            { method: 'OPTIONS', when: { header: 'WebHook-Request-Origin' }, answer: { headers: { 'WebHook-Allowed-Origin': '{value}' } } },
            { when: { query: 'validationToken' }, signed: false, answer: { text: '{value}' } },
          ],
        },
        secret: 'g',
        verify_token: 'mine',
      },
    },
  })
  const slack = (text: string, key = 's') => {
    const headers = { 'X-Slack-Request-Timestamp': String(seconds), 'X-Slack-Signature': `v0=${hex(`v0:${seconds}:${text}`, key)}` }
    return gateway.post('slack', { sign: false, headers, body: text })
  }
  const question = '{"type":"url_verification","challenge":"abc"}'
  const answer = await slack(question)
  t.match(answer, { status: 200, text: 'abc' })
  t.match(
    answer.headers.get?.('content-type') ?? String((answer.headers as never as { [n: string]: string })['content-type']),
    'text/plain',
  )
  t.equal((await slack(question, 'other')).status, 401, 'a question that is not signed')
  const ping = { 'X-GitHub-Event': 'ping', 'X-Hub-Signature-256': `sha256=${hex('{}', 's')}` }
  t.match(await gateway.post('github', { sign: false, headers: ping, body: '{}' }), { status: 200, json: { status: 'handshake' } })
  t.equal((await gateway.post('pings', { sign: false, headers: ping, body: '{}' })).status, 202, 'a route that lists the event gets it')

  const get = (query: string, method = 'GET', headers = {}) => asked(gateway, method, `/webhooks/get${query}`, headers)
  t.match(await get('?hub.challenge=42&hub.verify_token=mine'), { status: 200, text: '42' })
  t.equal((await get('?hub.challenge=42&hub.verify_token=yours')).status, 403)
  t.equal((await get('?hub.challenge=42')).status, 403)
  t.match(await get('?crc=word'), {
    text: JSON.stringify({ response: `sha256=${createHmac('sha256', 'g').update('word').digest('base64')}` }),
  })
  for (const event of ['{"a":1}', '123', 'true', 'a:b', `${'x'.repeat(300)}`])
    t.equal((await get(`?crc=${encodeURIComponent(event)}`)).status, 403, `not signed: ${event}`)
  const signedWord = { 'X-S': hex('word', 'g'), 'content-type': 'application/x-www-form-urlencoded' }
  t.equal(
    (await gateway.post('get', { sign: false, headers: signedWord, body: 'word' })).status,
    401,
    'an answer is no signature of an event',
  )
  t.match((await get('', 'OPTIONS', { 'WebHook-Request-Origin': 'a.example' })).headers, { 'webhook-allowed-origin': 'a.example' })
  t.match(await gateway.post('get', { sign: false, path: '/webhooks/get?validationToken=%3Cb%3E', body: '' }), { status: 200, text: '<b>' })
  t.equal((await get('')).status, 405)
  t.equal((await get('?crc=word', 'HEAD')).status, 405, 'another method')
  for (const path of ['/webhooks/slack', '/webhooks/nobody?hub.challenge=1']) t.equal((await asked(gateway, 'GET', path)).status, 405, path)
  const forged = await gateway.raw(
    'GET /webhooks/get?hub.challenge=1%0d%0aX:%20y&hub.verify_token=mine HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  )
  t.notMatch(forged.split('\r\n\r\n')[0], /X: y/, 'what is echoed adds no header')
})

t.test('an answer is shaped for its sender, and its values are nothing but text', async (t) => {
  const xml = { status: 201, content_type: 'text/xml', body: '<Response><Message>{text}</Message></Response>' }
  const gateway = await startGateway(t, {
    routes: {
      xml: { respond: xml, filters: [{ field: 'drop', missing: true }] },
      json: { respond: { content_type: 'application/json', body: '{"said":"{text}"}' } },
      empty: { respond: {} },
      map: { respond: { body: { said: '{text}', n: '{n}', list: ['{text}!', null, 2], price: '${n}', none: '{none}' } } },
      form: { respond: { content_type: 'application/x-www-form-urlencoded', body: { said: '{text}', 'a b': ['x', '{n}'] } } },
      long: { respond: { body: Array(7).fill('{text}') } },
    },
  })
  const text = `<Dial>"&'\n`
  const post = (route: string, more: object = {}, id = 'a') =>
    gateway.post(route, { body: { text, ...more }, headers: { 'X-Request-ID': id } })
  const said = '<Response><Message>&lt;Dial&gt;&quot;&amp;&apos;\n</Message></Response>'
  t.match(await post('xml'), { status: 201, text: said })
  t.match(await post('xml'), { status: 201, text: said }, 'a duplicate')
  t.match(await post('xml', { drop: 1 }, 'b'), { status: 201, text: said }, 'an event that is ignored')
  t.same(JSON.parse((await post('json')).text), { said: text })
  t.match(await post('empty'), { status: 200, text: '' })
  const map = await gateway.post('map', { body: `{"text":${JSON.stringify(text)},"n":12345678901234567890}` })
  const digits = '12345678901234567890'
  const quoted = JSON.stringify(text)
  t.equal(map.text, `{"said":${quoted},"n":${digits},"list":[${quoted.slice(0, -1)}!",null,2],"price":"$${digits}","none":"{none}"}`)
  t.equal(map.headers.get('content-type'), 'application/json')
  t.equal((await post('form', { n: 7 })).text, `said=${encodeURIComponent(text)}&a%20b=x&a%20b=7`)
  const long = await post('long', { text: 'a'.repeat(20_000) })
  t.match(long.json, { status: 'accepted' }, 'what is too long gives way to the usual answer')
  t.equal((await gateway.post('xml', { sign: false, body: {} })).status, 401, 'a refusal stays as it is')
})

t.test('an answer is that of its outcome, where the route has one for it', async (t) => {
  const json = 'application/json'
  const outcomes = {
    accepted: { status: 201, content_type: json, body: '{"taken":"{text}"}' },
    ignored: { body: { skipped: '{reason}', of: '{event_type}' } },
    duplicate: { status: 208, body: 'again {reason}' },
  }
  const filters = [{ field: 'drop', missing: true }]
  const gateway = await startGateway(t, {
    routes: {
      all: { respond: { outcomes }, events: ['a'], filters },
      some: { respond: { outcomes: { duplicate: outcomes.duplicate } }, filters },
      others: { respond: { status: 202, body: 'usual', outcomes: { ignored: { status: 204 } } }, filters },
      waits: { respond: { wait_seconds: 20, body: 'reply {reply}', outcomes }, filters },
      items: { respond: { outcomes }, split: 'items' },
    },
  })
  const post = async (route: string, more: object = {}, id = 'a') =>
    gateway.post(route, { body: { type: 'a', text: '<"', ...more }, headers: { 'X-Request-ID': id } })
  const taken = await post('all')
  t.match(taken, { status: 201, text: '{"taken":"<\\""}' })
  t.equal(taken.headers.get('content-type'), json)
  t.match(await post('all', { reason: 'of the payload' }), { status: 208, text: 'again of the payload' })
  t.match(await post('all', { drop: 1, reason: 'no word of ours' }, 'b'), { status: 200, text: '{"skipped":"filter","of":"a"}' })
  t.match(await post('all', { type: 'b' }, 'c'), { status: 200, text: '{"skipped":"event","of":"b"}' })
  t.equal((await gateway.post('all', { sign: false, body: {} })).status, 401, 'a refusal stays as it is')
  t.match(await post('some'), { status: 202, json: { status: 'accepted' } }, 'an outcome without an answer of its own')
  t.match(await post('some'), { status: 208, text: 'again {reason}' })
  t.match(await post('some', { drop: 1 }, 'b'), { status: 200, json: { status: 'ignored', reason: 'filter' } })
  t.match(await post('others'), { status: 202, text: 'usual' })
  t.match(await post('others', { drop: 1 }, 'b'), { status: 204, text: '' })
  t.match(await post('waits'), { status: 200, text: /^reply / }, 'who waits gets the reply')
  t.match(await post('waits', { drop: 1 }, 'b'), { status: 200, text: '{"skipped":"filter","of":"a"}' })
  t.match(await post('items', { items: [{ n: 1 }] }), { status: 201 }, 'an item made work')
  t.match(await post('items', { items: [{ n: 1 }] }), { status: 200, json: { status: 'split' } }, 'none did')
})

t.test('only listed networks and checked certificates may post', async (t) => {
  const route = { client_certificate: { header: 'X-Fingerprint', equals: ['ab12', 'cd34'] } }
  const gateway = await startGateway(t, {
    extra: { trust_proxy: ['127.0.0.1'] },
    routes: { here: { allow_from: ['192.0.2.0/24', '2001:db8::/32'] }, cert: route },
  })
  const post = async (name: string, headers: { [header: string]: string }) => (await gateway.post(name, { body: {}, headers })).status
  t.equal(await post('here', { 'X-Forwarded-For': '192.0.2.7' }), 202)
  t.equal(await post('here', { 'X-Forwarded-For': '2001:db8::9' }), 202)
  t.equal(await post('here', { 'X-Forwarded-For': '192.0.3.7' }), 403)
  t.equal(await post('here', { 'X-Forwarded-For': '192.0.2.7, 198.51.100.1' }), 403, 'a forged first hop')
  t.equal(await post('here', {}), 403)
  t.equal(await post('cert', { 'X-Fingerprint': 'cd34' }), 202)
  t.equal(await post('cert', { 'X-Fingerprint': 'cd3' }), 403)
  t.equal(await post('cert', {}), 403)
  const direct = await startGateway(t, { extra: { trust_proxy: ['192.0.2.1'] }, routes: { cert: route } })
  t.equal((await direct.post('cert', { body: {}, headers: { 'X-Fingerprint': 'cd34' } })).status, 403, 'from nobody that is trusted')
})

t.test('what a client writes into X-Forwarded-For changes neither who may post nor whom a limit counts', async (t) => {
  const routes = { here: { allow_from: ['192.0.2.0/24', '2001:db8::/32'] }, open: {} }
  /**
   * Of a post without a signature: 403 where its client may not post at all, 401 where it may, 429 once its client has failed too often.
   */
  const ask = async (gateway: TestGateway, route: string, lines: readonly string[]): Promise<number> => {
    const headers = lines.map((line) => `X-Forwarded-For: ${line}\r\n`).join('')
    const answer = await gateway.raw(
      `POST /webhooks/${route} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}Content-Length: 2\r\n\r\n{}`,
    )
    return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
  }
  const listed = await startGateway(t, {
    extra: { trust_proxy: ['127.0.0.1', '198.51.100.1', '2001:db8:ffff::1'], rate_limit: 1000 },
    routes,
  })
  const filler = `192.0.2.7,${' '.repeat(1024)}`
  const cases: readonly (readonly [status: number, ...lines: string[]])[] = [
    [403, `${filler}203.0.113.5`],
    [401, `${'x'.repeat(8000)}, 192.0.2.7`],
    [403, '192.0.2.7'.padStart(1030, '1')],
    [401, `203.0.113.5, 192.0.2.7,${' '.repeat(900)}198.51.100.1`],
    // The element that the limit cuts would read as an address that may post.
    [403, `203.0.113.1192.0.2.7,${' '.repeat(8)}${'198.51.100.1, '.repeat(71)}198.51.100.1`],
    [401, '203.0.113.5', '192.0.2.7'],
    [403, '192.0.2.7', '203.0.113.5'],
    [403, '192.0.2.7', filler, '203.0.113.5'],
    [401, '203.0.113.5, 192.0.2.7, 198.51.100.1', '2001:db8:ffff::1'],
    [401, '203.0.113.5, 192.0.2.7:4711'],
    [401, '203.0.113.5, [2001:db8::9]'],
    [401, '203.0.113.5, [2001:DB8::9]:443'],
    [401, '203.0.113.5, ::FFFF:192.0.2.7'],
    [401, '192.0.2.7, , '],
    [403, '192.0.2.7, unknown'],
    [403, '192.0.2.7, 192.0.2.7.'],
    [403, '192.0.2.7, 192.0.2.7:port'],
    [403, '192.0.2.7, _hidden, 198.51.100.1'],
    [401, '203.0.113.5, nobody, [2001:db8:ffff::1]:8080'],
    [403, ''],
  ]
  for (const [status, ...lines] of cases) t.equal(await ask(listed, 'here', lines), status, lines.join(' | ').slice(-80))
  const one = await startGateway(t, { extra: { trust_proxy: true, rate_limit: 1000 }, routes })
  t.equal(await ask(one, 'here', [`${filler}203.0.113.5`]), 403, 'the last element is the client')
  t.equal(await ask(one, 'here', ['203.0.113.5', '192.0.2.7']), 401)
  t.equal(await ask(one, 'here', ['192.0.2.7, unknown']), 403)
  const limited = await startGateway(t, { extra: { trust_proxy: ['127.0.0.1'], rate_limit: 2 }, routes })
  const failed = async (line: string) => ask(limited, 'open', [`${line},${' '.repeat(1024)}203.0.113.5`])
  t.same([await failed('1.1.1.1'), await failed('1.1.1.2'), await failed('1.1.1.3')], [401, 401, 429])
  t.equal(await ask(limited, 'open', ['203.0.113.6']), 401, 'another client')
})

t.test('the address that a sender signs: configured, of the route, or what a trusted proxy says', async (t) => {
  const verify = { algorithm: 'hmac_sha256', signature: { header: 'X-S' }, signed: '{url}|{body}' }
  const start = (extra: object) =>
    startGateway(t, {
      extra: { ...extra },
      routes: { a: { verify, secret: 'k' }, b: { verify, secret: 'k', public_url: 'https://b.example/in?x=%20' } },
    })
  const status = async (gateway: TestGateway, route: string, url: string, headers = {}, query = '') =>
    (
      await gateway.post(route, {
        sign: false,
        path: `/webhooks/${route}${query}`,
        body,
        headers: { 'X-S': hex(`${url}|${body}`, 'k'), ...headers },
      })
    ).status
  const plain = await start({ trust_proxy: ['127.0.0.1'] })
  t.equal(await status(plain, 'a', `${plain.url}/webhooks/a`), 202)
  const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'a.example' }
  t.equal(await status(plain, 'a', 'https://a.example/webhooks/a', forwarded), 202)
  const alone = await start({})
  t.equal(await status(alone, 'a', 'https://a.example/webhooks/a', forwarded), 401, 'nobody is trusted')
  const known = await start({ public_url: 'https://c.example/hooks/' })
  t.equal(await status(known, 'a', 'https://c.example/hooks/webhooks/a'), 202)

  // Where the body may begin in the query, one signature serves many bodies.
  t.equal(await status(plain, 'b', 'https://b.example/in?x=%20', forwarded, '?x=%20'), 202, 'the configured query')
  t.equal(await status(plain, 'b', 'https://b.example/in', forwarded), 401, 'without it')
  for (const query of ['?x=%20&y=1', '?x=+', '?', '?x=%20#']) {
    t.equal(await status(plain, 'b', `https://b.example/in${query}`, forwarded, query), 401, query)
    t.equal(await status(known, 'a', `https://c.example/hooks/webhooks/a${query}`, {}, query), 401, `${query}, and none is configured`)
    t.equal(await status(plain, 'a', `${plain.url}/webhooks/a${query}`, {}, query), 401, `${query}, and no address is configured`)
  }
  const host = { Host: `x/webhooks/a|{"a":1}` }
  t.equal(await status(alone, 'a', `http://${host.Host}/webhooks/a`, host), 401, 'a Host that is none')
})

t.test('a signature that covers parts of a body only serves one body', async (t) => {
  const gateway = await startGateway(t, {
    now: () => at,
    routes: {
      mail: { verify: 'mailgun', secret: 'k', events: ['delivered'] },
      whole: { verify: 'shopify', secret: 'k', events: ['orders/create'] },
    },
  })
  const time = String(Math.floor(at / 1000))
  const mail = (event: string, token: string) =>
    JSON.stringify({ signature: { timestamp: time, token, signature: hex(`${time}${token}`, 'k') }, 'event-data': { event } })
  const post = async (body: string) => (await gateway.post('mail', { sign: false, body })).status
  const outcome = () => gateway.lines.findLast(({ stage }) => stage !== undefined)?.outcome
  t.equal(await post(mail('opened', 'a'.repeat(50))), 200)
  t.equal(outcome(), 'ignored')
  await post(mail('delivered', 'a'.repeat(50)))
  t.equal(outcome(), 'duplicate', 'another body with the signature of the ignored event')
  await post(mail('delivered', 'b'.repeat(50)))
  t.equal(outcome(), 'accepted')
  const order = { 'X-Shopify-Webhook-Id': '1', 'X-Shopify-Hmac-Sha256': createHmac('sha256', 'k').update('{}').digest('base64') }
  const shop = (topic: string) => gateway.post('whole', { sign: false, body: '{}', headers: { ...order, 'X-Shopify-Topic': topic } })
  await shop('orders/paid')
  await shop('orders/create')
  t.equal(outcome(), 'accepted', 'where the body is signed whole an ignored event leaves its id free')
})

t.test('times without a separator have one width, so that no digit of a token is one of theirs', async (t) => {
  const gateway = await startGateway(t, { now: () => at, routes: { mail: { verify: 'mailgun', secret: 'k' } } })
  const time = String(Math.floor(at / 1000))
  const signature = hex(`${time}123abc`, 'k')
  const post = async (timestamp: string, token: string) =>
    (await gateway.post('mail', { sign: false, body: JSON.stringify({ signature: { timestamp, token, signature } }) })).status
  for (const moved of [1, 2, 3, 4])
    t.equal(await post(`${time}${'123a'.slice(0, moved)}`, '123abc'.slice(moved)), 401, `${moved} to the right`)
  for (const moved of [1, 2, 3, 4]) t.equal(await post(time.slice(0, -moved), `${time.slice(-moved)}123abc`), 401, `${moved} to the left`)
  t.equal(await post(time, '123abc'), 200)
})

t.test('a repeat is known where the named id is missing', async (t) => {
  const gateway = await startGateway(t, {
    now: () => at,
    routes: { slack: { verify: 'slack', secret: 'k' }, jira: { verify: 'jira', secret: 'k' } },
  })
  const time = String(Math.floor(at / 1000))
  const ended = async (route: string, headers: object, body: string) => {
    await gateway.post(route, { sign: false, body, headers: { ...headers } })
    return gateway.lines.findLast(({ stage }) => stage !== undefined)?.outcome
  }
  const slack = (body: string, id: string) =>
    ended(
      'slack',
      { 'X-Slack-Request-Timestamp': time, 'X-Slack-Signature': `v0=${hex(`v0:${time}:${body}`, 'k')}`, 'X-Request-ID': id },
      body,
    )
  t.equal(await slack('{"type":"view_submission"}', '1'), 'accepted')
  t.equal(await slack('{"type":"view_submission"}', '2'), 'duplicate', 'with a header that nobody signs')
  t.equal(await slack('{"type":"view_closed"}', '3'), 'accepted')
  const jira = (headers: object) => ended('jira', { 'X-Request-ID': '', 'X-Hub-Signature': `sha256=${hex('{}', 'k')}`, ...headers }, '{}')
  t.equal(await jira({ 'X-Atlassian-Webhook-Identifier': '1' }), 'accepted')
  t.equal(await jira({ 'X-Atlassian-Webhook-Identifier': '2' }), 'accepted', 'its own id')
  t.equal(await jira({}), 'accepted')
  t.equal(await jira({}), 'duplicate', 'without it')
})

t.test('each of several schemes is asked', async (t) => {
  const gateway = await startGateway(t, {
    now: () => at,
    routes: Object.fromEntries(
      [
        ['mailgun', 'stripe'],
        ['docker_hub', 'stripe'],
        ['microsoft_graph', 'stripe'],
        ['intercom', 'bitbucket'],
      ].map((verify) => [(verify[0] as string).replaceAll('_', '-'), { verify, secret: 'k' }]),
    ),
  })
  const time = String(Math.floor(at / 1000))
  const status = async (route: string, headers: object, body = '{}', query = '') =>
    (await gateway.post(route, { sign: false, body, headers: { ...headers }, path: `/webhooks/${route}${query}` })).status
  const stripe = { 'Stripe-Signature': `t=${time},v1=${hex(`${time}.{}`, 'k')}` }
  for (const route of ['mailgun', 'docker-hub', 'microsoft-graph']) t.match(await status(route, stripe), /20[02]/, `${route} and stripe`)
  t.equal(await status('docker-hub', {}, '{"push_data":{}}', '?token=k'), 202)
  t.equal(await status('microsoft-graph', {}, '{"value":[{"clientState":"k","id":"1"}]}'), 202)
  t.equal(await status('docker-hub', { 'Stripe-Signature': 't=1' }, '{"push_data":{}}', '?token=k'), 401, 'whose header shows decides')
  t.equal(await status('intercom', { 'X-Hub-Signature': `sha1=${createHmac('sha1', 'k').update('{}').digest('hex')}` }), 202)
  t.equal(await status('intercom', { 'X-Hub-Signature': `sha256=${hex('{"a":1}', 'k')}` }, '{"a":1}'), 202, 'bitbucket')
})

t.test('a key that answers questions serves nothing else', async (t) => {
  const start = (routes: object) => startGateway(t, { routes: routes as never })
  await t.rejects(start({ x: { verify: ['x', 'v1'], secret: 'consumer-secret-1' } }), /answers questions of x/)
  await t.rejects(start({ x: { verify: 'x', secret: 'consumer-secret-1' }, a: { secret: 'consumer-secret-1' } }), /answers questions of x/)
  await t.rejects(start({ z: { verify: 'zoom' }, a: {} }), /answers questions of zoom/, 'both inherit it')
  await start({ x: { verify: 'x', secret: 'consumer-secret-1' }, more: { verify: 'x', secret: 'consumer-secret-1' }, a: {} })
})

t.test('an HMAC is that of the standard, for keys and texts of any length', async (t) => {
  // RFC 4231, 4.3 and 4.7.
  const known = [
    ['Jefe', 'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
    [
      Buffer.alloc(131, 0xaa),
      'Test Using Larger Than Block-Size Key - Hash Key First',
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
  ] as const
  for (const [key, text, digest] of known)
    t.equal(new HmacKey('sha256', Buffer.from(key)).digest([Buffer.from(text)]).toString('hex'), digest)

  const hashes = ['sha1', 'sha256', 'sha512'] as const
  const lengths = [0, 1, 63, 64, 65, 127, 128, 129, 300]
  const keys = hashes.flatMap((name) => lengths.map((length) => ({ name, bytes: Buffer.alloc(length, length) })))
  // One after the other in each round: they share the bytes that they hash.
  const made = keys.map(({ name, bytes }) => ({ name, bytes, key: new HmacKey(name, bytes) }))
  for (const length of [0, 1, 1000, 65_471, 65_472, 65_535, 65_536, 65_600, 65_601, 200_000, 3]) {
    const pieces = [Buffer.from('é', 'latin1'), Buffer.alloc(length, 'x'), Buffer.from('end')]
    const wrong = made.filter(
      ({ name, bytes, key }) => !key.digest(pieces).equals(createHmac(name, bytes).update(Buffer.concat(pieces)).digest()),
    )
    t.strictSame(wrong, [], `${length} bytes`)
  }
})

t.test('a description that cannot work is a finding at its place', async (t) => {
  const yaml = (scheme: string): string => `platforms:
  webhook:
    enabled: true
    secret: some words, not base64
    routes:
      a: { verify: acme-sign, prompt: p }
signature_schemes:
  acme-sign: ${scheme}
`
  for (const [scheme, finding] of [
    ['{ algorithm: hmac_sha256 }', /WH313 .*signature needs one place/],
    ['{ algorithm: hmac_sha256, signature: { header: A, query: b } }', /WH313 .*one place/],
    ['{ algorithm: hmac_sha256, signature: { header: A }, signed: "{timestamp}.{body}" }', /WH313 .*\{timestamp\}/],
    ['{ algorithm: hmac_sha256, signature: { header: A }, signed: "{nonsense}{body}" }', /WH313 .*\{nonsense\}/],
    [
      '{ algorithm: hmac_sha256, signature: { header: A }, signed: "{timestamp}", timestamp: { header: T } }',
      /WH313 .*does not cover the body/,
    ],
    ['{ algorithm: rsa_sha256, signature: { header: A }, certificate: { header: C, hosts: [a.example] } }', /WH313 .*everybody/],
    ['{ algorithm: ed25519, signature: { header: A } }', /WH314 .*public key/],
    ['{ algorithm: hmac_sha256, signature: { header: A }, key: { encoding: base64 } }', /WH314 .*base64/],
    [
      '{ algorithm: hmac_sha256, signature: { header: A }, handshakes: [{ when: { body: a, equals: b }, signed: false, answer: { text: "{payload.c}" } }] }',
      /WH313 .*nobody signs/,
    ],
    ['{ algorithm: hmac_sha256, signature: { header: A }, handshakes: [{ when: { body: a }, signed: false }] }', /WH313 .*nobody signs/],
    ['{ algorithm: jwt, signature: { body: token } }', /WH313 .*a token is checked before the body is read/],
    ['{ algorithm: hmac_sha256, signature: { header: A }, issuer: a }', /WH313 .*"issuer" protects nothing/],
    ['{ algorithm: ed25519, signature: { header: A }, audience: a }', /WH313 .*"audience" protects nothing/],
    ['{ algorithm: token, signature: { header: A }, identity: { header: B } }', /WH313 .*"identity" protects nothing/],
    [
      '{ algorithm: token, signature: { header: A }, signed: "{header.b}", body_digest: { header: B } }',
      /WH313 .*nothing signs the digest/,
    ],
    ['{ algorithm: hmac_sha9, signature: { header: A } }', /WH103 .*hmac_sha9/],
    ['{ algorithm: hmac_sha256, signature: { heder: A } }', /WH101 .*heder/],
  ] as const) {
    const { code, out } = await fakeCli(t, { 'config.yaml': yaml(scheme) }).run('validate', '--json')
    const found = JSON.parse(out).data.diagnostics.map((each: { code: string; message: string }) => `${each.code} ${each.message}`)
    t.match(found.join('\n'), finding, scheme)
    t.equal(code, 1, scheme)
  }
  const { out } = await fakeCli(t, { 'config.yaml': yaml('{}').replace('acme-sign: {}', 'acme: { algorithm: token }') }).run(
    'validate',
    '--json',
  )
  t.match(out, /a hyphen in its name/)

  const warned = async (scheme: string): Promise<string[]> => {
    const { out } = await fakeCli(t, { 'config.yaml': yaml(scheme) }).run('validate', '--json')
    const found: { code: string; pointer: string }[] = JSON.parse(out).data.diagnostics
    return found
      .filter(({ code }) => code === 'WH210' || code === 'WH313')
      .map(({ code, pointer }) => `${code} ${pointer.split('/').slice(3).join('.')}`)
  }
  const hmac = 'algorithm: hmac_sha256, signature: { header: A }'
  const answer = (text: string) => `{ ${hmac}, handshakes: [{ method: GET, when: { query: c }, answer: { ${text} } }] }`
  for (const [idle, acting, path] of [
    ['{ algorithm: token, signature: { header: A }, signed: "{body}" }', `{ ${hmac}, signed: "{body}" }`, 'signed'],
    [`{ ${hmac}, lines: [a] }`, `{ ${hmac}, lines: [a], signed: "{lines}" }`, 'lines'],
    [`{ ${hmac}, port: either }`, `{ ${hmac}, port: either, signed: "{url}{body}" }`, 'port'],
    ['{ algorithm: token, signature: { header: A }, key: { encoding: hex } }', `{ ${hmac}, key: { prefix: a } }`, 'key'],
    ['{ algorithm: jwt, key: { prefix: a }, jwks_url: "https://a.example/" }', '{ algorithm: jwt, key: { prefix: a } }', 'key'],
    [
      '{ algorithm: jwt, signature: { header: A, encoding: hex } }',
      `{ algorithm: hmac_sha256, signature: { header: A, encoding: hex } }`,
      'signature.encoding',
    ],
    ['{ algorithm: jwt, timestamp: { header: A } }', '{ algorithm: jwt, timestamp: { window_seconds: 60 } }', 'timestamp.header'],
    [answer('text: a, json: { a: b }'), answer('json: { a: b }'), 'handshakes.0.answer.text'],
    [answer('status: 204, text: a'), answer('status: 204'), 'handshakes.0.answer.text'],
  ] as const) {
    t.same(await warned(idle), [`WH210 ${path}`], idle)
    t.same(await warned(acting), [], acting)
  }
})

/** Texts that mean something in a description, and texts that mean nothing. */
const word = fc.oneof(
  fc.constantFrom('x-sig', 't', 'v1', 'a.b', '*.a', 'a.*.b', '__proto__', 'constructor', 'data.0.id', 'Authorization'),
  fc.string({ minLength: 1, maxLength: 12 }),
)
const name = fc.constantFrom('X-Sig', 'X-Time', 'Authorization', 'x_y', 'constructor')
const label = fc.constantFrom('t', 'v1', '__proto__')
const encoding = fc.constantFrom('hex', 'base64', 'base64url')
const part = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined })
const place = fc.record(
  { header: name, query: word, body: fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 3 })), label },
  { requiredKeys: [] },
)
const described = fc.record(
  {
    algorithm: fc.constantFrom(
      'hmac_sha256',
      'hmac_sha512',
      'hmac_sha1',
      'ed25519',
      'ecdsa_p256',
      'rsa_sha256',
      'rsa_sha1',
      'jwt',
      'token',
      'basic',
    ),
    signature: fc
      .tuple(
        place,
        fc.record(
          { separator: fc.constantFrom(',', ' ', ';'), prefix: fc.constantFrom('sha256=', 'Bearer '), encoding },
          { requiredKeys: [] },
        ),
      )
      .map(([a, b]) => ({ ...a, ...b })),
    signed: fc
      .array(
        fc.oneof(
          fc.constantFrom(
            '{body}',
            '{timestamp}',
            '{id}',
            '{url}',
            '{method}',
            '{path}',
            '{form}',
            '{json}',
            '{lines}',
            '{crc32}',
            '{secret}',
            '{header.X}',
            '{query.q}',
            '{payload.a.b}',
            '{',
            '}',
            '.',
          ),
          word,
        ),
        { minLength: 1, maxLength: 5 },
      )
      .map((all) => all.join('')),
    lines: fc.array(word, { minLength: 1, maxLength: 4 }),
    body_digest: fc.record({ header: name, query: word, claim: word, encoding }, { requiredKeys: [] }),
    key: fc.record(
      { encoding: fc.constantFrom('text', 'base64', 'base64url', 'hex'), prefix: fc.constantFrom('whsec_') },
      { requiredKeys: [] },
    ),
    timestamp: fc
      .tuple(
        place,
        fc.record(
          {
            unit: fc.constantFrom('seconds', 'milliseconds', 'iso8601'),
            window_seconds: fc.integer({ min: 1, max: 86_400 }),
            optional: fc.boolean(),
          },
          { requiredKeys: [] },
        ),
      )
      .map(([a, b]) => ({ ...a, ...b })),
    id: fc.record({ header: name, body: word, digest: fc.boolean(), within: fc.record({ body: word }) }, { requiredKeys: [] }),
    event: fc
      .tuple(place, part(fc.array(word, { minLength: 1, maxLength: 3 })))
      .map(([{ header = 'X-E', body: path }, present]) => ({ header, body: path, present })),
    identity: fc.record({ header: name, body: word }, { requiredKeys: [] }),
    certificate: fc.record({ header: name, body: word, hosts: fc.constantFrom(['a.example'], ['*.example']) }, { requiredKeys: ['hosts'] }),
    jwks_url: fc.constant('https://a.example/keys'),
    handshakes: fc.array(
      fc.record(
        {
          method: part(fc.constantFrom('POST', 'GET', 'HEAD', 'OPTIONS')),
          signed: part(fc.boolean()),
          when: fc.record({ query: word, header: name, body: word, equals: fc.oneof(word, fc.nat()), absent: word }, { requiredKeys: [] }),
          token: part(fc.record({ query: word })),
          confirm: part(fc.record({ body: word, hosts: fc.constant(['a.example']) })),
          answer: fc.record(
            {
              text: fc.constantFrom('{value}', '{hmac_hex}', '{hmac_base64.a}', '{query.__proto__}', '{payload.a}', '{x'),
              json: fc.dictionary(fc.string({ maxLength: 5 }), fc.constantFrom('{value}', 1, true), { maxKeys: 2 }),
              headers: fc.dictionary(name, fc.constantFrom('{value}', '{header.X}'), { maxKeys: 2 }),
              status: fc.integer({ min: 200, max: 299 }),
            },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: ['when'] },
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ['algorithm'] },
)

/** Most of what is made up is refused as a whole; half of it is mended, so that requests are checked. */
const mended = (raw: SignatureScheme): SignatureScheme => {
  const { certificate, jwks_url, body_digest: _, timestamp, handshakes: __, signature, ...rest } = raw
  const { algorithm } = raw
  const text = (raw.signed ?? '{body}').replace(/\{(?:timestamp|id|lines)\}/g, '')
  return {
    ...rest,
    signature: { header: 'X-Sig', ...(signature?.prefix === undefined ? {} : { prefix: signature.prefix }) },
    ...(timestamp === undefined ? {} : { timestamp: { header: 'X-Time', ...(timestamp.optional ? { optional: true } : {}) } }),
    signed: `${text}{body}`,
    ...(certificate && algorithm === 'rsa_sha256'
      ? { certificate: { header: 'X', hosts: certificate.hosts }, identity: { body: 'a' } }
      : {}),
    ...(jwks_url && algorithm === 'jwt' ? { jwks_url } : {}),
  } as SignatureScheme
}

t.test('any description that validates compiles, and never throws on any request', async (t) => {
  let taken = 0
  let sound = 0
  fc.assert(
    fc.property(
      described,
      fc.dictionary(
        fc.constantFrom('x-sig', 'x-time', 'authorization', 'content-type', 'x', 'x-e'),
        fc.oneof(
          fc.string({ maxLength: 40 }),
          fc.constantFrom('t=1750000000,v1=aa', 'Bearer a.b.c', 'application/x-www-form-urlencoded', '__proto__'),
        ),
      ),
      fc.oneof(fc.json({ maxDepth: 3 }), fc.string(), fc.constantFrom('a=1&b=2&__proto__=3', '{"__proto__":{"a":1}}')),
      fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.constantFrom('http://x/?q=%', '//', '?a=1&a=2')),
      fc.string({ maxLength: 20 }),
      (raw, headers, text, url, secret) => {
        const given = JSON.parse(JSON.stringify(raw)) as SignatureScheme
        const description = url.length % 2 === 0 ? mended(given) : given
        if (!checkConfig({ signature_schemes: { 'a-b': description } })) return
        taken++
        if (!isBrokenDescription(description)) sound++
        const scheme = describedScheme('a-b', description)
        const rawHeaders = Object.entries(headers).flat()
        const head = { method: 'POST', url: () => url, headers, rawHeaders, remote: () => '', isProxied: () => false, at }
        const bytes = Buffer.from(text)
        const body = new ReadOnceBody(headers, bytes)
        scheme.shows(headers)
        const made = scheme.compile(secret)
        const check = typeof made === 'function' ? made(head) : 'no use'
        const holds = typeof check === 'function' ? check(bytes) : check
        if (holds instanceof Promise) void holds.catch(() => t.fail('rejected'))
        if (holds === true)
          t.ok(description.algorithm === 'token' || description.algorithm === 'basic', 'only a token is guessed by chance')
        for (const handshake of scheme.handshakes ?? [])
          handshake.answer({ ...head, method: handshake.method }, body, { secret, verifyToken: undefined })
        const payload = text.startsWith('{') ? { a: 1 } : null
        scheme.reads?.eventType?.(headers, payload)
        scheme.reads?.deliveryId?.(headers, body)
        scheme.reads?.repeatId?.(headers, body)
      },
    ),
    { numRuns: 3_000 },
  )
  t.ok(taken > 1_000 && sound > 500, `${taken} descriptions, ${sound} of them sound`)
})
