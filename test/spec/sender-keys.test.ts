/** Keys that senders publish (rules: Authentication 13): what strangers can do with the fetching of them, and what a sender sees of it. */

import { generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import t, { type Test } from 'tap'
import type { RequestHead } from '../../src/core/request.ts'
import type { SignatureScheme } from '../../src/generated/config.ts'
import { describedScheme } from '../../src/parts/schemes/described/described.ts'
import type { SenderKeys } from '../../src/parts/sender-keys.ts'
import { createKeptKeys } from '../../src/serve/kept-keys.ts'
import { openKeyFolder } from '../../src/serve/key-folder.ts'
import { certificateOf } from '../fakes/certificate.ts'
import { steppedClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { type GatewayOptions, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { type KeyServer, startKeyServer } from '../fakes/key-server.ts'
import { until } from '../fakes/wait.ts'

const dayMs = 86_400_000
const real = certificateOf('a')
const stranger = certificateOf('a')
/** A minute on, so that the certificates are valid. */
const present = Date.now() + 60_000

const describe = (host: string, path?: string): SignatureScheme => ({
  algorithm: 'rsa_sha256',
  signature: { header: 'X-Signature', encoding: 'base64' },
  certificate: { header: 'X-Certificate', hosts: [host], ...(path === undefined ? {} : { path }) },
  identity: { body: 'who' },
})
const body = '{"who":"us"}'
const signatureBy = (key: string, text = body): string => signBytes('sha256', Buffer.from(text), key).toString('base64')
const byReal = signatureBy(real.key)

type Sent = { readonly client?: string; readonly signature?: string; readonly route?: string }

/** A gateway whose senders have certificates on the key server, and the status that a request with one of them gets. */
const open = async (t: Test, { path, ...more }: GatewayOptions & { readonly path?: string } = {}) => {
  const server = await startKeyServer(t)
  const clock = steppedClock(present)
  const route = { verify: describe(server.host, path), secret: 'us', deliver: 'log' }
  const gateway = await startGateway(t, {
    clock,
    download: server.download,
    extra: { trust_proxy: ['127.0.0.1'] },
    routes: { r: route, s: route },
    ...more,
  })
  const answer = (certificate: string, { client = '198.51.100.1', signature = byReal, route = 'r' }: Sent = {}) => {
    const headers = { 'X-Signature': signature, 'X-Certificate': certificate, 'X-Forwarded-For': client }
    return gateway.post(route, { sign: false, headers, body })
  }
  return { server, clock, gateway, answer, post: async (...args: Parameters<typeof answer>) => (await answer(...args)).status }
}

/** Waits until so many of these have an answer. */
const answered = async (posts: readonly Promise<number>[], count: number): Promise<void> => {
  let answers = 0
  for (const each of posts)
    void each.then(() => {
      answers++
    })
  await until(() => answers >= count)
}
const countOf = (statuses: readonly number[]): { readonly [status: string]: number } =>
  Object.fromEntries([...new Set(statuses)].map((status) => [status, statuses.filter((each) => each === status).length]))

/** The addresses of so many certificates, which are there. */
const serve = (server: KeyServer, folder: string, count: number, pem = stranger.pem): string[] =>
  Array.from({ length: count }, (_, i) => {
    server.files.set(`/${folder}/${i}.pem`, pem)
    return `${server.url}/${folder}/${i}.pem`
  })

t.test('the spellings of one address are one certificate, fetched once', async (t) => {
  for (const path of ['/certs/*.pem', undefined]) {
    const { server, post } = await open(t, path === undefined ? {} : { path })
    server.files.set('/certs/a.pem', real.pem)
    const { url, host } = server
    const address = `${url}/certs/a.pem`
    const spellings = [
      address,
      `HTTP://${host}/certs/a.pem`,
      `${address}?`,
      `${address}#`,
      `${address}#key`,
      `${url}/x/../certs/./a.pem`,
      `http://127.1:${host.split(':')[1]}/certs/a.pem`,
      `http:\\\\${host}\\certs\\a.pem`,
      `${url}/certs/\ta.pem`,
    ]
    for (const spelling of spellings) t.equal(await post(spelling), 202, spelling)
    t.same(server.asked, ['/certs/a.pem'])
    for (const bad of [`http://user@${host}/certs/a.pem`, `${address}?${'a'.repeat(300)}`, `${address}#${'a'.repeat(3_000)}`])
      t.equal(await post(bad), 401, bad.slice(0, 60))
    t.equal(server.asked.length, 1, 'nothing else was fetched')
    t.equal(await post(`${address}?v=2`), path === undefined ? 202 : 401, 'a query chooses a certificate where no path is described')
    t.equal(server.asked.length, path === undefined ? 2 : 1)
  }
})

t.test('a certificate that verified a request stays, whatever else strangers have fetched', async (t) => {
  const { server, clock, post } = await open(t)
  server.files.set('/real.pem', real.pem)
  t.equal(await post(`${server.url}/real.pem`), 202)
  server.files.delete('/real.pem')
  for (const [i, address] of serve(server, 'others', 60).entries()) {
    if (i % 20 === 0) clock.advance(31_000)
    t.equal(await post(address, { client: `203.0.113.${i}` }), 401, 'it is fetched, and verifies nothing')
    t.equal(await post(`${server.url}/real.pem`), 202)
  }
  t.equal(server.asked.length, 61)
})

/** A description's check over keys that the test plays; where it keeps none, what is asked for again was forgotten. */
const checkOver = (pem: (address: string) => string, kept?: string) => {
  const asked: string[] = []
  const keys: SenderKeys = {
    kept: { get: () => (kept === undefined ? undefined : { bytes: Buffer.from(kept), at: present }), put: () => {} },
    fetchKey: async (address) => {
      asked.push(address)
      return { bytes: Buffer.from(pem(address)), at: present, isAwaited: true }
    },
  }
  const check = describedScheme('a-b', describe('a.example')).compile('us', keys)
  const verdict = async (address: string, signature: string, at = present) => {
    const headers = { 'x-signature': signature, 'x-certificate': `https://a.example/${address}` }
    const head: RequestHead = { method: 'POST', url: () => '', headers, remote: () => '192.0.2.1', isProxied: () => false, at }
    const checkBody = typeof check === 'function' ? check(head) : 'no check'
    return typeof checkBody === 'string' ? checkBody : checkBody(Buffer.from(body))
  }
  return { asked, verdict }
}

t.test('of certificates that all verified requests, one that expired goes first, then the least recently used', async (t) => {
  const short = certificateOf('a', 1)
  const { asked, verdict } = checkOver((address) => (address.endsWith('short') ? short.pem : real.pem))
  const isAskedFor = async (address: string, at = present): Promise<boolean> => {
    const before = asked.length
    t.equal(await verdict(address, byReal, at), true, address)
    return asked.length > before
  }
  const later = present + 2 * dayMs
  for (let i = 0; i < 15; i++) t.ok(await isAskedFor(`c${i}`))
  t.equal(await verdict('short', signatureBy(short.key)), true)
  t.ok(await isAskedFor('c15', later), 'the first past sixteen: the one that has expired goes')
  for (let i = 15; i >= 1; i--) t.notOk(await isAskedFor(`c${i}`, later))
  t.notOk(await isAskedFor('c0', later))
  t.ok(await isAskedFor('c16', later), 'all are valid: c15 was used before all others')
  t.notOk(await isAskedFor('c0', later))
  t.notOk(await isAskedFor('c14', later))
  t.ok(await isAskedFor('c15', later), 'it was forgotten')
  t.equal(await verdict('short', signatureBy(short.key), later), 'the certificate is not valid at this time')
})

t.test('whether a kept certificate is valid is judged anew', async (t) => {
  const short = certificateOf('a', 1)
  const { asked, verdict } = checkOver(() => real.pem, short.pem)
  t.equal(await verdict('a', signatureBy(short.key)), true)
  t.same(asked, [])
  t.equal(await verdict('a', signatureBy(short.key), present + 2 * dayMs), 'no key of the route gives this signature')
  t.equal(await verdict('a', byReal, present + 2 * dayMs), true, 'the sender has another one by then')
  t.equal(asked.length, 1)
})

t.test('a client that names address after address uses up its own share of the fetches', async (t) => {
  const { server, clock, post, answer } = await open(t)
  server.files.set('/real.pem', real.pem)
  const named = serve(server, 'a', 20)
  const statuses: number[] = []
  for (const address of named) statuses.push(await post(address, { client: '203.0.113.7' }))
  t.same(statuses, [...Array(4).fill(401), ...Array(16).fill(503)])
  t.equal(server.asked.length, 4)
  t.equal((await answer(named[19] as string, { client: '203.0.113.7' })).headers.get('retry-after'), '10')
  t.equal(await post(`${server.url}/real.pem`), 202, 'another client is served meanwhile')
  t.equal(await post(named[0] as string, { client: '203.0.113.7' }), 401, 'what is there costs nothing')
  for (const [i, address] of serve(server, 'b', 6).entries())
    t.equal(await post(address, { client: `2001:db8:1:2::${i + 1}` }), i < 4 ? 401 : 503, 'addresses of one IPv6 network are one client')
  clock.advance(30_000)
  t.equal(await post(named[19] as string, { client: '203.0.113.7' }), 401, 'half a minute later it has a share again')

  clock.advance(30_000)
  const before = server.asked.length
  for (const [i, address] of serve(server, 'c', 70).entries())
    t.equal(await post(address, { client: `203.0.113.${i}` }), i < 64 ? 401 : 503, 'all clients together')
  t.equal(server.asked.length - before, 64)
})

t.test('an address that gave no certificate is left alone for a while, whoever names it', async (t) => {
  const { server, clock, post } = await open(t)
  server.files.set('/page', '<html>')
  for (const name of ['missing.pem', 'page']) {
    const before = server.asked.length
    for (let i = 0; i < 12; i++)
      t.equal(await post(`${server.url}/${name}`, { client: `203.0.113.${i}`, route: i % 2 === 0 ? 'r' : 's' }), 503)
    t.equal(server.asked.length - before, 1, name)
    server.files.set(`/${name}`, real.pem)
    clock.advance(29_999)
    t.equal(await post(`${server.url}/${name}`), 503)
    clock.advance(1)
    t.equal(await post(`${server.url}/${name}`), 202)
    t.equal(server.asked.length - before, 2, name)
  }
})

t.test('requests that wait share one fetch, and few wait', async (t) => {
  const { server, post } = await open(t)
  server.files.set('/real.pem', real.pem)
  let release = server.hold()
  const flood = Array.from({ length: 20 }, (_, i) =>
    post(`${server.url}/real.pem`, { client: '203.0.113.7', route: i % 2 === 0 ? 'r' : 's' }),
  )
  await answered(flood, 4)
  const other = post(`${server.url}/real.pem`)
  release()
  t.equal(await other, 202, 'and leaves room for others')
  t.same(
    (await Promise.all(flood)).filter((status) => status !== 503),
    Array(16).fill(202),
  )
  t.same(server.asked, ['/real.pem'])

  release = server.hold()
  const fetched = serve(server, 'slow', 9, real.pem).map((address, i) => post(address, { client: `203.0.113.${i}` }))
  t.equal(await Promise.race(fetched), 503, 'eight fetches at once')
  const joined = Array.from({ length: 64 }, (_, i) => post(`${server.url}/slow/0.pem`, { client: `198.51.100.${i % 8}` }))
  await answered(joined, 8)
  release()
  t.same(countOf(await Promise.all(joined)), { 202: 56, 503: 8 }, 'sixty-four wait at most: these, and eight for the other certificates')
})

const jwkPairs = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }))
const jwksOf = (...pairs: readonly number[]): string =>
  JSON.stringify({
    keys: pairs.map((i) => ({ ...jwkPairs[i]?.publicKey.export({ format: 'jwk' }), kid: `k${i}`, use: 'sig', alg: 'RS256' })),
  })
