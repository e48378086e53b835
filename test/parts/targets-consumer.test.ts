/** What the contract of chat targets cannot show of WhatsApp, BlueBubbles, WeChat, QQ and Home Assistant: their ways, look-ups and codes. */

import t, { type Test } from 'tap'
import type { Clock } from '../../src/core/clock.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { createKeep } from '../../src/parts/targets/delivery/keep.ts'
import { settingsOf } from '../../src/parts/targets/delivery/settings.ts'
import { homeassistant } from '../../src/parts/targets/homeassistant.ts'
import { bluebubbles } from '../../src/parts/targets/messenger/bluebubbles.ts'
import { qqbot } from '../../src/parts/targets/messenger/qqbot.ts'
import { weixin } from '../../src/parts/targets/messenger/weixin.ts'
import { whatsapp } from '../../src/parts/targets/messenger/whatsapp.ts'
import type { Outgoing, Sent, TargetPart } from '../../src/parts/targets/target.ts'
import { adopt } from '../fakes/adopt.ts'
import { fakeClock } from '../fakes/clock.ts'
import { ownComments } from '../fakes/own-comments.ts'
import { bluebubbles as bluebubblesDouble } from '../fakes/platforms/bluebubbles.ts'
import { type Double, type Reply, type Running, startDouble } from '../fakes/platforms/double.ts'
import { homeassistant as homeassistantDouble } from '../fakes/platforms/homeassistant.ts'
import { qqbot as qqbotDouble } from '../fakes/platforms/qqbot.ts'
import { weixin as weixinDouble } from '../fakes/platforms/weixin.ts'
import { whatsappBridge, whatsapp as whatsappDouble } from '../fakes/platforms/whatsapp.ts'

const keep = createKeep(adopt)

type SendOptions = { readonly settings?: JsonObject; readonly extra?: JsonObject; readonly text?: string; readonly id?: string }
type Env = { readonly [name: string]: string }

/** A clock on which waiting takes no time. */
const quickClock = (): Clock & { readonly waits: number[] } => {
  const fake = fakeClock()
  const waits: number[] = []
  const after: Clock['after'] = (ms, then) => {
    waits.push(ms)
    fake.advance(ms)
    queueMicrotask(then)
    return () => {}
  }
  return { now: fake.now, monotonic: fake.monotonic, after, waits }
}

const sendTo = (
  part: TargetPart,
  settings: JsonObject,
  { extra = {}, text = 'hello', id = 'd1' }: SendOptions,
  env: Env = {},
  clock = quickClock(),
) => {
  const delivery = { target: part.name, extra }
  const outgoing: Outgoing = { text, profile: 'default', route: 'r', deliveryId: id, delivery, position: 0, budgetMs: 60_000 }
  return part.send(outgoing, {
    settings: settingsOf(part, { [part.name]: settings }, env),
    env,
    log: () => {},
    clock,
    keep,
    mark: ownComments.mark,
  })
}

/** A double, and what sends to it. */
const start = async (t: Test, part: TargetPart, double: Double) => {
  const running = await startDouble(t, double)
  const own = double.settings(running.origin)
  const send = (options: SendOptions, env?: Env, clock?: ReturnType<typeof quickClock>): Promise<Sent> =>
    sendTo(part, { ...own, ...options.settings }, options, env, clock)
  return { ...running, send }
}

const posted = ({ seen }: Pick<Running, 'seen'>, double: Double): JsonObject[] => seen.filter(double.posts).map(({ json }) => json ?? {})
const final = { ok: false, repeatable: false }
const long = 'Zwölf Boxkämpfer jagen Viktor.\n'.repeat(300)

