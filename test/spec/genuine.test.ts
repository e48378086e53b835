/**
 * What the senders' own libraries sign is taken, however its bytes come, and the agent gets the value that was signed. A request with a
 * wrong byte is refused, and the library of its sender is asked about the same bytes.
 */

import https from 'node:https'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { startGateway, type TestGateway } from '../fakes/gateway.ts'
import {
  githubBodies,
  githubSender,
  type Headers,
  type Sender,
  type Sent,
  senders,
  signTwilio,
  sns,
  twilioBodies,
  twilioSender,
  twilioTakes,
} from '../fakes/senders/genuine.ts'
import { deliveries } from '../fakes/webhooks.ts'

type Kind = Sender['kinds'][number]

const timeoutMs = 10_000
const crlf = Buffer.from('\r\n')

const chunk = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, crlf])
const lastChunk = Buffer.from('0\r\n\r\n')
/** Pieces of at most seven bytes. Each character of several bytes and each escape (`\n`, `%2B`) is cut behind its first byte. */
const pieces = (body: Buffer): Buffer[] => {
  const cut: Buffer[] = []
  let from = 0
  for (let at = 1; at <= body.length; at++) {
    const last = body[at - 1] as number
    if (at < body.length && at - from < 7 && last < 0xc0 && last !== 0x5c && last !== 0x25) continue
    cut.push(body.subarray(from, at))
    from = at
  }
  return cut
}

type Framing = { readonly isChunked: boolean; readonly writes: (head: Buffer, body: Buffer) => readonly Buffer[] }

/**
 * How a body comes. The pieces that `writes` gives are handed to the socket one after the other, each once the piece before it has left.
 */
const framings: { readonly [how: string]: Framing } = {
  'in one write': { isChunked: false, writes: (head, body) => [Buffer.concat([head, body])] },
  'in pieces': { isChunked: false, writes: (head, body) => [head, ...pieces(body)] },
  'chunks of a byte': {
    isChunked: true,
    writes: (head, body) => [Buffer.concat([head, ...Array.from(body, (byte) => chunk(Buffer.from([byte]))), lastChunk])],
  },
  'odd chunks': { isChunked: true, writes: (head, body) => [head, ...pieces(body).map(chunk), lastChunk] },
}
const inOneWrite = framings['in one write'] as Framing

/** How header names are written. */
const cases: readonly (readonly [how: string, write: (name: string) => string])[] = [
  ['its own names', (name) => name],
  ['small letters', (name) => name.toLowerCase()],
  ['capitals', (name) => name.toUpperCase()],
]
const asIs = (name: string): string => name

type Way = { readonly framing?: Framing; readonly name?: (header: string) => string }
type Ended = { readonly status: number; readonly eventId: string | undefined }

/** Posts a request over a connection of its own. `path` begins with a slash. */
const post = (port: number, path: string, headers: Headers, text: string, way: Way = {}): Promise<Ended> => {
  const { framing = inOneWrite, name = asIs } = way
  const body = Buffer.from(text)
  const length: Headers = framing.isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(body.length) }
  const lines = Object.entries({ Host: 'gateway.example.com', Connection: 'close', ...headers, ...length }).map(
    ([header, value]) => `${name(header)}: ${value}`,
  )
  const head = Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', async () => {
      for (const bytes of framing.writes(head, body)) await new Promise((left) => socket.write(bytes, left))
    })
    socket.setNoDelay()
    socket.setTimeout(timeoutMs, () => socket.destroy())
    socket.setEncoding('latin1').on('data', (more: string) => {
      answer += more
    })
    // A refusal may come before the last piece is written.
    socket.on('error', () => {})
    socket.on('close', () => resolve({ status: Number(answer.slice(9, 12)), eventId: /^x-headgate-event-id: (\S+)/im.exec(answer)?.[1] }))
  })
}

/** How a request that the gateway took has ended: `accepted`, `duplicate`; else its status. */
const endOf = async (gateway: TestGateway, { status, eventId }: Ended): Promise<{ readonly end: string; readonly deliveryId?: string }> => {
  if (status > 299 || eventId === undefined) return { end: String(status) }
  const line = await gateway.line(({ event_id, stage }) => event_id === eventId && stage !== undefined)
  return { end: String(line.outcome), deliveryId: String(line.delivery_id) }
}

/** What the agent got. The stand-in for an agent answers with its prompt, here the whole payload, and that answer is logged. */
const agentText = async (gateway: TestGateway, route: string, deliveryId: string): Promise<string> => {
  const fits = (line: { readonly [name: string]: unknown }): boolean =>
    line.msg === 'delivered' && line.route === route && line.delivery_id === deliveryId
  return String((await gateway.line(fits)).text)
}

