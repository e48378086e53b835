/** Checks what every target must keep to, on a double of the platform that it speaks to. */

import t, { type Test } from 'tap'
import type { Profile } from '../../src/config/config.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Delivery } from '../../src/core/new-run.ts'
import type { Route } from '../../src/generated/config.ts'
import { readDelivery } from '../../src/parts/destination.ts'
import { createKeep } from '../../src/parts/targets/delivery/keep.ts'
import { receiverState } from '../../src/parts/targets/delivery/receiver.ts'
import { keysOfExtra, missingOf, platformOf, settingsOf } from '../../src/parts/targets/delivery/settings.ts'
import { targetsByName } from '../../src/parts/targets/index.ts'
import { lengthIn } from '../../src/parts/targets/kit/split.ts'
import type { Outgoing, Sent, TargetPart } from '../../src/parts/targets/target.ts'
import { unreadSettings } from '../../src/plan/settings.ts'
import { createSender } from '../../src/runs/sender.ts'
import { adopt } from '../fakes/adopt.ts'
import { fakeClock } from '../fakes/clock.ts'
import { ownComments } from '../fakes/own-comments.ts'
import { type Double, extraFor, type Running, startDouble } from '../fakes/platforms/double.ts'
import { hasGh } from '../fakes/platforms/github.ts'
import { doubles } from '../fakes/platforms/index.ts'
import { closedOrigin } from '../fakes/sink.ts'

const keep = createKeep(adopt)

const partOf = (name: string): TargetPart => {
  const part = targetsByName.get(name)
  if (!part) throw new Error(`no target ${name}`)
  return part
}

type SendOptions = Partial<Outgoing> & {
  readonly extra?: JsonObject
  readonly settings?: JsonObject
  readonly env?: { readonly [name: string]: string }
  readonly clock?: Clock
}

/** A double that runs, and the means to send to it. */
type Stage = {
  readonly double: Double
  readonly origin: string
  /** The settings that connect to the double. */
  readonly settings: JsonObject
  /** Returns the `deliver_extra` that leads to a chat. */
  readonly at: (chat: string) => JsonObject
  /** Sends to the double's chat with no settings, unless the options say otherwise. */
  readonly send: (options: SendOptions) => Promise<Sent>
  /** Makes the double forget what it has seen and accepted, and returns it. */
  readonly fresh: () => Running
}

const stageOf = (double: Double, running: Running): Stage => {
  const { origin, seen, accepted, next } = running
  const part = partOf(double.target)
  const at = (chat: string): JsonObject => extraFor(double, chat, origin)
  const send: Stage['send'] = ({ settings = {}, env = {}, clock = systemClock, extra, ...more }) => {
    const outgoing: Outgoing = {
      text: 'hello',
      profile: 'default',
      route: 'r',
      deliveryId: 'd1',
      delivery: { target: double.target, extra: { ...double.extra, ...(extra ?? at(double.chat)) } },
      position: 0,
      budgetMs: 20_000,
      ...more,
    }
    const known = { ...double.surroundings?.(origin), ...env }
    return part.send(outgoing, {
      settings: settingsOf(part, { [platformOf(part)]: settings }, known),
      env: known,
      log: () => {},
      clock,
      keep,
      mark: ownComments.mark,
    })
  }
  const fresh = (): Running => {
    for (const list of [seen, accepted, next]) list.length = 0
    return running
  }
  return { double, origin, settings: double.settings(origin), at, send, fresh }
}

const profileWith = (platforms: Profile['platforms']): Profile => ({ name: 'default', dir: '', env: {}, jobs: new Map(), platforms })

/** Makes a clock on which waiting takes no time. */
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

/** Returns every text among some settings that is a credential. No message may show one. */
const canaries = (...settings: readonly JsonObject[]): string[] =>
  settings.flatMap((each) => Object.values(each)).filter((value): value is string => typeof value === 'string' && value.includes('canary'))