t.test('whatsapp by the bridge', async (t) => {
  const { send, accepted, next, seen, origin } = await start(t, whatsapp, whatsappBridge)

  t.test('a number becomes the id of a chat, a group stays what it is', async (t) => {
    for (const chat_id of ['+49 170 123-4567', '120363041234567890@g.us']) t.match(await send({ extra: { chat_id } }), { ok: true })
    t.same(
      accepted.map(({ chat }) => chat),
      ['491701234567@s.whatsapp.net', '120363041234567890@g.us'],
    )
  })

  t.test('only the first part of a long text is an answer', async (t) => {
    accepted.length = 0
    t.match(await send({ text: long, extra: { chat_id: '491701234567', thread_id: '3EB0' } }), { ok: true })
    t.ok(accepted.length > 1)
    t.same(
      accepted.map(({ thread }) => thread),
      ['3EB0', ...accepted.slice(1).map(() => undefined)],
    )
  })

  t.test('without a link to WhatsApp nothing was sent: again later', async (t) => {
    next.push(whatsappBridge.limited.reply)
    t.match(await send({ extra: { chat_id: '491701234567' } }), { ok: false, repeatable: true, why: 'HTTP 503: Not connected to WhatsApp' })
  })

  t.test('WHATSAPP_ENABLED switches it on, at its usual address unless api_base says otherwise', async (t) => {
    accepted.length = 0
    const options = { extra: {} }
    const env = { WHATSAPP_HOME_CHANNEL: '491701234567' }
    t.match(await sendTo(whatsapp, { api_base: origin }, options, { ...env, WHATSAPP_ENABLED: 'true' }), { ok: true })
    t.match(await sendTo(whatsapp, { api_base: origin, bridge: true }, options, env), { ok: true })
    const before = seen.length
    t.match(await sendTo(whatsapp, { api_base: origin }, options, { ...env, WHATSAPP_ENABLED: 'false' }), {
      ...final,
      why: /^not connected/,
    })
    t.match(await sendTo(whatsapp, { api_base: origin, bridge: false }, options, env), { ...final, why: /^not connected/ })
    t.equal(accepted.length, 2)
    t.equal(seen.length, before)
  })

  t.test('half of the settings of the Cloud API is a mistake, not the bridge', async (t) => {
    const before = seen.length
    for (const [settings, missing] of [
      [{ phone_number_id: '1' }, 'access_token'],
      [{ access_token: 'canary-token' }, 'phone_number_id'],
    ] as const)
      t.match(await send({ settings, extra: { chat_id: '491701234567' } }), {
        ...final,
        why: `not connected: set platforms.whatsapp.${missing}`,
      })
    t.equal(seen.length, before)
  })
})

t.test('whatsapp by the Cloud API', async (t) => {
  const { send, accepted, seen, next } = await start(t, whatsapp, whatsappDouble)
  const chat_id = '491701234567'

  t.test('it wins over a bridge, and takes the id of a chat for its number', async (t) => {
    t.match(await send({ settings: { bridge_url: 'http://127.0.0.1:1' }, extra: { chat_id: '491701234567@s.whatsapp.net' } }), { ok: true })
    t.match(await send({ extra: {} }, { WHATSAPP_HOME_CHANNEL: '1', WHATSAPP_CLOUD_HOME_CHANNEL: '+49 (170) 1234567' }), { ok: true })
    t.match(accepted, [{ chat: chat_id }, { chat: chat_id }])
  })

  t.test('what it cannot send to or with is said, and goes nowhere', async (t) => {
    const before = seen.length
    t.match(await send({ extra: { chat_id: '120363041234567890@g.us' } }), { ...final, why: /phone numbers only/ })
    t.match(await send({ extra: { chat_id: 'Anna' } }), { ...final, why: /neither a phone number/ })
    t.match(await send({ settings: { phone_number_id: '../me' }, extra: { chat_id } }), { ...final, why: /phone_number_id/ })
    t.match(await send({ settings: { api_version: '20' }, extra: { chat_id } }), { ...final, why: /api_version/ })
    t.match(await send({ extra: { chat_id, template: 'Not A Name' } }), { ...final, why: /template/ })
    t.match(await send({ extra: { chat_id, template: '{x}' } }), { ...final, why: /placeholder/ })
    t.match(await send({ settings: { api_base: 'graph.facebook.com' }, extra: { chat_id } }), {
      ...final,
      why: /api_base is not a web address/,
    })
    t.equal(seen.length, before)
  })

  t.test('who has not written for a day gets a template only, whose value is one short line', async (t) => {
    accepted.length = 0
    t.match(await send({ extra: { chat_id: '49111' } }), { ...final, why: /deliver_extra\.template/ })
    t.match(await send({ text: `two\nlines\t      and a run`, extra: { chat_id: '49111', template: 'alert' } }), { ok: true })
    t.equal(accepted[0]?.text, 'two lines and a run')
    t.match(await send({ text: long.slice(0, 2000), extra: { chat_id: '49111', template: 'alert' } }), { ok: true })
    t.ok(accepted.slice(1).every(({ text }) => text.length <= 900))
  })

  t.test('a code that means "not now" may be repeated, others not', async (t) => {
    const refused = (code: number): Reply => ({ status: 400, body: { error: { message: 'no', code } } })
    for (const [code, repeatable] of [
      [130429, true],
      [131016, true],
      [131000, false],
      [131049, false],
    ] as const) {
      next.push(refused(code))
      t.match(await send({ extra: { chat_id } }), { ok: false, repeatable }, String(code))
    }
  })
})

