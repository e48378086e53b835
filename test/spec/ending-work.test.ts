/** `cancel_on` and `supersede`: later events end the unfinished work of earlier ones with the same key. */

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { journalFolder } from '../../src/journal/folder.ts'
import { readEvents } from '../../src/journal/reader.ts'
import type { EventView } from '../../src/journal/record.ts'
import { runAt } from '../fakes/cli.ts'
import { type Answer, type GatewayOptions, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { until } from '../fakes/wait.ts'

/** Notes that it began, and waits for `go` or for its end where the prompt says so. */
const agent = `
cd "$(dirname "$0")"
prompt=$(cat)
touch "began-$HEADGATE_DELIVERY_ID"
case $prompt in wait*) while [ ! -e go ]; do sleep .02; done ;; esac
echo "$prompt"
`

const key = '{repo}#{number}'
const closed = { filters: { field: 'action', equals: 'closed' }, key }

type Started = TestGateway & {
  readonly send: (body: object, id: string, event?: string) => Promise<Answer>
  readonly began: (id: string) => Promise<void>
  readonly go: () => void
  readonly texts: () => unknown[]
  /** The events by their delivery id, once so many have the states that were asked for. */
  readonly states: (wanted: { readonly [id: string]: string }) => Promise<ReadonlyMap<string, EventView>>
}

const start = async (t: Test, route: object, more: GatewayOptions = {}): Promise<Started> => {
  const routes = { r: { prompt: '{text}', ...route } }
  const config = { agent: { runner: 'command', command: ['bash', join(more.dir ?? t.testdirName, 'agent.sh')] }, ...more.config }
  const gateway = await startGateway(t, { routes, files: { 'agent.sh': agent }, ...more, config } as GatewayOptions)
  const views = async (): Promise<ReadonlyMap<string, EventView>> =>
    new Map((await readEvents(journalFolder(gateway.dir), { limit: 1_000 })).events.map((view) => [view.delivery_id ?? '', view]))
  return {
    ...gateway,
    send: (body, id, event = 'pull_request') => gateway.post('r', { body, headers: { 'X-Request-ID': id, 'X-GitHub-Event': event } }),
    began: async (id) => void (await until(() => existsSync(join(gateway.dir, `began-${id}`)))),
    go: () => writeFileSync(join(gateway.dir, 'go'), ''),
    texts: () => gateway.lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => text),
    async states(wanted) {
      let found: ReadonlyMap<string, EventView> = new Map()
      await until(async () => {
        found = await views()
        return Object.entries(wanted).every(([id, state]) => found.get(id)?.state === state)
      })
      return found
    },
  }
}

const pull = (number: number, action: string, text = `wait ${number}`): object => ({ repo: 'acme/web', number, action, text })

t.test('a closing event stops the agent of its key at once, starts nothing, and says what it ended', async (t) => {
  const gateway = await start(t, { events: ['push'], cancel_on: { events: ['pull_request'], ...closed } })
  t.match(await gateway.send(pull(1, 'opened'), 'a', 'push'), { status: 202, json: { status: 'accepted' } })
  await gateway.send(pull(2, 'opened'), 'b', 'push')
  await Promise.all([gateway.began('a'), gateway.began('b')])
  t.match(await gateway.send(pull(1, 'opened'), 'x'), { json: { status: 'ignored', reason: 'event' } }, 'judged by the gates of the route')
  const end = await gateway.send(pull(1, 'closed'), 'end')
  t.strictSame([end.status, end.json], [200, { status: 'closing', route: 'r', event: 'pull_request', delivery_id: 'end', ended: 1 }])
  t.match(await gateway.send(pull(1, 'closed'), 'end'), { status: 200, json: { status: 'duplicate' } }, 'a repeat')
  t.match((await gateway.send(pull(1, 'closed'), 'end2')).json, { status: 'closing', ended: 0 }, 'nothing is left')
  t.match((await gateway.send({ action: 'closed' }, 'end3')).json, { status: 'closing', ended: 0 }, 'without a value')
  const views = await gateway.states({ a: 'cancelled', b: 'waiting', end: 'final', end2: 'final', end3: 'final' })
  const [a, closing] = [views.get('a'), views.get('end')]
  t.match(a, { error: `ended by the event ${closing?.event_id}`, ended_by: closing?.event_id })
  t.match(closing, {
    outcome: 'closing',
    stage: 'cancel_on',
    status: 200,
    ends: { count: 1, events: [a?.event_id] },
    reason: `it ended the work of 1 earlier event: ${a?.event_id}`,
  })
  t.match(views.get('end3'), { reason: 'it ended the work of 0 earlier events; it has no value for the key of "cancel_on"' })
  t.notOk(
    gateway.lines.some(({ level, delivery_id: id }) => id === 'a' && level === 'error'),
    'no failure',
  )
  gateway.go()
  await gateway.states({ b: 'done' })
  t.strictSame(gateway.texts(), ['wait 2'])
  const { out } = await runAt(gateway.dir, ['events', 'show', String(closing?.event_id)])
  t.match(out, /closing/)
  t.match(out, new RegExp(`it ended the work of 1 earlier event: ${a?.event_id}`))
  const list = JSON.parse((await runAt(gateway.dir, ['events', 'list', '--state', 'cancelled', '--json'])).out)
  t.match(list.data.events, [{ event_id: a?.event_id, ended_by: closing?.event_id }])
})

