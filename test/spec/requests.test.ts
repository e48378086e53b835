/** Requests that are no plain POST of JSON: compressed bodies, other methods, and bodies of other kinds. */

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { createInflate } from '../../src/parts/body/inflate.ts'
import { runAt } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'
import { type Answer, hexHmac, type Post, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { relayKey, startRelay } from '../fakes/relay.ts'
import { until } from '../fakes/wait.ts'

const token = 'a-token-of-the-sender'
const bearer = { algorithm: 'token', signature: { header: 'X-Token' } }
const text = JSON.stringify({ event_type: 'push', n: 1, pad: 'x'.repeat(500) })

/** Posts bytes with an encoding, signed over `signed`; without it the request is not signed. */
const postAs = (
  gateway: TestGateway,
  route: string,
  encoding: string,
  body: Buffer,
  signed?: string | Buffer,
  more: Post['headers'] = {},
) =>
  gateway.post(route, {
    body,
    sign: false,
    headers: { 'Content-Encoding': encoding, ...(signed === undefined ? {} : { 'X-Webhook-Signature': hexHmac(signed) }), ...more },
  })

/** Waits for the log line of the last request to a route, and returns it. */
const reasonOf = async (gateway: TestGateway, outcome: string): Promise<string> => {
  const line = await gateway.line((each) => each.outcome === outcome || String(each.reason).includes(outcome))
  return String(line.reason)
}

t.test('compressed bodies', async (t) => {
  const gateway = await startGateway(t, {
    extra: { max_body_bytes: 100_000 },
    routes: {
      a: { prompt: 'n {n}', filters: [{ field: 'headers.Content-Encoding', missing: true }] },
      tokened: { verify: bearer, secret: token, prompt: 'n {n}' },
      kept: { keep_refused: 'signature', prompt: 'n {n}' },
    },
  })
  const compressed = { gzip: gzipSync(text), 'X-GZip': gzipSync(text), deflate: deflateSync(text), br: brotliCompressSync(text) }

  t.test('each coding is inflated, and the signature is that of the inflated body', async (t) => {
    for (const [encoding, body] of Object.entries(compressed)) {
      t.equal((await postAs(gateway, 'a', encoding, body, text)).status, 202, encoding)
      t.equal((await postAs(gateway, 'a', encoding, body, body)).status, 401, `${encoding}: signed as sent`)
    }
    t.equal((await postAs(gateway, 'kept', 'identity', Buffer.from(text), text)).status, 202)
    // Two members are one text (RFC 1952, 2.2).
    const halves = Buffer.concat([gzipSync(text.slice(0, 200)), gzipSync(text.slice(200))])
    t.equal((await postAs(gateway, 'a', 'gzip', halves, text)).status, 202)
    t.match(await reasonOf(gateway, 'compressed body: the sender'), /must sign the body before it compresses it/)
  })

  t.test('what is no single known coding gets 415 and says which are known, once it is known who sent it', async (t) => {
    for (const encoding of ['zstd', 'compress', 'gzip, gzip', 'gzip, br', 'gzip;q=1', '\u00ff']) {
      const answer = await postAs(gateway, 'tokened', encoding, gzipSync(gzipSync(text)), undefined, { 'X-Token': token })
      t.match([answer.status, answer.json.error, answer.headers.get('accept-encoding')], [415, /gzip, deflate or br/, 'gzip, deflate, br'])
      t.equal((await postAs(gateway, 'a', encoding, gzipSync(text), text)).status, 401, 'nobody knows what was signed')
    }
  })

  t.test('what cannot be inflated whole is refused', async (t) => {
    for (const [encoding, body] of Object.entries(compressed)) {
      const garbage: readonly Buffer[] = [
        body.subarray(0, -1),
        body.subarray(0, 9),
        Buffer.concat([body, Buffer.from([0])]),
        Buffer.concat([body, Buffer.from('{"n":2}')]),
      ]
      for (const bytes of garbage) {
        t.equal((await postAs(gateway, 'tokened', encoding, bytes, undefined, { 'X-Token': token })).status, 400, encoding)
        t.equal((await postAs(gateway, 'a', encoding, bytes, text)).status, 401, encoding)
      }
    }
    t.equal((await postAs(gateway, 'a', 'gzip', Buffer.from(text), text)).status, 400, 'signed, and not compressed')
    t.equal((await postAs(gateway, 'tokened', 'deflate', deflateRawSync(text), undefined, { 'X-Token': token })).status, 400)
    t.match(await reasonOf(gateway, 'bad_json'), /the compressed body cannot be inflated/)
  })

  t.test('a bomb gets 413, and what is exactly at the limit passes', async (t) => {
    const bomb = Buffer.alloc(50_000_000, '[')
    for (const [encoding, body] of Object.entries({ gzip: gzipSync(bomb), deflate: deflateSync(bomb), br: brotliCompressSync(bomb) })) {
      const before = process.memoryUsage().arrayBuffers
      t.equal((await postAs(gateway, 'a', encoding, body, 'anything')).status, 413, 'unsigned')
      t.equal((await postAs(gateway, 'tokened', encoding, body, undefined, { 'X-Token': token })).status, 413, 'with a token')
      t.ok(process.memoryUsage().arrayBuffers - before < 5_000_000)
    }
    const whole = JSON.stringify('x'.repeat(99_998))
    t.equal((await postAs(gateway, 'a', 'gzip', gzipSync(whole), whole)).status, 202)
    t.equal((await postAs(gateway, 'a', 'gzip', gzipSync(`${whole} `), `${whole} `)).status, 413)
  })

  t.test('a request without a valid token is refused before its body is read', async (t) => {
    const answer = await gateway.raw(
      'POST /webhooks/tokened HTTP/1.1\r\nHost: a\r\nX-Token: wrong\r\nContent-Encoding: gzip\r\nContent-Length: 5000\r\n\r\n',
      500,
    )
    t.match(answer, /^HTTP\/1\.1 401/)
  })

  t.test('chunks, announced and cut in any place, are one body; an encoding of the transfer is none of the content', async (t) => {
    const body = gzipSync(text)
    const chunks = [...body].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('')
    const head = (...lines: string[]) =>
      ['POST /webhooks/a HTTP/1.1', 'Host: a', `X-Webhook-Signature: ${hexHmac(text)}`, 'Connection: close', ...lines, '', ''].join('\r\n')
    const sent = (bytes: string) => gateway.raw(Buffer.from(bytes, 'latin1'))
    t.match(await sent(`${head('Transfer-Encoding: chunked', 'Content-Encoding: gzip')}${chunks}0\r\n\r\n`), /^HTTP\/1\.1 202/)
    for (const coding of ['gzip, chunked', 'gzip', 'chunked, gzip', 'identity, chunked'])
      t.match(await sent(`${head(`Transfer-Encoding: ${coding}`)}${chunks}0\r\n\r\n`), /^HTTP\/1\.1 (?:400|401|501)/, coding)
  })

  t.test('an empty body that is announced compressed is an empty body', async (t) => {
    t.equal((await postAs(gateway, 'tokened', 'gzip', Buffer.alloc(0), undefined, { 'X-Token': token })).status, 400)
  })
})

t.test('a compressed request is kept inflated, and is replayed and verified as such', async (t) => {
  const gateway = await startGateway(t, {
    config: { storage: { kind: 'sqlite' } },
    routes: {
      a: { deliver: 'log', prompt: 'n {n}', filters: [{ field: 'n', equals: 2 }] },
      kept: { keep_refused: 'signature', secret: 'another', prompt: 'n {n}' },
      limited: { verify: bearer, secret: token, prompt: 'n {n}' },
    },
    extra: { max_body_bytes: 5_000 },
  })
  const headers = { 'Content-Encoding': 'gzip', 'X-Webhook-Signature': hexHmac(text) }
  const eventId = async (route: string, body: Buffer, more: Post['headers'] = {}): Promise<string> => {
    const answer = await gateway.post(route, { body, sign: false, headers: { ...headers, ...more } })
    const id = answer.headers.get('x-headgate-event-id')
    if (id) return id
    return String((await gateway.line((line) => line.route === route && line.event_id !== undefined)).event_id)
  }
  const shown = async (id: string) => (await runAt(gateway.dir, ['events', 'show', id, '--json'])).out

  const id = await eventId('a', gzipSync(text))
  await until(async () => (await gateway.operations.replay({ id, dry_run: true })).found)
  const record = await shown(id)
  t.match(await runAt(gateway.dir, ['events', 'show', id, '--raw']), { out: text })
  t.notMatch(record, /content-encoding/i)
  t.match(await gateway.operations.replay({ id }), { found: true, outcome: 'ignored' })
  t.match(await gateway.operations.replay({ id, body: '{"n":2}' }), { found: true, outcome: 'accepted' })

  writeFileSync(join(gateway.dir, 'body.gz'), gzipSync(text))
  const given = ['--header', 'Content-Encoding: gzip', '--body', `@${join(gateway.dir, 'body.gz')}`]
  const verify = (of: string | Buffer) =>
    runAt(gateway.dir, ['webhook', 'verify', 'a', '--header', `X-Webhook-Signature: ${hexHmac(of)}`, ...given])
  t.match(await verify(text), { code: 0, out: /takes it/ })
  t.match(await verify(gzipSync(text)), { code: 1, out: /must sign the body before it compresses it/ })

  t.comment('one that could not be inflated is kept as it came')
  const large = JSON.stringify({ n: 2, pad: 'x'.repeat(6_000) })
  const tooLarge = await eventId('limited', gzipSync(large), { 'X-Token': token })
  await until(async () => (await gateway.operations.replay({ id: tooLarge, dry_run: true })).found)
  t.match(await gateway.operations.replay({ id: tooLarge }), { found: true, outcome: 'too_large' })
  t.match(await gateway.operations.replay({ id: tooLarge, body: '{"n":2}' }), { found: true, outcome: 'accepted' })
})

t.test('many compressed bodies: a bounded number waits, of each client a part, and each is answered', async (t: Test) => {
  const inflate = createInflate()
  const from = (remote: string) => ({ headers: { 'content-encoding': 'gzip' }, remote: () => remote })
  const bomb = gzipSync(Buffer.alloc(20_000_000))
  const one = Array.from({ length: 100 }, () => inflate(from('192.0.2.1'), bomb, 1_000_000))
  const other = inflate(from('192.0.2.2'), gzipSync('{}'), 1_000_000)
  let turns = 0
  const all = Promise.all(one).then((ends) => ends.map((end) => ('kind' in end ? end.code : 'inflated')))
  while (!(await Promise.race([all.then(() => true), new Promise((then) => setImmediate(then, false))]))) turns++
  const ends = await all
  t.ok(turns > 10, 'the event loop goes on')
  t.same([ends.filter((end) => end === 'too_large').length, ends.filter((end) => end === 'overloaded').length], [64, 36])
  t.same(await other, Buffer.from('{}'))
  t.same(await inflate(from('192.0.2.1'), gzipSync('{}'), 10), Buffer.from('{}'), 'and nothing stays held')
  const random = randomBytes(20_000_000)
  t.same(await inflate(from('192.0.2.1'), gzipSync(random), 20_000_000), random, 'a body larger than the share of its client')
})

const inAddress = { algorithm: 'token', signature: { query: 'key' } }
const switches = { verify: inAddress, secret: token, deliver: 'log', prompt: '{__raw__}' }
const get = (gateway: TestGateway, route: string, query: string, more: Post = {}) =>
  gateway.post(route, { sign: false, method: 'GET', path: `/webhooks/${route}?${query}`, ...more })
/** Resolves to the text that was delivered for an event, as JSON. `id`: the delivery id of the event; absent: that of the answer. */
const payloadAfter = async (gateway: TestGateway, sending: Promise<Pick<Answer, 'status' | 'json'>>, id?: string): Promise<unknown> => {
  const { status, json } = await sending
  if (status >= 300) throw new Error(`answered with ${status}`)
  const line = await gateway.line(({ msg, delivery_id: of }) => msg === 'delivered' && of === (id ?? json.delivery_id))
  return JSON.parse(String(line.text))
}

t.test('methods', async (t) => {
  const gateway = await startGateway(t, {
    config: { storage: { kind: 'sqlite' } },
    routes: {
      post: { verify: inAddress, secret: token, prompt: 'n' },
      get: { ...switches, methods: ['GET'] },
      all: { ...switches, methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
      header: { ...switches, methods: ['GET'], verify: bearer },
      signed: { deliver: 'log', methods: ['GET'], prompt: '{__raw__}' },
      open: { secret: 'INSECURE_NO_AUTH', methods: ['GET'], deliver: 'log', prompt: '{__raw__}' },
      redacted: { ...switches, methods: ['GET'], redact: ['phone', 'request.query.mail'] },
      asked: { ...switches, methods: ['GET', 'POST'], verify: 'dropbox', secret: token },
    },
  })

  t.test('a GET is an event of its parameters, without the one that has the token', async (t) => {
    const answer = await get(gateway, 'get', `state=on&n=1&room=a&room=b+c&empty=&key=${token}`)
    t.match([answer.status, answer.json.status, answer.headers.get('cache-control')], [202, 'accepted', 'no-store'])
    t.same(await payloadAfter(gateway, get(gateway, 'get', `state=on&n=1&room=a&room=b+c&empty=&key=${token}`)), {
      state: 'on',
      n: '1',
      room: ['a', 'b c'],
      empty: '',
    })
    t.same(await payloadAfter(gateway, get(gateway, 'get', `key=${token}`)), {})
    t.same(await payloadAfter(gateway, get(gateway, 'header', 'a=1', { headers: { 'X-Token': token } })), { a: '1' })
    t.same(await payloadAfter(gateway, get(gateway, 'signed', 'a=1', { headers: { 'X-Webhook-Signature': hexHmac('') } })), { a: '1' })
    t.same(await payloadAfter(gateway, get(gateway, 'open', 'a=1')), { a: '1' })
  })

  t.test('names that objects inherit, and odd escapes, are names and texts', async (t) => {
    const sent = await payloadAfter(gateway, get(gateway, 'get', `__proto__=1&constructor=2&toString=3&a.b=4&%zz=%ff&key=${token}`))
    t.same(JSON.stringify(sent), '{"__proto__":"1","constructor":"2","toString":"3","a.b":"4","%zz":"\ufffd"}')
  })

  t.test('a GET that proves nothing is refused, wherever else its token stands', async (t) => {
    const refusals: readonly [string, Post['headers']?][] = [
      ['a=1'],
      ['key=wrong'],
      ['a=1', { 'X-Token': token }],
      ['a=1', { Authorization: `Bearer ${token}` }],
      [`key=${token}&key=${token}`],
      [`key=${token}&key=wrong`],
      [`KEY=${token}`],
      [`other=key%3D${token}`],
      [`a=1#key=${token}`],
    ]
    for (const [query, headers] of refusals) t.equal((await get(gateway, 'get', query, headers ? { headers } : {})).status, 401, query)
    t.equal((await get(gateway, 'header', `key=${token}`)).status, 401)
    t.equal((await get(gateway, 'signed', 'a=1')).status, 401)
    t.equal((await get(gateway, 'open', 'a=1', { headers: { 'Sec-Fetch-Site': 'cross-site' } })).status, 403, 'the page of a browser')
  })

  t.test('other methods get 405 and learn which are taken', async (t) => {
    const allowed = async (route: string, method: string) => {
      const { status, headers } = await gateway.post(route, { method, sign: false, path: `/webhooks/${route}?key=${token}` })
      return [status, headers.get('allow')]
    }
    t.same(await allowed('get', 'POST'), [405, 'GET'])
    t.same(await allowed('get', 'PUT'), [405, 'GET'])
    t.same(await allowed('all', 'OPTIONS'), [405, 'GET, POST, PUT, PATCH, DELETE'])
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) t.same(await allowed('post', method), [405, 'POST'])
    for (const method of ['GET', 'PUT']) t.same(await allowed('nowhere', method), [405, 'POST'], 'nobody learns which routes there are')
    t.match(await gateway.raw(`TRACE /webhooks/all?key=${token} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`), /^HTTP\/1\.1 405/)
  })

  t.test('PUT, PATCH and DELETE have a body as a POST has; a DELETE without one has parameters', async (t) => {
    const path = `/webhooks/all?a=1&key=${token}`
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      t.same(await payloadAfter(gateway, gateway.post('all', { method, path, body: { n: 1 }, sign: false })), { n: 1 }, method)
    t.same(await payloadAfter(gateway, gateway.post('all', { method: 'DELETE', path, body: '', sign: false })), { a: '1' })
    for (const method of ['POST', 'PUT']) t.equal((await gateway.post('all', { method, path, body: '', sign: false })).status, 400)
  })

  t.test('what only looks at the address starts nothing, even with the token, and is found', async (t) => {
    const looks: readonly Post[] = [
      { method: 'HEAD' },
      { headers: { Purpose: 'prefetch' } },
      { headers: { 'Sec-Purpose': 'prefetch;prerender' } },
      { headers: { 'X-Moz': 'prefetch' } },
      { headers: { 'X-Purpose': 'preview' } },
    ]
    for (const look of looks) {
      const answer = await get(gateway, 'get', `a=1&key=${token}`, look)
      t.equal(answer.status, 200)
      if (look.method !== 'HEAD') t.match(answer.json, { status: 'ignored', reason: 'preview' })
      const id = answer.headers.get('x-headgate-event-id') ?? ''
      await until(async () => (await gateway.operations.replay({ id, dry_run: true })).found)
      const shown = (await runAt(gateway.dir, ['events', 'show', id])).out
      t.match(shown, /ignored.*preview: a (?:HEAD|prefetch) starts nothing/s)
      t.notMatch(shown, token)
      t.equal((await get(gateway, 'get', 'a=1&key=wrong', look)).status, 401, 'and a token is not tried out by it')
    }
    t.equal(
      (await get(gateway, 'all', `a=1&key=${token}`, { method: 'POST', headers: { Purpose: 'prefetch' }, body: { n: 1 } })).status,
      202,
    )
  })

  t.test('a GET with a body is refused, and its connection ends', async (t) => {
    const head = (...lines: string[]) => [`GET /webhooks/get?a=1&key=${token} HTTP/1.1`, 'Host: a', ...lines, '', ''].join('\r\n')
    const next = head('Connection: close')
    for (const body of [`${head('Content-Length: 2')}{}`, `${head('Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`]) {
      const answers = await gateway.raw(body + next)
      t.match(answers, /^HTTP\/1\.1 400/)
      t.equal(answers.split('HTTP/1.1').length - 1, 1, 'what follows is no request')
    }
    t.match(await gateway.raw(`${head('Content-Length: 0')}${next}`), /HTTP\/1\.1 202[\s\S]*HTTP\/1\.1 202/)
    t.match(await gateway.raw(head('Content-Encoding: gzip', 'Connection: close')), /HTTP\/1\.1 202/)
  })

  t.test('an address has bounds', async (t) => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `p${i}=1`).join('&')
    t.equal((await get(gateway, 'get', `key=${token}&${many(62)}`)).status, 202)
    t.equal((await get(gateway, 'get', `key=${token}&${many(63)}`)).status, 413, 'no part of what was sent is left out')
    t.match(await gateway.raw(`GET /webhooks/get?key=${token}&a=${'x'.repeat(1_000_000)} HTTP/1.1\r\nHost: a\r\n\r\n`), /^HTTP\/1\.1 431/)
  })

  t.test('records, replays and commands know the method, and no secret of the address', async (t) => {
    const answer = await get(gateway, 'redacted', `phone=123&mail=m%40x&a=1&key=${token}`)
    const id = answer.headers.get('x-headgate-event-id') ?? ''
    await until(async () => (await gateway.operations.replay({ id, dry_run: true })).found)
    const shown = (await runAt(gateway.dir, ['events', 'show', id])).out
    t.match(shown, '\nGET /webhooks/redacted?phone=[redacted]&mail=[redacted]&a=1&key=***\n')
    t.notMatch(JSON.stringify(gateway.lines), new RegExp(`${token}|m@x`))
    t.match(await gateway.operations.replay({ id }), { found: true, outcome: 'accepted' })
    t.match(await gateway.operations.replay({ id, body: '{}' }), { found: false, why: /it came by GET/ })
    t.match((await runAt(gateway.dir, ['webhook', 'trace', 'redacted', '--event-id', id, '--json'])).out, '\\"a\\"')
  })

  t.test('webhook test and webhook trace send what the route takes', async (t) => {
    const run = (...argv: string[]) => runAt(gateway.dir, ['webhook', ...argv])
    const payload = ['--payload', '{"a":9007199254740993,"b":["x","y"],"c":true}']
    t.same(
      await payloadAfter(
        gateway,
        run('test', 'get', '--id', 'of-a-test', ...payload).then(({ code }) => ({ status: code, json: {} })),
        'of-a-test',
      ),
      {
        a: '9007199254740993',
        b: ['x', 'y'],
        c: 'true',
      },
    )
    t.match((await run('trace', 'get', ...payload)).out, 'accepted')
    t.match(await run('trace', 'all', '--method', 'PUT', ...payload), { code: 0 })
    t.match(await run('trace', 'get', '--method', 'POST', ...payload), { code: 1, out: /wrong_method/ })
    t.match((await run('test', 'get', '--payload', '{"a":{"b":1}}')).err, /must be a map of texts/)
    const curl = (await run('test', 'get', '--print-curl', ...payload)).out
    t.match(curl, /^curl -sS '[^']+\?a=9007199254740993&b=x&b=y&c=true&key=[^']+'/)
    t.notMatch(curl, /data/)
    t.match((await run('test', 'all', '--method', 'DELETE', '--print-curl')).out, ' -X DELETE ')
  })

  t.test('a question of a sender by GET is answered, and any other GET is an event', async (t) => {
    const answer = await get(gateway, 'asked', 'challenge=abc')
    t.match([answer.status, answer.text], [200, 'abc'])
  })
})

