import { generateKeyPairSync } from 'node:crypto'
import t, { type Test } from 'tap'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { createKeep } from '../../src/parts/targets/delivery/keep.ts'
import { settingsOf } from '../../src/parts/targets/delivery/settings.ts'
import { targetsByName } from '../../src/parts/targets/index.ts'
import { issuedToken, type TokenSource, withToken } from '../../src/parts/targets/kit/token-cache.ts'
import type { Outgoing, Sent } from '../../src/parts/targets/target.ts'
import { adopt } from '../fakes/adopt.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { ownComments } from '../fakes/own-comments.ts'
import { dingtalk, dingtalkApp } from '../fakes/platforms/dingtalk.ts'
import { type Double, extraFor, type Reply, type Running, startDouble } from '../fakes/platforms/double.ts'
import { feishu, feishuBot } from '../fakes/platforms/feishu.ts'
import { googleAccount, googleChat, googleChatApp } from '../fakes/platforms/google-chat.ts'
import { teams } from '../fakes/platforms/teams.ts'
import { wecom, wecomApp, wecomBot } from '../fakes/platforms/wecom.ts'

const keep = createKeep(adopt)

type SendOptions = Partial<Outgoing> & { readonly extra?: JsonObject; readonly settings?: JsonObject; readonly clock?: Clock }

/** A double that runs, and how to send to it. */
const run = async (t: Test, double: Double) => {
  const running = await startDouble(t, double)
  const send = ({ extra = {}, settings = {}, clock = systemClock, ...more }: SendOptions = {}): Promise<Sent> => {
    const part = targetsByName.get(double.target)
    if (!part) throw new Error(`no target ${double.target}`)
    const all = settingsOf(part, { [double.target]: { ...double.settings(running.origin), ...settings } }, {})
    const delivery = { target: double.target, extra }
    const outgoing: Outgoing = { text: 'hello', profile: 'p', route: 'r', deliveryId: 'd', delivery, position: 0, budgetMs: 5000, ...more }
    return part.send(outgoing, { settings: all, env: {}, log: () => {}, clock, keep, mark: ownComments.mark })
  }
  return { ...running, send }
}

const final = { ok: false, repeatable: false }
const chats = ({ accepted }: Pick<Running, 'accepted'>): string[] => accepted.map(({ chat }) => chat)

// ---- tokens

/** A shop that numbers its tokens; each identity is of its own, for the cache is shared. */
const shop = (name: string, lifeMs = 7_200_000, clock = fakeClock()) => {
  const sold: string[] = []
  const source: TokenSource = {
    identity: ['https://a.example', name],
    clock,
    keep,
    fetchToken: async () => {
      sold.push(`${name}-token-${sold.length + 1}`)
      return { token: sold.at(-1) ?? '', lifeMs }
    },
  }
  return { sold, source, clock }
}

t.test('a token is bought once, until shortly before its end', async (t) => {
  const { sold, source, clock } = shop('once')
  const used: string[] = []
  const use = async (token: string): Promise<Sent> => {
    used.push(token)
    return { ok: true }
  }
  await Promise.all([withToken(source, use), withToken(source, use), withToken(source, use)])
  clock.advance(7_019_000)
  await withToken(source, use)
  t.equal(sold.length, 1)
  clock.advance(2000)
  await withToken(source, use)
  t.same(used, [...Array(4).fill('once-token-1'), 'once-token-2'])
  const short = shop('short', 100_000)
  for (const ms of [0, 89_000, 2000]) {
    short.clock.advance(ms)
    await withToken(short.source, use)
  }
  t.equal(short.sold.length, 2, 'a tenth of a short life is left')
})

t.test('a token that the API no longer takes is bought anew, once, and never told', async (t) => {
  const { sold, source } = shop('stale')
  const refuse = (token: string): Sent => ({ ok: false, why: `bad token ${token}`, repeatable: false })
  t.match(await withToken(source, async (token) => (token.endsWith('1') ? { stale: refuse(token) } : { ok: true })), { ok: true })
  t.equal(sold.length, 2)
  t.match(await withToken(source, async (token) => ({ stale: refuse(token) })), { ...final, why: 'bad token ***' })
  t.equal(sold.length, 3, 'the one that was kept was refused, and so was the next')
  t.match(await withToken(source, async (token) => refuse(token)), { why: 'bad token ***' })
  t.equal(sold.length, 4, 'what was refused is not kept')
})

