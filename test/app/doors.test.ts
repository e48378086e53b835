/** Walks the table of docs/doors.md: each cell that says what a feature does at a door is tried through that door. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { isJson } from '../../src/core/json.ts'
import { runAt } from '../fakes/cli.ts'
import { type FakeClock, fakeClock } from '../fakes/clock.ts'
import { send, signIn, startConsole } from '../fakes/console.ts'
import { hexHmac, type Line, secret, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { openPostgresServer, withoutPostgres } from '../fakes/postgres-server.ts'
import { relayKey, startRelay } from '../fakes/relay.ts'
import { startStripe } from '../fakes/sender-logs/stripe.ts'
import { pollToken, startPoller } from '../fakes/sender-logs/svix.ts'
import { putForward } from '../fakes/shared-gateways.ts'
import { json, type Seen, type Sink, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

type Tree = { readonly [key: string]: unknown }
/** `body`: JSON, or a text that is sent as it is. */
type Event = {
  readonly body: unknown
  readonly headers?: { readonly [name: string]: string }
  readonly id?: string
  readonly isForged?: true
  readonly isGzipped?: true
  /** The body is sent as parameters of the address. */
  readonly method?: 'GET'
}
/** `outcome`: that of the last event. `text`: what the target gets of it; absent where it gets nothing. */
type Feature = {
  readonly route: Tree
  readonly events: readonly Event[]
  readonly outcome: string
  readonly text?: string | RegExp
  /** Options of `webhook pause`, which pauses the route before its events come. */
  readonly pause?: readonly string[]
  /** What the sender reads in its answer, or behind the answer's `Location`, at a door with a sender who reads. */
  readonly answer?: string
  /** What nothing that the door shows may have: its log, its records, its answers. */
  readonly hides?: string
  /** The run waits, and this becomes of it once an hour is over. `before`: the row whose text goes out later. */
  readonly later?: { readonly is: 'sent' | 'expired'; readonly before?: string }
}

const push = { event_type: 'push', n: 1 }
const signedAt = (seconds: number, text: string) => ({
  'x-webhook-timestamp': String(seconds),
  'x-webhook-signature-v2': hexHmac(`${seconds}.${text}`),
})
const works = (route: Tree, more: Partial<Feature> = {}): Feature => ({
  route,
  events: [{ body: push }],
  outcome: 'accepted',
  text: 'n 1',
  ...more,
})
const ends = (route: Tree, outcome: string, events: readonly Event[] = [{ body: push }]): Feature => ({ route, events, outcome })
const retry = { max_attempts: 2 }
const direct = { deliver_only: true, retry }
const twice = [{ body: push }, { body: push }]
const hour = 3_600
/** Stands for the server of the test, which answers lookups. */
const asked = 'http://asked.invalid'
const delay = { delay_seconds: hour }
/** It is due a minute later, and begins first where both are due. */
const high = { delay_seconds: hour + 60, priority: 'high' }
const expiry = { expires_seconds: hour / 2 }
const starts = { later: { is: 'sent' } } as const
const expires: Feature = { ...ends(expiry, 'accepted'), pause: ['--hold'], later: { is: 'expired' } }

