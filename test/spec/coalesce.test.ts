/** The rules of coalescing, one title for each (rules: Coalescing 1 to 9). */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Outcome } from '../../src/core/outcome.ts'
import type { Event } from '../../src/core/request.ts'
import type { Route } from '../../src/generated/config.ts'
import type { Effects } from '../../src/parts/effects.ts'
import { coalesce } from '../../src/parts/endings/coalesce.ts'
import type { StageKit } from '../../src/parts/stages/stage.ts'
import { targetsByName } from '../../src/parts/targets/index.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { adopt } from '../fakes/adopt.ts'
import { type FakeClock, fakeClock } from '../fakes/clock.ts'
import { type Answer, type GatewayOptions, type Line, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

type Held = TestGateway & {
  readonly clock: FakeClock
  /** Posts one event; its id is `id` or any. */
  event(body: unknown, id?: string, route?: string): Promise<Answer>
  /** Texts that went to the log target, in their order. */
  said(route?: string): string[]
  /** Lets time pass, and after it everything that is due until as many texts were said. */
  after(seconds: number, texts: number, route?: string): Promise<string[]>
  /** What was said once all that is due by now has begun. */
  quiet(): Promise<string[]>
}

const start = async (t: Test, route: object, options: GatewayOptions & { readonly clock?: FakeClock } = {}): Promise<Held> => {
  const clock = options.clock ?? fakeClock()
  const routes = { r: { prompt: '{text}', ...route }, plain: { prompt: '{text}' }, ...options.routes }
  // Registered before the directory is made, so that tap stops the gateway before it removes the directory.
  t.teardown(() => {})
  const gateway = await startGateway(t, { ...options, clock, routes })
  // The stop waits for answers by this clock: somebody has to let its time pass.
  const stop = async (): Promise<void> => {
    const passing = setInterval(() => clock.advance(20), 5)
    await gateway.stop()
    clearInterval(passing)
  }
  t.teardown(stop)
  let probes = 0
  const said = (from = 'r'): string[] => gateway.lines.filter(({ msg, route }) => msg === 'delivered' && route === from).map(textOf)
  const after: Held['after'] = async (seconds, texts, from) => {
    clock.advance(seconds * 1000)
    // The worker may be about to set its timer for what is due now.
    await until(() => {
      clock.advance(0)
      return said(from).length >= texts
    })
    return said(from)
  }
  const event: Held['event'] = (body, id, to = 'r') =>
    // A gateway that stops waits up to a second for a connection that is kept, and each test here stops one.
    gateway.post(to, { body, headers: { Connection: 'close', ...(id === undefined ? {} : { 'X-Request-ID': id }) } })
  return {
    ...gateway,
    stop,
    clock,
    said,
    after,
    event,
    async quiet() {
      // The second is taken when what was taken with the first has been said.
      for (const text of [`probe ${++probes}`, `probe ${++probes}`]) {
        await event({ text }, undefined, 'plain')
        await until(() => said('plain').includes(text))
      }
      return said()
    },
  }
}

const textOf = ({ text }: Line): string => String(text)
const note = (replaced: number): string => {
  const events = replaced === 1 ? '1 earlier event for this target was' : `${replaced} earlier events for this target were`
  return `\n\n[headgate] ${events} replaced by this one; ${replaced + 1} arrived in all.`
}

t.test('events of one key become one run, which starts after the window; each is answered coalesced', async (t) => {
  const gateway = await start(t, { coalesce: { key: '{repo}#{number}' } })
  const answer = await gateway.event({ repo: 'a/b', number: 7, text: 'one' }, 'id-1')
  t.equal(answer.status, 202)
  t.same(answer.json, { status: 'coalesced', route: 'r', event: 'unknown', delivery_id: 'id-1' })
  t.match(answer.headers.get('x-headgate-event-id'), /\S/)
  t.equal((await gateway.event({ repo: 'a/b', number: 7, text: 'two' })).json.status, 'coalesced')
  gateway.clock.advance(29_999)
  t.same(await gateway.quiet(), [], 'not before the window is over')
  t.same(await gateway.after(0.001, 1), [`two${note(1)}`], 'by default after 30 seconds')
  gateway.clock.advance(1_000_000)
  t.equal((await gateway.quiet()).length, 1, 'and only once')
})

t.test('the key is a field name or a template', async (t) => {
  const keys = {
    field: 'pr.number',
    template: 'pr {pr.number}',
    typed: 'event_type',
    header: 'headers.X-Target',
    expression: '{= $string(pr.number) }',
  }
  const routes = Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, { prompt: '{text}', coalesce: { key } }]))
  const gateway = await start(t, {}, { routes })
  for (const name of Object.keys(keys)) {
    for (const text of ['one', 'two']) {
      const body = { pr: { number: 7 }, event_type: 'e', text }
      t.equal((await gateway.post(name, { body, headers: { 'X-Target': 'x' } })).json.status, 'coalesced', name)
    }
  }
  gateway.clock.advance(30_000)
  for (const name of Object.keys(keys)) t.same(await gateway.after(0, 1, name), [`two${note(1)}`], name)
})

