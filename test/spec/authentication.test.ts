import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import type { Json } from '../../src/core/json.ts'
import { compilePath } from '../../src/expr/path.ts'
import { scalarText } from '../../src/expr/render.ts'
import { parseFormFields } from '../../src/parts/body/form-fields.ts'
import { pickJson } from '../../src/parts/body/pick-json.ts'
import { hexHmac, secret, startGateway, type TestGateway } from '../fakes/gateway.ts'

type Headers = { readonly [name: string]: string }

const whsec = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
const at = 1_614_265_330

const standard = (body: string, { id = 'msg_1', ts = String(at), by = key, prefix = 'webhook-' } = {}): Headers => ({
  [`${prefix}id`]: id,
  [`${prefix}timestamp`]: ts,
  [`${prefix}signature`]: `v1,${createHmac('sha256', by).update(`${id}.${ts}.${body}`).digest('base64')}`,
})
const v2 = (body: string, ts = String(at), by = secret): Headers => ({
  'X-Webhook-Timestamp': ts,
  'X-Webhook-Signature-V2': hexHmac(`${ts}.${body}`, by),
})
const github = (body: string): Headers => ({ 'X-Hub-Signature-256': `sha256=${hexHmac(body)}` })

t.test('Authentication', async (t) => {
  const gateway = await startGateway(t, {
    now: () => at * 1000,
    routes: {
      any: {},
      standard: { secret: whsec },
      rotating: { secrets: ['old-secret', secret] },
      pinned: { verify: 'v2' },
      two: { verify: ['github', 'v2'] },
      junk: { secret: 'whsec_!!!!' },
      short: { secret: 'whsec_AAAAA' },
      spare: { secret: 'whsec_a2V5Ib==' },
      linear: { verify: 'linear' },
    },
  })
  const status = async (route: string, headers: Headers, body = '{"a":1}'): Promise<number> =>
    (await gateway.post(route, { sign: false, headers, body })).status
  const raw = (route: string, headerLines: string, body = '{"a":1}'): Promise<string> =>
    gateway.raw(
      `POST /webhooks/${route} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headerLines}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )

  t.test('the published vector of Standard Webhooks holds', async (t) => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    const answer = await gateway.post('standard', { sign: false, headers, body: '{"test": 2432232314}' })
    t.equal(answer.status, 202)
    t.equal(answer.json.delivery_id, 'msg_p5jXN8AQM9LWM0D4loKWxJek')
    t.equal(await status('standard', headers, '{"test": 2432232315}'), 401)
  })

  t.test('the published vector of GitHub holds', async (t) => {
    const github = await startGateway(t, { routes: { a: { secret: "It's a Secret to Everybody" } } })
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    // The vector's body is not JSON: it verifies, and then it is refused for that.
    const good = await github.post('a', { sign: false, body: 'Hello, World!', headers: { 'X-Hub-Signature-256': signature } })
    t.equal(good.status, 400)
    const bad = await github.post('a', { sign: false, body: 'Hello, World?', headers: { 'X-Hub-Signature-256': signature } })
    t.equal(bad.status, 401)
  })

  t.test('Standard Webhooks: several signatures, any match; unknown versions passed over', async (t) => {
    const good = standard('{"a":1}', { id: 'msg_2' })
    const signature = good['webhook-signature'] as string
    t.equal(await status('standard', { ...good, 'webhook-signature': `v1,${'A'.repeat(43)}= ${signature}` }), 202)
    t.equal(await status('standard', { ...standard('{"a":1}', { id: 'msg_3' }), 'webhook-signature': signature }), 401, 'the id is signed')
    t.equal(await status('standard', { ...good, 'webhook-signature': signature.replace('v1,', 'v2,') }), 401)
    t.equal(await status('standard', { ...good, 'webhook-signature': signature.slice(0, -2) }), 401)
    t.equal(await status('standard', { ...good, 'webhook-signature': signature.slice(3) }), 401)
  })

  t.test('Standard Webhooks: each header is needed, and the timestamp is within 300 seconds', async (t) => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const { [name]: _, ...rest } = standard('{"a":1}', { id: 'msg_4' })
      t.equal(await status('standard', rest), 401, `without ${name}`)
    }
    // With such an id, the text of another scheme, `<time>.<body>`, would be one of this scheme too.
    t.equal(await status('standard', standard('{"a":1}', { id: `${at}.{}` })), 401, 'an id that begins with a time')
    for (const [ts, expected] of [
      [at - 301, 401],
      [at - 300, 202],
      [at + 300, 202],
      [at + 301, 401],
    ] as const) {
      t.equal(await status('standard', standard('{"a":1}', { id: `ts ${ts}`, ts: String(ts) })), expected, String(ts - at))
    }
  })

  t.test('Standard Webhooks: a malformed whsec_ secret refuses everything; others are raw text', async (t) => {
    t.equal(await status('junk', standard('{"a":1}', { by: Buffer.from('x') })), 401)
    t.equal(await status('junk', standard('{"a":1}', { by: Buffer.alloc(0) })), 401)
    t.equal(await status('any', standard('{"a":1}', { id: 'raw', by: Buffer.from(secret) })), 202)
    t.equal(await status('short', standard('{"a":1}', { by: Buffer.alloc(3) })), 401, 'a letter too many')
    t.equal(await status('spare', standard('{"a":1}', { id: 'bits', by: Buffer.from('key!') })), 202, 'bits that belong to no byte')
  })

  t.test('svix: the same under its own names, and its id is the delivery id', async (t) => {
    const answer = await gateway.post('standard', {
      sign: false,
      body: '{"a":1}',
      headers: standard('{"a":1}', { id: 'sv_1', prefix: 'svix-' }),
    })
    t.equal(answer.status, 202)
    t.equal(answer.json.delivery_id, 'sv_1')
  })

  t.test('an unsigned id header does not make a captured signed request look new', async (t) => {
    const headers = standard('{"a":1}', { id: 'msg_replayed' })
    t.equal(await status('standard', headers), 202)
    const replay = await gateway.post('standard', { sign: false, body: '{"a":1}', headers: { ...headers, 'X-HostA-Delivery': 'fresh' } })
    t.equal(replay.json.status, 'duplicate')
  })

  t.test('GitLab: the token equals the secret exactly', async (t) => {
    t.equal(await status('any', { 'X-HostB-Token': secret }), 202)
    t.equal(
      await status('any', { 'X-Gitlab-Token': secret, 'webhook-id': 'x', 'webhook-timestamp': '1' }),
      202,
      'the id and timestamp commit to nothing',
    )
    for (const wrong of [`${secret}x`, secret.slice(1), secret.toUpperCase(), ''])
      t.equal(await status('any', { 'X-Gitlab-Token': wrong }), 401)
    const early = await gateway.raw('POST /webhooks/any HTTP/1.1\r\nHost: x\r\nX-Gitlab-Token: no\r\nContent-Length: 999\r\n\r\n', 1_500)
    t.match(early, /^HTTP\/1\.1 401 /, 'before the body is read')
  })

  t.test('generic V2: signs timestamp and body, within 300 seconds, plain digits only', async (t) => {
    t.equal(await status('any', v2('{"a":1}')), 202)
    t.equal(await status('any', v2('{"a":2}')), 401)
    for (const [ts, expected] of [
      [at - 301, 401],
      [at - 300, 202],
      [at + 300, 202],
      [at + 301, 401],
    ] as const)
      t.equal(await status('any', v2('{"a":1}', String(ts))), expected)
    for (const ts of ['1e9', '0x65', `${at}abc`, `+${at}`, `${at}.5`, 'NaN', '9'.repeat(20), ''])
      t.equal(await status('any', v2('{"a":1}', ts)), 401, ts)
    t.equal(await status('any', { 'X-Webhook-Signature-V2': hexHmac(`${at}.{"a":1}`) }), 401, 'without its timestamp')
  })

  t.test('generic V1 still holds, and is called deprecated once per route', async (t) => {
    const v1 = { 'X-Webhook-Signature': hexHmac('{"a":1}') }
    t.equal(await status('any', v1), 202)
    t.equal(await status('any', v1), 202)
    t.equal(gateway.lines.filter(({ msg, route }) => msg.startsWith('deprecated') && route === 'any').length, 1)
  })

  t.test('linear: signs the body, whose own timestamp must be within a minute', async (t) => {
    const post = (body: string): Promise<number> => status('linear', { 'Linear-Signature': hexHmac(body) }, body)
    t.equal(await post(JSON.stringify({ webhookTimestamp: at * 1000 })), 202)
    t.equal(await post(JSON.stringify({ webhookTimestamp: at * 1000 - 61_000 })), 401)
  })

  t.test('the first scheme shown decides: nothing falls through to a weaker one', async (t) => {
    const weak = { 'X-Webhook-Signature': hexHmac('{"a":1}') }
    const strong: Headers[] = [
      { 'X-Hub-Signature-256': 'sha256=00' },
      { 'X-Gitlab-Token': 'no' },
      { 'X-Webhook-Signature-V2': '' },
      { 'webhook-signature': '' },
      { 'svix-id': 'x' },
      { 'linear-signature': 'x' },
    ]
    for (const headers of strong) t.equal(await status('any', { ...weak, ...headers }), 401, Object.keys(headers).join())
    t.equal(await status('any', { ...github('{"a":1}'), 'X-Webhook-Signature': 'no' }), 202, 'a weaker one beside it is not asked')
  })

  t.test('a pinned route takes its scheme only', async (t) => {
    t.equal(await status('pinned', v2('{"a":1}')), 202)
    t.equal(await status('pinned', { 'X-Webhook-Signature': hexHmac('{"a":1}') }), 401)
    t.equal(await status('two', github('{"a":1}')), 202)
    t.equal(await status('two', { 'X-Gitlab-Token': secret }), 401)
  })

  t.test('several secrets count while one is rotated, and the log says which, never its value', async (t) => {
    t.equal(await status('rotating', { 'X-Hub-Signature-256': `sha256=${hexHmac('{"a":1}', 'old-secret')}` }), 202)
    t.equal(await status('rotating', github('{"a":1}')), 202)
    t.same(
      gateway.lines.filter(({ msg }) => msg === 'signature matched').map(({ secret }) => secret),
      ['1 of 2', '2 of 2'],
    )
    t.notOk(gateway.lines.some((line) => JSON.stringify(line).includes('old-secret')))
  })

  t.test('hostile headers are 401s, never 500s', async (t) => {
    const good = hexHmac('{"a":1}')
    const lines: { readonly [title: string]: string } = {
      'non-ASCII': `X-Webhook-Signature: \u00e9${'a'.repeat(63)}\r\n`,
      doubled: `X-Webhook-Signature: ${good}\r\nX-Webhook-Signature: ${good}\r\n`,
      'doubled, one wrong': `X-Hub-Signature-256: sha256=${good}\r\nX-Hub-Signature-256: x\r\n`,
      'trailing junk': `X-Webhook-Signature: ${good}zz\r\n`,
      'an odd nibble': `X-Webhook-Signature: ${good.slice(1)}\r\n`,
      huge: `X-Webhook-Signature: ${'a'.repeat(8_000)}\r\n`,
      'a non-ASCII token': 'X-Gitlab-Token: \u00ff\r\n',
    }
    for (const [title, line] of Object.entries(lines)) {
      const request = Buffer.from(
        `POST /webhooks/any HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${line}Content-Length: 7\r\n\r\n{"a":1}`,
        'latin1',
      )
      t.match(await gateway.raw(request.toString('latin1')), /^HTTP\/1\.1 401 /, title)
    }
    t.match(
      await raw('any', `X-Webhook-Signature: ${good}\r\n${Array.from({ length: 1_100 }, (_, i) => `h${i}: 1\r\n`).join('')}`),
      /^HTTP\/1\.1 431 /,
    )
  })

  t.test('a signed header that stands twice is a 401, also where one of the two would do', async (t) => {
    const id = 'msg_twice'
    for (const prefix of ['webhook-', 'svix-']) {
      const good = standard('{"a":1}', { id, prefix })
      const signature = good[`${prefix}signature`] as string
      const twice = async (changed: Headers, ...more: string[]): Promise<string> => {
        const lines = Object.entries({ ...good, ...changed }).map(([name, value]) => `${name}: ${value}\r\n`)
        return raw('standard', [...lines, ...more.map((line) => `${prefix}${line}\r\n`)].join(''))
      }
      for (const [first, second] of [
        [signature, signature],
        ['v1,AAAA', signature],
        [signature, 'v1,AAAA'],
        ['', signature],
        [signature, ''],
        ['v1', signature],
        [`${'v1a,x '.repeat(20)}v1,x`, signature],
        [`${signature}${' v1a,x'.repeat(20)}`, 'v1,x'],
      ] as const) {
        const answer = await twice({ [`${prefix}signature`]: first }, `signature: ${second}`)
        t.match(answer, /^HTTP\/1\.1 401 /, `${prefix}signature: ${first}; ${second}`)
      }
      t.match(await twice({}, `id: ${id}`), /^HTTP\/1\.1 401 /)
      t.match(await twice({}, `timestamp: ${at}`), /^HTTP\/1\.1 401 /)
      const joined = standard('{"a":1}', { id: `${id}, ${id}`, prefix })
      t.match(await twice({ ...joined, [`${prefix}id`]: id }, `id: ${id}`), /^HTTP\/1\.1 401 /, 'signed as Node joins it')
    }
    const { 'X-Webhook-Timestamp': ts, 'X-Webhook-Signature-V2': signed } = v2('{"a":1}')
    const line = `X-Webhook-Timestamp: ${ts}\r\n`
    t.match(await raw('any', `${line}${line}X-Webhook-Signature-V2: ${signed}\r\n`), /^HTTP\/1\.1 401 /)
    t.match(await raw('any', `X-Gitlab-Token: ${secret}\r\nX-Gitlab-Token: ${secret}\r\n`), /^HTTP\/1\.1 401 /)
  })

  t.test('the signature is over the received bytes', async (t) => {
    for (const body of ['\ufeff{"a":1}', '{"a":1,\r\n"a":2}', '{ "a" : 1 }']) t.equal(await status('any', github(body), body), 202)
    const invalid = Buffer.from([0x22, 0xff, 0x22])
    const answer = await gateway.post('any', {
      sign: false,
      body: invalid,
      headers: { 'X-Hub-Signature-256': `sha256=${hexHmac(invalid)}` },
    })
    t.equal(answer.status, 400, 'it verifies, but is not UTF-8')
    const other = await gateway.post('any', {
      sign: false,
      body: Buffer.from([0x22, 0xfe, 0x22]),
      headers: { 'X-Hub-Signature-256': `sha256=${hexHmac(invalid)}` },
    })
    t.equal(other.status, 401)
  })

  t.test('what one scheme signs is no body of another', async (t) => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    for (const [body, headers] of [
      [`${at}.{"a":1}`, {}],
      [`${at}.a=1&b=2`, form],
      [`msg_1.${at}.a=1`, form],
      [`v0:${at}:a=1`, form],
      [`https://hooks.example.com/webhooks/smsFrom=1`, form],
      ['eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhIn0', form],
    ] as const) {
      t.equal(await status('any', { ...headers, 'X-Webhook-Signature': hexHmac(body), 'X-Request-ID': body }, body), 401, body)
      t.equal(await status('any', { ...headers, 'X-Hub-Signature-256': `sha256=${hexHmac(body)}` }, body), 401, body)
    }
    const body = 'a.b=1&v0=2'
    t.equal(await status('any', { ...form, 'X-Webhook-Signature': hexHmac(body), 'X-Request-ID': body }, body), 202, 'a form')
  })

  t.test('GitLab: a token, a signing token, or both', async (t) => {
    const gitlab = await startGateway(t, {
      now: () => at * 1000,
      routes: {
        token: { verify: 'gitlab', secret: 'token' },
        signed: { verify: 'gitlab', secret: whsec },
        both: { secrets: ['token', whsec] },
      },
    })
    const post = async (route: string, headers: Headers) => {
      const { status, json } = await gitlab.post(route, {
        sign: false,
        headers: { 'X-Gitlab-Event': 'Push Hook', ...headers },
        body: '{"a":1}',
      })
      return [status, json.delivery_id ?? json.status]
    }
    const hook = { 'X-Gitlab-Token': 'token', 'Idempotency-Key': 'key-1' }
    t.same(await post('token', hook), [202, 'key-1'])
    t.equal((await post('token', hook))[0], 200, 'a repeat')
    t.same(
      await post('token', { ...hook, 'Idempotency-Key': 'key-2', ...standard('{"a":2}') }),
      [202, 'msg_1'],
      'with a signature beside it',
    )
    t.same(await post('signed', standard('{"a":1}', { id: 'msg_2' })), [202, 'msg_2'], 'without a token')
    t.same(await post('signed', { ...hook, ...standard('{"a":1}', { id: 'msg_3' }) }), [202, 'msg_3'])
    t.equal((await post('signed', { ...hook, ...standard('{"a":2}', { id: 'msg_4' }) }))[0], 401, 'another body')
    t.equal((await post('signed', hook))[0], 401, 'the token only')
    t.same(await post('both', { ...hook, ...standard('{"a":1}', { id: 'msg_5' }) }), [202, 'msg_5'])
    t.same(await post('both', { ...hook, 'Idempotency-Key': 'key-3' }), [202, 'key-3'])
    const older = { sign: false, headers: { 'X-Gitlab-Token': 'token', 'X-Gitlab-Event-UUID': 'uuid', 'X-Request-ID': '' } }
    for (const [body, expected] of [
      ['{"a":1}', 202],
      ['{"a":1}', 200],
      ['{"a":2}', 202],
    ] as const)
      t.equal(
        (await gitlab.post('token', { ...older, body })).status,
        expected,
        'older ones: what an event led to has its UUID, and is no repeat',
      )
  })

  t.test('ids that are long, or no ASCII', async (t) => {
    const long = (text: string): string => Buffer.from(text.repeat(201), 'utf8').toString('latin1')
    const ids = new Set<unknown>()
    for (const text of ['\u4e00', '\u4f00', 'a'])
      ids.add((await gateway.post('any', { headers: { 'X-GitHub-Delivery': long(text) } })).json.delivery_id)
    t.equal(ids.size, 3)
  })

  t.test('a body is what its bytes are, whatever the content type says', async (t) => {
    const asForm = { 'Content-Type': 'application/x-www-form-urlencoded' }
    let count = 0
    const send = (body: string, headers: object) =>
      status('any', { ...headers, 'X-Webhook-Signature': hexHmac(body), 'X-Request-ID': `bytes-${count++}` }, body)
    for (const type of [
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded; charset=utf-7',
      'a/b, application/x-www-form-urlencoded',
    ])
      t.equal(await send('{"a":"b=c&payload=1"}', { 'Content-Type': type }), 202, `${type}: JSON`)
    t.equal(await send('a=1', asForm), 202)
    t.equal(await send('a=1', { 'Content-Type': 'application/json' }), 400, 'a form that is said to be JSON')
    t.equal(await send('a=1', { 'Content-Type': 'application/json, application/x-www-form-urlencoded' }), 400, 'of two types')
    for (const body of ['a={"b":1}', 'a="b', 'a[]=1', '{"a":1}&payload={"a":2}', '\ufeffx={', ' ["a"]=1'])
      t.equal(await send(body, asForm), 400, `${body}: what a form escapes`)
    t.equal(await send('payload=%7B%7D&payload=%5B%5D', asForm), 400, 'two payloads')
  })
})