const features: { readonly [row: string]: Feature } = {
  'an event is accepted and delivered': works({}),
  'a forged signature': ends({}, 'bad_signature', [{ body: push, isForged: true }]),
  'a signature whose time is over': ends({}, 'bad_signature', [{ body: push, headers: signedAt(1_000_000_000, JSON.stringify(push)) }]),
  '`allow_from`': ends({ allow_from: ['192.0.2.1'] }, 'forbidden'),
  'headers of our own are dropped': works(
    { events: ['push'], filters: [{ not: { field: 'headers.X-Headgate-Origin', equals: 'forged' } }] },
    { events: [{ body: push, headers: { 'X-Headgate-Origin': 'forged', 'X-Headgate-Event-Type': 'release' } }] },
  ),
  'a repeated delivery id': ends({}, 'duplicate', [
    { body: push, id: 'same' },
    { body: push, id: 'same' },
  ]),
  '`duplicates` with a `key`': ends({ duplicates: { key: 'event_type' } }, 'duplicate', twice),
  '`events`': ends({ events: ['release'] }, 'ignored'),
  '`filters`': ends({ filters: [{ field: 'n', equals: 2 }] }, 'ignored'),
  '`in_list`': works({ filters: [{ field: 'event_type', in_list: { store: 'allowed' } }] }),
  '`in_list` at an address': works({
    filters: [{ field: 'event_type', in_list: { url: `${asked}/list`, allow_private: true } }],
  }),
  '`in_list` refuses': ends({ filters: [{ field: 'event_type', in_list: { store: 'none' } }] }, 'list_unavailable'),
  '`payload_schema` ignores': ends({ payload_schema: 'n.json' }, 'ignored', [{ body: { event_type: 'push', n: 'one' } }]),
  '`payload_schema` refuses': ends({ payload_schema: 'n.json', payload_mismatch: 'refuse' }, 'schema_mismatch', [
    { body: { event_type: 'push', n: 'one' } },
  ]),
  '`rate_limit` queues': works({ rate_limit: { per_minute: 1, when_over: 'queue' } }),
  '`rate_limit` refuses': ends({ rate_limit: { per_minute: 1 } }, 'rate_limited', twice),
  '`deliver_only`': works({ deliver_only: true }, { outcome: 'delivered' }),
  '`deliver_only` with `retry`': works(direct),
  '`deliver_only` with `retry` and `delay_seconds`': works({ ...direct, ...delay }, starts),
  '`deliver_only` with `retry` and `expires_seconds`': { ...expires, route: { ...direct, ...expiry } },
  '`deliver_only` with `retry` and `priority`': works(
    { ...direct, ...high },
    { later: { is: 'sent', before: '`deliver_only` with `retry` and `delay_seconds`' } },
  ),
  '`coalesce`': works({ coalesce: { key: 'event_type', window_seconds: 0.3 } }, { events: twice, outcome: 'coalesced', text: 'n 1' }),
  '`coalesce` with `max_events`': works(
    { coalesce: { key: 'event_type', window_seconds: hour, max_wait_seconds: hour, max_events: 2 } },
    { events: twice, outcome: 'coalesced', text: /^n 1/ },
  ),
  '`cooldown`': ends({ cooldown: { minutes: 10 } }, 'ignored', twice),
  '`cooldown` with `last`': ends({ cooldown: { minutes: 10, last: true } }, 'coalesced', twice),
  '`cancel_on`': ends({ cancel_on: { key: 'event_type' } }, 'closing'),
  '`supersede`': works({ supersede: { key: 'event_type' } }),
  '`deliver_if`': works({ lookup: { n: { http: `${asked}/n`, allow_private: true } }, deliver_if: { field: 'lookup.n', exists: true } }),
  '`session`': works({ session: { key: 'event_type' } }),
  '`delay_seconds`': works(delay, starts),
  '`expires_seconds`': expires,
  '`priority`': works(high, { later: { is: 'sent', before: '`delay_seconds`' } }),
  '`respond.wait_seconds`': works({ respond: { wait_seconds: 60, body: 'reply: {reply}' } }, { answer: 'reply: n 1' }),
  '`respond.outcomes`': {
    ...ends(
      { filters: [{ field: 'n', equals: 2 }], respond: { outcomes: { ignored: { body: '{"status":"ignored","why":"{reason} {n}"}' } } } },
      'ignored',
    ),
    answer: '{"status":"ignored","why":"filter 1"}',
  },
  'the `Location` of `respond`': {
    ...ends({ respond: { wait_seconds: 0.1 } }, 'accepted'),
    pause: ['--hold'],
    answer: '{"status":"waiting"}',
  },
  'a paused route that holds its runs': { ...ends({}, 'accepted'), pause: ['--hold'] },
  '`deliver_only` with `retry` on a paused route that holds its runs': {
    ...ends(direct, 'accepted'),
    pause: ['--hold'],
  },
  'a secret in a payload': works({}, { events: [{ body: { event_type: 'push', n: secret } }], text: 'n ', hides: secret }),
  '`untrusted`': works(
    { agent: { untrusted: 'mark' } },
    { events: [{ body: { event_type: 'push', n: 'two\nlines' } }], text: /\n\S{8,} ?two\n\S{8,} ?lines/ },
  ),
  '`payload` and `env` of an agent': works({ agent: 'program' }, { text: /^variable 1, file \{.*"n":1\b.*\}$/ }),
  '`redact`': works({ redact: ['n'] }, { text: 'n [redacted]' }),
  '`split`': works({ split: { items: 'all' } }, { events: [{ body: { event_type: 'push', all: [{ n: 1 }] } }], outcome: 'split' }),
  '`dispatch`': works({ dispatch: [{ when: { field: 'n', equals: 2 }, to: 'none' }, { to: 'taken' }] }, { outcome: 'split' }),
  'numbers keep their digits': works(
    { filters: [{ field: 'n', regex: '^9007199254740993$' }] },
    { events: [{ body: '{"event_type":"push","n":9007199254740993}' }], text: 'n 9007199254740993' },
  ),
  '`lookup`': works({ lookup: { n: { http: `${asked}/n`, allow_private: true } }, prompt: 'n {lookup.n}' }),
  '`script`': works({ script: 'note.sh', prompt: '{script_output}' }, { text: 'by a script' }),
  '`transform`': works({ transform: '{ "m": "made of " & n }', prompt: '{m} {n}' }, { text: 'made of 1 {n}' }),
  '`cron_job`': works({ cron_job: 'nightly' }),
  '`methods` with a GET': works({ methods: ['GET'] }, { events: [{ body: push, method: 'GET' }] }),
  '`body`': works({ body: 'text', prompt: '{text}' }, { text: /"n":1/ }),
  'a body that is no JSON': ends({}, 'bad_json', [{ body: '{"n":' }]),
  'a compressed body': works({}, { events: [{ body: push, isGzipped: true }] }),
  'a body that is too large': ends({}, 'too_large', [{ body: { n: 'x'.repeat(70_000) } }]),
}

