/** What every target that speaks to a platform's API keeps to, shown on a double of that API. */

import t, { type Test } from 'tap'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Outgoing, Sent, TargetPart } from '../../src/parts/part.ts'
import { missingOf, platformOf, settingsOf } from '../../src/parts/settings.ts'
import { lengthIn } from '../../src/parts/split.ts'
import { targetsByName } from '../../src/parts/targets/index.ts'
import { fakeClock } from '../fakes/clock.ts'
import { type Double, type Running, startDouble } from '../fakes/platforms/double.ts'
import { doubles } from '../fakes/platforms/index.ts'
import { closedOrigin } from '../fakes/sink.ts'

const partOf = (name: string): TargetPart => {
  const part = targetsByName.get(name)
  if (!part) throw new Error(`no target ${name}`)
  return part
}

type Wish = Partial<Outgoing> & {
  readonly extra?: JsonObject
  readonly settings?: JsonObject
  readonly env?: { readonly [name: string]: string }
  readonly clock?: Clock
}

/** Sends as a gateway would, with the double's chat unless `extra` says otherwise. */
const send = (double: Double, { settings = {}, env = {}, clock = systemClock, extra, ...more }: Wish): Promise<Sent> => {
  const part = partOf(double.target)
  const delivery = { target: double.target, extra: { ...double.extra, ...(extra ?? { chat_id: double.chat }) } }
  const outgoing: Outgoing = {
    text: 'hello',
    profile: 'default',
    route: 'r',
    deliveryId: 'd1',
    delivery,
    place: 0,
    budgetMs: 20_000,
    ...more,
  }
  return part.send(outgoing, { settings: settingsOf(part, { [part.platform ?? part.name]: settings }, env), env, log: () => {}, clock })
}

/** A clock on which waiting takes no time. */
const quickClock = (): Clock & { readonly waited: () => number } => {
  const fake = fakeClock()
  let waited = 0
  const after: Clock['after'] = (ms, then) => {
    waited += ms
    fake.advance(ms)
    queueMicrotask(then)
    return () => {}
  }
  return { now: fake.now, monotonic: fake.monotonic, after, waited: () => waited }
}

/** Every text among some settings that is a credential; none may ever be told. */
const canaries = (...settings: readonly JsonObject[]): string[] =>
  settings.flatMap((each) => Object.values(each)).filter((value): value is string => typeof value === 'string' && value.includes('canary'))

const long = Array.from({ length: 400 }, (_, i) => `${i}. Zwölf Boxkämpfer 👩‍👩‍👧 jagen Viktor quer über den großen Sylter Deich.`)
const squeezed = (text: string): string => text.replace(/\s+/g, '')

for (const double of doubles) {
  t.test(double.way === undefined ? double.target : `${double.target} by ${double.way}`, async (t) => {
    const running = await startDouble(t, double)
    const settings = double.settings(running.origin)
    const fresh = (): Running => {
      for (const list of [running.seen, running.accepted, running.next]) list.length = 0
      return running
    }
    await talks(t, double, fresh, settings)
    await fails(t, double, fresh, settings)
  })
}

