/** Alerts: what begins and ends is told once, grouped, bounded, and neither twice after a restart nor by two gateways. */

import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import type { Clock } from '../../src/core/clock.ts'
import type { Fact } from '../../src/core/facts/fact.ts'
import { StoreFault } from '../../src/core/fault.ts'
import { refuse } from '../../src/core/outcome.ts'
import { Alerts } from '../../src/features/alerts/alerts.ts'
import { readCertificates } from '../../src/features/alerts/certificates.ts'
import { openFileMemory, openSharedMemory } from '../../src/features/alerts/memory.ts'
import { checkAlerts } from '../../src/features/alerts/rules.ts'
import type { ServedConfig } from '../../src/features/feature.ts'
import type { AlertRule as AlertSpec } from '../../src/generated/config.ts'
import { targetsByName } from '../../src/parts/targets/index.ts'
import type { Outgoing, Sent } from '../../src/parts/targets/target.ts'
import type { SharedEntries } from '../../src/store/shared.ts'
import { certificateOf } from '../fakes/certificate.ts'
import { checkedConfig } from '../fakes/checked-config.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { startGateway } from '../fakes/gateway.ts'
import { fakeModel } from '../fakes/model.ts'
import { sink } from '../fakes/sink.ts'
import { tell } from '../fakes/tell.ts'
import { until } from '../fakes/wait.ts'

const start = Date.UTC(2026, 0, 5, 12)
const cause = { profile: 'default', route: 'orders', deliveryId: 'd', eventId: 'e', attempt: 1 }
const down = { kind: 'breaker_changed', target: 'telegram', address: '', reason: 'HTTP 500', openedAt: 0 } as const
const ended = { kind: 'request_ended', headers: {}, remote: () => '', ms: () => 0, route: { name: 'orders', profile: 'default' } } as const
const accepted: Fact = {
  ...ended,
  ended: { outcome: { kind: 'accepted', route: 'orders', event: 'x', deliveryId: 'd' }, stage: 'dispatch' },
}
const forged: Fact = { ...ended, ended: { outcome: refuse('bad_signature'), stage: 'signature' } }

const mismatched: Fact = {
  ...{ kind: 'payload_mismatched', at: 0, eventId: 'e', profile: 'default', route: 'pr', action: 'warn' },
  why: 'number must be integer',
}
const budget = (job: string, key = 'day_tokens'): Fact => ({ kind: 'budget_used_up', at: 0, cause: { ...cause, job }, key })

type Options = {
  readonly rules?: string
  readonly dir?: string
  readonly memory?: Parameters<typeof openSharedMemory>[0]
  readonly clock?: ReturnType<typeof fakeClock>
  readonly send?: (outgoing: Outgoing) => Promise<Sent>
}

/** Opens alerts on a clock that only the test moves. `sent`: the texts that their targets got. */
const open = async (
  t: Test,
  { rules = '[{ deliver: log }]', dir = newFolder(t), memory, clock = fakeClock(start), send }: Options = {},
) => {
  const sent: string[] = []
  const log: string[] = []
  const state = { backlogMs: 0 }
  const base = {
    send: async (outgoing: Outgoing) => {
      const answer = send ? await send(outgoing) : ({ ok: true } as const)
      if (answer.ok) sent.push(outgoing.text)
      return answer
    },
  }
  const table = { configured: new Map([['orders', {}]]), subscribed: new Map() }
  const config = { routes: new Map(), storage: {}, profiles: new Map() }
  const catalogue = { targets: targetsByName }
  const liveOf = (written: string): ServedConfig => {
    const { alerts: specs = [] } = checkedConfig({ alerts: parse(written) as AlertSpec[] })
    const alerts = specs.map((spec, index) => ({ index, spec }))
    t.strictSame(checkAlerts({ ...config, alerts }, targetsByName), [])
    return { base, table, catalogue, config: { ...config, alerts } } as never
  }
  let live = liveOf(rules)
  const reload = (written: string): void => {
    live = liveOf(written)
  }
  const lines = Object.assign((_: string, __: object, message: string) => void log.push(message), { writes: () => true })
  const kept = memory ? openSharedMemory(memory) : await openFileMemory(dir, lines)
  const updates = new Set<Promise<unknown>>()
  const update: typeof kept.update = (change) => {
    const updating = kept.update(change)
    updates.add(updating)
    void updating.catch(() => {}).finally(() => updates.delete(updating))
    return updating
  }
  /** Waits until no evaluation, sending or storing is in progress. */
  const settle = async (): Promise<void> => {
    do {
      await alerts.idle()
      await Promise.allSettled(updates)
      await new Promise(setImmediate)
    } while (updates.size > 0)
  }
  const alerts = new Alerts({
    clock: clock as Clock,
    log: lines,
    redact: (text) => text.replaceAll('hunter2', '[redacted]'),
    memory: { lead: () => kept.lead(), update },
    current: () => live,
    isShared: memory !== undefined,
    oldestMs: async () => state.backlogMs,
  })
  t.teardown(() => alerts.close())
  /** Lets so many minutes pass, with an evaluation each half minute, and lets each evaluation and each delivery end. */
  const pass = async (minutes: number): Promise<void> => {
    for (let i = 0; i < minutes * 2; i++) {
      clock.advance(30_000)
      await settle()
    }
  }
  clock.advance(0)
  await settle()
  return { alerts, clock, sent, log, state, pass, reload, settle, dir }
}