const textOf = ({ body }: Event): string => (typeof body === 'string' ? body : JSON.stringify(body))
const slugOf = (row: string): string => `f${Object.keys(features).indexOf(row)}`
/** Makes something for each feature, by the name of its route. */
const eachSlug = async <T>(make: () => Promise<T>): Promise<Map<string, T>> =>
  new Map(await Promise.all(Object.keys(features).map(async (row) => [slugOf(row), await make()] as const)))
/** What a command that sends an event is told of it. */
const sentBy = (event: Event): readonly string[] => [
  '--payload',
  textOf(event),
  '--event',
  'push',
  ...(event.isForged ? ['--scheme', 'bad'] : []),
]

/**
 * Brings the events of a feature in. Resolves to the outcome of the last one, to what its sender reads, to what else is shown of it, and
 * for a door that sends nothing to what it would send.
 */
type Bring = (row: string, feature: Feature) => Promise<Brought>
type Brought = { readonly outcome: unknown; readonly answer?: string; readonly shown?: string; readonly text?: string | undefined }
/** `pass`: lets the time of a store with a clock of its own pass. */
type Door = { readonly gateway: TestGateway; readonly bring: Bring; readonly pass?: (ms: number) => Promise<unknown> }
/** Starts a gateway with all features. `each`: what the door needs in each route besides. */
type Start = (
  more?: Partial<{ readonly each: (slug: string) => Tree; readonly routes: Tree; readonly config: Tree }>,
) => Promise<TestGateway>

const files = {
  'lists.json': JSON.stringify({ allowed: { values: ['push'] } }),
  scripts: { 'note.sh': 'printf "by a script"' },
  'n.json': JSON.stringify({ type: 'object', properties: { n: { type: 'number' } } }),
}

/** A route for each feature, whose texts go to an address of its own, and the routes to which one of them dispatches. */
const routesTo = (origin: string, each: (slug: string) => Tree = () => ({})): Tree => {
  const routes = Object.entries(features).map(([row, { route }]): [string, Tree] => {
    const slug = slugOf(row)
    const to = { deliver: 'http', deliver_extra: { url: `${origin}/${slug}` } }
    const work = { prompt: 'n {n}', ...(route.cron_job === undefined ? to : {}) }
    const known = JSON.parse(JSON.stringify(route).replaceAll(asked, origin)) as Tree
    return [slug, { ...(route.dispatch === undefined ? work : {}), ...known, ...each(slug) }]
  })
  const taken = { address: false, prompt: 'n {n}', deliver: 'http', deliver_extra: { url: `${origin}/${slugOf('`dispatch`')}` } }
  return { ...Object.fromEntries(routes), taken, none: { address: false } }
}