const talks = async (t: Test, double: Double, fresh: () => Running, settings: JsonObject): Promise<void> => {
  t.test('a text arrives, once, where it should', async (t) => {
    const { accepted } = fresh()
    t.match(await send(double, { settings }), { ok: true })
    t.match(accepted, [{ chat: double.chat, text: 'hello' }])
    t.equal(accepted.length, 1)
  })

  t.test('settings may come from the environment, by their conventional names, which win', async (t) => {
    const { accepted, origin } = fresh()
    const { api_base: base } = settings
    const env = double.env(origin)
    t.ok(Object.keys(env).length > 0)
    t.match(await send(double, { settings: base === undefined ? {} : { api_base: base }, env }), { ok: true })
    t.equal(accepted.length, 1)
  })

  t.test('and in the file by the same names without the prefix of the platform, in small letters', async (t) => {
    const { accepted, origin } = fresh()
    const short = Object.entries(double.env(origin)).map(([name, value]) => {
      const prefix = `${platformOf(partOf(double.target)).toUpperCase()}_`
      return [(name.startsWith(prefix) ? name.slice(prefix.length) : name.replace(/^[A-Z]+_/, '')).toLowerCase(), value]
    })
    const { api_base: base } = settings
    t.match(await send(double, { settings: { ...(base === undefined ? {} : { api_base: base }), ...Object.fromEntries(short) } }), {
      ok: true,
    })
    t.equal(accepted.length, 1)
  })

  t.test('without chat_id it goes to the home channel; chat_id wins', async (t) => {
    const { accepted } = fresh()
    t.match(await send(double, { settings: { ...settings, home_channel: double.chat }, extra: {} }), { ok: true })
    t.equal(accepted.length, 1)
    if (double.unknownChat === undefined) return
    t.match(await send(double, { settings: { ...settings, home_channel: double.unknownChat } }), { ok: true })
    t.equal(accepted.length, 2)
  })

  t.test(
    'message_thread_id, and else thread_id, selects the thread',
    { skip: double.thread === undefined && 'it has no threads' },
    async (t) => {
      const { accepted } = fresh()
      for (const thread of [{ thread_id: double.thread }, { message_thread_id: double.thread, thread_id: 'another' }])
        t.match(await send(double, { settings, extra: { chat_id: double.chat, ...thread } as JsonObject }), { ok: true })
      t.match(accepted, [{ thread: double.thread }, { thread: double.thread }])
    },
  )

  t.test('a text that is too long arrives in parts, in order, whole characters each', async (t) => {
    const { accepted } = fresh()
    const text = double.limit ? long.join('\n').slice(0, double.limit.max * 3) : long.join('\n')
    t.match(await send(double, { settings, text: text.trimEnd(), clock: quickClock(), budgetMs: 600_000 }), { ok: true })
    for (const { text } of accepted) {
      t.equal(Buffer.from(text).toString(), text, 'well-formed')
      if (double.limit) t.ok(lengthIn(double.limit.unit, text) <= double.limit.max)
    }
    t.ok(double.limit ? accepted.length > 1 : accepted.length === 1, `${accepted.length} parts`)
    if (accepted.length < 30) t.equal(squeezed(accepted.map(({ text }) => text).join('')), squeezed(Buffer.from(text).toString()))
  })

  t.test('what would mention, command or render something is harmless', { skip: !double.hostile && 'nothing is live in it' }, async (t) => {
    for (const { text, never } of double.hostile ?? []) {
      const { accepted, seen } = fresh()
      t.match(await send(double, { settings, text }), { ok: true }, text)
      t.notOk(
        accepted.some((message) => never.test(message.text)),
        text,
      )
      if (double.harmless) t.ok(seen.filter(double.posts).every(double.harmless), text)
    }
  })

  t.test('the same message has the same key, another one another', { skip: !double.idempotent && 'it cannot tell a repeat' }, async (t) => {
    const { accepted } = fresh()
    for (const more of [{}, {}, { deliveryId: 'd2' }, { route: 'other' }, { profile: 'other' }]) await send(double, { settings, ...more })
    const keys = accepted.map(({ key }) => key)
    t.ok(keys.every((key) => typeof key === 'string' && key !== ''))
    t.equal(keys[0], keys[1])
    t.equal(new Set(keys).size, 4)
  })
}