t.test('values of a key are told apart: another combination is another group', async (t) => {
  const gateway = await start(t, { coalesce: { key: '{org}-{user}' } })
  await gateway.event({ org: 'acme', user: 'ops-bob', text: 'one' })
  await gateway.event({ org: 'acme-ops', user: 'bob', text: 'two' })
  t.same((await gateway.after(30, 2)).sort(), ['one', 'two'])
})

t.test('a new event restarts the window', async (t) => {
  const gateway = await start(t, { coalesce: { key: 'k', window_seconds: 10 } })
  for (const text of ['1', '2', '3', '4']) {
    await gateway.event({ k: 'a', text })
    gateway.clock.advance(9_999)
    t.same(await gateway.quiet(), [], `after ${text}`)
  }
  t.same(await gateway.after(0.001, 1), [`4${note(3)}`])
})

t.test('a window may be a fraction of a second', async (t) => {
  const gateway = await start(t, { coalesce: { key: 'k', window_seconds: 0.25, max_wait_seconds: 0.4 } })
  await gateway.event({ k: 'a', text: 'one' })
  gateway.clock.advance(249)
  t.same(await gateway.quiet(), [])
  await gateway.event({ k: 'a', text: 'two' })
  gateway.clock.advance(150)
  t.same(await gateway.quiet(), [])
  t.same(await gateway.after(0.001, 1), [`two${note(1)}`], 'and so may the longest wait')
})

t.test('max_wait_seconds caps the wait, counted from the first event; what comes later opens the next group', async (t) => {
  const gateway = await start(t, { coalesce: { key: 'k', window_seconds: 10, max_wait_seconds: 25 } })
  for (const text of ['0', '9', '18']) {
    await gateway.event({ k: 'a', text })
    gateway.clock.advance(text === '18' ? 6_999 : 9_000)
    t.same(await gateway.quiet(), [])
  }
  t.same(await gateway.after(0.001, 1), [`18${note(2)}`], 'at 25 seconds, 7 after the last one')
  t.equal((await gateway.event({ k: 'a', text: 'next' })).json.status, 'coalesced')
  t.same(await gateway.after(10, 2), [`18${note(2)}`, 'next'], 'its own window, and nothing to note')
})

t.test('with max_events the run starts at once, and the next event opens the next group', async (t) => {
  const gateway = await start(t, { coalesce: { key: 'n', max_events: 2 } })
  for (const text of ['one', 'two', 'three']) await gateway.event({ n: 1, text })
  t.same(await gateway.quiet(), [`two${note(1)}`])
  t.same(await gateway.after(30, 2), [`two${note(1)}`, 'three'])
})

t.test('without it the cap is five minutes', async (t) => {
  const gateway = await start(t, { coalesce: { key: 'k' } })
  for (let i = 0; i < 11; i++) {
    await gateway.event({ k: 'a', text: String(i) })
    gateway.clock.advance(i === 10 ? 9_999 : 29_000)
  }
  t.same(await gateway.quiet(), [], 'at 299.999 seconds')
  t.same(await gateway.after(0.001, 1), [`10${note(10)}`])
})

