/** Requests that are no plain POST of JSON: compressed bodies, other methods, and bodies of other kinds. */

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { createInflate } from '../../src/parts/body/inflate.ts'
import { runAt } from '../fakes/cli.ts'
import { hexHmac, type Post, startGateway, type TestGateway } from '../fakes/gateway.ts'
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