/** A job with the text of a feature, which goes to the address of that feature. */
const jobTo = (origin: string, row: string, schedule: string): Tree => ({
  schedule,
  prompt: textOfRun(row),
  deliver: 'http',
  deliver_extra: { url: `${origin}/${slugOf(row)}` },
})
const textOfRun = (row: string): string => (features[row]?.hides === undefined ? 'n 1' : `n ${features[row].hides}`)

const starting =
  (t: Test, { origin }: Sink, clock: FakeClock): Start =>
  ({ each, routes = routesTo(origin, each), config } = {}) =>
    startGateway(t, {
      routes,
      files,
      clock,
      secrets: [secret],
      extra: { max_body_bytes: 65_536 },
      config: {
        jobs: { nightly: jobTo(origin, '`cron_job`', '2999-01-01T00:00:00') },
        // The program gives back what a model would get. Runs that begin one by one have an order.
        agent: { runner: 'command', command: ['cat'] },
        agents: { program: { runner: 'command', command: ['sh', '-c', tellGiven], payload: true, env: { N: '{n}' } } },
        gateway: { max_concurrent_runs: 1 },
        // The hour that passes at once ends what is being sent then.
        targets: { breaker: { enabled: false } },
        ...config,
      },
    })

const tellGiven = 'echo "variable $N, file $(cat "$HEADGATE_PAYLOAD_FILE")"'

/** Waits until the log has the end of so many requests to a route, and returns the last outcome. */
const lastOutcome = async (gateway: TestGateway, slug: string, isEnough: (outcomes: readonly unknown[]) => boolean): Promise<unknown> => {
  const outcomes = (): readonly unknown[] =>
    gateway.lines
      .filter(({ route, duration_ms: ms, delivery_id: id }: Line) => route === slug && ms !== undefined && !String(id).includes('#'))
      .map(({ outcome }) => outcome)
  await until(() => isEnough(outcomes()))
  return outcomes().at(-1)
}

const headersOf = (event: Event, text: string): { [name: string]: string } => ({
  'x-webhook-signature': hexHmac(event.isForged ? `${text} forged` : text),
  ...(event.id === undefined ? {} : { 'x-request-id': event.id }),
  ...event.headers,
})

/** The status that the answer of a trace says: of a request that splits, that of the request. A route may give a text of its own instead. */
const statusIn = (answer: unknown): unknown => {
  const body = String((answer as Tree | undefined)?.body ?? '{}')
  return isJson(body) ? JSON.parse(body).status : undefined
}

const post = (address: string, slug: string, event: Event): Promise<Response> => {
  const text = textOf(event)
  if (event.method) {
    const query = new URLSearchParams(Object.entries(event.body as Tree).map(([name, value]): [string, string] => [name, String(value)]))
    return fetch(`${address}/webhooks/${slug}?${query}`, { method: event.method, headers: headersOf(event, '') })
  }
  const headers = { ...headersOf(event, text), ...(event.isGzipped ? { 'content-encoding': 'gzip' } : {}) }
  return fetch(`${address}/webhooks/${slug}`, { method: 'POST', body: event.isGzipped ? gzipSync(text) : text, headers })
}

/** Posts events to an address, one after the other. */
const posting =
  (gateway: TestGateway, address = gateway.url): Bring =>
  async (row, { events }) => {
    const slug = slugOf(row)
    let answer = ''
    for (const event of events) {
      const response = await post(address, slug, event)
      const at = response.headers.get('location')
      answer = await (at === null ? response : await fetch(new URL(at, response.url))).text()
    }
    return { outcome: await lastOutcome(gateway, slug, (outcomes) => outcomes.length >= events.length), answer }
  }

