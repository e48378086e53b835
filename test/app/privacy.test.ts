/**
 * `events erase` leaves nothing of a subject in the data directory or the shared store, and nothing of anybody else's is touched. What a
 * route redacts never comes into the data directory.
 */

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import type { Event, VerifiedRequest } from '../../src/core/request.ts'
import { folderRecords } from '../../src/journal/reader.ts'
import { compileRedaction } from '../../src/parts/body/redact-request.ts'
import { type ConnectionOptions, connect } from '../../src/store/postgres/connection.ts'
import { runAt } from '../fakes/cli.ts'
import { openPostgresServer, withoutPostgres } from '../fakes/postgres-server.ts'
import { dataDir, type ProcessGateway, startGateway } from '../fakes/process-gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

const subject = 'ada@example.org'
const other = 'bob@example.org'
const body = (email: string): string => JSON.stringify({ kind: 'k', user: { email }, note: `about ${email} \u00e9` })

/** The files of the state that have a text. */
const filesWith = (dir: string, text: string): string[] =>
  readdirSync(join(dir, 'state'), { recursive: true })
    .map(String)
    .filter((name) => statSync(join(dir, 'state', name)).isFile())
    .filter((name) => readFileSync(join(dir, 'state', name)).includes(text))

/** A gateway with one run of each kind for both subjects: done, dead, waiting for its turn, in a group, and ignored. */
const filled = async (t: Test, config: { readonly [key: string]: unknown } = {}): Promise<ProcessGateway> => {
  const prompt = 'mail of {user.email}: {note}'
  const dir = dataDir(t, {
    routes: {
      done: { prompt, session: { key: '{user.email}' } },
      dead: { prompt, retry: { max_attempts: 1 } },
      waits: { prompt, concurrency: { key: 'one', limit: 1 } },
      group: { prompt, coalesce: { key: 'kind', keep: 'all', window_seconds: 600, max_wait_seconds: 600 } },
      ignored: { prompt, filters: [{ field: 'user.email', equals: 'nobody' }] },
    },
    agent: 'case "$HEADGATE_ROUTE" in dead) exit 1;; waits) sleep 30;; esac; cat',
    config,
  })
  const gateway = await startGateway(t, dir)
  for (const route of ['done', 'dead', 'ignored', 'group']) {
    for (const email of [subject, other]) t.ok((await gateway.post(route, `${route}-${email}`, { body: body(email) })).status < 300)
  }
  // The first holds the lane, so the others wait.
  for (const id of ['holder', `waits-${subject}`, `waits-${other}`]) await gateway.post('waits', id, { body: body(id.slice(6) || other) })
  await gateway.line(({ msg, delivery_id: id }) => msg === 'delivered' && id === `done-${other}`)
  await gateway.line(({ delivery_id: id, level }) => id === `dead-${other}` && level === 'error')
  return gateway
}

t.test('all of a subject is erased while the gateway works, and nothing of others', async (t) => {
  const gateway = await filled(t)
  const { dir } = gateway
  const erase = (...more: string[]) => runAt(dir, ['events', 'erase', '--field', `payload.user.email=${subject}`, ...more])
  t.match(await erase('--dry-run'), { code: 0, out: '5 would be erased\n' })
  t.match(await erase(), { code: 2, err: /needs --yes/ })
  t.ok(filesWith(dir, subject).length > 1, 'it was there')
  t.match(await erase('--yes'), { code: 0, out: '5 erased, 2 runs ended by it\n' })
  t.strictSame(filesWith(dir, subject), [], 'nothing is left')
  t.match(await erase('--yes'), { code: 0, out: '0 erased, 0 runs ended by it\n' }, 'and again')
  const audit = readFileSync(join(dir, 'state/audit.jsonl'), 'utf8')
  t.match(audit, /"action":"erase".*"erased":5.*"fields":\["payload\.user\.email"\]/)

  const { events } = await folderRecords(join(dir, 'state/events')).events({ limit: 100 })
  const ended = events.filter(({ error }) => error === 'erased: its data were deleted by hand')
  t.strictSame(
    ended.map(({ route, state }) => [route, state]).sort(),
    [
      ['group', 'dead'],
      ['waits', 'dead'],
    ],
    'no run ends silently',
  )
  const found = await runAt(dir, ['events', 'list', '--field', `payload.user.email=${other}`, '--json'])
  t.equal(JSON.parse(found.out).data.events.length, 6, 'those of others are whole')
  t.ok(filesWith(dir, other).includes('headgate.db') || filesWith(dir, other).includes('headgate.db-wal'))
  t.equal((await gateway.post('done', 'later', { body: body(other) })).status, 202, 'the gateway goes on')
})