t.test("the run uses the latest event's payload, prompt and delivery templates", async (t) => {
  const receiver = await sink(t, (response) => json(response, 200, {}))
  const route = {
    prompt: '{text} by {who.name}',
    deliver: 'http',
    deliver_extra: { url: `${receiver.origin}/{n}`, headers: { 'X-Who': '{who.name}' } },
  }
  const gateway = await start(t, { ...route, coalesce: { key: 'k' } })
  await gateway.event({ k: 1, n: 1, text: 'old', who: { name: 'ann' } })
  await gateway.event({ k: 1, n: 2, text: 'new', who: { name: 'bob' } }, 'last')
  gateway.clock.advance(30_000)
  await until(() => {
    gateway.clock.advance(0)
    return receiver.seen.length > 0
  })
  const [seen] = receiver.seen
  t.equal(receiver.seen.length, 1)
  t.match(seen, { url: '/2', headers: { 'x-who': 'bob' } })
  t.match(JSON.parse(seen?.body ?? ''), { text: `new by bob${note(1)}`, delivery_id: 'last' })
})

t.test('without a prompt the run gets the latest payload as JSON, and the note', async (t) => {
  const gateway = await start(t, { prompt: '', coalesce: { key: 'k' } })
  for (const n of [1, 2]) await gateway.event({ k: 'a', n })
  t.same(await gateway.after(30, 1), [`{\n  "k": "a",\n  "n": 2\n}${note(1)}`])
})

t.test('an event whose key cannot be resolved runs at once, unmerged, and is answered accepted', async (t) => {
  const gateway = await start(t, { coalesce: { key: '{repo.name}#{number}' } })
  const bodies = [
    { repo: 'x', number: 1 },
    { repo: { name: 'x' } },
    { repo: { name: null }, number: 1 },
    { number: 1 },
    [],
    '"text"',
    '7',
    'null',
  ]
  for (const [i, body] of bodies.entries()) {
    const answer = await gateway.event(body, `id-${i}`)
    t.equal(answer.status, 202)
    t.same(answer.json, { status: 'accepted', route: 'r', event: 'unknown', delivery_id: `id-${i}` })
  }
  t.equal((await gateway.after(0, bodies.length)).filter((text) => text.includes('[headgate]')).length, 0, 'no time has passed')
  t.equal((await gateway.event('null', 'id-7')).json.status, 'duplicate')
})

t.test('text of a payload that looks like a placeholder is a key like any other', async (t) => {
  const gateway = await start(t, { coalesce: { key: '{k}' } })
  for (const k of ['{k}', '{nope}']) for (const text of ['one', 'two']) t.equal((await gateway.event({ k, text })).json.status, 'coalesced')
  t.same(await gateway.after(30, 2), [`two${note(1)}`, `two${note(1)}`])
})

t.test('duplicates are dropped uncounted, while their group waits and after it ran', async (t) => {
  const gateway = await start(t, { coalesce: { key: 'k' } })
  await gateway.event({ k: 'a', text: 'one' }, 'first')
  await gateway.event({ k: 'a', text: 'two' }, 'second')
  gateway.clock.advance(29_000)
  for (const id of ['first', 'second']) {
    const answer = await gateway.event({ k: 'a', text: 'again' }, id)
    t.equal(answer.status, 200)
    t.same(answer.json, { status: 'duplicate', route: 'r', delivery_id: id })
  }
  t.same(await gateway.after(1, 1), [`two${note(1)}`], 'neither counted nor used, and the window not restarted')
  for (const id of ['first', 'second']) t.equal((await gateway.event({ k: 'a', text: 'late' }, id)).json.status, 'duplicate')
})

t.test('other keys, other routes and other types do not merge', async (t) => {
  const gateway = await start(t, { coalesce: { key: 'k' } }, { routes: { s: { prompt: '{text}', coalesce: { key: 'k' } } } })
  for (const k of ['a', 'b', 'A', 'a ', '1/a', '__proto__', 'constructor', 7]) await gateway.event({ k, text: String(k) })
  await gateway.event({ k: 'a', text: 'a' }, undefined, 's')
  t.same((await gateway.after(30, 8)).sort(), ['a', 'b', 'A', 'a ', '1/a', '__proto__', 'constructor', '7'].sort())
  t.same(await gateway.after(0, 1, 's'), ['a'])
})