t.test('what begins within a minute is one message; its end is told once, and each kind has an end', async (t) => {
  const { alerts, sent, pass } = await open(t)
  tell(alerts, { ...down, at: 0, state: 'open' })
  tell(alerts, { kind: 'readiness_changed', at: 0, reason: 'the store does not answer: hunter2\u0007' })
  await pass(0.5)
  tell(alerts, { kind: 'config_refused' })
  await pass(5)
  t.equal(sent.length, 1)
  t.match(sent[0], /: 3 alerts\n/)
  t.match(
    sent[0],
    /ALERT breaker_open:telegram: the target telegram fails, and its deliveries wait: HTTP 500\. since 2026-01-05 12:00 UTC\. headgate targets list/,
  )
  t.match(sent[0], /ALERT not_ready: .*\[redacted\]\\u\{7\}/, 'neither a secret nor a control character goes out')
  t.match(sent[0], /ALERT reload_refused/)
  tell(alerts, { ...down, at: 0, state: 'half_open' })
  tell(alerts, { ...down, at: 0, state: 'open' })
  tell(alerts, { kind: 'readiness_changed', at: 0, reason: 'again' })
  await pass(10)
  t.equal(sent.length, 1, 'what fires is not told again')
  tell(alerts, { ...down, at: 0, state: 'closed' })
  tell(alerts, { kind: 'readiness_changed', at: 0 })
  tell(alerts, { kind: 'config_replaced', routes: 1, changes: { added: [], changed: [], removed: [] }, needRestart: [] })
  await pass(5)
  t.equal(sent.length, 2)
  t.match(
    sent[1],
    /: 3 over\nOVER breaker_open:telegram: the deliveries to the target telegram wait no more\. since 2026-01-05 12:00 UTC, until/,
  )
  await pass(120)
  t.equal(sent.length, 2)
  t.strictSame(alerts.view()?.firing, [])
})

t.test('direct deliveries that failed are told, as their senders may not repeat them', async (t) => {
  const { alerts, sent, pass } = await open(t, { rules: '[{ deliver: log, on: [delivery_failed] }]' })
  const failed: Fact = { ...ended, ended: { outcome: refuse('delivery_failed', { detail: 'slack: HTTP 503' }), stage: 'dispatch' } }
  for (let i = 0; i < 2; i++) tell(alerts, failed)
  await pass(3)
  t.match(sent, [
    /ALERT delivery_failed:orders: 2 direct deliveries of orders failed, the last: slack: HTTP 503\..* headgate events list --outcome delivery_failed --route orders/,
  ])
  await pass(61)
  t.match(sent.at(-1), /OVER delivery_failed:orders: no further direct delivery of orders has failed for an hour/)
})