/** The beginning of a value that a prompt has room for. */
const shown = (value: unknown): string => JSON.stringify(value, null, 2).slice(0, 4_000)

let made = 0
/** A genuine request. Its time is that of the real clock, at which the libraries look, too. */
const requestOf = async ({ sign }: Sender, kind: Kind, { id = String(++made), at = Date.now() } = {}): Promise<Sent> => {
  const body = kind.body(id, at)
  const query = kind.query?.(body) ?? ''
  return { headers: { ...kind.headers?.(id), ...(await sign({ body, id, at, query })) }, body, query }
}

/** The character in the middle of the signature is another one, which hex and base64 have, too. */
const withWrongSignature = (sent: Sent, signature: string): Sent => {
  const right = sent.headers[signature] ?? (JSON.parse(sent.body) as Headers)[signature] ?? ''
  const middle = right.length >> 1
  const wrong = `${right.slice(0, middle)}${right[middle] === '0' ? '1' : '0'}${right.slice(middle + 1)}`
  return sent.headers[signature] === undefined
    ? { ...sent, body: sent.body.replace(right, wrong) }
    : { ...sent, headers: { ...sent.headers, [signature]: wrong } }
}
const withWrongBody = (sent: Sent): Sent => ({
  ...sent,
  body: sent.body.includes('genuine') ? sent.body.replace('genuine', 'genuinf') : `${sent.body}x=1`,
})

const isTaken = async ({ takes }: Sender, sent: Sent): Promise<boolean> => {
  try {
    return Boolean(await takes?.(sent))
  } catch {
    return false
  }
}

/** The library of SNS gets the test's certificate. */
const certify = (t: Test): void => {
  const { get } = https
  https.get = ((_url: string, answer: (response: object) => void) => {
    answer(Object.assign(Readable.from([sns.pem]), { statusCode: 200 }))
    return { on: () => {} }
  }) as unknown as typeof get
  t.teardown(() => {
    https.get = get
  })
}

type Options = Parameters<typeof startGateway>[1]
const start = (t: Test, routes: { readonly [name: string]: object }, more: Options = {}): Promise<TestGateway> =>
  startGateway(t, {
    ...more,
    download: async () => Buffer.from(sns.pem),
    routes: Object.fromEntries(Object.entries(routes).map(([name, route]) => [name, { deliver: 'log', ...route }])),
  })

/** Requests of one kind, posted to their route. */
type Case = {
  readonly sender: Sender
  readonly kind: Kind
  /** How a request ended, and what the agent got of it. */
  readonly send: (sent: Sent, contentType?: string, way?: Way) => Promise<{ readonly end: string; readonly text?: string }>
}

const caseOf = (gateway: TestGateway, sender: Sender, kind: Kind): Case => ({
  sender,
  kind,
  async send({ headers, body, query }, contentType = kind.contentTypes[0] as string, way = {}) {
    const path = `/webhooks/${sender.name}${query}`
    const { end, deliveryId = '' } = await endOf(
      gateway,
      await post(gateway.port, path, { 'Content-Type': contentType, ...headers }, body, way),
    )
    return end === 'accepted' ? { end, text: await agentText(gateway, sender.name, deliveryId) } : { end }
  },
})

/** Each content type in each framing; all pairs with a letter case of the header names are among these. */
const checkWays = async (t: Test, { sender, kind, send }: Case): Promise<void> => {
  const problems: string[] = []
  for (const [i, contentType] of kind.contentTypes.entries())
    for (const [j, [how, framing]] of Object.entries(framings).entries()) {
      const [letters, name] = cases[(i + j) % cases.length] as (typeof cases)[number]
      const sent = await requestOf(sender, kind)
      const { end, text = '' } = await send(sent, contentType, { framing, name })
      const isWhole = kind.holds ? kind.holds.every((each) => text.includes(JSON.stringify(each))) : text === shown(kind.value(sent.body))
      if (!isWhole) problems.push(`${contentType}, ${how}, ${letters}: ${end} ${text}`)
    }
  t.same(problems, [], 'it comes to the agent as it was signed')
}