const tokenBy = (i: number, kid = `k${i}`): string => {
  const claims = { iss: 'them', exp: present / 1000 + 90 * 86_400 }
  const signed = [{ alg: 'RS256', kid }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${signed}.${signBytes('sha256', Buffer.from(signed), jwkPairs[i]?.privateKey as never).toString('base64url')}`
}
const jwtRoute = (server: KeyServer) => ({ verify: { algorithm: 'jwt', jwks_url: `${server.url}/jwks`, issuer: 'them' }, deliver: 'log' })
const postToken = async (gateway: TestGateway, token: string, client = '198.51.100.1', route = 'r') =>
  gateway.post(route, { sign: false, headers: { Authorization: `Bearer ${token}`, 'X-Forwarded-For': client }, body })

/** A gateway with two routes for one sender of tokens. */
const openJwks = async (t: Test) => {
  const server = await startKeyServer(t)
  server.files.set('/jwks', jwksOf(0))
  const clock = steppedClock(present)
  const routes = { r: jwtRoute(server), s: jwtRoute(server) }
  const gateway = await startGateway(t, { clock, download: server.download, extra: { trust_proxy: ['127.0.0.1'] }, routes })
  const post = async (token: string, client?: string, route?: string) => (await postToken(gateway, token, client, route)).status
  return { server, clock, gateway, post }
}

t.test('a token with a rotated key waits for the fetch that finds it', async (t) => {
  const { server, clock, gateway, post } = await openJwks(t)
  t.equal(await post(tokenBy(0)), 202)
  server.files.set('/jwks', jwksOf(0, 1))
  const early = await postToken(gateway, tokenBy(1))
  t.match(early, { status: 503, json: { error: 'Keys of the sender are unavailable' } }, 'it was asked a moment ago')
  t.equal(early.headers.get('retry-after'), '10')
  t.equal(await post(tokenBy(1), '198.51.100.2', 's'), 503, 'by another route')
  clock.advance(29_999)
  t.equal(await post(tokenBy(1)), 503)
  t.equal(server.asked.length, 1)
  clock.advance(1)
  t.same(await Promise.all([post(tokenBy(1)), post(tokenBy(1)), post(tokenBy(1), '198.51.100.2', 's')]), [202, 202, 202])
  t.equal(server.asked.length, 2)
  clock.advance(30_000)
  t.equal(await post(tokenBy(0, 'k9')), 401, 'a fetch for this very request showed that there is no such key')
  t.equal(server.asked.length, 3)
})

t.test('of the keys of a sender only those count that may sign, with the algorithm of their kind', async (t) => {
  const { server, clock, post } = await openJwks(t)
  const pair = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
  const [good, long] = [pair('P-256'), pair('P-384')]
  const tokenOf = ({ privateKey }: typeof good, kid: string): string => {
    const claims = { iss: 'them', exp: present / 1000 + 600 }
    const signed = [{ alg: 'ES256', kid }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    return `${signed}.${signBytes('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
  }
  const jwk = ({ publicKey }: typeof good, kid: string, use = 'sig') => ({ ...publicKey.export({ format: 'jwk' }), kid, use })
  const keys = [jwk(good, 'good'), jwk(long, 'long'), jwk(good, 'enc', 'enc'), 'no key']
  server.files.set('/jwks', JSON.stringify({ keys }))
  t.equal(await post(tokenOf(good, 'good')), 202)
  t.equal(await post(tokenOf(long, 'long')), 401, 'a curve that is not that of ES256')
  t.equal(await post(tokenOf(long, 'good')), 401, 'another key')
  clock.advance(30_000)
  t.equal(await post(tokenOf(good, 'enc')), 401, 'a key to encrypt with')
  t.equal(await post(tokenBy(0, 'good')), 401, 'a token that names another algorithm')
})

t.test('a sender that publishes nothing that is a key is asked again later', async (t) => {
  const { server, gateway, post } = await openJwks(t)
  for (const text of ['{"keys":{"a":1}}', '{"keys":["a",{"kid":"k0","kty":"none"}]}', 'no JSON']) {
    server.files.set('/jwks', text)
    t.equal(await post(tokenBy(0)), 503, text)
  }
  await gateway.line(({ reason }) => /has no keys that can be used/.test(String(reason)))
})

t.test('invented ids of keys cost one fetch in half a minute, and hold up no known key', async (t) => {
  const { server, clock, post } = await openJwks(t)
  const invent = (i: number) => post(tokenBy(0, `x${i}`), `203.0.113.${i}`, i % 2 === 0 ? 'r' : 's')
  t.equal(await post(tokenBy(0)), 202)
  for (let i = 0; i < 20; i++) t.equal(await invent(i), 503)
  t.equal(server.asked.length, 1)
  clock.advance(30_000)
  const release = server.hold()
  const strangers = Array.from({ length: 70 }, (_, i) => invent(i))
  await answered(strangers, 6)
  t.equal(await post(tokenBy(0)), 202, 'while strangers wait')
  clock.advance(3_600_000)
  t.equal(await post(tokenBy(0)), 202, 'the last known keys serve where nobody else may wait')
  release()
  t.same(countOf(await Promise.all(strangers)), { 401: 64, 503: 6 }, 'sixty-four wait at most')
  t.equal(server.asked.length, 2)
})

t.test('the last keys of a sender serve for a week while it gives no others, and go when it takes them back', async (t) => {
  const { server, clock, post } = await openJwks(t)
  t.equal(await post(tokenBy(0)), 202)
  server.files.delete('/jwks')
  clock.advance(3_600_000)
  t.equal(await post(tokenBy(0)), 202)
  t.equal(server.asked.length, 2)
  clock.advance(6 * dayMs)
  t.equal(await post(tokenBy(0)), 202)
  clock.advance(dayMs)
  t.equal(await post(tokenBy(0)), 503)
  server.files.set('/jwks', jwksOf(1))
  clock.advance(30_000)
  t.equal(await post(tokenBy(0)), 401)
  t.equal(await post(tokenBy(1)), 202)
})

t.test('what is kept has a bound in number and in bytes, and a folder that cannot be written stops nothing', async (t) => {
  const kept = createKeptKeys()
  const keyOf = (text: string) => ({ bytes: Buffer.from(text), at: present })
  for (let i = 0; i < 130; i++) kept.put(`https://a.example/${i}`, keyOf(String(i)))
  t.same(
    [0, 1, 2, 129].map((i) => kept.get(`https://a.example/${i}`)?.bytes.toString()),
    [undefined, undefined, '2', '129'],
  )

  const dir = newFolder(t, { file: '' })
  const said: string[] = []
  const folder = await openKeyFolder(join(dir, 'keys'), (reason) => said.push(reason))
  const large = { bytes: Buffer.alloc(262_144), at: present }
  for (let i = 0; i < 17; i++) folder.put(`https://a.example/${i}`, large)
  await folder.close()
  t.equal(readdirSync(join(dir, 'keys')).length, 16)
  t.same(said, [])
  const again = await openKeyFolder(join(dir, 'keys'), (reason) => said.push(reason))
  t.equal(again.get('https://a.example/0'), undefined)
  t.same(again.get('https://a.example/16'), large)

  const nowhere = await openKeyFolder(join(dir, 'file', 'keys'), (reason) => said.push(reason))
  nowhere.put('https://a.example/', keyOf('a'))
  await nowhere.close()
  t.equal(said.length, 1)
  t.match(nowhere.get('https://a.example/'), keyOf('a'), 'it serves until the process ends')
})

const topic = 'arn:aws:sns:us-west-2:123456789012:MyTopic'
const snsCertificate = 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem'
const notification = (id: string, url: string, at: number) => {
  const fields = { Message: 'm', MessageId: id, Timestamp: new Date(at).toISOString(), TopicArn: topic, Type: 'Notification' }
  const text = Object.entries(fields)
    .flatMap((field) => field.map((each) => `${each}\n`))
    .join('')
  return { ...fields, SignatureVersion: '2', SigningCertURL: url, Signature: signatureBy(real.key, text) }
}
const paypalCertificate = 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-a5cafa77'
const transmission = (id: string, at: number) => {
  const time = new Date(at).toISOString().replace(/\.\d+/, '')
  return {
    'PAYPAL-CERT-URL': paypalCertificate,
    'PAYPAL-TRANSMISSION-ID': id,
    'PAYPAL-TRANSMISSION-TIME': time,
    'PAYPAL-TRANSMISSION-SIG': signatureBy(real.key, `${id}|${time}|webhook-1|${crc32('{}')}`),
  }
}

t.test('after a restart a sender is known while its key server cannot be reached', async (t) => {
  const server = await startKeyServer(t)
  server.files.set('/jwks', jwksOf(0))
  server.files.set(new URL(snsCertificate).pathname, real.pem)
  server.files.set(new URL(paypalCertificate).pathname, real.pem)
  const clock = steppedClock(present)
  const routes = {
    r: jwtRoute(server),
    aws_sns: { verify: 'aws_sns', secret: topic, deliver: 'log' },
    paypal: { verify: 'paypal', secret: 'webhook-1', deliver: 'log' },
  }
  const config = { storage: { kind: 'sqlite', durability: 'commit' } }
  let gateway = await startGateway(t, {
    clock,
    download: server.download,
    routes,
    config: { ...config, platforms: { webhook: { enabled: true, extra: { port: 0, secret: 'us', rate_limit: 1_000, routes } } } },
  })
  const { dir } = gateway
  const restart = async (ms = 0): Promise<void> => {
    await gateway.stop(0)
    clock.advance(ms)
    gateway = await startGateway(t, { clock, download: server.download, dir })
  }
  let sent = 0
  const statuses = async () => {
    const sns = await gateway.post('aws_sns', { sign: false, body: notification(String(sent++), snsCertificate, clock.now()) })
    const other = snsCertificate.replace('https://sns.us', 'HTTPS://SNS.US').replace('.com/', '.com:443/')
    const spelled = await gateway.post('aws_sns', { sign: false, body: notification(String(sent++), other, clock.now()) })
    const paypal = await gateway.post('paypal', { sign: false, headers: transmission(String(sent++), clock.now()), body: '{}' })
    return [sns, spelled, paypal, await postToken(gateway, tokenBy(0))].map(({ status }) => status)
  }
  t.same(await statuses(), [202, 202, 202, 202])
  t.equal(server.asked.length, 3)
  const theirs = { ...transmission(String(sent++), clock.now()), 'PAYPAL-CERT-URL': `${paypalCertificate}-theirs` }
  server.files.set(new URL(theirs['PAYPAL-CERT-URL']).pathname, stranger.pem)
  t.equal((await gateway.post('paypal', { sign: false, headers: theirs, body: '{}' })).status, 401)
  server.asked.pop()
  await restart()
  t.same(await statuses(), [202, 202, 202, 202])
  t.equal(server.asked.length, 3, 'nothing is fetched anew')

  server.files.clear()
  await restart(dayMs)
  t.same(await statuses(), [202, 202, 202, 202], 'the key servers give nothing any more')
  t.same(server.asked.slice(3), ['/jwks'], 'keys older than an hour were asked for')

  const folder = join(dir, 'state', 'sender-keys')
  const names = readdirSync(folder)
  t.equal(names.length, 3, 'a certificate that verified nothing is not kept')
  t.equal(statSync(folder).mode & 0o777, 0o700)
  for (const name of names) t.equal(statSync(join(folder, name)).mode & 0o777, 0o600)

  await gateway.stop(0)
  for (const [i, name] of names.entries()) {
    const file = join(folder, name)
    const text = readFileSync(file, 'utf8')
    // One letter of the key is another, half of the file is missing, nothing in it can be read.
    const other = text.replace(/(?<="bytes":".{100})./, (letter) => (letter === 'A' ? 'B' : 'A'))
    writeFileSync(file, [other, text.slice(0, 500), '\0'][i] as string)
  }
  writeFileSync(join(folder, `${names[0]}.123`), 'unfinished')
  gateway = await startGateway(t, { clock, download: server.download, dir })
  t.same(readdirSync(folder), [], 'what is damaged is the same as none')
  t.same(await statuses(), [503, 503, 503, 503])
  server.files.set('/jwks', jwksOf(0))
  server.files.set(new URL(snsCertificate).pathname, real.pem)
  server.files.set(new URL(paypalCertificate).pathname, real.pem)
  clock.advance(30_000)
  t.same(await statuses(), [202, 202, 202, 202])
  await gateway.stop(0)
  t.equal(readdirSync(folder).length, 3)
})