t.test('payloads that do not fit the schema of their route are told', async (t) => {
  const { alerts, sent, pass } = await open(t, { rules: '[{ deliver: log }]' })
  for (let i = 0; i < 2; i++) tell(alerts, mismatched)
  await pass(3)
  t.match(sent, [
    /ALERT payload_mismatch:pr: 2 payloads of pr do not fit its schema, the last: number must be integer\..* headgate events list --route pr/,
  ])
  await pass(61)
  t.match(sent.at(-1), /OVER payload_mismatch:pr: all payloads of pr have fitted its schema for an hour/)
})

t.test('a cause without an end of its own is over when it stays away', async (t) => {
  const { alerts, sent, pass, state } = await open(t, { rules: '[{ deliver: log, refused_per_minute: 5, backlog_seconds: 600 }]' })
  tell(alerts, budget('nightly'))
  for (let i = 0; i < 5; i++) tell(alerts, forged)
  await pass(3)
  t.match(sent, [
    /ALERT budget_used_up:job nightly: a budget of job nightly is used up: budget\.day_tokens\..* headgate events list --job nightly/,
  ])
  t.notMatch(sent[0], /refused/, 'five in a minute are allowed')
  for (let i = 0; i < 4; i++) tell(alerts, forged)
  await pass(0.5)
  for (let i = 0; i < 2; i++) tell(alerts, forged)
  state.backlogMs = 900_000
  await pass(3)
  t.match(sent[1], /ALERT refused_signatures:orders: the route orders refuses signatures: 6 in a minute/)
  t.match(sent[1], /ALERT backlog_age: runs wait for too long: the oldest one for 15 min/)
  for (let i = 0; i < 8; i++) tell(alerts, forged)
  await pass(2)
  t.match(alerts.view()?.firing, [{}, { name: 'refused_signatures:orders', count: 14 }], 'each refusal is counted once')
  state.backlogMs = 1_000
  await pass(12)
  t.match(sent[2], /OVER backlog_age: no run waits for too long/)
  t.match(sent.at(-1), /OVER refused_signatures:orders/)
  tell(alerts, budget('nightly'))
  await pass(50)
  t.notMatch(sent.join(), /OVER budget/, 'it came again, and nobody is told')
  await pass(15)
  t.match(sent.at(-1), /OVER budget_used_up:job nightly: no run of job nightly has met a used-up budget for an hour/)
  t.equal(sent.length, 5)
})

t.test('an hour has so many messages; the rest waits for the next one, in bounded lines', async (t) => {
  const { alerts, sent, pass } = await open(t, { rules: '[{ deliver: log, max_per_hour: 2 }]' })
  for (let i = 0; i < 50; i++) {
    tell(alerts, budget(`job-${i}`))
    await pass(1)
  }
  t.equal(sent.length, 2)
  await pass(12)
  t.equal(sent.length, 3)
  t.match(sent[2], /headgate on .*: 4\d alerts/)
  t.match(sent[2], /and \d+ more: headgate alerts list\nSome of this has waited: there are at most 2 messages an hour/)
  t.equal(sent[2]?.split('\n').length, 23)
})

t.test('a restart tells nothing twice, also after a crash while a message was being sent', async (t) => {
  const dirs = newFolder(t, { first: {}, a: {}, b: {}, c: {}, pushover: {}, log: {} })
  const first = await open(t, { dir: join(dirs, 'first') })
  tell(first.alerts, { ...down, at: 0, state: 'open' })
  await first.pass(3)
  t.equal(first.sent.length, 1)
  // A copy of the file, while the process that writes it goes on, is what a kill leaves behind.
  cpSync(join(first.dir, 'state'), join(dirs, 'a', 'state'), { recursive: true })
  const second = await open(t, { dir: join(dirs, 'a') })
  await second.pass(10)
  t.strictSame(second.sent, [])
  tell(second.alerts, { ...down, at: 0, state: 'closed' })
  await second.pass(3)
  t.match(second.sent, [/OVER breaker_open:telegram/])

  // `pushover` cannot recognise a repeat, `log` can.
  for (const [target, folder, again] of [
    ['pushover', 'b', 0],
    ['log', 'c', 1],
  ] as const) {
    const rules = `[{ deliver: ${target} }]`
    const dir = join(dirs, target)
    let copied = false
    const dying = await open(t, {
      rules,
      dir,
      send: async () => {
        cpSync(join(dir, 'state'), join(dirs, folder, 'state'), { recursive: true })
        copied = true
        return { ok: true }
      },
    })
    tell(dying.alerts, { ...down, at: 0, state: 'open' })
    await dying.pass(3)
    t.ok(copied)
    const revived = await open(t, { rules, dir: join(dirs, folder), clock: fakeClock(start + 600_000) })
    await revived.pass(10)
    t.equal(revived.sent.length, again, target)
    t.equal(revived.log.includes('alert not delivered'), again === 0)
  }
})

