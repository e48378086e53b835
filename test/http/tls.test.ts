/** TLS in the gateway: which certificate a client gets, what a new one changes, and what clients with and without certificates may do. */

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { connect as connectPlain, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { dayMs, systemClock } from '../../src/core/clock.ts'
import { createFacts } from '../../src/core/facts/facts.ts'
import { connectionLimits, listen } from '../../src/http/server.ts'
import { createAuthority, type Issued } from '../fakes/certificate.ts'
import { fakeCli } from '../fakes/cli.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { type GatewayOptions, hexHmac, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { until } from '../fakes/wait.ts'

const authority = createAuthority('the authority')
const main = authority.issue({ san: 'DNS:hooks.example.org' })
const renewed = authority.issue({ san: 'DNS:hooks.example.org' })
const other = authority.issue({ san: 'DNS:other.example.org,DNS:*.wild.example.org' })
const ending = authority.issue({ san: 'DNS:hooks.example.org', days: 20 })
const ended = authority.issue({ san: 'DNS:hooks.example.org', days: -1 })

const files = (name: string, { pem, key }: Issued) => ({ [`${name}.pem`]: pem + authority.pem, [`${name}-key.pem`]: key })
const pair = (name: string) => ({ cert: `${name}.pem`, key: `${name}-key.pem` })

type Options = Omit<GatewayOptions, 'files'> & { readonly tls?: object; readonly files?: { readonly [name: string]: string } }

const start = (t: Test, { tls, files: more, config, ...options }: Options = {}): Promise<TestGateway> =>
  startGateway(t, {
    routes: { a: { prompt: 'p' } },
    ...options,
    config: { tls: { ...pair('main'), ...tls }, ...config },
    files: { ...files('main', main), ...more },
  })

type Shown = { readonly status: number; readonly fingerprint: string; readonly headers: IncomingMessage['headers'] }

/** Posts a signed event, and says which certificate was shown. */
const post = (
  { port }: { readonly port: number },
  {
    servername = 'hooks.example.org',
    path = '/webhooks/a',
    method = 'POST',
    body = '{}',
    headers = {},
    ...more
  }: ConnectionOptions & {
    readonly path?: string
    readonly method?: string
    readonly body?: string
    readonly headers?: { readonly [name: string]: string }
    readonly agent?: Agent
  } = {},
): Promise<Shown> =>
  new Promise((resolve, reject) => {
    const signed = { 'X-Webhook-Signature': hexHmac(body), 'Content-Length': Buffer.byteLength(body), ...headers }
    const options = { port, host: '127.0.0.1', servername, path, method, agent: false as const, ca: authority.pem, ...more }
    const sent = request({ ...options, headers: method === 'POST' ? signed : headers }, (answer) => {
      const shown = fingerprintOf(answer.socket as TLSSocket)
      answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0, fingerprint: shown, headers: answer.headers }))
    })
    sent.on('error', reject)
    sent.end(method === 'POST' ? body : undefined)
  })

const fingerprintOf = (socket: TLSSocket): string => socket.getPeerCertificate().fingerprint256.replaceAll(':', '').toLowerCase()

const handshake = async (port: number, options: ConnectionOptions): Promise<TLSSocket> => {
  const socket = connect({ port, host: '127.0.0.1', servername: 'hooks.example.org', ca: authority.pem, ...options })
  await once(socket, 'secureConnect')
  return socket
}

/** Puts other files in the place of a pair, as certbot does: by renaming symbolic links. */
const replace = ({ dir }: TestGateway, name: string, texts: { readonly [file: string]: string }): void => {
  for (const [file, text] of Object.entries(texts)) {
    writeFileSync(join(dir, `${file}.${name}`), text)
    symlinkSync(`${file}.${name}`, join(dir, 'link'))
    renameSync(join(dir, 'link'), join(dir, file))
  }
}

