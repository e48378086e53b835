/** What the contract of chat targets cannot show of Discord, Matrix, Mattermost, Signal, Slack and Telegram: their ways, look-ups and ids. */

import t, { type Test } from 'tap'
import type { JsonObject } from '../../src/core/json.ts'
import { callApi } from '../../src/parts/targets/delivery/api.ts'
import { createKeep } from '../../src/parts/targets/delivery/keep.ts'
import { settingsOf } from '../../src/parts/targets/delivery/settings.ts'
import { signal } from '../../src/parts/targets/messenger/signal.ts'
import { telegram } from '../../src/parts/targets/messenger/telegram.ts'
import type { Outgoing, Sent, TargetPart } from '../../src/parts/targets/target.ts'
import { discord } from '../../src/parts/targets/team-chat/discord.ts'
import { matrix } from '../../src/parts/targets/team-chat/matrix.ts'
import { mattermost } from '../../src/parts/targets/team-chat/mattermost.ts'
import { slack } from '../../src/parts/targets/team-chat/slack.ts'
import { adopt } from '../fakes/adopt.ts'
import { fakeClock } from '../fakes/clock.ts'
import { ownComments } from '../fakes/own-comments.ts'
import { discord as discordDouble, discordWebhook } from '../fakes/platforms/discord.ts'
import { type Double, extraFor, type Reply, startDouble } from '../fakes/platforms/double.ts'
import * as matrixes from '../fakes/platforms/matrix.ts'
import { mattermost as mattermostDouble, mentionsIn } from '../fakes/platforms/mattermost.ts'
import { groupId, signal as signalDouble } from '../fakes/platforms/signal.ts'
import { slack as slackDouble, slackWebhook } from '../fakes/platforms/slack.ts'
import { telegram as telegramDouble } from '../fakes/platforms/telegram.ts'
import { sink } from '../fakes/sink.ts'

const keep = createKeep(adopt)

type SendOptions = {
  readonly extra?: JsonObject
  readonly text?: string
  readonly settings?: JsonObject
  readonly env?: { readonly [name: string]: string }
}

/** A double, and what sends to it: to the double's chat, unless `extra` says otherwise. */
const start = async (t: Test, part: TargetPart, double: Double) => {
  const running = await startDouble(t, double)
  const send = (options: SendOptions = {}): Promise<Sent> => {
    const {
      extra = extraFor(double, double.chat, running.origin),
      text = 'hello',
      settings = double.settings(running.origin),
      env = {},
    } = options
    const delivery = { target: part.name, extra }
    const outgoing: Outgoing = { text, profile: 'default', route: 'r', deliveryId: 'd1', delivery, position: 0, budgetMs: 20_000 }
    // No wait ends on this clock: what says that it should be waited longer than the budget comes back at once.
    const kit = {
      settings: settingsOf(part, { [part.name]: settings }, env),
      env,
      log: () => {},
      clock: fakeClock(),
      keep,
      mark: ownComments.mark,
    }
    return part.send(outgoing, kit)
  }
  return { ...running, send }
}

const final = { ok: false, repeatable: false }

/** Paths that the static check complains of. */
const complaints = (part: TargetPart, extra: JsonObject): string[] => {
  const told: string[] = []
  part.check?.(extra, (code, path) => told.push(`${code} ${path.join('.')}`))
  return told
}

const parts: readonly (readonly [TargetPart, Double])[] = [
  [discord, discordDouble],
  [matrix, matrixes.matrix],
  [mattermost, mattermostDouble],
  [signal, signalDouble],
  [slack, slackDouble],
  [telegram, telegramDouble],
]

t.test('the home channel comes from the environment by its conventional name', async (t) => {
  const names = [
    'DISCORD_HOME_CHANNEL',
    'MATRIX_HOME_ROOM',
    'MATTERMOST_HOME_CHANNEL',
    'SIGNAL_HOME_CHANNEL',
    'SLACK_HOME_CHANNEL',
    'TELEGRAM_HOME_CHANNEL',
  ]
  for (const [i, [part, double]] of parts.entries()) {
    const { send, accepted } = await start(t, part, double)
    t.match(await send({ extra: {}, env: { [names[i] ?? '']: double.chat } }), { ok: true }, names[i] ?? '')
    t.match(accepted, [{ chat: double.chat }])
  }
  const { send, accepted } = await start(t, matrix, matrixes.matrix)
  const env = { MATRIX_HOME_ROOM: matrixes.matrix.chat, MATRIX_HOME_CHANNEL: matrixes.closed }
  t.match(await send({ extra: {}, env }), { ok: true }, 'the room wins over the old name')
  t.match(accepted, [{ chat: matrixes.matrix.chat }])
})

