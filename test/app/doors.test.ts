/** Walks the table of docs/doors.md: each cell that says what a feature does at a door is tried through that door. */

import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { runAt } from '../fakes/cli.ts'
import { hexHmac, type Line, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { openPostgresServer, withoutPostgres } from '../fakes/postgres-server.ts'
import { startRelay } from '../fakes/relay.ts'
import { pollToken, startPoller } from '../fakes/sender-logs/svix.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

type Tree = { readonly [key: string]: unknown }
/** `body`: JSON, or a text that is sent as it is. */
type Event = {
  readonly body: unknown
  readonly headers?: { readonly [name: string]: string }
  readonly id?: string
  readonly isForged?: true
}
/** `outcome`: that of the last event. `text`: what the target gets of it; absent where it gets nothing. */
type Feature = {
  readonly route: Tree
  readonly events: readonly Event[]
  readonly outcome: string
  readonly text?: string
  /** Options of `webhook pause`, which pauses the route before its events come. */
  readonly pause?: readonly string[]
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
const timed = { delay_seconds: 0.1, expires_seconds: 60, priority: 'high' }
const retry = { max_attempts: 2 }
const twice = [{ body: push }, { body: push }]

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
  '`events`': ends({ events: ['release'] }, 'ignored'),
  '`filters`': ends({ filters: [{ field: 'n', equals: 2 }] }, 'ignored'),
  '`payload_schema` ignores': ends({ payload_schema: 'n.json' }, 'ignored', [{ body: { event_type: 'push', n: 'one' } }]),
  '`payload_schema` refuses': ends({ payload_schema: 'n.json', payload_mismatch: 'refuse' }, 'schema_mismatch', [
    { body: { event_type: 'push', n: 'one' } },
  ]),
  '`rate_limit` queues': works({ rate_limit: { per_minute: 1, when_over: 'queue' } }),
  '`rate_limit` refuses': ends({ rate_limit: { per_minute: 1 } }, 'rate_limited', twice),
  '`deliver_only`': works({ deliver_only: true }, { outcome: 'delivered' }),
  '`deliver_only` with `retry`': works({ deliver_only: true, retry }),
  '`deliver_only` with `retry` and `delay_seconds`, `expires_seconds`, `priority`': works({ deliver_only: true, retry, ...timed }),
  '`coalesce`': works({ coalesce: { key: 'event_type', window_seconds: 0.3 } }, { events: twice, outcome: 'coalesced', text: 'n 1' }),
  '`session`': works({ session: { key: 'event_type' } }),
  '`delay_seconds`, `expires_seconds`, `priority`': works(timed),
  'a paused route that holds its runs': { ...ends({}, 'accepted'), pause: ['--hold'] },
  '`deliver_only` with `retry` on a paused route that holds its runs': {
    ...ends({ deliver_only: true, retry }, 'accepted'),
    pause: ['--hold'],
  },
  '`redact`': works({ redact: ['n'] }, { text: 'n [redacted]' }),
  '`split`': works({ split: { items: 'all' } }, { events: [{ body: { event_type: 'push', all: [{ n: 1 }] } }], outcome: 'split' }),
  'numbers keep their digits': works(
    { filters: [{ field: 'n', regex: '^9007199254740993$' }] },
    { events: [{ body: '{"event_type":"push","n":9007199254740993}' }], text: 'n 9007199254740993' },
  ),
  '`script`': works({ script: 'note.sh', prompt: '{script_output}' }, { text: 'by a script' }),
  '`cron_job`': works({ cron_job: 'nightly' }),
  'a body that is no JSON': ends({}, 'bad_json', [{ body: '{"n":' }]),
  'a body that is too large': ends({}, 'too_large', [{ body: { n: 'x'.repeat(70_000) } }]),
}

const textOf = ({ body }: Event): string => (typeof body === 'string' ? body : JSON.stringify(body))
const slugOf = (row: string): string => `f${Object.keys(features).indexOf(row)}`

/** Brings the events of a feature in. Resolves to the outcome of the last one, and for a door that sends nothing to what it would send. */
type Bring = (row: string, feature: Feature) => Promise<{ readonly outcome: unknown; readonly text?: string | undefined }>
type Door = { readonly dir: string; readonly bring: Bring }
type Sink = Awaited<ReturnType<typeof sink>>

const files = {
  scripts: { 'note.sh': 'printf "by a script"' },
  'n.json': JSON.stringify({ type: 'object', properties: { n: { type: 'number' } } }),
}
const extra = { max_body_bytes: 65_536 }
/** The job that a route starts: its text goes to the address of that route. */
const jobsTo = (origin: string): Tree => ({
  jobs: {
    nightly: {
      schedule: '2999-01-01T00:00:00',
      prompt: 'n 1',
      deliver: 'http',
      deliver_extra: { url: `${origin}/${slugOf('`cron_job`')}` },
    },
  },
})

const routesTo = (origin: string, more: (slug: string) => Tree = () => ({})): Tree =>
  Object.fromEntries(
    Object.entries(features).map(([row, { route }]) => {
      const slug = slugOf(row)
      return [slug, { prompt: 'n {n}', deliver: 'http', deliver_extra: { url: `${origin}/${slug}` }, ...route, ...more(slug) }]
    }),
  )

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

/** The status that the answer of a trace says: of a request that splits, that of the request. */
const statusIn = (answer: unknown): unknown => JSON.parse(String((answer as Tree | undefined)?.body ?? '{}')).status

/** Posts events to an address, one after the other. */
const posting =
  (gateway: TestGateway, address: string): Bring =>
  async (row, { events }) => {
    const slug = slugOf(row)
    for (const event of events) {
      const body = textOf(event)
      await (await fetch(`${address}/webhooks/${slug}`, { method: 'POST', body, headers: headersOf(event, body) })).text()
    }
    return { outcome: await lastOutcome(gateway, slug, (outcomes) => outcomes.length >= events.length) }
  }

const doors: { readonly [column: string]: (t: Test, target: Sink) => Promise<Door> } = {
  'own port': async (t, { origin }) => {
    const gateway = await startGateway(t, { routes: routesTo(origin), files, extra, config: jobsTo(origin) })
    return { dir: gateway.dir, bring: posting(gateway, gateway.url) }
  },
  relay: async (t, { origin }) => {
    const relay = await startRelay(t)
    const through = { ...jobsTo(origin), relay: { url: `${relay.url}/home`, key: 'a-key-of-the-home-gateway', listen: false } }
    const gateway = await startGateway(t, { routes: routesTo(origin), files, extra, config: through })
    await gateway.line(({ msg }) => msg === 'connected to the relay')
    return { dir: gateway.dir, bring: posting(gateway, `${relay.url}/home`) }
  },
  poll: async (t, { origin }) => {
    const pollers = await Promise.all(
      Object.keys(features).map(async (row) => [slugOf(row), await startPoller(t, { pageSize: 1 })] as const),
    )
    const at = new Map(pollers)
    const routes = routesTo(origin, (slug) => ({ poll: { url: at.get(slug)?.url, token: pollToken, every_seconds: 1 } }))
    const gateway = await startGateway(t, { routes, files, extra: { ...extra, secret: undefined }, config: jobsTo(origin) })
    const { dir } = gateway
    const bring: Bring = async (row, { events, outcome }) => {
      const slug = slugOf(row)
      for (const [i, { body, headers, id }] of events.entries()) {
        const poller = at.get(slug)
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
    return { dir, bring }
  },
  replay: async (t, { origin }) => {
    // Its events do nothing, and leave records.
    const source = { filters: [{ field: 'nothing', equals: 1 }] }
    const gateway = await startGateway(t, {
      routes: { ...routesTo(origin), source },
      files,
      extra,
      config: { ...jobsTo(origin), storage: { kind: 'sqlite' } },
    })
    const bring: Bring = async (row, { events }) => {
      let outcome: unknown
      for (const event of events) {
        const body = textOf(event)
        const answer = await fetch(`${gateway.url}/webhooks/source`, { method: 'POST', body, headers: headersOf(event, body) })
        const id = answer.headers.get('x-headgate-event-id') ?? ''
        const replayed = await until(async () => {
          const answer = await gateway.operations.replay({ id, route: slugOf(row) })
          return answer.found && answer
        })
        outcome = replayed.outcome
      }
      return { outcome }
    }
    return { dir: gateway.dir, bring }
  },
  'shared store': async (t, { origin }) => {
    const server = await openPostgresServer()
    const storage = { kind: 'postgres', url: server.url, schema: server.newSchema(), durability: 'commit' }
    const gateway = await startGateway(t, { routes: routesTo(origin), files, extra, config: { ...jobsTo(origin), storage } })
    t.teardown(() => server.stop())
    return { dir: gateway.dir, bring: posting(gateway, gateway.url) }
  },
  'webhook test': async (t, { origin }) => {
    const gateway = await startGateway(t, {
      routes: routesTo(origin),
      files,
      extra,
      config: { ...jobsTo(origin), storage: { kind: 'sqlite' } },
    })
    const { dir } = gateway
    const bring: Bring = async (row, { events }) => {
      const slug = slugOf(row)
      for (const event of events) {
        const id = event.id === undefined ? [] : ['--id', event.id]
        const scheme = event.isForged ? ['--scheme', 'bad'] : []
        await runAt(gateway.dir, ['webhook', 'test', slug, '--payload', textOf(event), '--event', 'push', ...id, ...scheme])
      }
      return { outcome: await lastOutcome(gateway, slug, (outcomes) => outcomes.length >= events.length) }
    }
    return { dir, bring }
  },
  'webhook trace': async (t, { origin }) => {
    const { dir, stop } = await startGateway(t, { routes: routesTo(origin), files, extra, config: jobsTo(origin) })
    await stop()
    const bring: Bring = async (row, { events }) => {
      let data: Tree = {}
      for (const event of events) {
        const scheme = event.isForged ? ['--scheme', 'bad'] : []
        const { out } = await runAt(dir, [
          'webhook',
          'trace',
          slugOf(row),
          '--payload',
          textOf(event),
          '--event',
          'push',
          '--json',
          ...scheme,
        ])
        data = JSON.parse(out).data
      }
      const [item] = Array.isArray(data.items) ? (data.items as Tree[]) : []
      return { outcome: statusIn(data.answer) ?? data.outcome, text: (data.prompt ?? item?.prompt) as string | undefined }
    }
    return { dir, bring }
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

for (const [at, column] of columns.entries())
  t.test(column, { skip: column === 'shared store' && withoutPostgres }, async (t): Promise<void> => {
    const target = await sink(t, (response) => json(response, 200, {}))
    const door = await doors[column]?.(t, target)
    if (!door) throw new Error('the walk does not know this door')
    await Promise.all(
      table.map(async ([row = '', ...said]) => {
        const [cell, feature] = [said[at], features[row]]
        if (cell === '—' || !feature) return undefined
        if (feature.pause) t.equal((await runAt(door.dir, ['webhook', 'pause', slugOf(row), ...feature.pause])).code, 0)
        const { outcome, text: shown } = await door.bring(row, feature)
        t.equal(outcome, cell === 'works' ? feature.outcome : cell, `${row}: outcome`)
        const { text, pause } = feature
        if (pause && cell === 'works')
          t.notOk(
            target.seen.some(({ url }) => url === `/${slugOf(row)}`),
            `${row}: nothing goes out`,
          )
        if (text === undefined || cell !== 'works') return undefined
        if (column === 'webhook trace') return t.equal(shown, text, `${row}: text`)
        const slug = slugOf(row)
        const sent = () => target.seen.filter(({ url }) => url === `/${slug}`).map(({ body }) => String(JSON.parse(body).text))
        await until(() => sent().length > 0)
        return t.match(sent()[0], text, `${row}: text`)
      }),
    )
  })