t.test('bluebubbles', async (t) => {
  const running = await start(t, bluebubbles, bluebubblesDouble)
  const { send, accepted, seen } = running
  const chatsFor = async (options: SendOptions): Promise<string[]> => {
    accepted.length = 0
    t.match(await send(options), { ok: true })
    return accepted.map(({ chat }) => chat)
  }

  t.test('an address is looked up through all pages; a group that it takes part in is not meant', async (t) => {
    t.same(await chatsFor({ extra: { chat_id: '+15550001' } }), ['any;-;+15550001'])
    t.same(await chatsFor({ extra: { chat_id: 'friend@example.org' } }), ['iMessage;-;alias'])
    t.same(await chatsFor({ extra: { chat_id: 'chat1' } }), ['iMessage;+;chat1'])
  })

  t.test('an address without a chat gets a new one where the private API can make it', async (t) => {
    t.same(await chatsFor({ extra: { chat_id: 'new@example.org' } }), ['new:new@example.org'])
    accepted.length = 0
    const sent = await send({ settings: { method: 'apple-script' }, extra: { chat_id: 'new@example.org' } })
    t.match(sent, { ...final, why: /no chat with new@example\.org/ })
    t.equal(accepted.length, 0)
  })

  t.test('a look-up that fails posted nothing, and may be repeated', async (t) => {
    const broken = await start(t, bluebubbles, { ...bluebubblesDouble, answer: () => ({ status: 500, body: 'oops' }) })
    t.match(await broken.send({ extra: { chat_id: '+15550001' } }), { ok: false, repeatable: true })
    t.equal(posted(broken, bluebubblesDouble).length, 0)
  })

  t.test('an answer to a message takes the private API, a plain message what is set', async (t) => {
    seen.length = 0
    const settings = { method: 'apple-script' }
    for (const more of [{}, { thread_id: 'G' }]) await send({ settings, extra: { chat_id: bluebubblesDouble.chat, ...more } })
    t.match(posted(running, bluebubblesDouble), [
      { method: 'apple-script' },
      { method: 'private-api', selectedMessageGuid: 'G', partIndex: 0 },
    ])
  })

  t.test('settings that are none go nowhere', async (t) => {
    const before = seen.length
    const extra = { chat_id: bluebubblesDouble.chat }
    t.match(await send({ settings: { method: 'pigeon' }, extra }), { ...final, why: /method is not apple-script or private-api/ })
    t.match(await send({ settings: { server_url: 'mac.local:1234' }, extra }), { ...final, why: /server_url is not a web address/ })
    t.match(await send({ extra: { chat_id: 'iMessage;-;' } }), { ...final, why: /chat_id/ })
    t.equal(seen.length, before)
  })
})

t.test('weixin', async (t) => {
  const running = await start(t, weixin, weixinDouble)
  const { send, accepted, seen, next } = running
  const chat_id = weixinDouble.chat

  t.test('the token of a conversation goes along; one that has ended is left out', async (t) => {
    for (const context_token of ['canary-context', 'canary-old-context'])
      t.match(await send({ extra: { chat_id, context_token } }), { ok: true })
    const sent = posted(running, weixinDouble).map(({ msg }) => (msg as JsonObject).context_token)
    t.same(sent, ['canary-context', 'canary-old-context', undefined])
    t.equal(accepted.length, 2)
  })

  t.test('a login that has ended is said so, once', async (t) => {
    seen.length = 0
    for (const body of [
      { ret: -14, errmsg: 'session timeout' },
      { errcode: -2, errmsg: 'unknown error' },
    ]) {
      next.push({ status: 200, body })
      t.match(await send({ extra: { chat_id } }), { ...final, why: /login has ended/ })
    }
    t.equal(seen.length, 2)
  })

  t.test('a code of another kind is no success', async (t) => {
    for (const ret of ['-1', false, {}]) {
      next.push({ status: 200, body: { ret } })
      t.match(await send({ extra: { chat_id } }), final)
    }
    next.push({ status: 200, body: '{"ret":-14,"errmsg":"sess' }, { status: 200, body: ' {} ' })
    t.match(await send({ extra: { chat_id } }), final, 'broken off')
    t.match(await send({ extra: { chat_id } }), { ok: true })
  })

  t.test('there is a pause between parts, and every call has a UIN of its own', async (t) => {
    seen.length = 0
    const clock = quickClock()
    t.match(await send({ text: long, extra: { chat_id } }, {}, clock), { ok: true })
    t.ok(seen.length > 2)
    t.same(
      clock.waits,
      seen.slice(1).map(() => 300),
    )
    t.equal(new Set(posted(running, weixinDouble).map(({ msg }) => (msg as JsonObject).client_id)).size, seen.length)
    t.equal(new Set(seen.map(({ headers }) => headers['x-wechat-uin'])).size, seen.length)
  })

  t.test('a context_token that is none goes nowhere', async (t) => {
    const before = seen.length
    for (const context_token of ['', '{token}', ['x'], 'a\nb']) t.match(await send({ extra: { chat_id, context_token } }), final)
    t.equal(seen.length, before)
  })
})