t.test('a redirect and a connection that breaks off are told as what they are', async (t) => {
  const { send, next } = await start(t, telegram, telegramDouble)
  next.push({ status: 307, headers: { location: '/elsewhere' } })
  t.match(await send(), { ...final, why: 'HTTP 307: a redirect, which is not followed' })
  const { origin } = await sink(t, (response) => response.destroy())
  t.match(await send({ settings: telegramDouble.settings(origin) }), { ...final, why: /^the connection broke off \(\w+\)$/ })
})

t.test('a success whose body breaks off is asked for again only where that cannot post twice', async (t) => {
  const { origin } = await sink(t, (response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{"id":', () => response.destroy())
  })
  for (const [part, double, repeatable] of [
    [discord, discordDouble, true],
    [telegram, telegramDouble, false],
  ] as const) {
    const { send } = await start(t, part, double)
    t.match(await send({ settings: double.settings(origin) }), { ok: false, repeatable }, part.name)
  }
})

t.test('an id of another form is found by the check, and goes nowhere', async (t) => {
  const wrong: readonly (readonly [TargetPart, Double, readonly string[], readonly string[]])[] = [
    [discord, discordDouble, ['general', '#general', '12', '../users/@me', '1000000000000000001/x'], ['thread', '5']],
    [matrix, matrixes.matrix, ['@jane:example.org', 'room', '#room', '! x'], ['event', '!room:example.org']],
    [mattermost, mattermostDouble, ['~town-square', 'short', 'CHANNEL0000000000000000001'], ['77']],
    [signal, signalDouble, ['15551234567', '+1', 'group:', 'group:..', 'jane'], []],
    [slack, slackDouble, ['general', 'c0000000001', '#a b', '<!channel>'], ['77', '1712345678']],
    [telegram, telegramDouble, ['room', '12.5', '@a', '-'], ['general', '0', '-1', '1.5', '77777777777']],
  ]
  for (const [part, double, chats, threads] of wrong) {
    const { send, seen } = await start(t, part, double)
    const extras: JsonObject[] = [
      ...chats.map((chat_id) => ({ chat_id })),
      ...threads.flatMap((id) => [
        { chat_id: double.chat, thread_id: id },
        { chat_id: double.chat, message_thread_id: id },
      ]),
    ]
    for (const extra of extras) {
      t.match(await send({ extra }), { ...final, why: /chat_id|thread/ }, JSON.stringify(extra))
      t.same(complaints(part, extra), [`WH707 ${Object.keys(extra).at(-1)}`])
    }
    t.equal(seen.length, 0)
    t.same(complaints(part, { chat_id: '{a.b}', thread_id: '{c}' }), [], 'templates are filled later')
    t.same(complaints(part, { chat_id: double.chat, ...(double.thread === undefined ? {} : { thread_id: double.thread }) }), [])
    t.same(complaints(part, { chat_id: true }), ['WH707 chat_id'])
  }
})

t.test('a number that is not what was written is found by the check, and goes nowhere', async (t) => {
  const { send, seen, origin } = await start(t, discord, discordDouble)
  const { chat } = discordDouble
  const settings = discordDouble.settings(origin)
  // Unquoted in YAML 123456789012345678 is read as 123456789012345680, and the ts of a message without its zeros.
  const id = Number('123456789012345678')
  for (const extra of [{ chat_id: id }, { chat_id: chat, thread_id: id }] as JsonObject[]) {
    t.match(await send({ extra }), { ...final, why: /in quotes/ })
    t.same(complaints(discord, extra), [`WH707 ${Object.keys(extra).at(-1)}`])
  }
  t.match(await send({ extra: {}, settings: { ...settings, home_channel: id } }), {
    ...final,
    why: /^platforms\.discord\.home_channel is .* in quotes/,
  })
  t.equal(seen.length, 0)
  t.match(await send({ settings: { ...settings, home_channel: id } }), { ok: true }, 'not asked for')
  t.same(complaints(slack, { chat_id: 'C0000000001', thread_id: 1712345678.0001 }), ['WH707 thread_id'])
})

t.test('a credential that no header can have, or a name in an address, is said so and not told', async (t) => {
  const why = /no request can be made/
  const { send, seen, origin } = await start(t, mattermost, mattermostDouble)
  for (const token of ['canary\r\nx-evil: 1', 'canary\u2026']) t.match(await send({ settings: { url: origin, token } }), { ok: false, why })
  const sent = await send({ settings: { url: origin.replace('//', '//canary:canary@'), token: 'x' } })
  t.match(sent, { ok: false, why })
  t.notMatch(sent, { why: /canary/ })
  t.equal(seen.length, 0)
})

t.test('half a character is no address', async (t) => {
  const { send, seen } = await start(t, matrix, matrixes.matrix)
  t.match(await send({ extra: { chat_id: '!room\ud800:example.org' } }), { ...final, why: /control characters/ })
  t.equal(seen.length, 0)
})

t.test('of an answer without end no more is read than an API has to say', async (t) => {
  let stopped = false
  const endless = await sink(t, (response) => {
    response.on('close', () => {
      stopped = true
    })
    const more = (): void => {
      if (!stopped) response.write('x'.repeat(65_536), more)
    }
    more()
  })
  const answer = await callApi({ url: endless.origin, json: {} }, 20_000, Date.now)
  t.ok(answer.status === 200 && answer.text.length < 1_000_000)
})

t.test('a call whose time is over goes nowhere, also over a connection that stands', async (t) => {
  const { origin, seen } = await start(t, telegram, telegramDouble)
  const call = (ms: number) => callApi({ url: `${origin}/x`, json: {} }, ms, Date.now)
  for (let i = 0; i < 20; i++) {
    t.equal((await call(5000)).failure, undefined)
    t.match(await call(-i), { status: 0, failure: { kind: 'unsent', message: 'no time left' } })
  }
  t.equal(seen.length, 20)
})

t.test('telegram', async (t) => {
  const moved = (to: string): Reply => ({
    status: 400,
    body: {
      ok: false,
      error_code: 400,
      description: 'Bad Request: group chat was upgraded',
      parameters: { migrate_to_chat_id: Number(to) },
    },
  })
  const { send, accepted, seen, next } = await start(t, telegram, telegramDouble)
  const posted = () => seen.splice(0).map(({ json }) => json ?? {})

  t.test('a thread is sent as a number; that of the general topic is left out', async (t) => {
    t.match(await send({ extra: { chat_id: -100123, message_thread_id: 77 } }), { ok: true })
    t.match(await send({ extra: { chat_id: '-100123', thread_id: '1' } }), { ok: true })
    const [topic, general] = posted()
    t.equal(topic?.message_thread_id, 77)
    t.notOk(Object.hasOwn(general ?? {}, 'message_thread_id'))
  })

  t.test('a group that became a supergroup is followed, once', async (t) => {
    accepted.length = 0
    next.push(moved('-100123'))
    t.match(await send({ extra: { chat_id: '-4711', thread_id: '77' } }), { ok: true })
    t.match(accepted, [{ chat: '-100123', thread: '77' }])
    t.same(
      posted().map((each) => each.chat_id),
      ['-4711', '-100123'],
    )
    next.push(moved('-4712'), moved('-4713'))
    t.match(await send({ extra: { chat_id: '-4711' } }), final)
    t.equal(posted().length, 2)
  })

  t.test('an error that quotes the token tells none of it, wherever a long one is cut', async (t) => {
    const { token } = telegramDouble.settings('')
    for (let before = 120; before < 200; before += 7) {
      next.push({ status: 404, body: { ok: false, description: `${'so '.repeat(before / 3)}/bot${token}/sendMessage was not found` } })
      const sent = await send()
      t.match(sent, { ...final, why: /^HTTP 404: so/ })
      t.notMatch(sent, { why: /123456/ })
    }
  })

  t.test('a mention is broken invisibly; what is none stays as it is', async (t) => {
    accepted.length = 0
    t.match(await send({ text: 'Hi @jane_doe, mail jane@host.example; a @ b' }), { ok: true })
    t.equal(accepted[0]?.text, 'Hi @\u200bjane_doe, mail jane@host.example; a @ b')
  })

  t.test('no platform can ask for a wait without end', async (t) => {
    for (const retry_after of [1e9, 1e300]) {
      next.push({ status: 429, body: { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after } } })
      t.match(await send(), { ok: false, repeatable: true, retryAfterMs: 3_600_000 })
    }
  })
})