/** What `events list` has of a route, or of a job. */
const eventsOf = async ({ dir }: TestGateway, slug: string): Promise<readonly Tree[]> =>
  JSON.parse((await runAt(dir, ['events', 'list', '--limit', '1000', '--json'])).out).data.events.filter(
    ({ route, job }: Tree) => (route || job) === slug,
  )

const sqlite = { storage: { kind: 'sqlite' } }
/** Its events do nothing, and leave records. */
const idle = { filters: [{ field: 'nothing', equals: 1 }] }

/** Posts an event, and resolves to its id once its record can be read. What is refused can be replayed by nobody. */
const record = async ({ url, operations }: TestGateway, slug: string, event: Event): Promise<string> => {
  const { headers, status } = await post(url, slug, event)
  const id = headers.get('x-headgate-event-id') ?? ''
  await until(async () => status >= 400 || (await operations.replay({ id, dry_run: true })).found)
  return id
}

/** What a door is opened with. `origin`: where the texts go. */
type World = { readonly t: Test; readonly start: Start; readonly origin: string; readonly clock: FakeClock }

const doors: { readonly [column: string]: (world: World) => Promise<Door> } = {
  'own port': async ({ start }) => {
    const gateway = await start()
    return { gateway, bring: posting(gateway) }
  },
  relay: async ({ t, start }) => {
    // Long enough for a machine with other work, so that each answer is the gateway's.
    const relay = await startRelay(t, { gateways: { home: { keys: [relayKey], routes: { '*': { wait_seconds: 25 } } } } })
    const gateway = await start({ config: { relay: { url: `${relay.url}/home`, key: relayKey, listen: false } } })
    await gateway.line(({ msg }) => msg === 'connected to the relay')
    return { gateway, bring: posting(gateway, `${relay.url}/home`) }
  },
  poll: async ({ t, start }) => {
    const pollers = await eachSlug(() => startPoller(t, { pageSize: 1 }))
    const each = (slug: string): Tree => ({ poll: { url: pollers.get(slug)?.url, token: pollToken, every_seconds: 1 } })
    const gateway = await start({ each })
    const bring: Bring = async (row, { events, outcome }) => {
      const slug = slugOf(row)
      for (const [i, { body, headers, id }] of events.entries()) {
        const poller = pollers.get(slug)
        const message = { id: id ?? `msg_${i}`, eventType: 'push', headers, timestamp: new Date().toISOString() }
        if (typeof body !== 'string') poller?.messages.push({ ...message, payload: body })
        // As it is written, so that its digits stay.
        else
          poller?.next.push({
            status: 200,
            body: `{"iterator":"i","done":true,"data":[{"payload":${body},${JSON.stringify(message).slice(1)}]}`,
          })
      }
      return { outcome: await lastOutcome(gateway, slug, (outcomes) => outcomes.length >= events.length || outcomes.includes(outcome)) }
    }
    return { gateway, bring }
  },
  'catch-up': async ({ t, start }) => {
    const senders = await eachSlug(() => startStripe(t))
    const gateway = await start({
      each: (slug) => ({
        verify: 'stripe',
        catch_up: { from: 'stripe', token: 'rk_canary', api_base: senders.get(slug)?.base, per_minute: 60_000 },
      }),
    })
    const bring: Bring = async (row, { events, outcome }) => {
      const slug = slugOf(row)
      const sender = senders.get(slug)
      for (const [i, event] of events.entries()) {
        const of = { id: `evt_${i}`, type: 'push', created: Math.floor(Date.now() / 1_000) - 60 + i }
        sender?.texts.set(of.id, `${JSON.stringify(of).slice(0, -1)},${textOf(event).slice(1)}`)
        sender?.events.unshift({ ...of, data: {} })
      }
      // That of the start may be at work still, and know nothing of these events.
      const isEnough = (outcomes: readonly unknown[]): boolean => {
        void gateway.operations.catchUp({ route: slug, since: Date.now() - 600_000 })
        return outcomes.length >= events.length || outcomes.includes(outcome)
      }
      return { outcome: await lastOutcome(gateway, slug, isEnough) }
    }
    return { gateway, bring }
  },
  replay: async ({ start, origin }) => {
    const gateway = await start({ routes: { ...routesTo(origin), source: { ...idle, methods: ['GET', 'POST'] } }, config: sqlite })
    const bring: Bring = async (row, { events }) => {
      let outcome: unknown
      for (const event of events) {
        const replayed = await gateway.operations.replay({ id: await record(gateway, 'source', event), route: slugOf(row) })
        outcome = replayed.found && replayed.outcome
      }
      return { outcome }
    }
    return { gateway, bring }
  },
  console: async ({ t, start, origin }) => {
    const routes = Object.fromEntries(
      Object.entries(features).map(
        ([
          row,
          {
            route: { methods },
          },
        ]) => [slugOf(row), { prompt: 'n', ...idle, ...(methods ? { methods } : {}) }],
      ),
    )
    const gateway = await start({ routes, config: sqlite })
    const recorded = new Map<string, string[]>()
    for (const [row, { events }] of Object.entries(features)) {
      const ids: string[] = []
      for (const event of events) ids.push(await record(gateway, slugOf(row), event))
      recorded.set(row, ids)
    }
    const file = join(gateway.dir, 'config.yaml')
    const config = parse(readFileSync(file, 'utf8'))
    config.platforms.webhook.extra.routes = routesTo(origin)
    writeFileSync(file, stringify(config))
    await gateway.operations.reload()
    const opened = await startConsole(t, gateway.dir)
    const headers = await signIn(opened)
    const bring: Bring = async (row) => {
      let text = '{}'
      for (const id of recorded.get(row) ?? [])
        ({ text } = await send(opened.origin, '/ask/replay', { headers, body: JSON.stringify({ id }) }))
      return { outcome: JSON.parse(text).outcome, shown: text }
    }
    return { gateway, bring }
  },
  'shared store': async ({ t, start }) => {
    const server = await openPostgresServer()
    t.teardown(() => server.stop())
    const storage = { kind: 'postgres', url: server.url, schema: server.newSchema(), durability: 'commit' }
    const gateway = await start({ config: { storage } })
    return { gateway, bring: posting(gateway), pass: (ms) => putForward(t, gateway.dir, ms / 1_000) }
  },
  schedule: async ({ start, origin, clock }) => {
    const jobs = Object.fromEntries(Object.keys(features).map((row) => [slugOf(row), jobTo(origin, row, '* * * * *')]))
    const gateway = await start({ routes: {}, config: { jobs } })
    const minutes = setInterval(() => clock.advance(1_000), 50)
    t.teardown(() => clearInterval(minutes))
    const started = async (row: string): Promise<Tree | undefined> => (await eventsOf(gateway, slugOf(row)))[0]
    const bring: Bring = async (row) => ({ outcome: (await until(() => started(row))).outcome })
    return { gateway, bring }
  },
  'webhook test': async ({ start }) => {
    const gateway = await start({ config: sqlite })
    const bring: Bring = async (row, { events }) => {
      const slug = slugOf(row)
      let answer = ''
      for (const event of events) {
        const id = event.id === undefined ? [] : ['--id', event.id]
        const { out } = await runAt(gateway.dir, ['webhook', 'test', slug, ...sentBy(event), ...id])
        const [, location] = /^location (.+)$/m.exec(out) ?? []
        answer = location === undefined ? out : await (await fetch(location)).text()
      }
      return { outcome: await lastOutcome(gateway, slug, (outcomes) => outcomes.length >= events.length), answer }
    }
    return { gateway, bring }
  },
  'webhook trace': async ({ start }) => {
    const gateway = await start()
    await gateway.stop()
    const bring: Bring = async (row, { events }) => {
      let shown = '{}'
      for (const event of events) shown = (await runAt(gateway.dir, ['webhook', 'trace', slugOf(row), ...sentBy(event), '--json'])).out
      const { data } = JSON.parse(shown)
      const [item] = Array.isArray(data.items) ? (data.items as Tree[]) : []
      return { outcome: statusIn(data.answer) ?? data.outcome, shown, text: (data.prompt ?? item?.prompt) as string | undefined }
    }
    return { gateway, bring }
  },
}