t.test('a token that cannot be bought is not kept, nor one of another credential used', async (t) => {
  const { source } = shop('refused')
  const refusal: Sent = { ok: false, why: 'no', repeatable: true }
  t.match(await withToken({ ...source, fetchToken: async () => refusal }, async () => ({ ok: true })), refusal)
  t.match(await withToken(source, async (token) => ({ ok: true, detail: token })), { detail: 'refused-token-1' })
  const others = { identity: ['https://b.example', 'refused'], clock: source.clock, keep, fetchToken: shop('other').source.fetchToken }
  t.match(await withToken(others, async (token) => ({ ok: true, detail: token })), { detail: 'other-token-1' })
  const broken = { ...source, identity: ['broken'], fetchToken: () => Promise.reject(new Error('thrown')) }
  await t.rejects(withToken(broken, async () => ({ ok: true })))
  t.match(await withToken({ ...broken, fetchToken: source.fetchToken }, async () => ({ ok: true })), { ok: true })
})

t.test('what no token is, is none', async (t) => {
  t.same([issuedToken('', 7200), issuedToken(undefined, 7200), issuedToken(7, 7200)], [undefined, undefined, undefined])
  t.same([issuedToken('a', 7200), issuedToken('a', '7200')], Array(2).fill({ token: 'a', lifeMs: 7_200_000 }))
  t.same([issuedToken('a', undefined), issuedToken('a', 'soon'), issuedToken('a', -1)], Array(3).fill({ token: 'a', lifeMs: 0 }))
})

for (const [double, stale] of [
  [dingtalkApp, { status: 400, body: { code: 'InvalidAuthentication', message: '不合法的access_token' } }],
  [feishu, { status: 400, body: { code: 99991663, msg: 'Invalid access token for authorization.' } }],
  [wecomApp, { status: 200, body: { errcode: 42001, errmsg: 'access_token expired' } }],
  [googleChatApp, { status: 401, body: { error: { code: 401, status: 'UNAUTHENTICATED', message: 'expired' } } }],
] as const) {
  t.test(`${double.target}: one token serves many messages; a stale one is replaced within the delivery`, async (t) => {
    const { send, seen, next, accepted } = await run(t, double)
    const extra = { chat_id: double.chat }
    for (const deliveryId of ['1', '2', '3']) t.match(await send({ extra, deliveryId }), { ok: true })
    t.equal(seen.length, 4)
    next.push(stale)
    t.match(await send({ extra }), { ok: true })
    t.equal(seen.length, 7)
    t.equal(accepted.length, 4)
    next.push(stale, stale)
    t.match(await send({ extra }), final)
  })

  t.test(`${double.target}: while no token is to be had nothing was posted`, async (t) => {
    const isToken = (reply: Reply): Double => ({
      ...double,
      answer: (request, ...more) => (double.posts(request) ? double.answer(request, ...more) : reply),
    })
    for (const [reply, repeatable] of [
      [{ status: 500, body: 'oops' }, true],
      [{ status: 429, body: {} }, true],
      [{ status: 200, body: '<html>' }, false],
      [{ status: 200, body: { code: 0, errcode: 0 } }, false],
    ] as const) {
      const { send, accepted } = await run(t, isToken(reply))
      t.match(await send({ extra: { chat_id: double.chat } }), { ok: false, repeatable }, String(reply.body))
      t.equal(accepted.length, 0)
    }
  })
}

t.test('a token that comes when the time is over posts nothing: that it failed was told already', async (t) => {
  for (const double of [dingtalkApp, feishu, wecomApp, googleChatApp]) {
    const clock = fakeClock(Date.now())
    const { send, seen } = await run(t, {
      ...double,
      answer: (request, ...more) => {
        if (!double.posts(request)) clock.advance(6000)
        return double.answer(request, ...more)
      },
    })
    const sent = await send({ extra: { chat_id: double.chat }, clock })
    t.match(sent, { ok: false, repeatable: true, why: 'no time left' }, double.target)
    t.same(seen.filter(double.posts), [])
  }
})

// ---- two ways