const checkWrong = async (t: Test, { sender, kind, send }: Case): Promise<void> => {
  const sent = await requestOf(sender, kind)
  const wrong = withWrongSignature(sent, sender.signature)
  t.match(await send(wrong), { end: '401' }, 'a wrong byte in the signature')
  if (sender.takes) {
    const other = withWrongBody(sent)
    t.match(await send(other), { end: '401' }, 'a wrong byte in the body')
    t.same(await Promise.all([sent, wrong, other].map((each) => isTaken(sender, each))), [true, false, false], 'as its library says')
  }
  t.match(await send(sent), { end: 'accepted' }, 'the genuine request after them')
  t.match(await send(sent), { end: 'duplicate' }, 'and again')
}

const checkTime = async (t: Test, { sender, kind, send }: Case, window: number): Promise<void> => {
  const id = String(++made)
  const aged = (age: number) => requestOf(sender, kind, { id, at: Date.now() - age * 1000 })
  t.match(await send(await aged(window + 30)), { end: '401' }, 'a stale time')
  t.match(await send(await aged(window - 30)), { end: 'accepted' }, 'half a minute before it is too old')
  t.match(await send(await aged(0)), { end: 'duplicate' }, 'sent again with the present time')
}

t.test('what the libraries of senders sign', async (t) => {
  certify(t)
  const gateway = await start(t, Object.fromEntries(senders.map(({ name, route }) => [name, route])))
  for (const sender of senders)
    for (const kind of sender.kinds)
      t.test(`${sender.name}: ${kind.title}`, async (t) => {
        const each = caseOf(gateway, sender, kind)
        await checkWays(t, each)
        await checkWrong(t, each)
        if (sender.window !== undefined) await checkTime(t, each, sender.window)
      })
})

t.test('every event of GitHub, as JSON and as a form', async (t) => {
  const gateway = await start(t, { github: githubSender.route })
  const problems: string[] = []
  const firsts = new Map(deliveries.toReversed().map((each) => [each.event, each]))
  for (const { event, payload } of firsts.values())
    for (const [contentType, write] of Object.entries(githubBodies)) {
      const body = write(JSON.stringify(payload))
      const id = String(++made)
      const signed = await githubSender.sign({ body, id, at: Date.now(), query: '' })
      const headers = { 'Content-Type': contentType, 'X-GitHub-Event': event, 'X-GitHub-Delivery': id, ...signed }
      const { end } = await endOf(gateway, await post(gateway.port, '/webhooks/github', headers, body))
      const isRight =
        event === 'ping' ? end === 'handshake' : end === 'accepted' && (await agentText(gateway, 'github', id)) === shown(payload)
      if (!isRight) problems.push(`${event} as ${contentType}: ${end}`)
    }
  t.ok(firsts.size > 40, `${firsts.size} events`)
  t.same(problems, [])
})

t.test('Twilio: addresses with and without a port, as its library takes them', async (t) => {
  const hosts = ['hooks.example.com', 'hooks.example.com:443', 'hooks.example.com:80', 'hooks.example.com:8443']
  const origins = ['https', 'http'].flatMap((protocol) => hosts.map((host) => `${protocol}://${host}`))
  const route = { ...twilioSender.route, public_url: undefined }
  /** By the configuration, by the request itself, by a proxy. */
  const addresses = [
    ...origins.map((origin, i) => ({ name: `told-${i}`, url: `${origin}/sms`, route: { ...route, public_url: `${origin}/sms` } })),
    ...hosts.map((host, i) => ({ name: `asked-${i}`, url: `http://${host}/webhooks/asked-${i}`, route, headers: { Host: host } })),
    ...hosts.map((host, i) => ({
      name: `proxied-${i}`,
      url: `https://${host}/webhooks/proxied-${i}`,
      route,
      headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': host },
    })),
  ]
  const gateway = await start(t, Object.fromEntries(addresses.map(({ name, route }) => [name, route])), { extra: { trust_proxy: true } })

  for (const { name, url, ...by } of addresses) {
    const differences: string[] = []
    for (const origin of origins)
      for (const { contentType, body, query } of twilioBodies) {
        const signed = `${origin}${new URL(url).pathname}`
        const signature = signTwilio(signed, { body, query })
        const own = { 'Content-Type': contentType, 'X-Twilio-Signature': signature, 'I-Twilio-Idempotency-Token': String(++made) }
        const headers = 'headers' in by ? { ...own, ...by.headers } : own
        const { status } = await post(gateway.port, `/webhooks/${name}${query}`, headers, body)
        const wanted = twilioTakes(url, signature, { body, query }) ? 200 : 401
        if (status !== wanted) differences.push(`${contentType} for ${signed}: ${status} in place of ${wanted}`)
      }
    t.same(differences, [], `${name}: ${url}`)
  }
})