t.test('qqbot', async (t) => {
  const running = await start(t, qqbot, qqbotDouble)
  const { send, accepted, seen, next } = running
  const tokens = () => seen.filter(({ path }) => path === '/app/getAppAccessToken').length

  t.test('users, groups and channels have ways of their own; digits alone are a channel, other ids a user', async (t) => {
    for (const chat_id of ['user:0A1B2C', 'group:9F8E7D', 'channel:778899', '778899', '0A1B2C'])
      t.match(await send({ extra: { chat_id } }), { ok: true })
    t.same(
      accepted.map(({ chat }) => chat),
      ['user:0A1B2C', 'group:9F8E7D', 'channel:778899', 'channel:778899', 'user:0A1B2C'],
    )
    const clock = quickClock()
    clock.after(3_600_000, () => {})
    t.match(await send({ extra: { chat_id: '778899' } }, {}, clock), { ok: true }, 'an hour later')
    t.equal(tokens(), 1)
    const before = seen.length
    for (const chat_id of ['guild:1', 'user:', 'group:../x', 'a b'])
      t.match(await send({ extra: { chat_id } }), { ...final, why: /chat_id is not/ })
    t.equal(seen.length, before)
  })

  t.test('an answer to a message has a number of its own, the same when it is repeated', async (t) => {
    accepted.length = 0
    const extra = { chat_id: 'group:9F8E7D', msg_id: 'M1' }
    for (const id of ['d1', 'd1', 'd2']) t.match(await send({ extra, id }), { ok: true })
    const [first, repeat, other] = accepted.map(({ key }) => key)
    t.match(first, /^M1 \d+$/)
    t.equal(first, repeat)
    t.not(first, other)
    t.match(await send({ extra: { ...extra, msg_id: '{id}' } }), { ...final, why: /placeholder/ })
  })

  t.test('a token that QQ no longer takes is fetched anew, once', async (t) => {
    seen.length = 0
    const stale: Reply = { status: 400, body: { code: 11243, message: 'token not exist or expire' } }
    next.push(stale)
    t.match(await send({ extra: { chat_id: 'user:0A1B2C' } }), { ok: true })
    t.equal(tokens(), 1)
    next.push(stale, stale)
    t.match(await send({ extra: { chat_id: 'user:0A1B2C' } }), { ...final, why: /11243/ })
    t.equal(tokens(), 2)
  })

  t.test('no token: wrong credentials are final, an API in trouble is not', async (t) => {
    const extra = { chat_id: 'user:0A1B2C' }
    t.match(await send({ settings: { app_id: '1' }, extra }), {
      ...final,
      why: 'no access token: HTTP 200: 100016 invalid appid or secret',
    })
    const broken = await start(t, qqbot, { ...qqbotDouble, answer: () => ({ status: 502, body: 'oops' }) })
    t.match(await broken.send({ extra }), { ok: false, repeatable: true, why: 'no access token: HTTP 502' })
  })

  t.test('what QQ refuses or holds back is told plainly', async (t) => {
    for (const [reply, why] of [
      [{ status: 202, body: { id: 'audit', code: 304023, message: 'push message is waiting for audit now' } }, /304023.*has reviewed it/],
      [{ status: 400, body: { code: 40034105, err_code: 40034105, message: '主动消息失败, 无权限' } }, /msg_id/],
      [{ status: 500, body: { code: 304003, message: 'url not allowed' } }, /304003 url not allowed/],
    ] as const) {
      next.push(reply)
      t.match(await send({ extra: { chat_id: 'user:0A1B2C' } }), { ...final, why })
    }
    next.push({ status: 400, body: { code: 22009, message: 'msg limit exceed' } })
    t.match(await send({ extra: { chat_id: 'user:0A1B2C' } }), { ok: false, repeatable: true, why: /22009/ })
  })

  t.test('QQBOT_HOME_CHANNEL wins over the old name', async (t) => {
    accepted.length = 0
    const old = { QQ_HOME_CHANNEL: 'user:0A1B2C' }
    for (const env of [old, { ...old, QQBOT_HOME_CHANNEL: 'group:9F8E7D' }]) t.match(await send({ extra: {} }, env), { ok: true })
    t.match(accepted, [{ chat: 'user:0A1B2C' }, { chat: 'group:9F8E7D' }])
  })
})