t.test('discord', async (t) => {
  const bot = await start(t, discord, discordDouble)
  const hook = await start(t, discord, discordWebhook)
  const both = { ...discordDouble.settings(bot.origin), ...discordWebhook.settings(hook.origin) }

  t.test('with a token and a webhook, the bot serves a chat that is named, and the webhook where none is', async (t) => {
    t.match(await bot.send({ settings: both }), { ok: true })
    t.match([bot.accepted.length, hook.accepted.length], [1, 0])
    t.match(await bot.send({ settings: both, extra: {} }), { ok: true, detail: 'to the chat of the webhook' })
    t.match([bot.accepted.length, hook.accepted.length], [1, 1])
    t.match(await bot.send({ settings: { ...both, home_channel: discordDouble.chat }, extra: {} }), { ok: true })
    t.match([bot.accepted.length, hook.accepted.length], [2, 1])
  })

  t.test('what the address of a webhook says already is kept; another address is none', async (t) => {
    const { webhook_url: url } = discordWebhook.settings(hook.origin)
    t.match(await hook.send({ settings: { webhook_url: `${url}?thread_id=${discordWebhook.thread}` } }), { ok: true })
    t.match(hook.accepted.at(-1), { thread: discordWebhook.thread })
    hook.seen.length = 0
    for (const webhook_url of [`${hook.origin}/api/webhooks/1`, `${url}/slack`, hook.origin, 'discord.com/api/webhooks/1/x'])
      t.match(await hook.send({ settings: { webhook_url } }), { ...final, why: /webhook_url is not/ })
    t.equal(hook.seen.length, 0)
  })

  t.test('a webhook that does not tell whether it posted did not', async (t) => {
    hook.next.push({ status: 204 })
    t.match(await hook.send(), final)
  })

  t.test('the wait stands in the body in parts of a second, or in the header alone', async (t) => {
    bot.next.push({ status: 429, body: { message: 'You are being rate limited.', retry_after: 64.57, global: true } })
    t.match(await bot.send(), { ok: false, repeatable: true, retryAfterMs: 64_570 })
    bot.next.push({ status: 429, body: '<html>1015</html>', headers: { 'retry-after': '65' } })
    t.match(await bot.send(), { ok: false, repeatable: true, retryAfterMs: 65_000 })
  })
})