t.test('a hostile key is harmless', async (t) => {
  const gateway = await start(t, { coalesce: { key: 'k' } })
  const keys = ['\0', '/', 'default/r/a', "'; drop table groups; --", '\ud800', '__proto__', '\n', '{}', '../..', 'x'.repeat(99_000)]
  for (const k of keys) for (const text of ['one', 'two']) t.equal((await gateway.event({ k, text })).json.status, 'coalesced')
  t.same(await gateway.after(30, keys.length), Array(keys.length).fill(`two${note(1)}`))
  for (const text of ['three', 'four']) t.equal((await gateway.event({ k: 'x'.repeat(1_000_000), text })).json.status, 'accepted')
  t.same((await gateway.after(0, keys.length + 2)).slice(-2), ['three', 'four'], 'a megabyte names nothing')
})

t.test('keep', async (t) => {
  const keep = (kind: string) => start(t, { coalesce: { key: 'k', keep: kind } })

  t.test('first: the first event is what the run is about, later ones are counted', async (t) => {
    const gateway = await keep('first')
    for (const text of ['one', 'two', 'three']) await gateway.event({ k: 'a', text })
    t.same(await gateway.after(30, 1), ['one\n\n[headgate] 2 later events for this target were left out; 3 arrived in all.'])
    await gateway.event({ k: 'a', text: 'alone' })
    t.equal((await gateway.after(30, 2))[1], 'alone')
  })

  t.test('all: every event in its order', async (t) => {
    const gateway = await keep('all')
    for (const text of ['one', 'two', 'three']) await gateway.event({ k: 'a', text })
    t.same(await gateway.after(30, 1), ['[headgate] event 1 of 3\none\n\n[headgate] event 2 of 3\ntwo\n\n[headgate] event 3 of 3\nthree'])
    await gateway.event({ k: 'a', text: 'alone' })
    t.equal((await gateway.after(30, 2))[1], 'alone')
  })

  t.test('all: at most 100 events and 150,000 characters; the note says how many of the oldest are gone', async (t) => {
    const gateway = await keep('all')
    for (let n = 1; n <= 103; n++) await gateway.event({ k: 'many', text: `text ${n}` })
    const [many = ''] = await gateway.after(30, 1)
    t.match(many, /^\[headgate\] The oldest 3 of 103 events for this target are left out\.\n\n\[headgate\] event 4 of 103\ntext 4\n/)
    t.match(many, /event 103 of 103\ntext 103$/)
    for (const text of ['a', 'b', 'c', 'd']) await gateway.event({ k: 'long', text: text.repeat(50_000) })
    const [, long = ''] = await gateway.after(30, 2)
    t.match(long, /^\[headgate\] The oldest 1 of 4 events for this target are left out\./)
    t.ok(long.length < 151_000, String(long.length))
  })
})

/** Notes its begin and its end; told to hold, it waits for the file `go`. */
const agent = `
cd "$(dirname "$0")"
read -r text
echo "begin $text" >> order
case $text in hold*) while [ ! -e go ]; do sleep .02; done ;; esac
echo "end $text" >> order
echo "$text"
`