const lines = readFileSync(new URL('../../docs/doors.md', import.meta.url), 'utf8').split('\n')
const cells = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
const from = lines.findIndex((line) => line.startsWith('| feature |'))
const [, ...columns] = cells(lines[from] ?? '')
const table = lines.slice(from + 2, lines.indexOf('', from)).map(cells)

t.test('the table has each feature and each door, and the walk has each of the table', async (t) => {
  t.strictSame(columns, Object.keys(doors))
  t.strictSame(
    table.map(([row]) => row),
    Object.keys(features),
  )
  t.ok(table.flat().every((cell) => cell !== ''))
})

/** Time that passes as it does for everybody, and by steps of the test besides. */
const ownTime = (t: Test): FakeClock => {
  const clock = fakeClock(Date.now())
  const passing = setInterval(() => clock.advance(5), 5)
  t.teardown(() => clearInterval(passing))
  return clock
}

/** All that a door shows of a route: what it answers, what is logged, what the commands say of its events. */
const shownOf = async (gateway: TestGateway, slug: string, shown: string): Promise<string> => {
  const events = await eventsOf(gateway, slug)
  const details = await Promise.all(events.map(({ event_id: id }) => runAt(gateway.dir, ['events', 'show', String(id)])))
  return [shown, JSON.stringify(gateway.lines), JSON.stringify(events), ...details.map(({ out }) => out)].join('\n')
}