t.test('each name gets its certificate, and all others the first one', async (t) => {
  const names = ['other.example.org', '*.wild.example.org'].map((name) => ({ name, ...pair('other') }))
  const gateway = await start(t, { tls: { names }, files: files('other', other) })
  t.match(gateway.url, /^https:\/\/127\.0\.0\.1:\d+$/)
  const shown = async (servername: string) => (await post(gateway, { servername, checkServerIdentity: () => undefined })).fingerprint
  t.equal(await shown('hooks.example.org'), main.fingerprint)
  t.equal(await shown('other.example.org'), other.fingerprint)
  t.equal(await shown('OTHER.example.org'), other.fingerprint)
  t.equal(await shown('a.wild.example.org'), other.fingerprint)
  t.equal(await shown('a.b.wild.example.org'), main.fingerprint, 'an asterisk is one part of a name')
  t.equal(await shown('unknown.example.org'), main.fingerprint)
  const socket = await handshake(gateway.port, { ALPNProtocols: ['h2', 'http/1.1'] })
  t.equal(socket.alpnProtocol, 'http/1.1')
  socket.destroy()
  await t.rejects(handshake(gateway.port, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }))
  t.match(await gateway.operations.status(), {
    url: gateway.url,
    certificates: [{ names: ['hooks.example.org'], fingerprint: main.fingerprint }, {}, {}],
  })
})

t.test('requests are as over plain HTTP, and plain HTTP itself gets nothing', async (t) => {
  const verify = { algorithm: 'hmac_sha256', signature: { header: 'X-S' }, signed: '{url}|{body}' }
  const gateway = await start(t, {
    routes: { a: { prompt: 'p' }, url: { prompt: 'p', verify, secret: 'k' } },
    extra: { max_body_bytes: 100_000 },
  })
  t.equal((await post(gateway)).status, 202)
  t.equal((await post(gateway, { path: '/health', method: 'GET' })).status, 200)
  t.equal((await post(gateway, { body: JSON.stringify('x'.repeat(90_000)) })).status, 202)
  t.match(await post(gateway, { body: 'x'.repeat(300_000) }), { status: 413, headers: { connection: 'close' } }, 'the answer is not lost')
  const headers = { 'X-S': hexHmac('https://hooks.example.org/webhooks/url|{}', 'k'), Host: 'hooks.example.org' }
  t.equal((await post(gateway, { path: '/webhooks/url', headers })).status, 202, 'the signed address begins with https')
  t.equal(await gateway.raw('GET /health HTTP/1.1\r\nHost: a\r\n\r\n'), '', 'the connection is closed')
  const socket = await handshake(gateway.port, {})
  socket.write(`${'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(40)}`)
  let text = ''
  for await (const bytes of socket) text += bytes
  t.equal(text.match(/HTTP\/1\.1 200/g)?.length, 16, 'sixteen requests are answered, and then it ends')
  t.equal((await post(gateway)).status, 202)
})

t.test('a new certificate drops no connection', async (t) => {
  const gateway = await start(t)
  const connections = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.pem, servername: 'hooks.example.org' })
      t.teardown(() => agent.destroy())
      t.equal((await post(gateway, { agent })).status, 202)
      const sent = request({ port: gateway.port, host: '127.0.0.1', agent, path: '/webhooks/a', method: 'POST', headers: halfSigned })
      sent.write('{"half":')
      const answered = once(sent, 'response') as Promise<[IncomingMessage]>
      return { agent, sent, answered, isReused: () => sent.reusedSocket }
    }),
  )
  replace(gateway, 'new', files('main', renewed))
  t.equal((await gateway.operations.reload()).ok, true)
  t.equal((await post(gateway)).fingerprint, renewed.fingerprint, 'a new connection gets the new one')
  const answers = await Promise.all(
    connections.map(async ({ agent, sent, answered, isReused }) => {
      sent.end('true}')
      const [answer] = await answered
      const kept = fingerprintOf(answer.socket as TLSSocket)
      await once(answer.resume(), 'end')
      const next = await post(gateway, { agent })
      return { status: answer.statusCode, kept, reused: isReused(), next: next.status, after: next.fingerprint }
    }),
  )
  const kept = { status: 202, kept: main.fingerprint, reused: true, next: 202, after: main.fingerprint }
  t.strictSame(answers, Array(200).fill(kept), 'each request in flight is answered, and its connection goes on')
  t.match(await gateway.line(({ msg }) => msg.startsWith('certificates replaced')), { level: 'info' })
})