t.test('an event whose run is in progress is left, and an erasure that was broken off is finished', async (t) => {
  const dir = dataDir(t, {
    routes: { work: { prompt: '{user.email}' } },
    agent: 'case "$HEADGATE_DELIVERY_ID" in slow) sleep 30;; esac; cat',
  })
  const gateway = await startGateway(t, dir)
  for (const id of ['one', 'slow']) await gateway.post('work', id, { body: body(subject) })
  await gateway.line(({ msg }) => msg === 'delivered')
  await until(async () => (await runAt(dir, ['events', 'show', 'slow'])).out.includes('running'))
  const erase = (...more: string[]) => runAt(dir, ['events', 'erase', '--field', `payload.user.email=${subject}`, '--yes', ...more])
  t.match(await erase(), { code: 1, out: /^1 erased, 0 runs ended by it, 1 left, whose runs are in progress/ })
  const list = JSON.parse((await runAt(dir, ['events', 'list', '--json'])).out).data.events
  const [slow] = list.filter(({ delivery_id: id }: { delivery_id?: string }) => id === 'slow')
  gateway.kill('SIGKILL')
  await gateway.ended
  writeFileSync(join(dir, 'state/erasing.json'), JSON.stringify({ ids: [slow.event_id], groups: [], carriers: [] }))
  t.match(await erase(), { code: 0, err: /an erasure that had been broken off is done/ }, 'without a gateway, too')
  t.strictSame(filesWith(dir, subject), [])
  await startGateway(t, dir)
})

t.test('an erasure that is killed at any moment is brought to its end by the next', async (t) => {
  const count = 200
  const dir = dataDir(t, {
    routes: { done: { prompt: '{user.email}' }, waits: { prompt: '{user.email}', concurrency: { key: 'one', limit: 1 } } },
    agent: 'case "$HEADGATE_ROUTE" in waits) sleep 60;; esac; cat',
  })
  const erase = ['events', 'erase', '--field', `payload.user.email=${subject}`, '--yes']
  /** Erases, and kills the command after so many milliseconds. Resolves to whether it had ended before. */
  const killed = async (ms: number): Promise<boolean> => {
    const options = { timeout: ms, killSignal: 'SIGKILL' } as const
    return promisify(execFile)(process.execPath, [main, '--data-dir', dir, ...erase], options).then(
      () => true,
      ({ killed }: { killed: boolean }) => !t.ok(killed, 'it fails only where it is killed'),
    )
  }
  let gateway = await startGateway(t, dir)
  await gateway.post('waits', 'holder', { body: body(other) })
  for (let i = 0; i < count; i++) {
    for (const route of ['done', 'waits'])
      t.equal((await gateway.post(route, `${route}-${i}`, { body: body(i % 4 ? subject : other) })).status, 202)
  }
  await until(() => gateway.lines.filter(({ msg, route }) => msg === 'delivered' && route === 'done').length === count)
  for (let i = 0; i < 6; i++) await killed(150 + Math.floor(Math.random() * 500))
  gateway.kill('SIGKILL')
  await gateway.ended
  for (let i = 0; i < 6; i++) await killed(150 + Math.floor(Math.random() * 500))
  gateway = await startGateway(t, dir)
  t.match(await runAt(dir, erase), { code: 0 })
  t.strictSame(filesWith(dir, subject), [], 'nothing is left')
  const found = await runAt(dir, ['events', 'list', '--field', `payload.user.email=${other}`, '--limit', '1000', '--json'])
  t.equal(JSON.parse(found.out).data.events.length, count / 2 + 1, 'those of others are whole')
  const { events } = await folderRecords(join(dir, 'state/events')).events({ limit: 1_000 })
  const ended = events.filter(({ error }) => error === 'erased: its data were deleted by hand')
  t.equal(ended.length, (count * 3) / 4, 'no run ends silently')
})