const long = Array.from({ length: 400 }, (_, i) => `${i}. Zwölf Boxkämpfer 👩‍👩‍👧 jagen Viktor quer über den großen Sylter Deich.`)
const squeezed = (text: string): string => text.replace(/\s+/g, '')

t.test('every target is in the table, but the log, which nothing can refuse', async (t) => {
  t.same([...new Set(doubles.map(({ target }) => target))].sort(), [...targetsByName.keys()].filter((name) => name !== 'log').sort())
})

// What a double lacks is left out of the table below, so it must be what its target does not have.
t.test('a target has threads, chats and credentials exactly where its double has them', async (t) => {
  for (const [name, part] of targetsByName) {
    const own = doubles.filter(({ target }) => target === name)
    if (own.length === 0) continue
    const has = (trait: keyof Double): boolean => own.some((double) => double[trait] !== undefined)
    t.equal(keysOfExtra(part)?.includes('thread_id') === true, has('thread'), `${name}: threads`)
    t.equal(part.needs !== undefined || (part.settings ?? []).length > 0, has('wrong'), `${name}: credentials`)
    t.equal(has('address'), part.chat === undefined && keysOfExtra(part)?.includes('chat_id') !== true, `${name}: chats`)
  }
})

for (const double of doubles) {
  const title = double.way === undefined ? double.target : `${double.target} by ${double.way}`
  t.test(title, { skip: double.target === 'github_comment' && !hasGh() && 'gh is not installed' }, async (t) => {
    const stage = stageOf(double, await startDouble(t, double))
    await talks(t, stage)
    await fails(t, stage)
  })
}

