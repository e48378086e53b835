/** The web tools: what they give, and above all where they cannot be led. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { Clock } from '../../src/core/clock.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Log, LogFields } from '../../src/core/log.ts'
import type { NewRun } from '../../src/core/new-run.ts'
import { toolsetsByName } from '../../src/parts/tools/index.ts'
import type { Picture, Tool, ToolCall, ToolsetPart } from '../../src/parts/tools/tool.ts'
import { visionAnalyzeWithin } from '../../src/parts/tools/vision-analyze.ts'
import { webExtract, webExtractWithin } from '../../src/parts/tools/web-extract.ts'
import { isPublic, publicWeb, type WebAccess } from '../../src/parts/web/web-access.ts'
import { adopt } from '../fakes/adopt.ts'
import { checkedConfig } from '../fakes/checked-config.ts'
import { fakeClock } from '../fakes/clock.ts'
import { closedOrigin, json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const run: NewRun = {
  eventId: 'e1',
  profile: 'default',
  route: 'r',
  event: 'push',
  deliveryId: 'd1',
  prompt: 'p',
  delivery: { target: 'log', extra: {} },
  acceptedAt: 0,
}
const never = new AbortController().signal
const logged: LogFields[] = []
const log: Log = Object.assign((_: unknown, fields: LogFields) => void logged.push(fields), { writes: () => true })

type Setup = { readonly settings?: JsonObject; readonly env?: { readonly [name: string]: string }; readonly clock?: Clock }

/** A compiled toolset, with what it reported. */
const compile = (part: ToolsetPart | undefined, { settings = {}, env = {}, clock = fakeClock() }: Setup = {}) => {
  const reports: string[] = []
  const report = (code: string, path: readonly (string | number)[], message: string): void => {
    reports.push(`${code} ${path.join('.')}: ${message}`)
  }
  const { tools = {} } = checkedConfig({ tools: { [part?.name ?? '']: settings } })
  const made = part?.compile((tools as JsonObject)[part.name] as JsonObject, { report, log, clock, env })
  return { toolset: made && adopt(made), reports }
}

const toolOf = async (part: ToolsetPart | undefined, setup?: Setup): Promise<Tool> => {
  const [tool] = (await compile(part, setup).toolset?.(never)) ?? []
  if (!tool) throw new Error('it was left out')
  return tool
}

/** What a call gives, or its refusal in brackets. */
const callOf = async (tool: Tool, input: JsonObject, more: Partial<ToolCall> = {}): Promise<string> => {
  try {
    return await tool.call(input, { run, signal: never, ...more })
  } catch (thrown) {
    return `<${thrown instanceof Error ? thrown.message : String(thrown)}>`
  }
}

/** A web server at an address of loopback, with the paths that it was asked for. */
const site = async (t: Test, answer: RequestListener, host = '127.0.0.1', port = 0) => {
  const seen: IncomingMessage[] = []
  const server = createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    seen.push(request)
    response.on('error', () => {})
    answer(request, response)
  })
  await new Promise<void>((ready) => server.listen(port, host, ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, port: String((server.address() as AddressInfo).port) }
}

/** The one address that counts as public; its neighbours do not. */
const open = '127.0.0.1'
const within = (port: string, more: Partial<WebAccess> = {}): WebAccess => ({
  resolve: async () => [open],
  isPublic: (ip) => ip === open,
  ports: new Set([port]),
  ...more,
})

const html = (response: ServerResponse, text: string | Buffer, headers: { readonly [name: string]: string } = {}): void => {
  response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(text)
}

const apart = /^<The address leads into a private network or to this machine/

t.test('no spelling of an address leads to what is not public', async (t) => {
  const tool = await toolOf(webExtract)
  const hosts = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0x7f000001', '017700000001', '127.0.0.1.', '%31%32%37.0.0.1', '①②⑦.0.0.1', '0'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]'],
    ...['[2002:7f00:1::]', '[2001:0:4136:e378:8000:63bf:80ff:fffe]', '[fe80::1]', '[fc00::1]', '[fec0::1]', '[ff02::1]', '[2001:db8::1]'],
    ...[
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '192.0.0.8',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
    ],
    ...['0.0.0.0', '240.0.0.1', '192.0.2.1', 'localhost', 'LOCALHOST'],
  ]
  for (const host of hosts) t.match(await callOf(tool, { url: `http://${host}/` }), apart, host)
  for (const ip of ['8.8.8.8', '1.1.1.1', '::ffff:8.8.8.8', '2606:4700::1111']) t.ok(isPublic(ip), ip)
  for (const ip of ['8.8.8.8', '::ffff:808:808', '2606:4700:0::1111'])
    t.notOk(isPublic(ip, ['8.8.8.8', '2606:4700::1111']), `${ip} is our own`)
  for (const text of ['', 'page.example', '8.8.8.8/8', '127.0.0.1%eth0']) t.notOk(isPublic(text), text)
})