for (const [double, app] of [
  [dingtalk, dingtalkApp],
  [feishuBot, feishu],
  [wecom, wecomApp],
  [googleChat, googleChatApp],
] as const) {
  t.test(`${double.target}: the webhook needs no chat; with an app too, a named chat is the app's`, async (t) => {
    const hook = await run(t, double)
    const other = await run(t, app)
    const settings = app.settings(other.origin)
    t.match(await hook.send(), { ok: true, detail: 'to the chat of the webhook' })
    t.match(await hook.send({ extra: { chat_id: 'elsewhere' } }), { ...final, why: /a chat of its own/ })
    t.match(await hook.send({ settings: { home_channel: 'elsewhere' } }), { ok: true, detail: 'to the chat of the webhook' })
    t.match(await hook.send({ settings }), { ok: true })
    t.equal(hook.accepted.length, 3)
    t.equal(other.seen.length, 0)
    t.match(await hook.send({ settings, extra: { chat_id: app.chat } }), { ok: true })
    t.same(chats(other), [app.chat])
    t.match(await other.send(), { ...final, why: /no chat_id/ })
    t.match(await hook.send({ settings: { webhook_url: 'https://' } }), { ...final, why: /webhook_url is not a web address/ })
  })
}

t.test('a text of nothing but escapes fits into the body', async (t) => {
  for (const double of [dingtalk, dingtalkApp, feishu, feishuBot, googleChat, googleChatApp, teams]) {
    const { send, accepted } = await run(t, double)
    const text = 'she said "\\"\n'.repeat(4000)
    t.match(await send({ text, extra: extraFor(double, double.chat, '') }), { ok: true }, double.target)
    const arrived = accepted.map(({ text }) => text).join('')
    t.equal(arrived.replace(/\s/g, ''), text.replace(/\s/g, ''))
  }
})

t.test('a text without a place to cut fills every message but the last', async (t) => {
  for (const double of [dingtalk, dingtalkApp, feishu, feishuBot, googleChat, googleChatApp, teams, wecom, wecomApp]) {
    const { send, accepted } = await run(t, double)
    const max = double.limit?.max ?? 0
    t.match(await send({ text: 'x'.repeat(max + 100), extra: extraFor(double, double.chat, '') }), { ok: true }, double.target)
    t.ok(accepted.length === 2 && (accepted[0]?.text.length ?? 0) > max - 40, double.target)
    t.equal(accepted.map(({ text }) => text).join('').length, max + 100)
  }
})

t.test('what a crash broke off is not sent again; the rest of a message is where the way can tell a repeat', async (t) => {
  for (const double of [dingtalkApp, feishu, googleChatApp, teams, wecomApp]) t.equal(targetsByName.get(double.target)?.repeatable, false)
  for (const double of [feishu, feishuBot, googleChat, googleChatApp]) {
    let posts = 0
    const { send } = await run(t, {
      ...double,
      answer: (request, ...more) => (double.posts(request) && ++posts === 2 ? { status: 429, body: {} } : double.answer(request, ...more)),
    })
    const sent = await send({ text: 'x'.repeat(40_000), extra: extraFor(double, double.chat, ''), budgetMs: 4000 })
    t.match(
      sent,
      { ok: false, why: /^1 of \d messages sent: HTTP 429/, repeatable: double.idempotent },
      `${double.target} by ${double.way}`,
    )
  }
})

// ---- dingtalk

t.test('dingtalk: a person is reached one to one, and what did not reach them is a failure', async (t) => {
  const { send, next, ...running } = await run(t, dingtalkApp)
  for (const chat_id of ['manager1', 'user:manager1']) t.match(await send({ extra: { chat_id } }), { ok: true })
  t.same(chats(running), ['user:manager1', 'user:manager1'])
  t.match(await send({ extra: { chat_id: 'user:nobody' } }), { ...final, why: /no such person/ })
  next.push({ status: 200, body: { processQueryKey: 'q', flowControlledStaffIdList: ['manager1'] } })
  t.match(await send({ extra: { chat_id: 'manager1' } }), { ok: false, repeatable: true, retryAfterMs: 60_000 })
  next.push({ status: 200, body: { processQueryKey: 'q', filteredStaffIdList: ['manager1'] } })
  t.match(await send({ extra: { chat_id: 'manager1' } }), { ...final, why: /out of reach/ })
  const posts = running.seen.length
  for (const chat_id of ['a b', 'user:', 'https://x.example', 'cidGroup 1', 'cid?x'])
    t.match(await send({ extra: { chat_id } }), { ...final, why: /chat_id is neither/ }, chat_id)
  t.equal(running.seen.length, posts)
})