const talks = async (t: Test, { double, origin, settings, at, send, fresh }: Stage): Promise<void> => {
  const { api_base: base } = settings
  const based = base === undefined ? {} : { api_base: base }
  const hasEnv = Object.keys(double.env(origin)).length > 0

  t.test('a text arrives, once, where it should', async (t) => {
    const { accepted } = fresh()
    t.match(await send({ settings }), { ok: true })
    t.match(accepted, [{ chat: double.chat, text: 'hello' }])
    t.equal(accepted.length, 1)
  })

  if (hasEnv)
    t.test('settings may come from the environment, by their conventional names', async (t) => {
      const { accepted } = fresh()
      t.match(await send({ settings: based, env: double.env(origin), deliveryId: 'by-env' }), { ok: true })
      t.equal(accepted.length, 1)
    })

  if (hasEnv)
    t.test('and from the file by the same names, in small letters, without the prefix', async (t) => {
      const { accepted } = fresh()
      const prefix = `${platformOf(partOf(double.target)).toUpperCase()}_`
      const short = Object.entries(double.env(origin)).map(([name, value]) => [
        (name.startsWith(prefix) ? name.slice(prefix.length) : name.replace(/^[A-Z]+_/, '')).toLowerCase(),
        value,
      ])
      t.match(await send({ settings: { ...based, ...Object.fromEntries(short) }, deliveryId: 'by-file' }), { ok: true })
      t.equal(accepted.length, 1)
    })

  if (double.address === undefined)
    t.test('without chat_id it goes to the home channel; chat_id wins', async (t) => {
      const { accepted } = fresh()
      t.match(await send({ settings: { ...settings, home_channel: double.chat }, extra: {} }), { ok: true })
      t.equal(accepted.length, 1)
      if (double.unknownChat === undefined) return
      t.match(await send({ settings: { ...settings, home_channel: double.unknownChat } }), { ok: true })
      t.equal(accepted.length, 2)
    })

  if (double.thread !== undefined)
    t.test('message_thread_id, and else thread_id, selects the thread', async (t) => {
      const { accepted } = fresh()
      for (const thread of [{ thread_id: double.thread }, { message_thread_id: double.thread, thread_id: 'another' }])
        t.match(await send({ settings, extra: { ...at(double.chat), ...thread } as JsonObject }), { ok: true })
      t.match(accepted, [{ thread: double.thread }, { thread: double.thread }])
    })

  t.test('a text that is too long arrives in parts, in order, whole characters each', async (t) => {
    const { accepted } = fresh()
    const text = double.limit ? long.join('\n').slice(0, double.limit.max * 3) : long.join('\n')
    t.match(await send({ settings, text: text.trimEnd(), clock: quickClock(), budgetMs: 600_000, deliveryId: 'long' }), { ok: true })
    for (const { text } of accepted) {
      t.equal(Buffer.from(text).toString(), text, 'well-formed')
      if (double.limit) t.ok(lengthIn(double.limit.unit, text) <= double.limit.max)
    }
    t.ok(double.limit ? accepted.length > 1 : accepted.length === 1, `${accepted.length} parts`)
    if (accepted.length < 30) t.equal(squeezed(accepted.map(({ text }) => text).join('')), squeezed(Buffer.from(text).toString()))
  })

  if (double.limit)
    t.test('a text of just the limit is one message, one more are two', async (t) => {
      for (const more of [0, 1]) {
        const { accepted } = fresh()
        t.match(await send({ settings, text: 'x'.repeat((double.limit?.max ?? 0) + more), clock: quickClock() }), { ok: true })
        t.equal(accepted.length, 1 + more)
      }
    })

  if (double.hostile)
    t.test('what would mention, command or render something is harmless', async (t) => {
      for (const { text, never } of double.hostile ?? []) {
        const { accepted, seen } = fresh()
        t.match(await send({ settings, text }), { ok: true }, text)
        t.equal(accepted.length > 0, true)
        t.notOk(
          accepted.some((message) => never.test(message.text)),
          text,
        )
        if (double.harmless) t.ok(seen.filter(double.posts).every(double.harmless), text)
      }
    })

  if (double.idempotent)
    t.test('the same message has the same key, another one another', async (t) => {
      const { accepted } = fresh()
      const variants: SendOptions[] = [
        {},
        {},
        { deliveryId: 'd2' },
        { route: 'other' },
        { profile: 'other' },
        { job: 'j' },
        { position: 1 },
      ]
      // Two threads of one chat need two keys: otherwise the platform would take the second message for a repeat of the first.
      if (double.thread !== undefined) variants.push({ extra: { ...at(double.chat), thread_id: double.thread } })
      for (const options of variants) t.match(await send({ settings, ...options }), { ok: true })
      const keys = accepted.map(({ key }) => key)
      t.ok(
        keys.every((key) => typeof key === 'string' && key.length >= 16),
        'too long to be met by chance',
      )
      t.equal(new Set(keys).size, variants.length - 1)
      t.ok(keys.length < variants.length || keys[0] === keys[1], 'a repeat is not posted, or has the key of the first')
    })
}