const fails = async (t: Test, double: Double, fresh: () => Running, settings: JsonObject): Promise<void> => {
  const secrets = (origin: string) => canaries(settings, double.wrong?.(origin) ?? {}, double.env(origin))
  const final = { ok: false, repeatable: false }
  const refused = async (t: Test, sent: Sent, origin: string): Promise<void> => {
    if (sent.ok) return
    t.ok(sent.why.length > 3 && sent.why.length < 600)
    for (const secret of secrets(origin)) t.notOk(sent.why.includes(secret) || sent.why.includes(encodeURIComponent(secret)), sent.why)
  }

  t.test('refused credentials are final, and never told', { skip: !double.wrong && 'it asks for none' }, async (t) => {
    const { accepted, origin } = fresh()
    const sent = await send(double, { settings: double.wrong?.(origin) ?? {} })
    t.match(sent, final)
    await refused(t, sent, origin)
    t.equal(accepted.length, 0)
  })

  t.test('an unknown chat is final', { skip: double.unknownChat === undefined && 'it has no chats' }, async (t) => {
    const { accepted, origin } = fresh()
    const sent = await send(double, { settings, extra: { chat_id: double.unknownChat ?? '' } })
    t.match(sent, final)
    await refused(t, sent, origin)
    t.equal(accepted.length, 0)
  })

  t.test('an address that the payload did not fill, or with control characters, goes nowhere', async (t) => {
    const { seen } = fresh()
    for (const chat_id of ['{chat.id}', 'a{b}c', '1\n2', '']) t.match(await send(double, { settings, extra: { chat_id } }), final, chat_id)
    t.match(await send(double, { settings, extra: { chat_id: double.chat, thread_id: '{thread}' } }), final)
    t.equal(seen.length, 0)
  })

  t.test('an empty text goes nowhere', async (t) => {
    const { seen } = fresh()
    for (const text of ['', ' \n ']) t.match(await send(double, { settings, text }), final)
    t.equal(seen.filter(double.posts).length, 0)
  })

  t.test('without its settings it says which are missing', async (t) => {
    const part = partOf(double.target)
    t.ok(missingOf(part, {}).length > 0)
    const sent = await send(double, {})
    t.match(sent, { ...final, why: /not connected: set platforms\.\w+/ })
    t.same(missingOf(part, settings), [])
  })

  t.test('a rate limit is waited for when there is time, and told when there is not', async (t) => {
    const { accepted, next, origin } = fresh()
    const { reply, waitMs } = double.limited
    next.push(reply)
    const hasty = await send(double, { settings, budgetMs: 900, clock: quickClock() })
    t.match(hasty, { ok: false, repeatable: true, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) })
    await refused(t, hasty, origin)
    t.equal(accepted.length, 0)
    if (waitMs === undefined) return
    next.push(reply)
    const clock = quickClock()
    t.match(await send(double, { settings, budgetMs: waitMs + 20_000, clock }), { ok: true })
    t.equal(clock.waited(), waitMs)
    t.equal(accepted.length, 1)
  })

  t.test('no answer in time: it is repeated only where that cannot post twice', async (t) => {
    const { next, origin } = fresh()
    next.push('silence')
    const sent = await send(double, { settings, budgetMs: 150 })
    t.match(sent, { ok: false, repeatable: double.idempotent })
    await refused(t, sent, origin)
  })

  t.test('a server error too', async (t) => {
    const { next, origin } = fresh()
    next.push({ status: 500, body: 'oops' })
    const sent = await send(double, { settings })
    t.match(sent, { ok: false, repeatable: double.idempotent })
    await refused(t, sent, origin)
  })

  t.test('an answer that is no JSON, or a redirect, is no success', async (t) => {
    const { next, seen, origin } = fresh()
    for (const reply of [
      { status: 200, body: '<html>' },
      { status: 302, headers: { location: `${origin}/elsewhere` } },
    ] as const) {
      next.push(reply)
      const sent = await send(double, { settings })
      t.match(sent, { ok: false })
      await refused(t, sent, origin)
    }
    t.notOk(seen.some(({ path }) => path === '/elsewhere'))
  })

  t.test('nobody listens: nothing was sent, so it may be repeated', async (t) => {
    fresh()
    const origin = await closedOrigin()
    const sent = await send(double, { settings: double.settings(origin) })
    t.match(sent, { ok: false, repeatable: true })
    await refused(t, sent, origin)
  })

  t.test('an error that comes with 200 is an error', { skip: !double.hidden && 'it has none' }, async (t) => {
    const { next, accepted, origin } = fresh()
    if (double.hidden) next.push(double.hidden)
    const sent = await send(double, { settings })
    t.match(sent, { ok: false })
    await refused(t, sent, origin)
    t.equal(accepted.length, 0)
  })

  t.test('some parts of a long text arrive: how many is told', { skip: !double.limit && 'it goes out whole' }, async (t) => {
    const { next, accepted } = fresh()
    const text = long.join('\n').slice(0, (double.limit?.max ?? 0) * 2)
    next.push({ status: 500, body: 'oops' })
    t.match(await send(double, { settings, text, clock: quickClock() }), { ok: false, why: /^(?!\d+ of)/ })
    let posts = 0
    const once = double.answer
    t.equal(accepted.length, 0)
    const running = await startDouble(t, {
      ...double,
      answer: (request, accept) => (double.posts(request) && ++posts === 2 ? { status: 500, body: 'oops' } : once(request, accept)),
    })
    const sent = await send(double, { settings: double.settings(running.origin), text, clock: quickClock() })
    t.match(sent, { ok: false, why: /^1 of \d+ messages sent: /, repeatable: double.idempotent })
  })
}