t.test('homeassistant', async (t) => {
  const running = await start(t, homeassistant, homeassistantDouble)
  const { send, accepted, next, seen } = running

  t.test('without a chat it is a persistent notification, one for each message however often it is sent', async (t) => {
    for (const id of ['d1', 'd1', 'd2']) t.match(await send({ extra: {}, id }), { ok: true })
    t.match(accepted[0]?.chat, /^persistent_notification:headgate_[0-9a-f]{24}$/)
    t.equal(accepted[0]?.chat, accepted[1]?.chat)
    t.not(accepted[0]?.chat, accepted[2]?.chat)
    next.push('silence', { status: 500, body: 'oops' })
    t.match(await homeassistantIn(running, 200), { ok: false, repeatable: true, why: 'no answer in time' })
    t.match(await send({ extra: {} }), { ok: false, repeatable: true, why: 'HTTP 500' })
  })

  t.test('HASS_HOME_CHANNEL is its home channel', async (t) => {
    accepted.length = 0
    t.match(await send({ extra: {} }, { HASS_HOME_CHANNEL: 'kitchen', HOMEASSISTANT_HOME_CHANNEL: 'notify' }), { ok: true })
    t.match(accepted, [{ chat: 'kitchen' }])
  })

  t.test('notification_id may be given; parts do not overwrite each other', async (t) => {
    accepted.length = 0
    const extra = { notification_id: 'disk' }
    t.match(await send({ extra }), { ok: true })
    t.match(await send({ extra, text: long.slice(0, 6000) }), { ok: true })
    t.same(
      accepted.map(({ chat }) => chat),
      ['disk', 'disk', 'disk_2'].map((id) => `persistent_notification:${id}`),
    )
    const before = seen.length
    for (const notification_id of ['{disk.id}', '', { a: 1 }]) t.match(await send({ extra: { notification_id } }), final)
    t.equal(seen.length, before)
  })

  t.test('an entity gets it by its id; what is none is the service of that name', async (t) => {
    accepted.length = 0
    for (const chat_id of ['notify.phone', 'notify.kitchen']) t.match(await send({ extra: { chat_id } }), { ok: true })
    t.match(accepted, [{ chat: 'notify.phone' }, { chat: 'kitchen' }])
    t.match(await send({ extra: { chat_id: 'notify.attic' } }), { ok: false, repeatable: true, why: /unavailable/ })
    t.match(await send({ extra: { chat_id: 'notify.nobody' } }), {
      ...final,
      why: 'HTTP 400: services/notify/nobody is unknown, or refuses the message',
    })
    t.equal(accepted.length, 2)
  })

  t.test('a title is not rendered either, wherever it goes', async (t) => {
    for (const more of [{}, { chat_id: 'kitchen' }, { chat_id: 'notify.phone' }]) {
      seen.length = 0
      t.match(await send({ extra: { title: '{{ x }}{%', ...more }, text: '{{{# y #}' }), { ok: true })
      const [data = {}] = posted(running, homeassistantDouble)
      for (const text of [data.title, data.message]) t.notMatch(text, /\{[{%#]/)
      t.match(data, { title: /x/, message: /y/ })
    }
  })

  t.test('an address that is none goes nowhere', async (t) => {
    const before = seen.length
    t.match(await send({ settings: { url: 'homeassistant.local:8123' }, extra: {} }), { ...final, why: /url is not a web address/ })
    for (const chat_id of ['light.kitchen', '../config', 'notify.', 'Phone'])
      t.match(await send({ extra: { chat_id } }), { ...final, why: /chat_id/ })
    t.equal(seen.length, before)
    t.equal(settingsOf(homeassistant, {}, {}).url, 'http://homeassistant.local:8123')
  })
})

const homeassistantIn = ({ origin }: Running, budgetMs: number): Promise<Sent> => {
  const settings = homeassistantDouble.settings(origin)
  const delivery = { target: 'homeassistant', extra: {} }
  const outgoing: Outgoing = { text: 'hello', profile: 'default', route: 'r', deliveryId: 'd1', delivery, position: 0, budgetMs }
  return homeassistant.send(outgoing, { settings, env: {}, log: () => {}, clock: quickClock(), keep, mark: ownComments.mark })
}