t.test('an event that joined a group leaves the session of the group with its texts', async (t) => {
  const coalesce = { key: 'kind', keep: 'all', window_seconds: 0.3, max_wait_seconds: 0.3 }
  const dir = dataDir(t, { routes: { group: { prompt: 'mail of {user.email}', coalesce, session: { key: 'kind' } } }, agent: 'cat' })
  const gateway = await startGateway(t, dir)
  for (const email of [subject, other]) await gateway.post('group', email, { body: body(email) })
  await gateway.line(({ msg }) => msg === 'delivered')
  t.ok(
    filesWith(dir, subject).some((name) => name.includes('headgate.db')),
    'the session has it',
  )
  t.match(await runAt(dir, ['events', 'erase', '--field', `payload.user.email=${subject}`, '--yes']), { code: 0, out: /^1 erased/ })
  t.strictSame(filesWith(dir, subject), [])
})

t.test('an event is erased with the reports of its end, sent and waiting', async (t) => {
  const receiver = await sink(t, (response, { body }) => json(response, body.includes('"route":"down"') ? 503 : 200, {}))
  const route = { prompt: 'mail of {user.email}', callback: { url: receiver.origin } }
  const retry = { max_attempts: 10, backoff: 600 }
  const dir = dataDir(t, { routes: { up: route, down: { ...route, retry } }, agent: 'cat' })
  const gateway = await startGateway(t, dir)
  for (const email of [subject, other])
    for (const name of ['up', 'down']) await gateway.post(name, `${name}-${email}`, { body: body(email) })
  await until(() => receiver.seen.length === 4)
  await until(async () => (await runAt(dir, ['gateway', 'status', '--jsonata', 'backlog'])).out.trim() === '2')
  const erased = await runAt(dir, ['events', 'erase', '--field', `payload.user.email=${subject}`, '--yes'])
  t.match(erased, { code: 0, out: /^2 erased, 1 runs? ended by it/ })
  t.strictSame(filesWith(dir, subject), [])
  t.equal((await runAt(dir, ['gateway', 'status', '--jsonata', 'backlog'])).out.trim(), '1', 'the report of the other waits')
  t.ok(filesWith(dir, other).length > 0)
})

t.test('an event of a split request is erased with its request and all other items', async (t) => {
  const dir = dataDir(t, {
    routes: { batch: { split: 'items', prompt: 'mail of {email}', retry: { max_attempts: 1 } } },
    agent: 'case "$(cat)" in *eve*) exit 1;; *slow*) sleep 60;; esac; echo done',
  })
  const gateway = await startGateway(t, dir)
  const items = (...emails: string[]): string => JSON.stringify({ of: 'acme', items: emails.map((email) => ({ email })) })
  const split = await gateway.post('batch', 'first', { body: items(subject, 'eve@example.org') })
  t.match(split.json, { status: 'split', items: { accepted: 2 } })
  await gateway.post('batch', 'second', { body: items(other) })
  await until(() => gateway.lines.filter(({ msg }) => msg === 'delivered').length === 2)
  await gateway.line(({ msg }) => msg === 'run is dead')
  t.ok(filesWith(dir, subject).length > 1)
  const { out } = await runAt(dir, ['events', 'list', '--json'])
  const events: { event_id: string; batch_of: string | null; delivery_id: string }[] = JSON.parse(out).data.events
  const request = events.find(({ batch_of: of, delivery_id: id }) => of === null && id === 'first')
  const item = events.find(({ batch_of: of }) => of === request?.event_id)
  t.match(await runAt(dir, ['events', 'erase', String(item?.event_id), '--dry-run']), { code: 0, out: '3 would be erased\n' })
  t.match(await runAt(dir, ['events', 'erase', String(item?.event_id), '--yes']), { code: 0, out: /^3 erased/ })
  t.strictSame([...filesWith(dir, subject), ...filesWith(dir, 'eve@example.org')], [])
  t.ok(filesWith(dir, other).length > 0, 'other requests stay')

  const slow = await gateway.post('batch', 'slow', { body: items(subject, 'slow') })
  await gateway.line(({ msg, delivery_id: id }) => msg === 'delivered' && String(id).startsWith('slow'))
  const erase = () => runAt(dir, ['events', 'erase', '--field', `payload.items.0.email=${subject}`, '--yes'])
  t.match(await erase(), { code: 1, out: /^1 erased, 0 runs ended by it, 1 left, whose runs are in progress/ })
  t.match(slow.json, { status: 'split' })
  gateway.kill('SIGKILL')
  await gateway.ended
  t.match(await erase(), { code: 0 }, 'the request is found again by its fields')
  t.strictSame(filesWith(dir, subject), [])
})