t.test('INSECURE_NO_AUTH: on loopback anybody passes, but no page in a browser', async (t) => {
  const gateway: TestGateway = await startGateway(t, { routes: { open: { secret: 'INSECURE_NO_AUTH' } } })
  t.equal((await gateway.post('open', { sign: false })).status, 202)
  t.equal((await gateway.post('open', { sign: false, headers: { Origin: 'https://evil.example' } })).status, 403)
  const rebound = await gateway.raw('POST /webhooks/open HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}', 1_000)
  t.match(rebound, /^HTTP\/1\.1 403 /)
})

t.test('the fields of a form are those of the standard', (t) => {
  const piece = fc.constantFrom('a', '=', '&', '+', '%', '%41', '%e4', '%B8', '%ad', '%zz', '\u00e9', '\ufeff', '%00', 'payload')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 40 }),
        fc.array(piece).map((pieces) => Buffer.from(pieces.join(''))),
      ),
      (bytes) => {
        const body = Buffer.from(bytes)
        const escaped = body.toString('latin1').replace(/[\x80-\xff?]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`)
        const read = parseFormFields(body).map(({ name, value }) => [name, value.toString()])
        return JSON.stringify(read) === JSON.stringify([...new URLSearchParams(escaped)])
      },
    ),
    { numRuns: 2_000 },
  )
  t.end()
})

t.test('what is picked of JSON before its signature holds is what parsing all of it gives', (t) => {
  const paths = ['a', 'a.b', 'a.é.c', 'list.0.b', 'list.*.b', '"'].map((path) => path.split('.'))
  const keys = fc.constantFrom('a', 'b', 'c', 'é', 'list', '"', '0', '*', '__proto__')
  const { value } = fc.letrec<{ value: unknown; map: unknown; list: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.constantFrom('é\n', '😀"', '\\', ''),
      fc.double(),
      fc.boolean(),
      tie('map'),
      tie('list'),
    ),
    map: fc.array(fc.tuple(keys, tie('value')), { maxLength: 5 }).map((all) => Object.fromEntries(all)),
    list: fc.array(tie('value'), { maxLength: 4 }),
  }))
  const spaced = fc.constantFrom(0, 1)
  fc.assert(
    fc.property(value, spaced, fc.boolean(), (whole, blanks, isEscaped) => {
      const text = JSON.stringify({ list: whole, a: whole }, null, blanks)
      const written = isEscaped ? text.replace(/[é😀]/gu, (all) => [...all].map(unicode).join('')) : text
      const [picked, parsed] = [pickJson(Buffer.from(written), paths) as Json, JSON.parse(written) as Json]
      return paths.every((path) => {
        const readAt = path.includes('*') ? itemsAt : (payload: Json) => scalarText(compilePath(path.join('.'))(payload))
        return JSON.stringify(readAt(parsed)) === JSON.stringify(readAt(picked))
      })
    }),
    { numRuns: 2_000 },
  )
  t.strictSame(pickJson(Buffer.from('{"a":1,"a":{"b":2},"\\u0061":{"b":"3"}}'), paths), { a: { b: '3' } }, 'the last one of a key counts')
  t.equal(pickJson(Buffer.from(`{${'"b":0,'.repeat(5_001)}"a":1}`), paths), undefined, 'too many keys')
  t.equal(pickJson(Buffer.from(`{"a":"${'\\n'.repeat(300_000)}"}`), paths), undefined, 'too long a text of escapes')
  t.strictSame(pickJson(Buffer.from(`{"b":"${'\\n'.repeat(300_000)}","a":1}`), paths), { a: 1 }, 'the same beside a path')
  for (const broken of ['', '{', '{"a"', '{"a":', '{"a":"', '[', '[[', '{"a":}', '\\', '{"a":tru', '}'])
    t.doesNotThrow(() => pickJson(Buffer.from(broken), paths), broken)
  t.end()
})

const unicode = (character: string): string =>
  Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')

/** The field of all items, as texts; none where there is no list of maps. */
const itemsAt = (payload: Json): Json | undefined => {
  const list = compilePath('list')(payload)
  return Array.isArray(list) ? list.map((item) => scalarText(compilePath('b')(item)) ?? null) : undefined
}
