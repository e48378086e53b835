/**
 * Three built gateways on one real database end the work of earlier events while they are killed and stand still (rules: Ending work 4). The
 * leases of a killed gateway would last a minute more. They are ended in the database, and no clock is moved: that would end the leases of
 * living gateways too, which count the time of their leases themselves.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { connect } from '../../src/store/postgres/connection.ts'
import { newFolder } from '../fakes/folder.ts'
import { startPostgresServer, withoutOwnPostgres } from '../fakes/postgres-server.ts'
import { isRunning } from '../fakes/process.ts'
import { linesIn, type ProcessGateway, startGateway } from '../fakes/process-gateway.ts'
import { ok, sharedDirectories } from '../fakes/shared-gateways.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const secret = 'It is a secret to everybody'
const kills = 8
const rounds = 10
const keys = Array.from({ length: 12 }, (_, i) => `key-${i}`)
/** On a machine that does other work too, a kill and a start may take long. */
const patienceMs = 40_000

/** Notes that it began and that it really ended, with its process and its gateway. Between them it waits until the test lets it end. */
const agent = `cd "$0"
echo "$HEADGATE_DELIVERY_ID $$ $PPID" >> began
for i in $(seq 500); do
  if [ -e "go-$HEADGATE_DELIVERY_ID" ] || [ -e go ]; then break; fi
  sleep .15
done
echo "$HEADGATE_DELIVERY_ID $$ $PPID" >> ended
echo "reply to $HEADGATE_DELIVERY_ID"`

const random = (below: number): number => Math.floor(Math.random() * below)
const pause = (ms: number): Promise<void> => new Promise((then) => setTimeout(then, ms))

/**
 * An event that was sent in a round of its key. `mayEnd`: its agent was let end. `isDoubtful`: a sending without an answer may have been
 * taken. `eventId`: that of the answer. The record of an event is lost where its gateway is killed right after the answer.
 */
type Sent = {
  readonly key: string
  readonly round: number
  readonly isClosing: boolean
  mayEnd: boolean
  isDoubtful: boolean
  eventId?: unknown
}
type Post = { readonly webhookId: unknown; readonly body: string; readonly at: number }
type View = { readonly event_id: string; readonly delivery_id: string; readonly state: string; readonly ended_by: string | null }

const unfinished = { name: 'unfinished', text: 'select count(*) from runs where ended_at is null' }
/** An owner is below 0 for runs that were taken ahead (src/store/postgres/sql/schema.ts). */
const endLeases = {
  name: 'end_leases',
  text: `update runs set due_at = clock() where leased and abs(owner) = (select id from replicas where (about::json ->> 'pid')::int = $1)`,
}

/** Starts the gateways, and a receiver that keeps the posts by delivery id. */
const startAll = async (t: Test) => {
  const server = await startPostgresServer(true)
  t.teardown(() => server.stop())
  const posts = new Map<string, Post[]>()
  const receiver = await sink(t, (response, { headers, body }) => {
    const { delivery_id: id } = JSON.parse(body)
    posts.set(id, [...(posts.get(id) ?? []), { webhookId: headers['webhook-id'], body, at: performance.now() }])
    // Many a gateway is killed while it waits for this answer.
    setTimeout(() => json(response, 200, {}), random(300))
  })
  const work = newFolder(t)
  const route = {
    prompt: 'p',
    deliver: 'http',
    deliver_extra: { url: `${receiver.origin}/` },
    supersede: { key: '{key}' },
    cancel_on: { filters: { field: 'action', equals: 'closed' }, key: '{key}' },
    // Each kill takes an attempt from a run.
    retry: { max_attempts: 20, backoff: 0.05 },
  }
  const settings = {
    adapter: { secret, routes: { plain: route, lane: { ...route, concurrency: { limit: 1, key: '{key}' } } } },
    agent: { runner: 'command', command: ['sh', '-c', agent, work] },
    gateway: { max_concurrent_runs: keys.length },
    durability: 'fsync',
  } as const
  const dirs = sharedDirectories(t, server, 3, settings)
  const { url, schema } = parse(readFileSync(join(dirs[0] as string, 'config.yaml'), 'utf8')).storage
  const database = await connect({ url: () => url, schema, durability: 'commit', byIndex: false })
  t.teardown(() => database.end())
  const gateways = new Map(await Promise.all(dirs.map(async (dir) => [dir, await startGateway(t, dir)] as const)))
  return { posts, work, database, gateways }
}
type Started = Awaited<ReturnType<typeof startAll>>

/** Sends an event to gateways that live until one takes it, as a sender behind a load balancer does. */
const send = async (t: Test, { gateways }: Started, id: string, event: Sent): Promise<void> => {
  const body = JSON.stringify({ key: event.key, action: event.isClosing ? 'closed' : 'push' })
  const route = keys.indexOf(event.key) % 2 === 0 ? 'plain' : 'lane'
  const answer = await until(async () => {
    const living = [...gateways.values()]
    const got = await living[random(living.length)]?.post(route, id, { body }).catch(() => undefined)
    if (got && got.status < 300) return got
    event.isDoubtful = true
    return undefined
  }, patienceMs)
  if (answer.json.status === 'duplicate') t.ok(event.isDoubtful, `${id} is taken`)
  else event.eventId = answer.headers['x-headgate-event-id']
}

/** The agents of these events whose gateways live. An agent may outlive its gateway. */
const agentsOf = ({ work, gateways }: Started, ids: readonly string[]): readonly string[] =>
  linesIn(work, 'began').filter((line) => {
    const [id = '', pid, gateway] = line.split(' ')
    return ids.includes(id) && [...gateways.values()].some((each) => `${each.pid}` === gateway) && isRunning(Number(pid))
  })