t.test('dingtalk: an app whose robot has another code says it; a webhook without a secret is not signed', async (t) => {
  const app = await run(t, dingtalkApp)
  t.match(await app.send({ extra: { chat_id: dingtalkApp.chat }, settings: { robot_code: 'other' } }), { ...final, why: /robotCode/ })
  const hook = await run(t, dingtalk)
  t.match(await hook.send({ settings: { secret: '' } }), { ...final, why: /310000/ })
  t.notOk(hook.seen[0]?.query.has('sign'))
})

t.test('dingtalk: an answer that quotes the token of the webhook does not tell it', async (t) => {
  const { send, next } = await run(t, dingtalk)
  next.push({ status: 200, body: { errcode: 300001, errmsg: 'token canary-dingtalk-robot-access-token is not exist' } })
  t.match(await send(), { ...final, why: 'HTTP 200: 300001 token *** is not exist' })
})

// ---- feishu

t.test('feishu: the kind of an id is read from it', async (t) => {
  const { send, ...running } = await run(t, feishu)
  const ids = ['oc_1', 'ou_1', 'on_1', 'a@b.example', 'u1']
  for (const chat_id of ids) t.match(await send({ extra: { chat_id } }), { ok: true }, chat_id)
  t.same(chats(running), ids)
})

t.test('feishu: a topic is answered by way of a message in it', async (t) => {
  const { send, accepted, seen } = await run(t, feishu)
  t.match(await send({ extra: { chat_id: 'oc_1', thread_id: 'omt_1' } }), { ok: true })
  t.match(accepted, [{ thread: 'om_root' }])
  t.match(await send({ extra: { chat_id: 'oc_1', thread_id: 'omt_2' } }), { ...final, why: /has no message/ })
  const calls = seen.length
  for (const thread_id of ['77', 'om_../x', 'om_a?b']) t.match(await send({ extra: { chat_id: 'oc_1', thread_id } }), final, thread_id)
  t.equal(seen.length, calls)
})

t.test('feishu: its rate limit may say how long; its domain is one of two', async (t) => {
  const { send, next } = await run(t, feishu)
  const extra = { chat_id: 'oc_1' }
  next.push({ status: 400, body: { code: 99991400, msg: 'request trigger frequency limit' }, headers: { 'x-ogw-ratelimit-reset': '40' } })
  t.match(await send({ extra }), { ok: false, repeatable: true, retryAfterMs: 40_000 })
  t.match(await send({ extra, settings: { domain: 'example.org' } }), { ...final, why: /domain is not feishu or lark/ })
  const bot = await run(t, feishuBot)
  bot.next.push({ status: 200, body: { StatusCode: 0, StatusMessage: 'success' } })
  t.match(await bot.send(), { ok: true }, 'the answer of old')
})

// ---- wecom

t.test('wecom: messages of one bot take turns, for a second connection ends the first', async (t) => {
  const { send, accepted, next, seen } = await run(t, wecomBot)
  const to = { chat_id: 'zhangsan' }
  const texts = ['a', 'b', 'c', 'd']
  for (const sent of await Promise.all(texts.map((text) => send({ extra: to, text })))) t.match(sent, { ok: true })
  t.same(accepted.map(({ text }) => text).sort(), texts)
  next.push('silence')
  const first = send({ extra: to, budgetMs: 600 })
  t.match(await send({ extra: to, budgetMs: 100 }), { ok: false, repeatable: true, why: /other messages of this bot/ })
  t.match(await first, { ok: false, repeatable: false, why: 'no answer in time' })
  t.match(await send({ extra: to, text: 'after' }), { ok: true }, 'whoever gave up holds nobody up')
  t.equal(seen.filter(wecomBot.posts).length, texts.length + 2)
  next.push({ status: 200, body: { errcode: 0, errmsg: 'x'.repeat(70_000) } })
  t.match(await send({ extra: to }), { ok: false, repeatable: false, why: 'the connection broke off (WS_ERR_UNSUPPORTED_MESSAGE_LENGTH)' })
})