t.test('a relay keeps the methods that it lists, and hands over what only looks', async (t) => {
  const routes = { kept: { methods: ['GET', 'PUT'], answer: 'kept' }, asked: {} }
  const relay = await startRelay(t, { gateways: { home: { keys: [relayKey], routes } } })
  const send = (route: string, method: string, headers: Post['headers'] = {}) =>
    fetch(`${relay.url}/home/webhooks/${route}?n=${method}&key=${token}`, {
      method,
      headers: { ...headers },
      ...(method === 'PUT' ? { body: '{"n":"put"}' } : {}),
    })
  const kept = await send('kept', 'GET')
  t.match([kept.status, kept.headers.get('cache-control')], [202, 'no-store'])
  t.equal((await send('kept', 'PUT')).status, 202)
  for (const [route, method, headers] of [
    ['kept', 'HEAD'],
    ['kept', 'GET', { Purpose: 'prefetch' }],
    ['asked', 'GET'],
  ] as const)
    t.equal((await send(route, method, headers)).status, 503, 'nobody is there to ask')
  for (const [route, allow] of Object.entries({ kept: 'GET, PUT', asked: 'POST' })) {
    const answer = await send(route, 'PATCH')
    t.same([answer.status, answer.headers.get('allow')], [405, allow])
  }
  const route = { ...switches, methods: ['GET', 'PUT'] }
  const gateway = await startGateway(t, {
    routes: { kept: route, asked: route },
    config: { relay: { url: `${relay.url}/home`, key: relayKey, listen: false } },
  })
  const texts = () => gateway.lines.flatMap(({ msg, text: said }) => (msg === 'delivered' ? String(said) : []))
  await until(() => texts().length === 2)
  t.same(
    texts()
      .map((each) => JSON.parse(each).n)
      .sort(),
    ['GET', 'put'],
  )
  t.equal((await send('asked', 'GET')).status, 202)
  t.equal((await send('asked', 'HEAD')).status, 200)
  t.match(await gateway.line(({ outcome }) => outcome === 'ignored'), { stage: 'signature' })
  await until(() => texts().length === 3)
})