/**
 * First and last address of each block of the IANA special-purpose registries that is not globally reachable
 * (https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry), of multicast, and of clouds' own services.
 */
const special: readonly (readonly [block: string, ...addresses: string[]])[] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255'],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255'],
  ['Alibaba metadata', '100.100.100.200'],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255'],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.9', '192.0.0.10', '192.0.0.170', '192.0.0.255'],
  ['Oracle metadata', '192.0.0.192'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255'],
  ['192.31.196.0/24', '192.31.196.0', '192.31.196.255'],
  ['192.52.193.0/24', '192.52.193.0', '192.52.193.255'],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.2', '192.88.99.255'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255'],
  ['192.175.48.0/24', '192.175.48.0', '192.175.48.255'],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255'],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255'],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255'],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255'],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.254', '255.255.255.255'],
  ['Azure wire server', '168.63.129.16', '::ffff:168.63.129.16', '::ffff:a83f:8110'],
  ['::/128', '::'],
  ['::1/128', '::1'],
  ['::/96', '::808:808'],
  ['::ffff:0:0:0/96', '::ffff:0:808:808'],
  ['64:ff9b::/96', '64:ff9b::', '64:ff9b::808:808', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::/48', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::/64', '100::', '100::ffff:ffff:ffff:ffff'],
  ['100:0:0:1::/64', '100:0:0:1::', '100::1:ffff:ffff:ffff:ffff'],
  ['2001::/23', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001::/32', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:1::1/128', '2001:1::1'],
  ['2001:2::/48', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['2001:3::/32', '2001:3::'],
  ['2001:4:112::/48', '2001:4:112::'],
  ['2001:10::/28', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:20::/28', '2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:30::/28', '2001:30::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::/16', '2002::', '2002:808:808::1', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2620:4f:8000::/48', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
  ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['4000::/2', '4000::', '7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::/16', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::/7', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['AWS metadata', 'fd00:ec2::254'],
  ['Google metadata', 'fd20:ce::254'],
  ['fe80::/10', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::/10', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::/8', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
]

t.test('no block of a special registry and no service of a cloud is public; what stands beside them is', async (t) => {
  for (const [block, ...addresses] of special) for (const address of addresses) t.notOk(isPublic(address, []), `${block}: ${address}`)
  const beside = [
    '9.255.255.255',
    '100.63.255.255',
    '100.128.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '172.32.0.0',
    '192.0.1.0',
    '198.20.0.0',
  ]
  for (const address of [...beside, '2001:200::', '2003::', '2620:4f:8001::', '3fff:1000::']) t.ok(isPublic(address, []), address)
  const tool = await toolOf(webExtract)
  t.match(await callOf(tool, { url: 'http://168.63.129.16/machine/' }), apart)
})

t.test('a name is as good as the worst of its addresses', async (t) => {
  const names: [string, readonly string[]][] = [
    ['page.example', ['127.0.0.1']],
    ['localhost.', ['127.0.0.1']],
    ['10.0.0.1.nip.io', ['10.0.0.1']],
    ['meta.example', ['169.254.169.254']],
    ['mixed.example', ['8.8.8.8', '10.0.0.1']],
    ['six.example', ['2606:4700::1111', 'fd00::1']],
    ['odd.example', ['0x7f.1']],
    ['none.example', []],
  ]
  const reach = { ...publicWeb, resolve: async (host: string) => names.find(([name]) => name === host)?.[1] ?? [] }
  for (const [name] of names) t.match(await callOf(await toolOf(webExtractWithin(reach)), { url: `https://${name}/` }), apart, name)
})

t.test('other protocols, ports and logins are not asked', async (t) => {
  const asked: string[] = []
  const resolve = async (host: string): Promise<string[]> => {
    asked.push(host)
    return []
  }
  const tool = await toolOf(webExtractWithin({ ...publicWeb, resolve }))
  for (const [url, why] of [
    ['file:///etc/passwd', /^<Only addresses with http:\/\/ and https:\/\//],
    ['gopher://page.example/', /^<Only addresses/],
    ['data:text/html,x', /^<Only addresses/],
    ['ftp://page.example/', /^<Only addresses/],
    ['http://user@page.example/', /^<Addresses with a user name/],
    ['http://:secret@page.example/', /^<Addresses with a user name/],
    ['http://page.example:22/', /^<Only the ports 80 and 443/],
    ['http://page.example:8080/', /^<Only the ports 80 and 443/],
    ['/etc/passwd', /^<This is no web address/],
    ['http://', /^<This is no web address/],
    [`http://page.example/${'a'.repeat(5_000)}`, /^<"url" must have at most/],
    ['', /^<"url" must be a text/],
    [7, /^<"url" must be a text/],
  ] as const)
    t.match(await callOf(tool, { url }), why, String(url).slice(0, 40))
  t.same(asked, [], 'no name is looked up')
  t.match(await callOf(tool, { url: 'https://page.example:443/' }), apart)
  t.same(asked, ['page.example'])
})

t.test('a redirect is checked like the address that was given', async (t) => {
  const front = await site(t, ({ url = '' }, response) => {
    const next = decodeURIComponent(url.slice(1)).replaceAll('PORT', front.port)
    if (next === 'end') html(response, '<p>the end')
    else response.writeHead(302, { location: next, 'set-cookie': 'a=b' }).end('body of the redirect')
  })
  const hidden = await site(t, (_, response) => html(response, 'secret'), '127.0.0.2', Number(front.port))
  const resolve = async (host: string): Promise<string[]> => [host === 'hidden.example' ? '127.0.0.2' : open]
  const tool = await toolOf(webExtractWithin(within(front.port, { resolve })))
  const from = (next: string): Promise<string> => callOf(tool, { url: `http://page.example:${front.port}/${encodeURIComponent(next)}` })
  for (const [next, why] of [
    ['http://127.0.0.2:PORT/', apart],
    ['http://2130706434:PORT/', apart],
    ['//hidden.example:PORT/', apart],
    ['http://hidden.example:PORT/', apart],
    [`http://page.example:PORT/${encodeURIComponent('//hidden.example:PORT/')}`, apart],
    ['http://[::ffff:7f00:2]:PORT/', apart],
    ['file:///etc/passwd', /^<Only addresses/],
    ['http://user:pass@page.example:PORT/end', /^<Addresses with a user name/],
    ['http://page.example:1/end', /^<Only the ports/],
    ['http://', /^<This is no web address/],
  ] as const)
    t.match(await from(next), why, next)
  t.same(hidden.seen.length, 0, 'nobody asked there')
  logged.length = 0
  await from('http://user:canary@hidden.example:PORT/')
  t.match(
    logged,
    [
      { route: 'r', delivery_id: 'd1', url: /page\.example/ },
      { route: 'r', url: /hidden\.example/ },
    ],
    'both are in the log',
  )
  const nested = (times: number): string => (times === 0 ? 'end' : `/${encodeURIComponent(nested(times - 1))}`)
  t.match(await from(nested(5)), /the end/, 'five redirects')
  t.match(await from(nested(6)), /^<The site redirects more than 5 times/)
  const { headers } = front.seen.at(-1) as IncomingMessage
  t.same(headers, {
    host: `page.example:${front.port}`,
    'user-agent': 'headgate',
    accept: '*/*',
    'accept-encoding': 'gzip, br',
    connection: 'close',
  })
})

t.test('a name that changes between the check and the connection changes nothing', async (t) => {
  const front = await site(t, (_, response) => html(response, '<p>public'))
  const hidden = await site(t, (_, response) => html(response, '<p>secret'), '127.0.0.2', Number(front.port))
  let asked = 0
  const resolve = async (): Promise<string[]> => [asked++ === 0 ? open : '127.0.0.2']
  const tool = await toolOf(webExtractWithin(within(front.port, { resolve })))
  t.match(await callOf(tool, { url: `http://page.example:${front.port}/` }), /public/)
  t.same([asked, front.seen.length, hidden.seen.length], [1, 1, 0])
  t.match(await callOf(tool, { url: `http://page.example:${front.port}/` }), apart, 'the second look-up is checked as well')
})

t.test('no proxy of the environment is asked', async (t) => {
  const front = await site(t, (_, response) => html(response, '<p>direct'))
  const proxy = await sink(t, (response) => response.end('proxied'))
  for (const name of ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'NODE_USE_ENV_PROXY']) {
    const before = process.env[name]
    process.env[name] = name.startsWith('NODE') ? '1' : proxy.origin
    t.teardown(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
  }
  t.match(await callOf(await toolOf(webExtractWithin(within(front.port))), { url: `http://page.example:${front.port}/` }), /direct/)
  t.same(proxy.seen, [])
})

/** A gzip stream that never ends and unpacks to nothing. */
const endlessNothing = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
  response.write(gzipSync('').subarray(0, 10))
  const emptyBlocks = Buffer.from([0, 0, 0, 255, 255].flatMap((byte) => [byte]))
    .toString('latin1')
    .repeat(2_000)
  const more = (): void => {
    while (!response.destroyed && response.write(emptyBlocks, 'latin1'));
  }
  response.on('drain', more)
  more()
}

t.test('an answer has a size, a kind and a time', async (t) => {
  const answers: { readonly [path: string]: (response: ServerResponse) => void } = {
    '/large': (response) => html(response, 'x'.repeat(70_000)),
    '/unsized': (response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      for (let i = 0; i < 70; i++) response.write('x'.repeat(1_000))
      response.end()
    },
    '/bomb': (response) => html(response, gzipSync(Buffer.alloc(20_000_000)), { 'content-encoding': 'gzip' }),
    '/nothing': endlessNothing,
    '/broken': (response) => html(response, 'no gzip', { 'content-encoding': 'gzip' }),
    '/twice': (response) => html(response, gzipSync(gzipSync('x')), { 'content-encoding': 'gzip, gzip' }),
    '/header': (response) => html(response, 'x', { 'x-long': 'x'.repeat(20_000) }),
    '/pdf': (response) => html(response, 'INJECTED', { 'content-type': 'application/pdf' }),
    '/picture': (response) => html(response, 'INJECTED', { 'content-type': 'image/png' }),
    '/injected': (response) => html(response, 'x', { 'content-type': 'INJECTED/x' }),
    '/untyped': (response) => void response.writeHead(200).end('INJECTED'),
    '/404': (response) => void response.writeHead(404, 'INJECTED', { 'content-type': 'text/html' }).end('INJECTED'),
    '/304': (response) => void response.writeHead(304).end(),
    '/cut': (response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '100' }).write('INJECTED')
      setImmediate(() => response.destroy())
    },
    '/garbage': (response) => void response.socket?.end('INJECTED\r\n\r\n'),
    '/upgrade': (response) => void response.socket?.end('HTTP/1.1 101 Yes\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  }
  const { port } = await site(t, ({ url = '' }, response) => answers[url]?.(response))
  const tool = await toolOf(webExtractWithin(within(port)), { settings: { max_bytes: 65_536 } })
  const refusals: { readonly [path: string]: RegExp } = {
    '/large': /larger than the limit of 65536 bytes/,
    '/unsized': /larger than the limit/,
    '/bomb': /larger than the limit/,
    '/nothing': /larger than the limit/,
    '/broken': /cannot be unpacked/,
    '/twice': /packs its answer in a way/,
    '/header': /header of the answer is too large/,
    '/pdf': /neither a web page nor text/,
    '/picture': /Use vision_analyze/,
    '/injected': /neither a web page nor text/,
    '/untyped': /neither a web page nor text/,
    '/404': /^<The site answered HTTP 404\.>$/,
    '/304': /^<The site answered HTTP 304\.>$/,
    '/cut': /connection to the site failed/,
    '/garbage': /does not speak HTTP/,
    '/upgrade': /does not speak HTTP/,
  }
  t.same(Object.keys(refusals), Object.keys(answers))
  for (const [path, why] of Object.entries(refusals)) {
    const said = await callOf(tool, { url: `http://page.example:${port}${path}` })
    t.match(said, why, path)
    t.match(said, /^</, path)
    t.notMatch(said, /INJECTED/i, path)
  }
  const closed = new URL(await closedOrigin()).port
  const nobody = await toolOf(webExtractWithin(within(closed)))
  t.match(await callOf(nobody, { url: `http://page.example:${closed}` }), /^<The connection to the site failed \(ECONNREFUSED\)/)
  const lookup = (): Promise<never> => Promise.reject(Object.assign(new Error('INJECTED'), { code: 'ENOTFOUND' }))
  t.match(
    await callOf(await toolOf(webExtractWithin(within(port, { resolve: lookup }))), { url: `http://x.example:${port}` }),
    /^<There is no site/,
  )
})

t.test('one limit of time holds for name, redirects, header and body together; a run that ends, ends the call', async (t) => {
  const begun = { tell: () => {} }
  const slow = await site(t, ({ url }, response) => {
    if (url === '/body') response.writeHead(200, { 'content-type': 'text/html' }).write('<p>slow')
    begun.tell()
  })
  const stalls: { readonly [path: string]: Partial<WebAccess> } = {
    '/body': {},
    '/header': {},
    '/name': {
      resolve: () => {
        begun.tell()
        return new Promise(() => {})
      },
    },
  }
  for (const [path, reach] of Object.entries(stalls)) {
    const clock = fakeClock()
    const tool = await toolOf(webExtractWithin(within(slow.port, reach)), { clock, settings: { timeout_seconds: 3 } })
    const url = `http://page.example:${slow.port}${path}`
    begun.tell = () => setImmediate(() => clock.advance(3_000))
    t.equal(await callOf(tool, { url }), '<The site took longer than 3 seconds.>', path)
    const stop = new AbortController()
    begun.tell = () => stop.abort(new Error('the run was stopped'))
    t.equal(await callOf(tool, { url }, { signal: stop.signal }), '<the run was stopped>', path)
  }
})

t.test('a page becomes Markdown, and a text stays as it is', async (t) => {
  const paragraph = '<p>A paragraph with <b>some</b> words, which is long enough to be counted as the text of the page, not as a menu.</p>'
  const links = '<p><a href="/b(1)">there</a> <a href="javascript:steal()">bad</a> <img src="p.png" alt="a [pic]"> <img src="data:x"></p>'
  const pages: { readonly [path: string]: (response: ServerResponse) => void } = {
    '/article': (response) =>
      html(
        response,
        `<!doctype html><html><head><title>On  gates</title><script>run()</script></head><body><nav>Menu</nav><article><h2>Part</h2>${paragraph.repeat(8)}${links}</article></body></html>`,
      ),
    '/bare': (response) => html(response, '<title>Bare</title><h1>Head</h1><p>short<p hidden>unseen<p style="display: none">unseen'),
    '/latin': (response) =>
      html(response, Buffer.from('<body><p>caf\xe9', 'latin1'), { 'content-type': 'text/html; charset="ISO-8859-1"' }),
    '/script': (response) => html(response, '<html><body><div id="app"></div><script>run()</script></body></html>'),
    '/long': (response) => html(response, `<article>${paragraph.repeat(500)}</article>`),
    '/gzip': (response) => html(response, gzipSync('<p>packed'), { 'content-encoding': 'gzip' }),
    '/text': (response) => html(response, '<b>&amp;\n', { 'content-type': 'Text/Plain; charset=no-such' }),
    '/markdown': (response) => html(response, '# Head', { 'content-type': 'text/markdown' }),
    '/json': (response) => html(response, '{"a": [1]}', { 'content-type': 'application/ld+json' }),
    '/longtext': (response) => html(response, '\u{1f600}'.repeat(15_000), { 'content-type': 'text/plain' }),
  }
  const { port } = await site(t, ({ url = '' }, response) => pages[url]?.(response))
  const tool = await toolOf(webExtractWithin(within(port)))
  const origin = `http://page.example:${port}`
  const get = (path: string): Promise<string> => callOf(tool, { url: `${origin}${path}` })
  const article = await get('/article')
  t.match(article, new RegExp(`^# On gates\n\n${origin}/article\n\n## Part\n\nA paragraph with \\*\\*some\\*\\* words`))
  t.match(article, `[there](${origin}/b%281%29) bad [picture: a pic](${origin}/p.png)`)
  t.notMatch(article, /Menu|run\(\)|steal|data:|!\[/)
  t.match(await get('/bare'), /^# Bare\n\n\S+\n\n## Head\n\nshort$/)
  t.match(await get('/latin'), /café/)
  t.match(await get('/script'), /The page has no text of its own/)
  const long = await get('/long')
  t.match(long, /\n\n\[The page goes on: it has \d{5} characters\.\]$/)
  t.ok(long.length < 20_200)
  t.match(await get('/gzip'), /packed/)
  t.equal(await get('/text'), '<b>&amp;\n')
  t.equal(await get('/markdown'), '# Head')
  t.equal(await get('/json'), '{"a": [1]}')
  t.equal(await get('/longtext'), `${'\u{1f600}'.repeat(10_000)}\n\n[The text goes on.]`)
})

t.test('a page that takes forever to read is given up, and holds nothing up meanwhile', async (t) => {
  const { port } = await site(t, (_, response) => html(response, '<div>'.repeat(400_000)))
  const clock = fakeClock()
  // Only the limit of the thread is this long. A page that was read beside the test would be read to its end first.
  const after: Clock['after'] = (ms, then) => {
    const cancel = clock.after(ms, then)
    if (ms === 10_000) setImmediate(() => clock.advance(ms))
    return cancel
  }
  const tool = await toolOf(webExtractWithin(within(port)), { clock: { ...clock, after } })
  t.match(await callOf(tool, { url: `http://page.example:${port}/` }), /^<The page cannot be read: it is too large or too deeply nested/)
})

t.test('a call that waits for the reading of others ends with its run', async (t) => {
  const { port, seen } = await site(t, (_, response) => html(response, '<div>'.repeat(400_000)))
  const tool = await toolOf(webExtractWithin(within(port)))
  const [others, own] = [new AbortController(), new AbortController()]
  const read = (stop: AbortController): Promise<string> => callOf(tool, { url: `http://page.example:${port}/` }, { signal: stop.signal })
  const reading = [read(others), read(others)]
  await until(() => seen.length === 2)
  const waiting = read(own)
  await until(() => seen.length === 3)
  own.abort(new Error('the run was stopped'))
  t.equal(await waiting, '<the run was stopped>')
  others.abort(new Error('these too'))
  t.same(await Promise.all(reading), ['<these too>', '<these too>'])
})

/** A server with a certificate for page.example. */
const secureSite = async (t: Test, answer: RequestListener) => {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = ['-subj', '/CN=page.example', '-addext', 'subjectAltName=DNS:page.example']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert, ...names], {
    stdio: 'ignore',
  })
  const ca = readFileSync(cert, 'utf8')
  const servernames: unknown[] = []
  const server = createTlsServer({ key: readFileSync(key), cert: ca }, (request, response) => {
    servernames.push((request.socket as { servername?: unknown }).servername)
    answer(request, response)
  })
  await new Promise<void>((ready) => server.listen(0, open, ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { ca, servernames, port: String((server.address() as AddressInfo).port) }
}

const starts: { readonly [mediaType: string]: string } = {
  'image/png': '\x89PNG\r\n\x1a\n',
  'image/jpeg': '\xff\xd8\xff\xe0',
  'image/gif': 'GIF89a',
  'image/webp': 'RIFF\n\0\0\0WEBP',
}

t.test('a picture is known by its bytes, and shown to the model', async (t) => {
  const pictures = Object.entries(starts)
  const secure = await secureSite(t, ({ url = '' }, response) => {
    if (url === '/down') response.writeHead(302, { location: `http://page.example:${secure.port}/0` }).end()
    else if (url === '/large') html(response, Buffer.alloc(5_000))
    else html(response, Buffer.from(pictures[Number(url.slice(1))]?.[1] ?? '<svg>', 'latin1'), { 'content-type': 'image/svg+xml' })
  })
  const looked: (readonly [Picture, string])[] = []
  const askAboutPicture = async (picture: Picture, question: string): Promise<string> => {
    looked.push([picture, question])
    return 'a cat'
  }
  const part = visionAnalyzeWithin(within(secure.port, { ca: secure.ca }))
  const tool = await toolOf(part, { settings: { max_bytes: 4_096 } })
  const at = (path: string): JsonObject => ({ url: `https://page.example:${secure.port}${path}` })
  for (const [i, [mediaType, start]] of pictures.entries()) {
    t.equal(await callOf(tool, { ...at(`/${i}`), question: 'A cat?' }, { askAboutPicture }), 'a cat')
    t.same(looked.at(-1), [{ bytes: Buffer.from(start, 'latin1'), mediaType }, 'A cat?'])
  }
  await callOf(tool, at('/0'), { askAboutPicture })
  t.equal(looked.at(-1)?.[1], 'What does this picture show?')
  t.same([...new Set(secure.servernames)], ['page.example'], 'the certificate is asked for by name')
  const asked = secure.servernames.length
  t.match(await callOf(tool, at('/0')), /^<The model of this run cannot look at pictures/)
  for (const url of ['http://page.example/a.png', 'data:image/png;base64,iVBORw0KGgo=', 'file:///a.png'])
    t.match(await callOf(tool, { url }, { askAboutPicture }), /^<Only addresses with https:\/\/ are fetched/, url)
  t.match(await callOf(tool, { url: '/etc/passwd' }, { askAboutPicture }), /^<This is no web address/)
  t.equal(secure.servernames.length, asked, 'none of these is asked for')
  t.match(await callOf(tool, at('/down'), { askAboutPicture }), /^<Only addresses with https/)
  t.match(await callOf(tool, at('/9'), { askAboutPicture }), /^<This is no picture/)
  t.match(await callOf(tool, at('/large'), { askAboutPicture }), /^<What is there is larger than the limit of 4096 bytes/)
  t.match(
    await callOf(await toolOf(visionAnalyzeWithin(within(secure.port))), at('/0'), { askAboutPicture }),
    /^<The certificate of the site/,
  )
  const wrong = { url: `https://other.example:${secure.port}/0` }
  t.match(await callOf(tool, wrong, { askAboutPicture }), /^<The certificate of the site is not valid/)
})

const webSearch = toolsetsByName.get('web_search')
const hits = (snippet: string) => [
  { title: 'One <b>&amp;</b>  only', url: 'https://one.example/', [snippet]: 'First\nsnippet' },
  { title: 'Script', url: 'javascript:steal()', [snippet]: 'x' },
  { title: '', url: 'https://two.example/', [snippet]: 'x'.repeat(1_000) },
  'odd',
  { title: 'Three', url: 'http://three.example/' },
  { title: 'Four', url: 'http://four.example/' },
]
const list = `1. One & only\n   https://one.example/\n   First snippet\n\n2. https://two.example/\n   https://two.example/\n   ${'x'.repeat(600)}…\n\n3. Three\n   http://three.example/`

const answersOf: { readonly [provider: string]: unknown } = {
  searxng: { results: hits('content') },
  brave: { web: { results: hits('description') } },
  tavily: { results: hits('content') },
}

t.test('each provider is asked in its way, and its results become a list', async (t) => {
  const requests: { readonly [provider: string]: JsonObject } = {
    searxng: { method: 'GET', url: '/search?q=a%26b&format=json', body: '' },
    brave: { method: 'GET', url: '/res/v1/web/search?q=a%26b&count=3', body: '', key: 'k-12345' },
    tavily: { method: 'POST', url: '/search', body: '{"query":"a&b","max_results":3}', key: 'Bearer k-12345' },
  }
  for (const [provider, answer] of Object.entries(answersOf)) {
    const { seen, origin } = await sink(t, (response) => json(response, 200, answer))
    const settings = { provider, base_url: `${origin}/`, api_key: 'k-12345', max_results: 3 }
    t.equal(await callOf(await toolOf(webSearch, { settings }), { query: ' a&b ' }), list, provider)
    const [{ method, url, body, headers } = {} as never] = seen
    const key = headers['x-subscription-token'] ?? headers.authorization
    t.same({ method, url, body, ...(key === undefined ? {} : { key }) }, requests[provider], provider)
  }
})

t.test('a key of the environment goes to its provider only', async (t) => {
  const env = { BRAVE_API_KEY: 'of-the-environment' }
  const { seen, origin } = await sink(t, (response) => json(response, 200, answersOf.brave))
  const kept = compile(webSearch, { settings: { provider: 'brave', base_url: origin }, env })
  t.equal(kept.toolset, undefined, 'not without a key of its own')
  t.same(kept.reports, ['WH228 api_key: web_search by brave needs "api_key"'])
  const settings = { provider: 'brave', base_url: origin, api_key: 'of-the-file' }
  await callOf(await toolOf(webSearch, { settings, env }), { query: 'q' })
  t.strictSame(
    seen.map(({ headers }) => headers['x-subscription-token']),
    ['of-the-file'],
  )
})

t.test('a search and a picture have their own time', async (t) => {
  const clock = fakeClock()
  const seen = { tell: () => {} }
  const late = () => setImmediate(() => clock.advance(2_000))
  const mute = await sink(t, () => seen.tell())
  const web_search = { provider: 'brave', base_url: mute.origin, api_key: 'k-12345', timeout_seconds: 2 }
  seen.tell = late
  t.match(await callOf(await toolOf(webSearch, { clock, settings: web_search }), { query: 'q' }), /longer than 2 seconds/)
  const secure = await secureSite(t, late)
  const vision_analyze = { timeout_seconds: 2 }
  const tool = await toolOf(visionAnalyzeWithin(within(secure.port, { ca: secure.ca })), { clock, settings: vision_analyze })
  const picture = { url: `https://page.example:${secure.port}/` }
  t.match(await callOf(tool, picture, { askAboutPicture: async () => '' }), /longer than 2 seconds/)
})

t.test('what a provider answers else is told in a sentence that quotes nothing', async (t) => {
  const clock = fakeClock()
  const answers: { readonly [why: string]: readonly [RegExp, (response: ServerResponse) => void] } = {
    'too often': [/lets no more searches pass/, (response) => json(response, 429, { error: 'INJECTED' })],
    'wrong key': [/refuses our key \(HTTP 401\)/, (response) => json(response, 401, { error: 'INJECTED k-12345' })],
    'not as JSON': [/must add json to search.formats/, (response) => json(response, 403, {})],
    broken: [/answered HTTP 500/, (response) => json(response, 500, { error: 'INJECTED' })],
    redirect: [/redirects \(HTTP 302\), which is not followed/, (response) => void response.writeHead(302, { location: '/x' }).end()],
    garbage: [/an answer that is not JSON/, (response) => void response.end('INJECTED')],
    'a list': [/an answer that is not JSON/, (response) => json(response, 200, ['INJECTED'])],
    'another shape': [/cannot be read/, (response) => json(response, 200, { results: 'INJECTED' })],
    'too large': [/too large/, (response) => json(response, 200, 'x'.repeat(2_000_000))],
    slow: [/took longer than 15 seconds/, () => setImmediate(() => clock.advance(15_000))],
    nothing: [/^Nothing was found\.$/, (response) => json(response, 200, { results: [] })],
  }
  for (const [why, [said, answer]] of Object.entries(answers)) {
    const { seen, origin } = await sink(t, answer)
    const settings = { provider: 'searxng', base_url: origin, api_key: 'k-12345' }
    const found = await callOf(await toolOf(webSearch, { settings, clock }), { query: 'q' })
    t.match(found, said, why)
    t.notMatch(found, /INJECTED|k-12345/, why)
    t.equal(seen.length, 1, `${why}: asked once`)
  }
  const settings = { provider: 'searxng', base_url: await closedOrigin() }
  t.match(await callOf(await toolOf(webSearch, { settings }), { query: 'q' }), /ECONNREFUSED/)
  for (const query of ['', 7, 'q'.repeat(401)]) t.match(await callOf(await toolOf(webSearch, { settings }), { query }), /^<"query" must/)
  const brave = await sink(t, (response) => json(response, 200, { type: 'search' }))
  const found = { provider: 'brave', base_url: brave.origin, api_key: 'k' }
  t.equal(await callOf(await toolOf(webSearch, { settings: found }), { query: 'q' }), 'Nothing was found.', 'brave without results')
})

t.test('a search is there when a provider is, by the file or the environment', async (t) => {
  const cases: readonly (readonly [JsonObject, { readonly [name: string]: string }, boolean, string?])[] = [
    [{}, {}, false],
    [{ max_results: 3 }, {}, false],
    [{}, { SEARXNG_URL: 'http://127.0.0.1:8888' }, true],
    [{}, { BRAVE_API_KEY: 'k' }, true],
    [{}, { TAVILY_API_KEY: '' }, false],
    [{ provider: 'tavily' }, { TAVILY_API_KEY: 'k' }, true],
    [{ provider: 'brave', base_url: 'https://api.search.brave.com/' }, { BRAVE_API_KEY: 'k' }, true],
    [{ provider: 'brave' }, { TAVILY_API_KEY: 'k' }, false, 'WH228 api_key: web_search by brave needs "api_key"'],
    [{ provider: 'searxng' }, {}, false, 'WH228 base_url: web_search by searxng needs "base_url"'],
    [{ provider: 'searxng', base_url: 'search.example' }, {}, false, 'WH228 base_url: base_url is not an http or https address'],
    [{ provider: 'searxng', base_url: 'http://a:b@search.example' }, {}, false, 'WH228 base_url: base_url is not an http or https address'],
    [{ provider: 'brave', api_key: 'ä' }, {}, false, 'WH228 api_key: api_key has a character that no header can have'],
    [{ api_key: 'k' }, {}, false, 'WH228 api_key: web_search has "api_key" and no provider'],
  ]
  for (const [settings, env, isThere, report] of cases) {
    const { toolset, reports } = compile(webSearch, { settings, env })
    t.equal(toolset !== undefined, isThere, JSON.stringify({ settings, env }))
    t.same(reports, report === undefined ? [] : [report], JSON.stringify({ settings, env }))
  }
})