/** Sends the events of a key, one or two heads a round or its closing, and waits until the agents stop of what these have ended. */
const sendAll = async (t: Test, all: Started, key: string, sent: Map<string, Sent>): Promise<void> => {
  let heads: string[] = []
  for (let round = 0; round < rounds; round++) {
    const ended = heads.filter((id) => !sent.get(id)?.mayEnd)
    const isClosing = round > 0 && random(5) === 0
    const ids = [`${key}-${round}`, ...(!isClosing && random(3) === 0 ? [`${key}-${round}-too`] : [])]
    heads = isClosing ? [] : ids
    for (const id of ids) sent.set(id, { key, round, isClosing, mayEnd: false, isDoubtful: false })
    await Promise.all(ids.map((id) => send(t, all, id, sent.get(id) as Sent)))
    // When a gateway renews its leases, each 15 seconds, it would find out too late.
    await until(() => agentsOf(all, ended).length === 0)
    for (const id of random(2) === 0 ? heads : []) {
      ;(sent.get(id) as Sent).mayEnd = true
      writeFileSync(join(all.work, `go-${id}`), '')
    }
    await pause(random(400))
  }
}

/** Kills a gateway while another stands still, and starts it again. Returns the time at which its leases end. */
const killOne = async (t: Test, { gateways, database }: Started): Promise<number> => {
  const [[dir, killed], [, still]] = [...gateways].sort(() => Math.random() - 0.5) as [[string, ProcessGateway], [string, ProcessGateway]]
  gateways.delete(dir)
  still.kill('SIGSTOP')
  killed.kill('SIGKILL')
  // After more than a second its connection to the database counts as lost, and with it the records that were under way.
  await pause(random(600))
  still.kill('SIGCONT')
  await killed.ended
  gateways.set(dir, await startGateway(t, dir))
  const at = performance.now()
  await database.query(endLeases, [killed.pid])
  return at
}

const eventsOf = (t: Test, dir: string): readonly View[] =>
  JSON.parse(ok(t, dir, 'events', 'list', '--limit', '1000', '--json')).data.events

t.test('what later events end is ended for good, and all else is delivered', { skip: withoutOwnPostgres }, async (t) => {
  const all = await startAll(t)
  const { posts, work, database, gateways } = all
  const sent = new Map<string, Sent>()
  const leasesEndedAt: number[] = []
  const sending = Promise.all(keys.map((key) => sendAll(t, all, key, sent)))
  for (let kill = 1; kill <= kills; kill++) {
    await until(() => sent.size >= (keys.length * rounds * kill) / (kills + 1), patienceMs)
    leasesEndedAt.push(await killOne(t, all))
  }
  await sending
  writeFileSync(join(work, 'go'), '')
  await until(async () => Number((await database.query(unfinished, []))[0]?.[0]) === 0, patienceMs)

  const events = eventsOf(t, [...gateways.keys()][0] as string)
  const sentAs = (eventId: string | null): Sent | undefined =>
    [...sent.values()].find((each) => each.eventId === eventId) ??
    sent.get(events.find(({ event_id }) => event_id === eventId)?.delivery_id ?? '')
  const isEnded = new Set<string>()
  for (const [id, { key, round, isClosing, mayEnd }] of sent) {
    const runs = events.filter(({ delivery_id, state }) => delivery_id === id && state !== 'final')
    const made = posts.get(id) ?? []
    if (isClosing) {
      t.strictSame([runs, made], [[], []], `${id} starts nothing`)
      continue
    }
    const [run] = runs
    t.equal(runs.length, 1, `${id} has one run: ${JSON.stringify(events.filter(({ delivery_id }) => delivery_id === id))}`)
    if (run?.state === 'cancelled') {
      isEnded.add(id)
      t.equal(made.length, 0, `${id} was ended, and is not delivered`)
      // Nobody knows the id of an event whose gateway was killed before the answer and the record.
      const by = sentAs(run.ended_by) ?? [...sent.values()].find((each) => each.isDoubtful && each.key === key && each.round >= round)
      t.match(by, { key }, `${id} was ended by an event of its key`)
      t.ok(by !== sent.get(id) && (by?.round ?? 0) >= round, `${id} was ended by a later event`)
    } else {
      t.equal(run?.state, 'done', id)
      t.not(made.length, 0, `${id} is delivered`)
      t.ok(mayEnd || ![...sent.values()].some((each) => each.key === key && each.round > round), `${id} is the newest of its key`)
    }
    for (const [i, { webhookId, body, at }] of made.entries()) {
      t.strictSame([webhookId, body], [made[0]?.webhookId, made[0]?.body], `${id} has one key, however often it is posted`)
      const before = made[i - 1]?.at
      t.ok(before === undefined || leasesEndedAt.some((ended) => before < ended && ended < at), `${id} is posted again only after a kill`)
    }
  }
  for (const key of keys) {
    const last = [...sent].filter(([, each]) => each.key === key && each.round === rounds - 1 && !each.isClosing)
    const kept = last.filter(([id, { mayEnd }]) => !mayEnd && !isEnded.has(id))
    t.ok(kept.length <= 1, `one head of ${key} is the newest`)
    t.ok(last.length === 0 || last.some(([id]) => !isEnded.has(id)), `the newest head of ${key} is not ended`)
  }
  const pids = [...gateways.values()].map(({ pid }) => `${pid}`)
  for (const [id = '', , gateway = ''] of linesIn(work, 'ended').map((line) => line.split(' ')))
    t.notOk(isEnded.has(id) && !sent.get(id)?.mayEnd && pids.includes(gateway), `the agent of ${id} was stopped`)
})