t.test('two values of a key cannot run together, and another route has keys of its own', async (t) => {
  const route = { prompt: '{text}', cancel_on: { ...closed, key: '{repo}-{number}' } }
  const gateway = await start(t, route, { config: { gateway: { max_concurrent_runs: 1 } } })
  await gateway.send({ repo: 'a-1', number: '2', text: 'wait' }, 'a')
  await gateway.began('a')
  await gateway.send({ repo: 'a', number: '1-2', text: 'wait' }, 'b')
  t.match((await gateway.send({ repo: 'a', number: '1-2', action: 'closed' }, 'end')).json, { ended: 1 })
  gateway.go()
  await gateway.states({ a: 'done', b: 'cancelled' })
})

t.test('each push ends the review before it; a push that is held back ends nothing', async (t) => {
  const gateway = await start(t, { supersede: { key }, duplicates: { key: 'sha' }, concurrency: { limit: 1, key } })
  const push = (sha: string, id = sha) => gateway.send({ ...pull(1, 'synchronize', `wait ${sha}`), sha }, id)
  t.strictSame((await push('one')).json, { status: 'accepted', route: 'r', event: 'pull_request', delivery_id: 'one' })
  await gateway.began('one')
  t.match((await push('one', 'again')).json, { status: 'duplicate' })
  t.strictSame((await push('two')).json, { status: 'accepted', route: 'r', event: 'pull_request', delivery_id: 'two', ended: 1 })
  await gateway.began('two')
  t.match((await push('three')).json, { ended: 1 })
  await gateway.began('three')
  gateway.go()
  const views = await gateway.states({ one: 'cancelled', two: 'cancelled', three: 'done' })
  t.equal(views.get('one')?.ended_by, views.get('two')?.event_id)
  t.match(views.get('two'), { ends: { count: 1, events: [views.get('one')?.event_id] } })
  t.strictSame(gateway.texts(), ['wait three'])
})

t.test('coalesce: the group that an event joins is left, and other groups of its key end', async (t) => {
  const coalesce = { key: '{number}/{author}', window_seconds: 60 }
  const gateway = await start(t, { coalesce, supersede: { key }, cancel_on: closed })
  const by = (author: string, id: string) => gateway.send({ ...(pull(1, 'synchronize', id) as object), author }, id)
  await by('ann', 'a1')
  t.notOk('ended' in (await by('ann', 'a2')).json)
  t.match((await by('bob', 'b1')).json, { status: 'coalesced', ended: 1 })
  t.match((await gateway.send({ ...(pull(1, 'closed') as object), author: 'eve' }, 'end')).json, { status: 'closing', ended: 1 })
  await gateway.states({ a2: 'cancelled', b1: 'cancelled' })
  t.strictSame(gateway.texts(), [])
})

t.test('an event that ends work needs no room in the queue', async (t) => {
  const gateway = await start(t, { cancel_on: closed }, { config: { gateway: { max_queued_runs: 1 } } })
  await gateway.send(pull(1, 'opened'), 'a')
  t.equal((await gateway.send(pull(2, 'opened'), 'b')).status, 503)
  t.match(await gateway.send(pull(1, 'closed'), 'end'), { status: 200, json: { ended: 1 } })
  await gateway.states({ a: 'cancelled' })
})

t.test('split: items are taken in their order, each with its own key', async (t) => {
  const gateway = await start(t, {
    split: { items: 'list' },
    prompt: '{text}',
    supersede: { key: 'k' },
    cancel_on: { filters: { field: 'end', equals: true }, key: 'k' },
  })
  const list = [
    { k: 1, text: 'wait a' },
    { k: 2, text: 'wait b' },
    { k: 1, text: 'c' },
    { k: 2, end: true },
  ]
  t.match(await gateway.send({ list }, 'all'), { status: 202, json: { items: { accepted: 3, closing: 1 } } })
  const views = await gateway.states({ 'all#0': 'cancelled', 'all#1': 'cancelled', 'all#2': 'done', 'all#3': 'final' })
  t.equal(views.get('all#1')?.ended_by, views.get('all#3')?.event_id)
  t.strictSame(gateway.texts(), ['c'])
})

t.test('a sender that waits for the reply hears at once that the run was ended', async (t) => {
  const gateway = await start(t, { respond: { wait_seconds: 20 }, cancel_on: closed })
  const waiting = gateway.send(pull(1, 'opened'), 'a')
  await gateway.began('a')
  t.match((await gateway.send(pull(1, 'closed'), 'end')).json, { ended: 1 })
  t.match(await waiting, { status: 202, json: { status: 'accepted' } })
})