const halfSigned = { 'X-Webhook-Signature': hexHmac('{"half":true}'), 'Content-Length': 13 }

t.test('files are looked at, and a pair that does not fit keeps the one before', async (t) => {
  const clock = fakeClock(Date.now())
  const alerts = [{ deliver: 'log', on: ['reload_refused'] }]
  const gateway = await start(t, { clock, config: { alerts } })
  const look = (times: number): void => {
    for (let i = 0; i < times; i++) clock.advance(10_000)
  }
  const shown = async () => (await post(gateway, { checkServerIdentity: () => undefined })).fingerprint
  const { 'main.pem': cert = '', 'main-key.pem': key = '' } = files('main', renewed)
  replace(gateway, 'half', { 'main.pem': cert })
  look(1)
  t.notOk((await gateway.operations.status()).certificates_refused, 'the other half may come within ten seconds')
  look(1)
  t.equal(await shown(), main.fingerprint)
  t.match(
    (await gateway.operations.status()).certificates_refused?.reason,
    /^the key in .*main-key\.pem does not belong to the certificate/,
  )
  t.match(await gateway.line(({ msg }) => msg.startsWith('new certificates refused')), { level: 'error', reason: /does not belong/ })
  await until(async () => {
    clock.advance(10_000)
    return (await gateway.operations.alerts()).alerts?.firing.some(({ kind }) => kind === 'reload_refused')
  })
  replace(gateway, 'half', { 'main-key.pem': key })
  look(2)
  t.equal(await shown(), renewed.fingerprint)
  t.notOk((await gateway.operations.status()).certificates_refused)
  for (const [what, bad] of Object.entries({ ended, 'of another name': other })) {
    replace(gateway, what, { ...files('main', bad), 'config.yaml': withPublicUrl(gateway) })
    look(2)
    t.equal(await shown(), what === 'ended' ? renewed.fingerprint : bad.fingerprint, what)
  }
  t.equal(gateway.lines.filter(({ msg }) => msg.startsWith('new certificates refused')).length, 2, 'each is told once')
})

const withPublicUrl = ({ dir }: TestGateway): string => readFileSync(join(dir, 'config.yaml'), 'utf8')

t.test('a reload names other files, and takes none that cannot be used', async (t) => {
  const gateway = await start(t, { files: files('other', other) })
  const config = parse(readFileSync(join(gateway.dir, 'config.yaml'), 'utf8'))
  const reload = (tls: object | undefined) => {
    writeFileSync(join(gateway.dir, 'config.yaml'), stringify({ ...config, tls }))
    return gateway.operations.reload()
  }
  const shown = async (servername: string) => (await post(gateway, { servername, checkServerIdentity: () => undefined })).fingerprint
  t.match(await reload({ ...pair('main'), names: [{ name: 'other.example.org', ...pair('other') }] }), { ok: true, restart: [] })
  t.equal(await shown('other.example.org'), other.fingerprint)
  t.match(await reload({ ...pair('main'), key: 'other-key.pem' }), { ok: false, diagnostics: [{ code: 'WH324', pointer: '/tls/key' }] })
  t.equal(await shown('other.example.org'), other.fingerprint)
  t.match(await reload(undefined), { ok: true, restart: ['tls'] })
  t.match(await reload({ ...pair('main'), client_ca: 'main.pem' }), { ok: true, restart: ['tls'] })
  t.equal(await shown('hooks.example.org'), main.fingerprint)
})