t.test('a reload takes over new rules; what an earlier rule told ends in silence', async (t) => {
  const { alerts, sent, pass, reload } = await open(t, { rules: '[{ deliver: log, on: [budget_used_up] }]' })
  tell(alerts, budget('a'))
  tell(alerts, { ...down, at: 0, state: 'open' })
  await pass(2)
  t.match(sent, [/: 1 alert\n/], 'only the kinds of the rule')
  reload('[{ deliver: ntfy, deliver_extra: { topic: x } }, { deliver: log, on: [not_ready] }]')
  await pass(70)
  t.equal(sent.length, 1)
  tell(alerts, { kind: 'readiness_changed', at: 0, reason: 'x' })
  await pass(2)
  t.equal(sent.length, 3, 'both rules have this kind')
})

t.test('a silence is counted by the calendar of the route, over a change of summer time', async (t) => {
  // On Sunday 29 March 2026 the clocks of Berlin go from 2 to 3, so midnight to 4 is 23:00 to 2:00 UTC, three hours long.
  const clock = fakeClock(Date.UTC(2026, 2, 28, 21))
  const watch = (hours: number): string =>
    `{ deliver: log, silence: [{ route: orders, after_hours: ${hours}, during: "sat-sun 0-4", timezone: Europe/Berlin }] }`
  const rules = `[${watch(2.9)}, ${watch(3.1)}, { deliver: log, silence: [{ route: gone, after_hours: 1 }] }]`
  const dirs = newFolder(t, { first: {}, next: {} })
  const { alerts, sent, pass } = await open(t, { rules, clock, dir: join(dirs, 'first') })
  await pass(60)
  tell(alerts, accepted)
  await pass(60 + 173)
  t.strictSame(sent, [])
  await pass(3)
  t.match(sent, [/ALERT silence:orders: the route orders has had no accepted event: for 2\.9 h/])
  await pass(120)
  t.equal(sent.length, 1, 'there was no fourth hour, and nobody waits for a route that is gone')
  cpSync(join(dirs, 'first', 'state'), join(dirs, 'next', 'state'), { recursive: true })
  const next = await open(t, { rules, dir: join(dirs, 'next'), clock: fakeClock(clock.now() + 600_000) })
  await next.pass(5)
  t.strictSame(next.sent, [], 'a restart neither tells it again nor ends it')
  tell(next.alerts, accepted)
  await next.pass(2)
  t.match(next.sent, [/OVER silence:orders: the route orders has events again/])
})

t.test('alerts are silenced by name, by kind or all for a time, and told afterwards if they still fire', async (t) => {
  const { alerts, sent, pass } = await open(t)
  await alerts.mute('breaker_open', 600_000)
  await alerts.mute('budget_used_up:job a', 600_000)
  tell(alerts, { ...down, at: 0, state: 'open' })
  tell(alerts, { ...down, at: 0, target: 'slack', state: 'open' })
  tell(alerts, budget('a'))
  tell(alerts, budget('b'))
  await pass(3)
  t.match(sent, [/: 1 alert\nALERT budget_used_up:job b/])
  t.strictSame(
    alerts.view()?.muted.map(({ name }) => name),
    ['breaker_open', 'budget_used_up:job a'],
  )
  t.equal(alerts.view()?.firing.filter(({ muted }) => muted).length, 3)
  tell(alerts, { ...down, at: 0, target: 'slack', state: 'closed' })
  await alerts.mute('budget_used_up:job a', 0)
  await pass(2)
  t.match(sent[1], /: 1 alert\nALERT budget_used_up:job a/)
  await pass(8)
  t.equal(sent.length, 3)
  t.match(sent[2], /: 1 alert\nALERT breaker_open:telegram/, 'what was over meanwhile is not told')
})