t.test('slack', async (t) => {
  const bot = await start(t, slack, slackDouble)
  const hook = await start(t, slack, slackWebhook)

  t.test('what is escaped counts as what it shows, and no entity is cut', async (t) => {
    const text = '<&>'.repeat(2000)
    t.match(await bot.send({ text }), { ok: true })
    t.same(
      bot.accepted.map((each) => each.text.length <= 4000),
      [true, true],
    )
    t.equal(bot.accepted.map((each) => each.text).join(''), text)
  })

  t.test('with a token and a webhook, the bot serves a chat that is named, and the webhook where none is', async (t) => {
    const settings = { ...slackDouble.settings(bot.origin), ...slackWebhook.settings(hook.origin) }
    bot.accepted.length = 0
    t.match(await bot.send({ settings }), { ok: true })
    t.match(await bot.send({ settings, extra: { thread_id: slackWebhook.thread ?? '' } }), { ok: true })
    t.match([bot.accepted.length, hook.accepted.length], [1, 1])
    t.match(hook.accepted, [{ thread: slackWebhook.thread }])
  })

  t.test('which scope is missing is told; a rate limit is one with any status', async (t) => {
    bot.next.push({ status: 200, body: { ok: false, error: 'missing_scope', needed: 'chat:write' } })
    t.match(await bot.send(), { ...final, why: /missing_scope: chat:write/ })
    for (const error of ['ratelimited', 'rate_limited']) {
      bot.next.push({ status: 200, body: { ok: false, error }, headers: { 'retry-after': '60' } })
      t.match(await bot.send(), { ok: false, repeatable: true, retryAfterMs: 60_000 })
    }
  })

  t.test('a webhook says in words what is wrong', async (t) => {
    hook.next.push({ status: 410, body: 'channel_is_archived\n' })
    t.match(await hook.send(), { ...final, why: 'HTTP 410: channel_is_archived' })
    t.match(await hook.send({ settings: { webhook_url: 'hooks.slack.com/services/x' } }), { ...final, why: /webhook_url is not/ })
  })
})