const fails = async (t: Test, { double, origin, settings, at, send, fresh }: Stage): Promise<void> => {
  const secrets = canaries(settings, double.wrong?.(origin) ?? {}, double.env(origin), at(double.chat))
  const final = { ok: false, repeatable: false }
  const refused = async (t: Test, sent: Sent): Promise<void> => {
    if (sent.ok) return
    t.ok(sent.why.length > 3 && sent.why.length < 600)
    for (const secret of secrets) t.notOk(sent.why.includes(secret) || sent.why.includes(encodeURIComponent(secret)), sent.why)
  }

  if (double.wrong)
    t.test('refused credentials are final, and never told', async (t) => {
      const { accepted } = fresh()
      t.match(await send({ settings }), { ok: true }, 'others were accepted just now')
      const sent = await send({ settings: double.wrong?.(origin) ?? {} })
      t.match(sent, final)
      await refused(t, sent)
      t.equal(accepted.length, 1)
    })

  if (partOf(double.target).needs)
    t.test('a profile has its own settings only', async (t) => {
      const { accepted } = fresh()
      const platform = platformOf(partOf(double.target))
      const env = double.surroundings?.(origin) ?? {}
      const profiles = new Map([
        ['default', { name: 'default', dir: '/', platforms: { [platform]: settings }, env, jobs: new Map() }],
        ['other', { name: 'other', dir: '/', platforms: {}, env, jobs: new Map() }],
      ])
      const written = { deliver: double.target, deliver_extra: at(double.chat) }
      const options = { targets: targetsByName, facts: { emit: () => {} }, keep, clock: systemClock, ownComments }
      const sender = createSender({ ...options, profile: (name) => profiles.get(name) })
      const delivery = readDelivery(written as Route, targetsByName, () => {}) as Delivery
      const outgoing = { text: 'hello', route: 'r', deliveryId: 'profiles', delivery, position: 0, budgetMs: 20_000 }
      t.match(await sender({ ...outgoing, profile: 'default' }, written as Route), { ok: true })
      t.match(await sender({ ...outgoing, profile: 'other' }, written as Route), { ...final, why: /not connected/ })
      t.equal(accepted.length, 1)
    })

  if (double.unknownChat !== undefined)
    t.test('an unknown chat is final', async (t) => {
      const { accepted } = fresh()
      const sent = await send({ settings, extra: at(double.unknownChat ?? '') })
      t.match(sent, final)
      t.not(receiverState(sent), 'down', 'no breaker counts it')
      await refused(t, sent)
      t.equal(accepted.length, 0)
    })

  t.test('an address that the payload did not fill, or with control characters, goes nowhere', async (t) => {
    const { seen } = fresh()
    const to = (chat: string): JsonObject => (double.address ? at(chat) : { chat_id: chat })
    for (const chat of ['{chat.id}', 'a{b}c', '1\n2', '']) t.match(await send({ settings, extra: to(chat) }), final, chat)
    if (double.ownChat) t.match(await send({ settings, extra: to(double.chat) }), { ...final, why: /a chat of its own/ })
    if (!double.address) t.match(await send({ settings, extra: { ...at(double.chat), thread_id: '{thread}' } }), final)
    t.equal(seen.length, 0)
  })

  t.test('an empty text goes nowhere', async (t) => {
    const { seen } = fresh()
    for (const text of ['', ' \n ']) t.match(await send({ settings, text }), final)
    t.equal(seen.filter(double.posts).length, 0)
  })

  if (partOf(double.target).needs)
    t.test('without its settings it says which are missing', async (t) => {
      const part = partOf(double.target)
      t.ok(missingOf(part, {}).length > 0)
      t.match(await send({}), { ...final, why: /not connected: set platforms\.\w+/ })
      t.same(missingOf(part, settings), [])
    })

  t.test('a rate limit is told; one that ends in time is waited for', async (t) => {
    const { accepted, next } = fresh()
    const { reply, waitMs } = double.limited
    next.push(reply)
    const hasty = await send({ settings, budgetMs: Math.max(900, double.startMs ?? 0), clock: quickClock() })
    t.match(hasty, { ok: false, repeatable: true, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) })
    await refused(t, hasty)
    t.equal(receiverState(hasty), 'down', 'a breaker counts it')
    t.equal(accepted.length, 0)
    // gh does not say how long to wait, and GitHub asks for more time than any delivery has.
    if (waitMs === undefined || double.target === 'github_comment') return
    next.push(reply)
    const clock = quickClock()
    t.match(await send({ settings, budgetMs: waitMs + 20_000, clock }), { ok: true })
    t.equal(clock.waited(), waitMs)
    t.equal(accepted.length, 1)
    for (let i = 0; i < 4; i++) next.push(reply)
    t.match(await send({ settings, budgetMs: waitMs * 10, clock: quickClock() }), { ok: false, repeatable: true }, 'not for ever')
    t.equal(next.length, 0)
    t.equal(accepted.length, 1)
  })

  t.test('no answer in time: it is repeated only where that cannot post twice', async (t) => {
    const { next, seen } = fresh()
    next.push('silence')
    const sent = await send({ settings, budgetMs: double.startMs ?? 150 })
    t.match(sent, { ok: false, repeatable: double.idempotent })
    t.equal(receiverState(sent), 'down', 'a breaker counts it')
    t.equal(seen.filter(double.posts).length, 1)
    await refused(t, sent)
  })

  t.test('a server error too', async (t) => {
    const { next } = fresh()
    for (const status of double.listen ? [500] : [408, 425, 500, 502, 503, 504]) {
      next.push({ status, body: 'oops' })
      const sent = await send({ settings })
      t.match(sent, { ok: false, repeatable: double.idempotent || status === double.limited.reply.status }, String(status))
      if (status >= 500 && !double.listen) t.equal(receiverState(sent), 'down', `a breaker counts ${status}`)
      await refused(t, sent)
    }
    if (double.listen) return
    next.push({ status: 503, body: 'oops', headers: { 'retry-after': '60' } })
    t.match(await send({ settings }), { ok: false, repeatable: true, retryAfterMs: 60_000 })
  })

  t.test('an answer that is no JSON, or a redirect, is no success', async (t) => {
    const { next, seen } = fresh()
    const page = { status: 200, body: '<html>' }
    const redirect = { status: 302, headers: { location: `${origin}/elsewhere` } }
    for (const reply of double.byStatus ? [redirect] : [page, redirect]) {
      next.push(reply)
      const sent = await send({ settings })
      t.match(sent, { ok: false })
      await refused(t, sent)
    }
    t.notOk(seen.some(({ path }) => path === '/elsewhere'))
  })

  t.test('nobody listens: nothing was sent, so it may be repeated', async (t) => {
    const stage = stageOf(double, { ...fresh(), origin: double.closed?.(t) ?? (await closedOrigin()) })
    const sent = await stage.send({ settings: stage.settings })
    t.match(sent, { ok: false, repeatable: true })
    await refused(t, sent)
  })

  if (double.hidden)
    t.test('an error that comes with 200 is an error', async (t) => {
      const { next, accepted } = fresh()
      if (double.hidden) next.push(double.hidden)
      const sent = await send({ settings })
      t.match(sent, { ok: false })
      await refused(t, sent)
      t.equal(accepted.length, 0)
    })

  if (double.limit)
    t.test('some parts of a long text arrive: how many is told', async (t) => {
      const { next, accepted } = fresh()
      const text = long.join('\n').slice(0, (double.limit?.max ?? 0) * 2)
      next.push({ status: 500, body: 'oops' })
      t.match(await send({ settings, text, clock: quickClock() }), { ok: false, why: /^(?!\d+ of)/ })
      t.equal(accepted.length, 0)
      // A repeat would post the parts before the failed one twice, also where the answer means "not now".
      for (const reply of [{ status: 500, body: 'oops' }, double.limited.reply]) {
        let posts = 0
        const breaking: Double = {
          ...double,
          answer: (request, ...more) => (double.posts(request) && ++posts > 1 ? reply : double.answer(request, ...more)),
        }
        const stage = stageOf(breaking, await startDouble(t, breaking))
        const sent = await stage.send({ settings: stage.settings, text, clock: quickClock() })
        t.match(sent, { ok: false, why: /^1 of \d+ messages sent: /, repeatable: double.idempotent })
      }
    })
}

t.test('validate knows each setting that a target reads', (t) => {
  for (const double of doubles) {
    const part = partOf(double.target)
    const given = [double.settings('http://127.0.0.1:1'), double.wrong?.('http://127.0.0.1:1') ?? {}]
    for (const settings of given)
      t.same(unreadSettings(profileWith({ [platformOf(part)]: settings }), [...targetsByName.values()]), [], double.target)
  }
  t.end()
})