t.test('a message that fails is tried again a few times, and makes no alert of its own', async (t) => {
  let isDown = true
  let tries = 0
  const send = async (): Promise<Sent> => {
    tries++
    return isDown ? { ok: false, why: 'HTTP 500', repeatable: true } : { ok: true }
  }
  const { alerts, sent, pass, log } = await open(t, { rules: '[{ deliver: telegram }]', send })
  tell(alerts, budget('a'))
  await pass(3)
  t.ok(tries > 0)
  tell(alerts, { ...down, at: 0, state: 'open' })
  tell(alerts, { ...down, at: 0, target: 'slack', state: 'open' })
  for (let minutes = 0; !log.includes('alert not delivered') && minutes < 60; minutes += 0.5) await pass(0.5)
  t.equal(tries, 6)
  isDown = false
  await pass(12)
  t.equal(sent.length, 1)
  t.match(sent[0], /ALERT breaker_open:slack/)
  t.notMatch(sent[0], /breaker_open:telegram/)
  t.match(sent[0], /1 earlier message could not be delivered/)
  t.strictSame(alerts.view()?.lost, [])
})

t.test('of two gateways one tells, and goes on alone while the database does not answer', async (t) => {
  const database = { entries: undefined as SharedEntries | undefined, leader: '', downFor: new Set<string>() }
  const port = (replica: string): Parameters<typeof openSharedMemory>[0] => {
    const ask = <T>(work: () => T): Promise<T> =>
      database.downFor.has(replica) ? Promise.reject(new StoreFault('gone')) : Promise.resolve(work())
    return {
      lead: () =>
        ask(() => {
          database.leader ||= replica
          return database.leader === replica
        }),
      readEntries: () => ask(() => database.entries),
      replaceEntries: (_, before, after) =>
        ask(() => {
          if (database.entries?.revision !== before) return false
          database.entries = after
          return true
        }),
    }
  }
  const clock = fakeClock(start)
  const rules = '[{ deliver: slack, refused_per_minute: 5 }]'
  let isRefusing = false
  const send = async (): Promise<Sent> => (isRefusing ? { ok: false, why: 'HTTP 500', repeatable: true } : { ok: true })
  const [a, b] = [await open(t, { rules, memory: port('a'), clock }), await open(t, { rules, memory: port('b'), clock, send })]
  const pass = async (minutes: number): Promise<void> => {
    for (let i = 0; i < minutes * 2; i++) {
      clock.advance(30_000)
      for (const { settle } of [a, b]) await settle()
    }
  }
  const tellBoth = (fact: Fact): void => {
    for (const { alerts } of [a, b]) tell(alerts, fact)
  }
  tell(b.alerts, budget('x'))
  await pass(3)
  t.match(a.sent, [/ALERT budget_used_up:job x/], 'the leader tells what the other one saw')
  for (const replica of ['a', 'b']) database.downFor.add(replica)
  tellBoth({ kind: 'readiness_changed', at: 0, reason: 'the store does not answer' })
  await pass(3)
  t.match(a.sent[1], /: 1 alert\nALERT not_ready:.*takes no events/)
  database.downFor.clear()
  tellBoth({ kind: 'readiness_changed', at: 0 })
  await pass(3)
  t.equal(a.sent.length, 3)
  t.match(a.sent[2], /OVER not_ready/)
  for (const replica of ['a', 'b']) database.downFor.add(replica)
  for (let i = 0; i < 7; i++) tell(b.alerts, forged)
  await pass(1)
  for (let i = 0; i < 2; i++) tell(b.alerts, forged)
  await pass(1)
  database.downFor.clear()
  await pass(1)
  t.match(a.alerts.view()?.firing.at(-1), { name: /^refused_signatures:orders/, count: 9 }, 'what could not be kept is counted later')
  await pass(60)
  a.sent.length = 3
  database.leader = 'b'
  await pass(5)
  t.strictSame(b.sent, [], 'a new leader tells nothing again')
  tell(b.alerts, { ...down, at: 0, state: 'open' })
  await pass(2)
  t.equal(b.sent.length, 1)
  t.ok(b.sent[0]?.includes(`ALERT breaker_open:telegram on ${hostname()}: `), 'the breaker of one machine')
  t.equal(a.sent.length, 3)

  // Gateway a leads until it loses the database, and gateway b, which still has it, becomes the leader.
  database.leader = 'a'
  tell(a.alerts, { kind: 'readiness_changed', at: 0, reason: 'the disk is full' })
  await pass(2)
  t.match(a.sent[3], /ALERT not_ready/)
  database.downFor.add('a')
  tell(a.alerts, { kind: 'readiness_changed', at: 0 })
  await pass(2)
  t.match(a.sent[4], /OVER not_ready/, 'the end is told while the gateway is alone')
  database.leader = 'b'
  tell(b.alerts, budget('y'))
  isRefusing = true
  await pass(2)
  database.downFor.clear()
  await pass(1)
  isRefusing = false
  // The wait before an attempt is random, up to ten minutes.
  await pass(11)
  t.match(b.sent.join('\n'), /ALERT budget_used_up:job y/, 'the messages of the new leader are not lost')
  t.equal(
    b.alerts.view()?.firing.some(({ kind }) => kind === 'not_ready'),
    false,
    'the end is one for all gateways',
  )

  // Gateway b leads. What is silenced at a is silenced for both, from the answer on.
  const told = () => [...a.sent, ...b.sent].filter((text) => text.includes('budget_used_up:job z')).length
  await a.alerts.mute('all', 3_600_000)
  tell(b.alerts, budget('z'))
  await pass(3)
  t.equal(told(), 0)
  t.match(b.alerts.view()?.muted, [{ name: 'all' }])
  await a.alerts.mute('all', 0)
  await pass(3)
  t.equal(told(), 1, 'what still fires is told then')
})