/** The tables of a schema of a database that have a text, also as raw bytes. */
const tablesWith = async (options: ConnectionOptions, text: string): Promise<string[]> => {
  const connection = await connect(options)
  const rows = ['runs', 'groups', 'sessions', 'messages', 'records'].map((name) => `select '${name}', ${name}::text as has from ${name}`)
  const raw = "select 'raw', encode(raw, 'escape') from record_batches"
  const all = `select distinct name from (${[...rows, raw].join(' union all ')}) as every (name, has) where has like $1 order by 1`
  const found = await connection.query({ name: 'found', text: all }, [`%${text}%`])
  await connection.end()
  return found.map(([name]) => String(name))
}

t.test('all of a subject is erased from a shared store, with and without a gateway', { skip: withoutPostgres }, async (t) => {
  const server = await openPostgresServer()
  t.teardown(() => server.stop())
  const schema = server.newSchema()
  const gateway = await filled(t, { storage: { kind: 'postgres', url: server.url, schema, durability: 'commit' } })
  const { dir } = gateway
  const database: ConnectionOptions = { url: () => server.url, schema, durability: 'commit', byIndex: false }
  const tables = (text: string) => tablesWith(database, text)
  const every = ['groups', 'messages', 'raw', 'records', 'runs', 'sessions']
  t.strictSame(await tables(subject), every, 'it was there')
  const erase = (email: string, ...more: string[]) =>
    runAt(dir, ['events', 'erase', '--field', `payload.user.email=${email}`, '--yes', ...more])
  t.match(await erase(subject), { code: 0, out: '5 erased, 2 runs ended by it\n' })
  t.strictSame(await tables(subject), [], 'nothing is left')
  t.strictSame(await tables(other), every.slice(1), 'what others have is left, but for the group that kept the prompts of both')
  t.strictSame(filesWith(dir, subject), [])
  const list = async (...more: string[]) => JSON.parse((await runAt(dir, ['events', 'list', '--json', ...more])).out).data.events
  const ended = (await list()).filter(({ error }: { error?: string }) => error === 'erased: its data were deleted by hand')
  t.strictSame(ended.map(({ route, state }: { route: string; state: string }) => `${route} ${state}`).sort(), ['group dead', 'waits dead'])
  const theirs = await list('--field', `payload.user.email=${other}`)
  t.equal(theirs.length, 6, 'the requests of others can be read')

  t.match(await erase(other), { code: 1, out: /^5 erased, 1 runs ended by it, 1 left, whose runs are in progress/ })
  gateway.kill('SIGKILL')
  await gateway.ended
  const connection = await connect(database)
  await connection.run("update runs set due_at = now() - interval '1 s' where leased")
  await connection.end()
  const ids = theirs.map(({ event_id: id }: { event_id: string }) => id)
  writeFileSync(join(dir, 'state/erasing.json'), JSON.stringify({ ids, groups: ids, carriers: [] }))
  t.match(await erase(other), { code: 0, err: /an erasure that had been broken off is done/ }, 'without a gateway, too')
  t.strictSame(await tables(other), [])
})

type Listed = { readonly event_id: string; readonly delivery_id?: string }

t.test('what is redacted is verified as it came, and then neither stored nor handed on', async (t) => {
  const dir = dataDir(t, {
    routes: {
      work: { redact: ['payload.user.email', 'note'], prompt: 'mail of {user.email}, {id}', keep_refused: 'signature' },
      ignored: { redact: ['user', 'note'], filters: [{ field: 'user.email', contains: 'ada@' }] },
    },
    config: { storage: { retention: { payloads: true } } },
  })
  const gateway = await startGateway(t, dir)
  const sent = `{"id": 12345678901234567890, "user": {"email": "${subject}", "email": "${subject}", "em\\u0061il": "${subject}"}, "note": ["${subject}"]}`
  t.equal((await gateway.post('work', 'one', { body: sent })).status, 202)
  const { text } = await gateway.line(({ msg }) => msg === 'delivered')
  t.equal(text, 'mail of [redacted], 12345678901234567890')
  t.match((await gateway.post('ignored', 'two', { body: sent })).json, { status: 'ignored', reason: 'filter' }, 'filters see it redacted')
  t.equal((await gateway.post('work', 'three', { body: `${sent}}` })).status, 400)
  t.equal((await gateway.post('work', 'four', { body: sent, key: 'another secret of nobody' })).status, 401)
  const id: string = await until(async () => {
    const listed: Listed[] = JSON.parse((await runAt(dir, ['events', 'list', '--json'])).out).data.events
    return listed.find(({ delivery_id: of }) => of === 'one')?.event_id
  })
  t.match(await runAt(dir, ['events', 'replay', id]), { code: 0 }, 'the redacted request can be replayed')
  t.match((await runAt(dir, ['events', 'show', id, '--raw'])).out, /"email": "\[redacted\]", "email": "\[redacted\]"/)
  gateway.kill('SIGTERM')
  await gateway.ended
  t.strictSame(filesWith(dir, subject), [])
  t.notOk(JSON.stringify(gateway.lines).includes(subject), 'nor is it logged')
  const { out, err } = await runAt(dir, ['validate'])
  t.match(out + err, /\{user\.email\} is redacted/)
  t.match(out + err, /the filters read "user\.email", which is redacted/)
  t.match(out + err, /"keep_refused" has no effect: fields are redacted/)
})