t.test('a certificate that ends is told 14 days before: log, alert, gauge; and the gateway stays ready', async (t) => {
  const clock = fakeClock(Date.now())
  const config = { alerts: [{ deliver: 'log', on: ['certificate_ends'] }], metrics: { enabled: true, port: 0 } }
  const gateway = await start(t, { clock, config, files: files('main', ending) })
  const told = () => gateway.lines.filter(({ msg }) => msg === 'a certificate ends soon: renew it').length
  const days = (count: number): void => {
    for (let i = 0; i < count; i++) clock.standStill(dayMs)
  }
  days(5)
  t.equal(told(), 0, 'fifteen days before')
  t.notOk((await gateway.operations.alerts()).alerts?.firing.length)
  days(1)
  t.equal(told(), 1)
  days(2)
  t.equal(told(), 3, 'once a day')
  const { firing = [] } = (await until(async () => {
    clock.advance(30_000)
    const { alerts } = await gateway.operations.alerts()
    return alerts?.firing.length === 1 && alerts
  })) as { firing?: readonly { readonly name: string }[] }
  t.match(firing, [{ name: 'certificate_ends:tls.cert' }])
  t.equal((await post(gateway, { path: '/readyz', method: 'GET' })).status, 200)
  await gateway.raw('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
  const url = gateway.lines.find(({ msg }) => msg === 'metrics')?.url
  const page = await (await fetch(String(url))).text()
  const [, end] = /^headgate_certificate_end_timestamp_seconds\{file=".*main\.pem"\} (\S+)$/m.exec(page) ?? []
  t.ok(Math.abs(Number(end) * 1000 - Date.now() - 20 * dayMs) < dayMs, 'the gauge has the end of the certificate')
  t.match(page, /^headgate_tls_handshakes_failed_total 1$/m, 'handshakes that fail are counted')
})

t.test('certificates of clients: the route decides, and no header stands for a handshake', async (t) => {
  const clients = createAuthority('the authority of clients')
  const sender = clients.issue({ cn: 'sender', san: 'DNS:sender.example.org,URI:urn:sender' })
  const second = clients.issue({ cn: 'second' })
  const stranger = createAuthority('the authority of clients').issue({ cn: 'sender', san: 'DNS:sender.example.org' })
  const routes = {
    a: { prompt: 'p' },
    name: { prompt: 'p', client_certificate: { name: ['CN:nobody', 'URI:urn:sender'] } },
    print: { prompt: 'p', client_certificate: { fingerprint: second.fingerprint.toUpperCase().replace(/..(?=.)/g, '$&:') } },
    proxy: { prompt: 'p', client_certificate: { header: 'X-Client', equals: 'sender' } },
  }
  const statuses = async (gateway: TestGateway, route: string, headers = {}) =>
    Promise.all(
      [sender, second, stranger, undefined].map(async (shown) => {
        const client = shown ? { cert: shown.pem, key: shown.key } : {}
        return (await post(gateway, { path: `/webhooks/${route}`, headers, ...client })).status
      }),
    )
  const ca = { client_ca: 'clients.pem' }
  const more = { routes, files: { 'clients.pem': clients.pem } }
  const optional = await start(t, { ...more, tls: { ...ca, client_certificates: 'optional' }, extra: { trust_proxy: ['192.0.2.1'] } })
  const forged = { 'X-Client': 'sender', 'X-Forwarded-For': '192.0.2.1' }
  t.strictSame(await statuses(optional, 'a'), [202, 202, 202, 202])
  t.strictSame(await statuses(optional, 'name', forged), [202, 403, 403, 403])
  t.strictSame(await statuses(optional, 'print'), [403, 202, 403, 403])
  t.strictSame(await statuses(optional, 'proxy', forged), [403, 403, 403, 403], 'no client is the listed proxy')
  const agent = new Agent({ keepAlive: true, maxSockets: 1, cert: sender.pem, key: sender.key, ca: authority.pem })
  t.teardown(() => agent.destroy())
  for (let i = 0; i < 3; i++) t.equal((await post(optional, { path: '/webhooks/name', agent })).status, 202, 'each request of a connection')
  const required = await start(t, { ...more, tls: ca, extra: { trust_proxy: ['127.0.0.1'] } })
  t.strictSame(await statuses(required, 'a', forged), [202, 202, 403, 403], 'each post needs a certificate')
  t.strictSame(await statuses(required, 'proxy', forged), [202, 202, 403, 403], 'the proxy needs one too, and names that of its client')
  t.equal((await post(required, { path: '/health', method: 'GET' })).status, 200, 'probes need none')
  await t.rejects(start(t, { ...more, extra: { trust_proxy: ['127.0.0.1'] } }), /WH317/, 'without client_ca nobody would be admitted')
  const unasked = start(t, { tls: { client_certificates: 'required' } })
  await t.rejects(unasked, /WH246.*client_ca/, 'without client_ca everybody would be served')
})

/** A server without routes, for connections alone. */
const listenFor = async (t: Test, handshakeTimeout: number) => {
  const dir = newFolder(t, files('main', main))
  const settings = { pairs: [{ cert: join(dir, 'main.pem'), key: join(dir, 'main-key.pem'), path: [] }] }
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    facts: createFacts(),
    serving: () => t.fail('no route is asked for') as never,
    stopping: () => false,
    refusing: () => false,
    hasFailed: () => false,
    isReady: () => true,
    tls: { settings: () => settings, facts: createFacts() },
    limits: { ...connectionLimits, handshakeTimeout },
  })
  const port = Number(new URL(listener.url).port)
  /** Opens so many connections that say nothing, a few at a time, because the queue of the system is short. */
  const open = async (count: number): Promise<Socket[]> => {
    const sockets: Socket[] = []
    while (sockets.length < count) {
      const some = Array.from({ length: Math.min(100, count - sockets.length) }, () =>
        connectPlain(port, '127.0.0.1').on('error', () => {}),
      )
      await Promise.all(some.map((socket) => once(socket, 'connect')))
      sockets.push(...some)
    }
    return sockets
  }
  return { listener, port, open }
}