t.test('mattermost', async (t) => {
  const { send, accepted, next } = await start(t, mattermost, mattermostDouble)

  t.test('a mention is broken invisibly; what is none stays as it is', async (t) => {
    t.match(await send({ text: 'Hi @jane, mail jane@host.example & co; a @ b &lt; c' }), { ok: true })
    t.equal(accepted[0]?.text, 'Hi @\u200bjane, mail jane@host.example & co; a @ b &lt; c')
    t.strictSame([...new Set(mentionsIn('hi @all, x.@jane &#64;here'))], ['@all', '@jane', '@here'], 'the double does find some')
  })

  t.test('the wait is that of Retry-After, else what is left of the window', async (t) => {
    next.push({ status: 429, body: 'limit exceeded', headers: { 'retry-after': '30', 'x-ratelimit-reset': '90' } })
    t.match(await send(), { ok: false, repeatable: true, retryAfterMs: 30_000 })
    next.push({ status: 429, body: 'limit exceeded', headers: { 'x-ratelimit-reset': '90' } })
    t.match(await send(), { ok: false, repeatable: true, retryAfterMs: 90_000 })
    next.push({ status: 400, body: { message: 'bad' }, headers: { 'x-ratelimit-reset': '90' } })
    t.same(await send(), { ok: false, why: 'HTTP 400: bad', repeatable: false, receiver: 'up' })
  })
})

t.test('signal', async (t) => {
  const { send, accepted, next, seen } = await start(t, signal, signalDouble)
  // The answer's id is that of the request, which is the same for the same message.
  await send()
  const id = seen[0]?.json?.id ?? null
  const answer = (types: readonly string[], more: JsonObject = {}): Reply => ({
    status: 200,
    body: { jsonrpc: '2.0', id, result: { timestamp: 1, results: types.map((type) => ({ type, ...more })) } },
  })

  t.test('a group is written to by its id', async (t) => {
    t.match(await send({ extra: { chat_id: `group:${groupId}` } }), { ok: true })
    t.match(accepted.at(-1), { chat: `group:${groupId}` })
  })

  t.test('one member who has it is enough, and so is a note to oneself', async (t) => {
    for (const types of [['SUCCESS'], ['UNREGISTERED_FAILURE', 'SUCCESS'], []]) {
      next.push(answer(types))
      t.match(await send(), { ok: true }, types.join())
    }
  })

  t.test('nobody who has it is a failure, which is told', async (t) => {
    for (const type of ['NETWORK_FAILURE', 'UNREGISTERED_FAILURE', 'IDENTITY_FAILURE']) {
      next.push(answer([type, type]))
      t.match(await send(), { ...final, why: new RegExp(`: ${type}$`) })
    }
  })

  t.test('a rate limit waits for the longest of its members', async (t) => {
    const limited: Reply = answer(['RATE_LIMIT_FAILURE', 'RATE_LIMIT_FAILURE'], { retryAfterSeconds: 60 })
    next.push(limited)
    t.match(await send(), { ok: false, repeatable: true, retryAfterMs: 60_000 })
    next.push(answer(['RATE_LIMIT_FAILURE', 'NETWORK_FAILURE']))
    t.match(await send(), final, 'somebody may have it')
    next.push({ status: 200, body: { jsonrpc: '2.0', id, error: { code: -5, message: 'Rate limited', data: null } } })
    const sent = await send()
    t.match(sent, { ok: false, repeatable: true })
    t.notOk('retryAfterMs' in sent)
  })

  t.test('the answer to another request is none, nor is one without the time of the message', async (t) => {
    next.push({ status: 200, body: { jsonrpc: '2.0', id, result: { results: [] } } })
    t.match(await send(), final)
    next.push({ status: 200, body: { jsonrpc: '2.0', id: 'another', result: { timestamp: 1, results: [{ type: 'SUCCESS' }] } } })
    t.match(await send(), final)
  })
})