t.test('While the run of a group is active', async (t) => {
  const active = async (t: Test, route: object) => {
    const config = { storage: { kind: 'memory' }, agent: { runner: 'command', command: ['bash', join(t.testdirName, 'agent.sh')] } }
    const gateway = await start(t, route, { config, files: { 'agent.sh': agent } })
    const order = (): string[] => linesOf(join(gateway.dir, 'order')).filter((line) => line !== '' && !line.includes('probe'))
    const later = async (...lines: string[]): Promise<void> => {
      await until(() => {
        gateway.clock.advance(0)
        return order().length >= lines.length
      })
      t.same(order(), lines)
    }
    await gateway.event({ k: 'a', text: 'hold 1' })
    gateway.clock.advance(30_000)
    await later('begin hold 1')
    t.equal((await gateway.event({ k: 'a', text: 'second' })).json.status, 'coalesced', 'the next group')
    t.equal((await gateway.event({ k: 'a', text: 'third' })).json.status, 'coalesced', 'and it merges')
    gateway.clock.advance(30_000)
    return { ...gateway, order, later, go: () => writeFileSync(join(gateway.dir, 'go'), '') }
  }

  t.test('an event opens the next group, whose run goes beside the first', async (t) => {
    const { later, go, after } = await active(t, { coalesce: { key: 'k' } })
    await later('begin hold 1', 'begin third', 'end third')
    go()
    await later('begin hold 1', 'begin third', 'end third', 'end hold 1')
    t.same((await after(0, 2)).length, 2)
  })

  t.test('with single_flight the next run begins after it, and other keys do not wait', async (t) => {
    const { later, go, quiet, order, event, clock } = await active(t, { coalesce: { key: 'k', single_flight: true } })
    await quiet()
    t.same(order(), ['begin hold 1'])
    await event({ k: 'b', text: 'other' })
    clock.advance(30_000)
    await later('begin hold 1', 'begin other', 'end other')
    go()
    await later('begin hold 1', 'begin other', 'end other', 'end hold 1', 'begin third', 'end third')
  })

  t.test('concurrency beside it holds for the runs of all groups', async (t) => {
    const { later, go, quiet, order, event, clock } = await active(t, { coalesce: { key: 'k' }, concurrency: { limit: 1 } })
    await event({ k: 'b', text: 'other' })
    clock.advance(30_000)
    await quiet()
    t.same(order(), ['begin hold 1'])
    go()
    await later('begin hold 1', 'end hold 1', 'begin third', 'end third', 'begin other', 'end other')
  })
})

const linesOf = (file: string): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])

t.test('when the gateway stops, waiting groups are dispatched at once', async (t) => {
  const gateway = await start(t, { coalesce: { key: 'k', window_seconds: 3600, max_wait_seconds: 3600 } })
  for (const k of ['a', 'b', 'c']) for (const text of ['one', 'two']) await gateway.event({ k, text: `${k} ${text}` })
  await gateway.stop()
  t.same(gateway.said().sort(), [`a two${note(1)}`, `b two${note(1)}`, `c two${note(1)}`])
})

t.test('Restart, with the store on disk', async (t) => {
  const config = { storage: { kind: 'sqlite' } }
  const route = { coalesce: { key: 'k' } }

  t.test('what a stop dispatched and ended does not run again; its ids stay taken', async (t) => {
    const first = await start(t, route, { config })
    await first.event({ k: 'a', text: 'one' }, 'id-1')
    await first.stop()
    t.same(first.said(), ['one'])
    const { dir } = first
    const second = await start(t, route, { config, dir })
    t.equal((await second.event({ k: 'a', text: 'one' }, 'id-1')).json.status, 'duplicate')
    second.clock.advance(1_000_000)
    t.same(await second.quiet(), [])
  })

  t.test('a group that a dead process left waits out its time, merges on, and runs', async (t) => {
    const clock = fakeClock()
    const first = await start(t, route, { config })
    await first.stop()
    const { dir } = first
    // As a process that was killed leaves it: committed, never dispatched.
    const store = await openSqlite({ folder: join(dir, 'state'), durability: 'fsync', clock })
    const ending = adopt(coalesce.compile({ prompt: '{text}', ...route } as Route, kitOf({ clock, store }).kit))
    t.match(await ending(opened('r', { k: 'a', text: 'one' }, 'id-1')), { kind: 'coalesced' })
    t.match(await ending(opened('r', { k: 'a', text: 'two' }, 'id-2')), { kind: 'coalesced' })
    await store.close()
    clock.advance(5_000)

    const second = await start(t, route, { config, dir, clock })
    t.equal((await second.event({ k: 'a', text: 'one' }, 'id-1')).json.status, 'duplicate')
    t.equal((await second.event({ k: 'a', text: 'three' }, 'id-3')).json.status, 'coalesced')
    clock.advance(29_999)
    t.same(await second.quiet(), [])
    t.same(await second.after(0.001, 1), [`three${note(2)}`])
  })
})

const opened = (route: string, payload: object, deliveryId: string): Event => ({
  eventId: `event-${deliveryId}`,
  route,
  profile: 'default',
  headers: {},
  text: JSON.stringify(payload),
  payload: payload as Event['payload'],
  eventType: 'push',
  eventAlias: undefined,
  pathAndQuery: '/webhooks/r',
  deliveryId,
  at: 0,
})