t.test('a gateway tells dead runs, used-up budgets and refused reloads, and answers for its alerts', async (t) => {
  const clock = fakeClock(start)
  const chat = await sink(t, (response, { url }) => response.writeHead(url === '/gone' ? 404 : 200).end('{}'))
  const model = await fakeModel(t, [
    { text: 'ok', usage: [1, 1] },
    { calls: [{ name: 'clarify', input: { question: 'x' } }], usage: [1000, 100] },
  ])
  const headers = { 'X-Team': 'on call' }
  const extra = { url: `${chat.origin}/alerts`, secret: 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=', headers }
  const config = {
    agent: { runner: 'openai', base_url: model.baseUrl, model: 'm' },
    alerts: [
      { deliver: 'http', deliver_extra: extra },
      { deliver: 'log', on: ['silence'], silence: [{ route: 'nowhere', after_hours: 1 }] },
    ],
  }
  const retry = { max_attempts: 1 }
  const routes = {
    orders: { prompt: 'a payload {x}', deliver: 'http', deliver_extra: { url: `${chat.origin}/gone` }, retry },
    tight: { prompt: 'p', agent: { budget: { run_tokens: 10 } }, retry },
  }
  const gateway = await startGateway(t, { clock, routes, config })
  const { operations, dir } = gateway
  await gateway.post('orders', { body: { x: 'not to be shown' } })
  await gateway.line(({ msg, route }) => msg === 'run is dead' && route === 'orders')
  await gateway.post('tight', { body: {} })
  await gateway.line(({ msg, route }) => msg === 'run is dead' && route === 'tight')
  const file = join(dir, 'config.yaml')
  const written = readFileSync(file, 'utf8')
  writeFileSync(file, written.replace('max_attempts: 1', 'max_attempts: none'))
  t.equal((await operations.reload()).ok, false)
  const look = async (): Promise<number> => {
    clock.advance(30_000)
    await operations.alerts()
    return chat.seen.filter(({ url }) => url === '/alerts').length
  }
  const told = async (count: number): Promise<string> => {
    await until(async () => (await look()) === count)
    return JSON.parse(chat.seen.findLast(({ url }) => url === '/alerts')?.body ?? '{}').text
  }
  const first = await told(1)
  const bodyOfLast = (): object => JSON.parse(chat.seen.findLast(({ url }) => url === '/alerts')?.body ?? '{}')
  t.match(chat.seen.find(({ url }) => url === '/alerts')?.headers, { 'x-team': 'on call', 'webhook-signature': /^v1,/ })
  for (const name of ['dead_run:orders', 'dead_run:tight', 'budget_used_up:tight', 'reload_refused']) t.match(first, `ALERT ${name}: `)
  t.match(first, /budget\.run_tokens/)
  const { alerts: several, ...plain } = bodyOfLast() as { readonly alerts: readonly { readonly key: string }[] }
  t.strictSame(Object.keys(plain), ['route', 'delivery_id', 'text'], 'several alerts stand in their list only')
  const inOrder = several.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  t.match(
    inOrder,
    [
      { kind: 'budget_used_up', severity: 'warning', key: 'budget_used_up:tight', state: 'firing' },
      { kind: 'dead_run', severity: 'error', key: 'dead_run:orders', state: 'firing', summary: /^a run of orders is dead, the last: / },
      { kind: 'dead_run', severity: 'error', key: 'dead_run:tight', state: 'firing' },
      { kind: 'reload_refused', severity: 'warning', key: 'reload_refused', state: 'firing' },
    ],
    'a receiver that reads fields knows what fires',
  )
  t.notMatch(first, /not to be shown/)
  t.same((await operations.status()).alerts?.toSorted(), ['budget_used_up:tight', 'dead_run:orders', 'dead_run:tight', 'reload_refused'])
  writeFileSync(file, written)
  t.equal((await operations.reload()).ok, true)
  t.match(await told(2), /: 1 over\nOVER reload_refused: the files are in use/)
  const over = { kind: 'reload_refused', key: 'reload_refused', state: 'resolved', summary: 'the files are in use' }
  t.match(bodyOfLast(), { ...over, alerts: [over] }, 'a sole alert has its fields beside the text, too')
  t.strictSame(
    (await operations.alerts()).alerts?.firing.map(({ rule, told }) => [rule, told]),
    [
      [1, true],
      [1, true],
      [1, true],
    ],
  )
  t.match(await operations.testAlerts({ rule: 1 }), { sent: [{ rule: 1, target: 'http', ok: true }] })
  t.match(bodyOfLast(), { kind: 'test', severity: 'info', key: 'test', state: 'firing' })
  t.strictSame(await operations.testAlerts({ rule: 3 }), { sent: [] })
  t.equal((await operations.muteAlerts({ name: 'all', seconds: 60 })).found, true)
  t.notMatch(readFileSync(join(dir, 'state', 'alerts.json'), 'utf8'), /whsec|not to be shown/)
  t.match(
    gateway.lines.filter(({ code }) => code === 'WH238').map(({ msg }) => msg),
    ['alerts[1]: no route "nowhere": its silence is not told'],
  )
})

t.test('a reload brings the first alerts, and a certificate that ends soon is told', async (t) => {
  const gateway = await startGateway(t, { routes: { orders: { prompt: 'p' } } })
  t.strictSame(await gateway.operations.alerts(), {}, 'no alerts are configured')
  t.strictSame(await gateway.operations.muteAlerts({ name: 'all', seconds: 1 }), { found: false })
  const pem = join(gateway.dir, 'ca.pem')
  writeFileSync(pem, certificateOf('ca', 5).pem)
  const settings = parse(readFileSync(join(gateway.dir, 'config.yaml'), 'utf8'))
  const alerts = [
    { deliver: 'log', on: ['certificate_ends'] },
    { deliver: 'log', on: ['certificate_ends'], ends_within_days: 2 },
  ]
  const odd = { routes: new Map(), profiles: new Map(), storage: { url: 'postgres://u:p@h/d?sslrootcert=/a%zz.pem' } }
  t.strictSame(readCertificates(odd as never), [], 'the name of a file with a broken escape')
  writeFileSync(join(gateway.dir, '.env'), `NODE_EXTRA_CA_CERTS=${pem}\n`)
  writeFileSync(join(gateway.dir, 'config.yaml'), stringify({ ...settings, alerts }))
  t.equal((await gateway.operations.reload()).ok, true)
  const { alerts: view } = await until(async () => {
    const answer = await gateway.operations.alerts()
    return answer.alerts?.firing.length === 1 && answer
  })
  t.match(view?.firing[0], { name: 'certificate_ends:NODE_EXTRA_CA_CERTS', told: false, detail: /^on 2\d{3}-/ })
})