t.test('matrix', async (t) => {
  const { send, accepted, seen } = await start(t, matrix, matrixes.matrix)
  const to = (chat_id: string) => send({ extra: { chat_id } })
  const steps = () => seen.splice(0).map(({ method, path }) => `${method} ${path.split('/')[4]}`)

  t.test('an alias is looked up', async (t) => {
    t.match(await to(matrixes.alias), { ok: true })
    t.match(accepted, [{ chat: matrixes.matrix.chat }])
    t.same(steps(), ['GET directory', 'GET rooms', 'PUT rooms'])
    t.match(await to('#nobody:example.org'), { ...final, why: /M_NOT_FOUND/ })
    t.same(steps(), ['GET directory'])
  })

  t.test('an encrypted room is refused before anything is posted', async (t) => {
    t.match(await to(matrixes.encrypted), { ...final, why: /encrypted/ })
    t.same(steps(), ['GET rooms'])
  })

  t.test('an invitation is taken; where there is none nothing is posted', async (t) => {
    accepted.length = 0
    t.match(await to(matrixes.invited), { ok: true })
    t.match(accepted, [{ chat: matrixes.invited }])
    t.same(steps(), ['GET rooms', 'POST join', 'GET rooms', 'PUT rooms'])
    t.match(await to(matrixes.closed), { ...final, why: /M_FORBIDDEN/ })
    t.same(steps(), ['GET rooms', 'POST join'])
  })

  t.test('a homeserver that is no web address goes nowhere', async (t) => {
    for (const homeserver of ['example.org', 'ftp://example.org', 'https://'])
      t.match(await send({ settings: { homeserver, access_token: 'x' } }), { ...final, why: /homeserver is not a web address/ })
  })

  t.test('a step before the message that fails for now may be repeated', async (t) => {
    const broken: Double = {
      ...matrixes.matrix,
      answer: () => ({ status: 429, body: { errcode: 'M_LIMIT_EXCEEDED', retry_after_ms: 60_000 }, headers: { 'retry-after': '61' } }),
    }
    const { send } = await start(t, matrix, broken)
    for (const chat_id of [matrixes.alias, matrixes.matrix.chat])
      t.match(await send({ extra: { chat_id } }), { ok: false, repeatable: true, retryAfterMs: 61_000 })
  })

  t.test('a password logs in once; a token that has ended once more, and never for other credentials', async (t) => {
    let ended = false
    const logins: (string | undefined)[] = []
    const base = matrixes.matrixLogin
    const double: Double = {
      ...base,
      answer(request, ...more) {
        if (request.path.endsWith('/login')) {
          ended = false
          logins.push(JSON.stringify(request.json?.device_id))
        } else if (ended) return { status: 401, body: { errcode: 'M_UNKNOWN_TOKEN', error: 'Token is not active' } }
        return base.answer?.(request, ...more) ?? { status: 500 }
      },
    }
    const { send, accepted, origin } = await start(t, matrix, double)
    t.match(await send(), { ok: true })
    t.match(await send({ text: 'again' }), { ok: true })
    t.equal(logins.length, 1)
    ended = true
    t.match(await send({ text: 'and again' }), { ok: true })
    t.equal(logins.length, 2)
    t.equal(new Set(logins).size, 1, 'the same device')
    t.equal(accepted.length, 3)
    t.match(await send({ settings: base.wrong?.(origin) ?? {} }), { ...final, why: /M_FORBIDDEN/ })
    t.equal(accepted.length, 3)
  })
})