t.test('bodies of the kind that the route names', async (t) => {
  const kinds = ['text', 'csv', 'ndjson', 'json', 'form', 'xml', 'multipart', 'none', 'auto']
  const gateway = await startGateway(t, {
    config: { storage: { kind: 'sqlite' } },
    extra: { max_body_bytes: 3_000_000 },
    routes: {
      ...Object.fromEntries(kinds.map((kind) => [kind, { body: kind, deliver: 'log', prompt: '{__raw__}' }])),
      lines: { body: 'ndjson', split: { items: '*' }, deliver: 'log', prompt: '{n}' },
      hidden: { body: 'csv', redact: ['*.mail'], deliver: 'log', prompt: '{__raw__}' },
    },
  })
  const payload = (route: string, body: string | Buffer, headers: Post['headers'] = {}) =>
    payloadAfter(gateway, gateway.post(route, { body, headers }))
  const refused = async (route: string, body: string | Buffer, headers: Post['headers'] = {}) => {
    const from = gateway.lines.length
    const { status } = await gateway.post(route, { body, headers })
    return [status, String((await until(() => gateway.lines.slice(from).find((line) => line.reason !== undefined))).reason)]
  }

  t.test('text is one field, whatever it looks like and whatever its type is', async (t) => {
    for (const body of ['backup done\nall well\n', '{"a":1}', '<a/>', 'a=1&b=2', '--x', ''])
      for (const type of ['text/plain', 'application/json', 'text/csv'])
        t.same(await payload('text', body, { 'Content-Type': type }), { text: body })
    t.same(await payload('text', '\ufeffä'), { text: 'ä' })
    t.match(await refused('text', Buffer.from([0x61, 0xff])), [400, /no UTF-8/])
  })

  t.test('CSV is a list of maps, read strictly', async (t) => {
    t.same(await payload('csv', 'name,note\r\nAda,"a, ""b""\r\nc"\r\nBo,\r\n\r\n'), [
      { name: 'Ada', note: 'a, "b"\r\nc' },
      { name: 'Bo', note: '' },
    ])
    t.same(await payload('csv', 'a\n1'), [{ a: '1' }])
    t.same(await payload('csv', 'a,b\n'), [])
    t.same(await payload('csv', ''), [])
    t.equal(JSON.stringify(await payload('csv', '__proto__,constructor\n1,2\n')), '[{"__proto__":"1","constructor":"2"}]')
    for (const [body, why] of [
      ['a,b\n1\n', /line 2 has 1 fields, and line 1 has 2/],
      ['a,b\n"1\n2",2\n\n1,2\n', /line 4 has 1 fields/],
      ['a,a\n1,2\n', /line 1: each column needs a name/],
      ['a,\n1,2\n', /line 1: each column needs a name/],
      ['a\n"x\n', /line 2: a quoted field that does not end/],
      ['a\n"x"y\n', /line 2: text behind a quoted field/],
      ['a\nx"y\n', /line 2: a quote in a field/],
      ['a\nx\ry\n', /line 2: a carriage return/],
    ] as const)
      t.match(await refused('csv', body), [400, why])
    t.equal((await gateway.post('csv', { body: `a\n${'1\n'.repeat(100_000)}` })).status, 413)
    t.equal((await gateway.post('csv', { body: Array.from({ length: 1_001 }, (_, i) => `c${i}`).join(',') })).status, 413)
  })

  t.test('NDJSON is a list, with the digits that came', async (t) => {
    t.same(await payload('ndjson', '{"n":1}\r\n\n[2]\n"x"\n'), [{ n: 1 }, [2], 'x'])
    t.same(await payload('ndjson', ''), [])
    t.match(await refused('ndjson', '{"n":1}\n1],[2\n'), [400, /no JSON on line 2/])
    t.match(await refused('ndjson', '{"n":1}\n{"n":\n2}'), [400, /no JSON on line 2/])
    t.equal((await gateway.post('ndjson', { body: '1\n'.repeat(100_000) })).status, 413)
    const from = gateway.lines.length
    t.match((await gateway.post('lines', { body: '{"n":9007199254740993}\n{"n":2}\n' })).json, { items: { accepted: 2 } })
    const texts = () => gateway.lines.slice(from).flatMap(({ text: said }) => (typeof said === 'string' ? said : []))
    await until(() => texts().length === 2)
    t.same(texts().sort(), ['2', '9007199254740993'])
  })

  t.test('a named kind alone is taken, and each body is still read by its bytes', async (t) => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const multipart = { 'Content-Type': 'multipart/form-data; boundary=b' }
    const bodies: { readonly [kind: string]: readonly [string, Post['headers']?] } = {
      json: ['{"a":"1"}', form],
      form: ['a=1', form],
      xml: ['<a>1</a>', form],
      multipart: ['--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n', multipart],
    }
    for (const route of Object.keys(bodies))
      for (const [kind, [body, headers]] of Object.entries(bodies)) {
        if (kind === route) t.match(await payload(route, body, headers), { a: '1' }, kind)
        else t.match(await refused(route, body, headers), [400, new RegExp(`takes ${route} alone`)], `${kind} as ${route}`)
        t.match(await payload('auto', body, headers), { a: '1' })
      }
  })

  t.test('no body is read where the route says so', async (t) => {
    const send = (query: string, body: string | Buffer) =>
      payloadAfter(gateway, gateway.post('none', { path: `/webhooks/none${query}`, body }))
    t.same(await send('?a=1&a=2', '{"b":1}'), { a: ['1', '2'] })
    t.same(await send('', ''), {})
    t.same(await send('?a=1', Buffer.from([0xff])), { a: '1' })
    t.equal((await gateway.post('none', { body: 'x', sign: false })).status, 401, 'its signature is checked all the same')
  })

  t.test('a redacted field of such a body is not stored', async (t) => {
    const answer = await gateway.post('hidden', { body: 'name,mail\nAda,ada@example.org\n' })
    const id = answer.headers.get('x-headgate-event-id') ?? ''
    const shown = await until(async () => {
      const { code, out } = await runAt(gateway.dir, ['events', 'show', id, '--body'])
      return code === 0 && out
    })
    t.notMatch(shown + JSON.stringify(gateway.lines), /ada@/)
    t.match(JSON.stringify(gateway.lines), /\[redacted\]/)
  })
})