t.test('a thousand handshakes that never end hold nobody up, count as connections, and end with the server', async (t) => {
  const { listener, port, open } = await listenFor(t, connectionLimits.handshakeTimeout)
  const stalled = await open(1_000)
  await until(async () => listener.connections() === 1_000)
  t.equal((await post({ port }, { path: '/livez', method: 'GET' })).status, 200)
  stalled.push(...(await open(1_100)))
  await until(async () => listener.refusedUnread.connections >= 2_100 - 2_048)
  t.ok(listener.connections() <= 2_048, 'one client has no more than half of all')
  await listener.close(0)
  await Promise.all(stalled.map((socket) => socket.closed || once(socket.resume(), 'close')))
})

t.test('a handshake that never ends is broken off in time', async (t) => {
  const { listener, open } = await listenFor(t, 300)
  t.teardown(() => listener.close(0))
  const stalled = await open(20)
  await Promise.all(stalled.map((socket) => socket.closed || once(socket.resume(), 'close')))
  await until(async () => listener.connections() === 0)
})

t.test('nothing of TLS is loaded for plain HTTP', async (t) => {
  const server = fileURLToPath(new URL('../../src/http/server.ts', import.meta.url))
  const dir = newFolder(t, files('main', main))
  const loadedWith = (tls: string): string[] => {
    const code = `
      const { listen } = await import(${JSON.stringify(server)})
      const clock = { now: Date.now, monotonic: Date.now, after: () => () => {} }
      const settings = () => ({ pairs: [{ cert: 'main.pem', key: 'main-key.pem', path: [] }] })
      const facts = { observe() {}, emit() {} }
      await listen({ host: '127.0.0.1', port: 0, clock, facts, ${tls} })
      console.log(JSON.stringify(process.moduleLoadList.filter((name) => /^NativeModule (tls|https)$/.test(name))))
      process.exit()`
    const { NODE_OPTIONS: _, ...env } = process.env
    const tsx = import.meta.resolve('tsx')
    return JSON.parse(
      execFileSync(process.execPath, [`--import=${tsx}`, '--input-type=module', '-e', code], { cwd: dir, env, encoding: 'utf8' }),
    )
  }
  t.strictSame(loadedWith(''), [])
  t.strictSame(loadedWith('tls: { settings, facts }').sort(), ['NativeModule https', 'NativeModule tls'], 'else they are found')
})

type Found = {
  readonly code: string
  readonly message: string
  readonly range: { readonly start: { readonly line: number; readonly column: number } }
}