for (const [at, column] of columns.entries())
  t.test(column, { skip: column === 'shared store' && withoutPostgres }, async (t): Promise<void> => {
    const target = await sink(t, (response, { url }) => json(response, 200, url === '/n' ? 1 : url === '/list' ? ['push'] : {}))
    const clock = ownTime(t)
    const door = await doors[column]?.({ t, start: starting(t, target, clock), origin: target.origin, clock })
    if (!door) throw new Error('the walk does not know this door')
    const { gateway } = door
    const sentTo = (row: string): Seen[] => target.seen.filter(({ url }) => url === `/${slugOf(row)}`)
    const walked = table.flatMap(([row = '', ...said]) => {
      const [cell = '—', feature] = [said[at], features[row]]
      return cell === '—' || !feature ? [] : [{ row, feature: cell === 'works' ? feature : ends(feature.route, cell, feature.events) }]
    })
    await Promise.all(
      walked.map(async ({ row, feature }) => {
        const { pause, later, hides } = feature
        if (pause) t.equal((await runAt(gateway.dir, ['webhook', 'pause', slugOf(row), ...pause])).code, 0)
        const { outcome, answer = '', shown = answer, text } = await door.bring(row, feature)
        t.equal(outcome, feature.outcome, `${row}: outcome`)
        if (feature.answer !== undefined && answer !== '') t.match(answer, feature.answer, `${row}: answer`)
        if (column === 'webhook trace') feature.text === undefined || t.match(text, feature.text, `${row}: text`)
        else if (pause || later) t.strictSame(sentTo(row), [], `${row}: nothing goes out`)
        else if (feature.text !== undefined) {
          const [sent] = await until(() => sentTo(row).length > 0 && sentTo(row))
          t.match(JSON.parse(sent?.body ?? '').text, feature.text, `${row}: text`)
        }
        if (hides !== undefined) t.notMatch(await shownOf(gateway, slugOf(row), shown), hides, `${row}: nothing shows it`)
      }),
    )
    t.notMatch((await runAt(gateway.dir, ['validate', '--json'])).out, /"WH210"/, 'each key has an effect')
    if (column === 'webhook trace') return
    const hourMs = 3_700_000
    await door.pass?.(hourMs)
    clock.advance(hourMs)
    for (const { row, feature } of walked) {
      if (!feature.later) continue
      const { is, before } = feature.later
      // A worker that asked the store before the hour passed sets its timer after it, so time goes on until the run is due again.
      if (is === 'sent') await until(() => sentTo(row).length > 0 || void clock.advance(hourMs / 100))
      else await gateway.line(({ msg, route }) => msg === 'run is expired' && route === slugOf(row))
      t.equal(sentTo(row).length, is === 'sent' ? 1 : 0, `${row}: what goes out`)
      const place = (of: string): number => target.seen.findIndex(({ url }) => url === `/${slugOf(of)}`)
      if (before !== undefined) {
        await until(() => place(before) !== -1)
        t.ok(place(row) < place(before), `${row}: it goes first`)
      }
    }
  })