/** What the ending alone needs, and what it reported. */
const kitOf = (effects: Partial<Effects>): { kit: StageKit; told: string[]; woken(): number } => {
  const told: string[] = []
  let wakes = 0
  const kit = {
    name: 'r',
    profile: 'default',
    targets: targetsByName,
    report: (code: string, path: readonly unknown[], message: string) => told.push(`${code} ${path.join('.')}: ${message}`),
    effects: { hasRoom: () => true, wake: () => wakes++, clock: fakeClock(), ...effects },
  } as unknown as StageKit
  return { kit, told, woken: () => wakes }
}

t.test('past 10,000 groups an event of another one runs at once; those that wait merge on', async (t) => {
  const clock = fakeClock()
  const store = openMemory({ clock })
  const { kit, woken } = kitOf({ clock, store })
  const ending = adopt(coalesce.compile({ prompt: '{text}', coalesce: { key: 'k' } }, kit))
  const end = async (k: number, id: string): Promise<Outcome> => ending(opened('r', { k, text: id }, id))
  for (let k = 0; k < 10_000; k++) if ((await end(k, `id-${k}`)).kind !== 'coalesced') t.fail(`group ${k}`)
  t.match(await end(10_000, 'more'), { kind: 'accepted', deliveryId: 'more' })
  t.match(await end(10_000, 'more'), { kind: 'duplicate' })
  t.match(await end(9_999, 'old'), { kind: 'coalesced' })
  t.equal(woken(), 10_003)
  t.same(
    (await store.take(10, 1_000)).map(({ run }) => run.deliveryId),
    ['more'],
  )
})

t.test('a group is named by the event that opened it, and the queue must have room for an event', async (t) => {
  const clock = fakeClock()
  let room = true
  const { kit } = kitOf({ clock, store: openMemory({ clock }), hasRoom: () => room })
  const ending = adopt(coalesce.compile({ prompt: '{text}', coalesce: { key: 'k' } }, kit))
  for (const id of ['1', '2']) t.match(await ending(opened('r', { k: 'a' }, id)), { kind: 'coalesced', group: 'event-1' })
  t.match(await ending(opened('r', { k: 'b' }, '3')), { kind: 'coalesced', group: 'event-3' })
  room = false
  t.match(await ending(opened('r', { k: 'a' }, '4')), { kind: 'refused', code: 'overloaded', retryAfterSeconds: Number })
  room = true
  t.match(await ending(opened('r', { k: 'a' }, '4')), { kind: 'coalesced', group: 'event-1' }, 'its id was not consumed')
})

t.test('a store that fails is a 503', async (t) => {
  const clock = fakeClock()
  const store = openMemory({ clock })
  const { kit } = kitOf({ clock, store })
  const ending = adopt(coalesce.compile({ prompt: '{text}', coalesce: { key: 'k' } }, kit))
  await store.close()
  for (const payload of [{ k: 'a' }, {}])
    t.match(await ending(opened('r', payload, '1')), { kind: 'refused', code: 'unavailable', retryAfterSeconds: Number })
})

t.test('what does not fit together is said at load', async (t) => {
  const told = (route: object): string[] => {
    const { kit, told } = kitOf({})
    coalesce.compile(route as Route, kit)
    return told
  }
  t.same(told({ coalesce: { key: 'k' }, concurrency: { limit: 2, key: '{x}' } }), [])
  t.same(told({ coalesce: { key: 'k', window_seconds: 300 } }), [])
  t.match(told({ coalesce: { key: 'k', window_seconds: 300.5 } }), [/^WH212 coalesce\.window_seconds: .*300/])
  t.match(told({ coalesce: { key: 'k', max_wait_seconds: 29 } }), [/^WH212 coalesce\.max_wait_seconds: .*29/])
  t.match(told({ coalesce: { key: 'k', single_flight: true }, concurrency: { limit: 1 } }), [/^WH208 concurrency: .*single_flight/])
  t.match(told({ coalesce: { key: '{= ( }' } }), [/^WH503 coalesce\.key: /])
})