t.test('an item that is alone is hidden as items of a list are, and a field that is not there is told and counted', async (t) => {
  const dir = dataDir(t, {
    routes: { xml: { redact: ['order.item.*.note', 'order.items.*.mail'], prompt: '{order.item.note} {order.item.0.note}' } },
    config: { metrics: { enabled: true, port: 0 } },
  })
  const file = join(dir, 'config.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('port: 0\n', 'port: 0\n      redact: [headers.X-None, headers.Content-Type]\n'))
  const gateway = await startGateway(t, dir)
  const type = 'application/xml'
  const one = `<order><item><note>${subject}</note></item></order>`
  t.equal((await gateway.post('xml', 'one', { body: one, type })).status, 202)
  t.equal((await gateway.post('xml', 'two', { body: one.replace('</item>', '</item><item/>'), type })).status, 202)
  const texts = await until(() => {
    const delivered = gateway.lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => text)
    return delivered.length === 2 ? delivered : undefined
  })
  t.same(texts.sort(), ['[redacted] {order.item.0.note}', '{order.item.note} [redacted]'].sort())
  const told = gateway.lines.filter(({ msg }) => String(msg).startsWith('fields of redact are not in the event'))
  t.match(told, [{ level: 'warn', route: 'xml', fields: 'order.items.*.mail' }])
  t.equal(told.length, 1, 'once for the route')
  const { url } = await gateway.line(({ msg }) => msg === 'metrics')
  const metrics = await (await fetch(String(url))).text()
  t.match(metrics, 'headgate_redactions_missed_total{route="xml",field="order.items.*.mail"} 2')
  const doctor = async () => {
    const { checks } = JSON.parse((await runAt(dir, ['doctor', '--json'])).out).data
    return (checks as { name: string; message: string }[]).filter(({ name }) => name === 'redactions').map(({ message }) => message)
  }
  t.match(await doctor(), [
    /^"order.items.\*.mail" in "redact" of the route "xml" .*all 2 events/,
    /^"headers.X-None" in "redact" of the adapter .*all 2 events/,
  ])
  gateway.kill('SIGTERM')
  await gateway.ended
  t.strictSame(filesWith(dir, subject), [])
})

t.test('a redaction covers lists, headers and forms, and leaves everything else as it is', (t) => {
  const redaction = compileRedaction(['headers.X-User', 'items.*.email', 'payload.user'])
  const redacted = (body: string, headers = {}) => {
    const request = { headers, body: Buffer.from(body) } as unknown as VerifiedRequest
    const kept = redaction?.request(request)
    return { headers: kept?.headers, body: kept?.body.toString() }
  }
  t.strictSame(
    redacted('{"items":[{"email":"a","n":1.0},{"email":["b"]}],"payload":{"user":"c"},"user":null}', { 'x-user': 'd', y: 'e' }),
    {
      headers: { 'x-user': '[redacted]', y: 'e' },
      body: '{"items":[{"email":"[redacted]","n":1.0},{"email":"[redacted]"}],"payload":{"user":"[redacted]"},"user":null}',
    },
  )
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  t.equal(redacted('user=ada&b=c', form).body, 'user=%5Bredacted%5D&b=c')
  t.equal(redacted('{"user": nonsense', {}).body, '', 'what cannot be read is not kept')
  t.equal(redacted('{"items":{"email":"a"},"*":1}').body, '{"items":{"email":"[redacted]"},"*":1}', 'a single value in place of a list')
  const event = { headers: {}, text: '{"user":{"a":1}}', payload: { user: { a: 1 } } } as unknown as Event
  t.match(redaction?.event(event), { payload: { user: '[redacted]' }, text: '{"user":"[redacted]"}' })
  t.equal(compileRedaction([]), undefined)
  t.end()
})