t.test('a test of a route sends what the route takes', async (t) => {
  const route = {
    ...switches,
    methods: ['GET', 'PUT'],
    tests: [
      { name: 'a GET', send: { payload: { state: 'on' } }, expect: { prompt: { contains: '"state": "on"' } } },
      { name: 'a PUT', send: { method: 'PUT', body: '{"n":2}' }, expect: { prompt: { contains: '"n": 2' } } },
      { name: 'a POST', send: { method: 'POST', payload: {} }, expect: { outcome: 'wrong_method' } },
    ],
  }
  const csv = { body: 'csv', prompt: '{0.n}', tests: [{ name: 'rows', send: { body: 'n\n7\n' }, expect: { prompt: '7' } }] }
  const config = { platforms: { webhook: { enabled: true, extra: { secret: token, routes: { r: route, csv } } } } }
  const dir = newFolder(t, { 'config.yaml': stringify(config) })
  const { code, out } = await runAt(dir, ['test'])
  t.equal(code, 0, out)
})

t.test('validate says what a route cannot mean', async (t) => {
  const yaml = (route: object) => ({
    platforms: { webhook: { enabled: true, extra: { secret: token, routes: { r: { prompt: 'n', ...route } } } } },
  })
  const codes = async (route: object): Promise<string> => {
    const dir = newFolder(t, { 'config.yaml': stringify(yaml(route)) })
    const { out } = await runAt(dir, ['validate', '--json'])
    return out
  }
  t.match(await codes({ methods: ['GET'] }), /WH350/)
  t.match(await codes({ methods: ['GET'], verify: 'github' }), /WH350/)
  for (const verify of [inAddress, bearer]) t.notMatch(await codes({ methods: ['GET', 'POST'], verify }), /WH350/)
  t.match(await codes({ body: 'text', filters: [{ field: 'a', equals: 'b' }] }), /WH351/)
  t.match(await codes({ body: 'none', filters: [{ not: { field: 'a.b', equals: 'b' } }] }), /WH351/)
  t.notMatch(
    await codes({
      body: 'none',
      filters: [
        { field: 'payload.a', equals: 'b' },
        { field: 'request.query.a', exists: true },
      ],
    }),
    /WH351/,
  )
  t.match(await codes({ body: 'csv', attachments: {} }), /\\"attachments\\" has no effect with body: csv/)
  t.match(await codes({ body: 'text', split: 'a' }), /\\"split\\" has no effect with body: text/)
  t.match(await codes({ methods: ['HEAD'] }), /WH10\d/)
})