t.test('validate and doctor say what is wrong with a file, and where it is named', async (t) => {
  const strange = createAuthority('strange')
  const keyFolder = mkdtempSync(join(tmpdir(), 'keys-'))
  t.teardown(() => rmSync(keyFolder, { recursive: true }))
  writeFileSync(join(keyFolder, 'main-key.pem'), main.key)
  const found = async (tls: string, more: { readonly [file: string]: string } = {}, extra = '') => {
    const webhook = `platforms:\n  webhook:\n    enabled: true\n    secret: 4b1f70c29de8\n${extra}`
    const cli = fakeCli(t, { 'config.yaml': `${webhook}${tls}\n`, ...files('main', main), ...more })
    const { out } = await cli.run('validate', '--format', 'json')
    const doctor = JSON.parse((await cli.run('doctor', '--json')).out).data.checks
    const checks = doctor.filter(({ name }: { name: string }) => name === 'certificates')
    const findings = JSON.parse(out).data.diagnostics.filter(({ code }: { code: string }) => code !== 'WH804')
    for (const { code, message, range } of findings) {
      const { line, column } = range.start
      const same = checks.find((each: { message: string }) => each.message.startsWith(`${code} ${message}`))
      t.match(same?.message, new RegExp(`config\\.yaml:${line}:${column}\\)$`), `doctor: ${message}`)
    }
    return findings.map((each: Found) => {
      const { line, column } = each.range.start
      return `${line}:${column} ${each.code} ${each.message.replaceAll(/\/\S*\//g, '')}`
    })
  }
  const pairText = (name: string) => `{ cert: ${name}.pem, key: ${name}-key.pem }`
  t.strictSame(await found(`tls: ${pairText('main')}`), [])
  t.match(await found(`tls: ${pairText('no')}`), [/^5:14 WH324 no\.pem cannot be read: ENOENT/, /^5:27 WH324 no-key\.pem cannot be read/])
  t.match(await found('tls: { cert: main.pem, key: main.pem }'), ['5:29 WH324 main.pem has no key that can be read'])
  t.match(await found('tls: { cert: main-key.pem, key: main-key.pem }'), ['5:14 WH324 main-key.pem has no certificate, but a key'])
  const content = await found(`tls: { cert: main.pem, key: "file:${keyFolder}/main-key.pem" }`)
  t.strictSame(content, ['5:29 WH324 the content of a file stands here in place of its path'], 'no message shows a key')
  const wrong = await found('tls: { cert: main.pem, key: other-key.pem }', files('other', other))
  t.strictSame(wrong, ['5:29 WH324 the key in other-key.pem does not belong to the certificate in main.pem'])
  const behind = { 'b.pem': authority.pem + main.pem, 'b-key.pem': main.key }
  t.strictSame(await found(`tls: ${pairText('b')}`, behind), ['5:14 WH324 the certificate of the key is number 2 in b.pem'])
  const order = { 'o.pem': main.pem + strange.pem + authority.pem, 'o-key.pem': main.key }
  t.strictSame(await found(`tls: ${pairText('o')}`, order), ['5:14 WH328 o.pem: certificate 2 did not issue certificate 1'])
  t.match(await found(`tls: ${pairText('e')}`, files('e', ended)), [/^5:14 WH325 e\.pem: the certificate ended on 20/])
  t.match(await found(`tls: ${pairText('s')}`, files('s', authority.issue({ days: 5 }))), [/^5:14 WH326 s\.pem: it ends on .*, in 4 days/])
  const named = `tls:\n  cert: main.pem\n  key: main-key.pem\n  names:\n    - { name: b.example.org, cert: other.pem, key: other-key.pem }`
  const notCovered = '9:36 WH327 other.pem: it does not cover b.example.org, but other.example.org, *.wild.example.org'
  t.strictSame(await found(named, files('other', other)), [notCovered])
  const address = '    public_url: https://public.example.org\n'
  t.match(await found(`tls: ${pairText('main')}`, {}, address), [
    '6:14 WH327 main.pem: it does not cover public.example.org, the host of public_url',
  ])
})