t.test('wecom: the bot is refused for chats that are none, and a redirect or a page is no connection', async (t) => {
  const { send, seen } = await run(t, wecomBot)
  for (const chat_id of ['a b', 'party:2', '<@x>', '@all']) t.match(await send({ extra: { chat_id } }), final, chat_id)
  const page = await run(t, { ...wecom, answer: () => ({ status: 200, body: 'canary' }) })
  for (const websocket_url of [page.origin, `${page.origin}/#x`]) {
    const sent = await send({ extra: { chat_id: 'zhangsan' }, settings: { websocket_url } })
    t.match(sent, { ok: false, why: /^(?:no connection \(|its address is not)/ })
    t.notMatch(sent, { why: /canary|127\.0\.0\.1/ })
  }
  t.same(seen, [])
})

t.test('wecom: people, departments, tags and group chats; never everybody', async (t) => {
  const { send, ...running } = await run(t, wecomApp)
  const ids = ['zhangsan', 'party:2', 'tag:3', 'chat:chat1']
  for (const chat_id of ids) t.match(await send({ extra: { chat_id } }), { ok: true }, chat_id)
  t.same(chats(running), ids)
  const calls = running.seen.length
  for (const chat_id of ['@all', 'user:@all', 'zhangsan|lisi', 'chat:', 'a b'])
    t.match(await send({ extra: { chat_id } }), { ...final, why: /chat_id is no id/ }, chat_id)
  t.match(await send({ extra: { chat_id: 'zhangsan' }, settings: { agent_id: 'one' } }), { ...final, why: /agent_id is not a number/ })
  t.equal(running.seen.length, calls)
  t.match(await send({ extra: { chat_id: 'half' } }), { ...final, why: /no such receiver/ }, 'with errcode 0')
  for (const lost of ['invalidparty', 'invalidtag', 'unlicenseduser']) {
    running.next.push({ status: 200, body: { errcode: 0, errmsg: 'ok', invaliduser: '', [lost]: '2' } })
    t.match(await send({ extra: { chat_id: 'party:2' } }), { ...final, why: /no such receiver/ }, lost)
  }
  for (const errcode of [40001, 40014]) {
    running.next.push({ status: 200, body: { errcode, errmsg: 'invalid access_token' } })
    t.match(await send({ extra: { chat_id: 'zhangsan' } }), { ok: true }, 'with a new token')
  }
})

// ---- google_chat

t.test('google_chat: a thread is named, or of our own key; the key of the account may be in a file', async (t) => {
  const { send, accepted } = await run(t, googleChatApp)
  const settings = { service_account_json: `${newFolder(t, { 'key.json': googleAccount })}/key.json` }
  for (const thread_id of ['spaces/AAA/threads/T1', 'nightly'])
    t.match(await send({ settings, extra: { chat_id: 'AAA', thread_id } }), { ok: true }, thread_id)
  t.match(accepted, [{ thread: 'spaces/AAA/threads/T1' }, { thread: 'nightly' }])
})

t.test('google_chat: a key that is none, or a chat that is no space, goes nowhere', async (t) => {
  const { send, seen } = await run(t, googleChatApp)
  const { privateKey } = generateKeyPairSync('ed25519')
  const keyed = (private_key: string): string => JSON.stringify({ client_email: 'a@b.example', private_key })
  const extra = { chat_id: 'spaces/AAA' }
  for (const [service_account_json, why] of [
    ['/nowhere/canary.json', /neither a key nor a file/],
    ['{"canary"', /has no client_email/],
    ['{"client_email":"a@b.example"}', /has no client_email and private_key/],
    [keyed('canary'), /no RSA key/],
    [keyed(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()), /no RSA key/],
  ] as const) {
    const sent = await send({ extra, settings: { service_account_json } })
    t.match(sent, { ...final, why })
    t.notOk(!sent.ok && sent.why.includes('canary'))
  }
  for (const chat_id of ['spaces/AAA/messages', '../x', 'users/1'])
    t.match(await send({ extra: { chat_id } }), { ...final, why: /no space/ })
  t.equal(seen.length, 0)
})

t.test('google_chat and teams: an answer that quotes a piece of the address does not tell it', async (t) => {
  for (const double of [googleChat, teams]) {
    const { send, origin } = await run(t, double)
    const sent = await send({ settings: double.wrong?.(origin) ?? {} })
    t.match(sent, { ...final, why: /\*\*\*/ })
    t.notOk(!sent.ok && sent.why.includes('canary'))
  }
})

// ---- teams

t.test('teams: what a connector answers with 200 is read', async (t) => {
  const { send, next } = await run(t, teams)
  const passed = (status: number): string =>
    `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${status}`
  next.push({ status: 200, body: '1' }, { status: 200 }, { status: 200, body: passed(429) }, { status: 200, body: passed(413) })
  t.match(await send(), { ok: true })
  t.match(await send(), { ok: true })
  t.match(await send(), { ok: false, repeatable: true, why: /Teams answered HTTP 429/ })
  t.match(await send(), { ...final, why: /Teams answered HTTP 413/ })
})
