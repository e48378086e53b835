/** Plugins: the documented example works as it stands, mistakes are said with their place, and a bad plugin breaks nothing else. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { createDryEffects } from '../../src/app/live/effects.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { schema } from '../../src/generated/schema.ts'
import { createKeep } from '../../src/parts/targets/kit/keep.ts'
import { catalogueOf } from '../../src/plan/catalogue.ts'
import { checkConfigured } from '../../src/plan/check.ts'
import { pluginTarget } from '../../src/plan/route-rules.ts'
import { createSender } from '../../src/runs/sender.ts'
import { fakeCli } from '../fakes/cli.ts'
import { fakeClock } from '../fakes/clock.ts'
import { secret, startGateway } from '../fakes/gateway.ts'
import { adopt } from '../fakes/owner.ts'
import { sink } from '../fakes/sink.ts'

const document = readFileSync(fileURLToPath(new URL('../../docs/plugins.md', import.meta.url)), 'utf8')
const block = (language: string): string => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(document)?.[1] ?? ''
const example = block('js')
const exampleConfig = parse(block('yaml'))

/** A module with a target of this name whose `send` is this code. */
const module = (name: string, send = 'return { ok: true }', more = ''): string =>
  `export const target = { name: '${name}', async send(outgoing, kit) { ${send} } }\n${more}`

/** Everything that is said about a data directory, as `code line message`. */
const findings = async (dir: string): Promise<string[]> => {
  const loaded = loadConfig({ dataDir: dir, env: { WEBHOOK_ENABLED: 'true', WEBHOOK_SECRET: secret } })
  const { catalogue, diagnostics } = await catalogueOf(loaded.config)
  const all = [...diagnostics, ...checkConfigured(loaded, catalogue, createDryEffects()).diagnostics]
  return all.map(({ code, place, message }) => `${code} ${place?.line} ${message}`)
}

const broken = async (t: Test, text: string): Promise<string> => {
  const [first = '', ...others] = await findings(t.testdir({ 'config.yaml': 'x-note: 1\nplugins:\n  - ./p.mjs\n', 'p.mjs': text }))
  t.same(others, [], text)
  return first
}

t.test('the documented example is 25 lines, and its target delivers through the gateway', async (t) => {
  t.equal(example.trimEnd().split('\n').length, 25)
  const acme = await sink(t, (response) => response.writeHead(acme.seen.length === 1 ? 200 : 400).end())
  const { platforms, plugins } = exampleConfig
  const { webhook, ...others } = platforms
  const config = {
    plugins,
    platforms: {
      webhook: { enabled: true, extra: { secret, port: 0, routes: webhook.extra.routes } },
      'acme-chat': { ...others['acme-chat'], url: acme.origin },
    },
    storage: { kind: 'memory' },
  }
  const files = { 'config.yaml': stringify(config), 'acme-chat.mjs': example }
  const gateway = await startGateway(t, { dir: t.testdir(files), env: { ACME_TOKEN: 'canary-acme' } })
  const body = { title: 'Disk', message: 'full', room: 'ops/1' }
  t.match(await gateway.post('alert', { body }), { status: 200, json: { status: 'delivered', target: 'acme-chat' } })
  t.match(acme.seen, [{ url: '/rooms/ops%2F1', headers: { authorization: 'Bearer canary-acme' }, body: '{"text":"Disk: full"}' }])
  t.match(await gateway.post('alert', { body }), { status: 502, text: 'Delivery failed' })
  t.match(await gateway.line(({ reason }) => /HTTP 400/.test(String(reason))), {})
  const list = await fakeCli(t, files, { WEBHOOK_ENABLED: 'true' }).run('targets', 'list', '--json')
  t.match(JSON.parse(list.out).data.targets.at(-1), { name: 'acme-chat', state: 'connected', plugin: true })
})

t.test('what a payload fills in of an address is percent-encoded, and of another key not', async (t) => {
  const text = module('acme-web', 'return { ok: false, why: JSON.stringify(outgoing.delivery.extra), repeatable: false }')
  const deliver_extra = { url: 'http://x/{v}?{v}', title: '{v}' }
  const gateway = await startGateway(t, {
    config: { plugins: ['./p.mjs'] },
    routes: { r: { prompt: 'p', deliver: 'acme-web', deliver_only: true, deliver_extra } },
    files: { 'p.mjs': text.replace('{ name', "{ addresses: ['url'], name") },
  })
  t.equal((await gateway.post('r', { body: { v: '/?&' } })).status, 502)
  t.match(await gateway.line(({ outcome }) => outcome === 'delivery_failed'), {
    reason: /"url":"http:\/\/x\/%2F%3F%26\?%2F%3F%26","title":"\/\?&"/,
  })
})

t.test('its schema refuses mistakes with file and line, in `validate` too, and no value of a setting is told', async (t) => {
  const config = `plugins: [./acme-chat.mjs]
platforms:
  acme-chat:
    enabled: true
    url: canary-no-address
    tokn: x
  webhook:
    enabled: true
    extra:
      secret: global-secret-1
      routes:
        a: { prompt: p, deliver: acme-chat, deliver_extra: { chat_id: "" } }
        b: { prompt: p, deliver: acme-chat, deliver_extra: { chat_id: 7 } }
        c: { prompt: p, deliver: acme-chat, deliver_extra: { chat-id: x } }
        d: { prompt: p, deliver: acme-chat, deliver_extra: { chat_id: "{room}" } }
`
  const cli = fakeCli(t, { 'config.yaml': config, 'acme-chat.mjs': example })
  const { code, out } = await cli.run('validate', '--format', 'concise')
  t.equal(code, 1)
  const said = out
    .trim()
    .split('\n')
    .map((line) => line.replace(/^.*config\.yaml/, 'config.yaml'))
  t.same(said, [
    'config.yaml:5:10: WH105 error: url: the value (not shown) is not of the right form',
    'config.yaml:6:5: WH101 error: unknown key "tokn"',
    'config.yaml:12:71: WH707 error: chat_id: must not be empty (route a)',
    'config.yaml:13:71: WH707 error: chat_id: must be text, found 7 (route b)',
    'config.yaml:14:71: WH707 error: unknown key "chat-id" (route c)',
  ])
})

t.test('a rule of a schema that no sentence is about is said all the same', async (t) => {
  const text = module(
    'acme-chat',
    '',
    "export const schema = { settings: { not: { required: ['both'] } }, deliver_extra: { minProperties: 1 } }",
  )
  const yaml = 'plugins: [./p.mjs]\nplatforms:\n  acme-chat: { both: 1 }\njobs:\n  j: { schedule: "@daily", deliver: acme-chat }\n'
  t.same(await findings(t.testdir({ 'config.yaml': yaml, 'p.mjs': text })), [
    'WH105 3 does not fit its schema (not)',
    'WH707 5 job "j": must not be empty',
  ])
})

t.test('the schema of a CommonJS module holds, also where Node can read only its target off the text', async (t) => {
  const schema = 'schema: { settings: { additionalProperties: false }, deliver_extra: { additionalProperties: false } }'
  const yaml = `plugins: [./p.cjs]
platforms:
  acme-chat: { tokn: x }
  webhook: { extra: { secret: s, routes: { a: { deliver: acme-chat, deliver_extra: { to: x } } } } }
`
  const text = `const target = { name: 'acme-chat', send() {} }\nmodule.exports = { target, ${schema} }`
  t.same(await findings(t.testdir({ 'config.yaml': yaml, 'p.cjs': text })), ['WH101 3 unknown key "tokn"', 'WH707 4 unknown key "to"'])
})

t.test('a choice of the schema that hangs on what a placeholder becomes is open', async (t) => {
  const deliver_extra = `{
    definitions: { room: { type: 'string', pattern: '^C' } },
    properties: {
      one: { anyOf: [{ type: 'string', pattern: '^C' }, { type: 'integer' }] },
      two: { oneOf: [{ $ref: '#/definitions/room' }, { type: 'integer' }] },
      three: { type: 'string' },
    },
    if: { required: ['three'] },
    then: { required: ['one'], properties: { three: { pattern: '^C' } } },
  }`
  const routes = `platforms:
  webhook:
    extra:
      secret: s
      routes:
        a: { deliver: acme-chat, deliver_extra: { one: "{x}", two: "{x}", three: "{x}" } }
        b: { deliver: acme-chat, deliver_extra: { two: Dx } }
        c: { deliver: acme-chat, deliver_extra: { two: [1] } }
        d: { deliver: acme-chat, deliver_extra: { three: "{x}" } }
`
  const text = module('acme-chat', '', `export const schema = { deliver_extra: ${deliver_extra} }`)
  t.match(await findings(t.testdir({ 'config.yaml': `plugins: [./p.mjs]\n${routes}`, 'p.mjs': text })), [
    /^WH707 8 two: "Dx" is not of the right form$/,
    /^WH707 9 two: must be /,
    /^WH707 10 "one" is missing$/,
  ])
})

t.test('a target that no plugin brings, and settings that none reads', async (t) => {
  const yaml = `plugins: [./p.mjs]
platforms:
  acme-chta: { token: x }
  x-acme-note: free
  webhook:
    extra:
      secret: global-secret-1
      routes:
        a: { prompt: p, deliver: acme-caht }
        b: { prompt: p, deliver: [log, other-thing] }
`
  const dir = t.testdir({ 'config.yaml': yaml, 'p.mjs': module('acme-chat') })
  t.same(await findings(dir), [
    'WH704 3 no plugin reads the settings "acme-chta"',
    'WH704 9 no plugin brings the target "acme-caht"',
    'WH704 10 no plugin brings the target "other-thing"',
  ])
  const { out } = await fakeCli(t, { 'config.yaml': yaml, 'p.mjs': module('acme-chat') }).run('validate', '--json')
  const { diagnostics } = JSON.parse(out).data
  t.match(diagnostics, [{ help: 'did you mean "acme-chat"?' }, { help: 'did you mean "acme-chat"?' }, { help: /under "plugins"/ }])
})

t.test('what cannot be used is WH710 at its line of the list, and nothing else', async (t) => {
  const bad: readonly (readonly [string, RegExp])[] = [
    ['export const target = {', /cannot be used: .*\w/],
    ['throw new Error("no licence")', /no licence/],
    ['throw Object.create(null)', /an error without a message/],
    ['import "./gone.mjs"', /gone\.mjs/],
    ['export const nothing = 1', /"target" or "targets"/],
    ['export const target = {}, targets = []', /"target" or "targets"/],
    ['export const targets = []', /"target" or "targets"/],
    ['export const target = null', /not an object/],
    [module('acme'), /"acme" has not the form of acme-chat/],
    [module('telegram'), /"telegram" has not the form/],
    [module('x-acme'), /"x-acme" has not the form/],
    [module('Acme-Chat'), /has not the form/],
    ["export const target = { name: 'acme-chat', send: 'x' }", /"send" of its target acme-chat is not a function/],
    ["export const target = { name: 'acme-chat', send() {}, needs: ['token'] }", /"needs"/],
    ["export const target = { name: 'acme-chat', send() {}, needs: [] }", /"needs"/],
    ["export const target = { name: 'acme-chat', send() {}, addresses: 'url' }", /"addresses"/],
    ["export const target = { name: 'acme-chat', send() {}, settings: [{ env: [] }] }", /"settings"/],
    ["export const target = { name: 'acme-chat', send() {}, repeatable: 'yes' }", /"repeatable"/],
    ["export const target = { name: 'acme-chat', send() {}, platform: 'acme' }", /"platform"/],
    ["export const target = { name: 'acme-chat', get send() { throw new Error('trap') } }", /trap/],
    [module('acme-chat', '', "export const schema = { settings: { type: 'nonsense' } }"), /schema\.settings is not a JSON Schema/],
    [module('acme-chat', '', 'export const schema = { deliver_extra: [] }'), /schema\.deliver_extra is not a JSON Schema/],
    [module('acme-chat', '', 'export const schema = { deliver_extra: { $async: true } }'), /asynchronous/],
  ]
  for (const [text, message] of bad) {
    const found = await broken(t, text)
    t.match(found, /^WH710 3 the plugin \.\/p\.mjs cannot be used: /, text)
    t.match(found, message, text)
  }
  const listed = ['p.mjs', './gone.mjs', 'not-installed', './p.mjs', './same.mjs', './p.mjs', 'fs']
  const files = { 'p.mjs': module('acme-chat'), 'same.mjs': module('acme-chat') }
  t.match(await findings(t.testdir({ 'config.yaml': stringify({ plugins: listed }), ...files })), [
    /^WH710 2 .*p\.mjs .*begins with \.\/$/,
    /^WH710 3 .*there is no file .*gone\.mjs$/,
    /^WH710 4 .*not installed in the data directory/,
    /^WH710 6 .*"acme-chat" is there already$/,
    /^WH710 7 .*"acme-chat" is there already$/,
    /^WH710 8 .*a module of Node itself$/,
  ])
})

t.test('it stops the start, and `webhook subscribe` refuses what would not be served', async (t) => {
  const files = { 'p.mjs': 'throw new Error("broken")' }
  const config = { plugins: ['./p.mjs'] }
  await t.rejects(startGateway(t, { config, files }), /WH710 the plugin .\/p.mjs cannot be used: broken/)
  const cli = fakeCli(t, { 'config.yaml': 'plugins: [./good.mjs]\n', 'good.mjs': module('acme-chat') })
  t.match(await cli.run('webhook', 'subscribe', 'a', '--deliver', 'acme-chat'), { code: 0 })
  t.match(await cli.run('webhook', 'subscribe', 'b', '--deliver', 'acme-mail'), { code: 1, err: /WH704/ })
  t.match(await cli.run('cron', 'create', 'j', '--schedule', '@daily', '--deliver', 'acme-chat'), { code: 0 })
  t.match((await cli.run('cron', 'list', '--json')).out, /"state":"active"/)
})

t.test('packages are found from the data directory, those that may be imported only too', async (t) => {
  const dir = t.testdir({ 'config.yaml': stringify({ plugins: ['acme-plugin', '@acme/imported'] }) })
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(dir, 'node_modules', file)), { recursive: true })
    writeFileSync(join(dir, 'node_modules', file), text)
  }
  write('acme-plugin/package.json', '{ "main": "./main.cjs" }')
  write(
    'acme-plugin/main.cjs',
    "const one = 'acme-one'\nmodule.exports = { ['targets']: [{ name: one, send() {} }, { name: 'acme-two', send() {} }] }",
  )
  write('@acme/imported/package.json', '{ "exports": { ".": { "types": "./x.d.ts", "import": { "default": "./x.mjs" } } } }')
  write('@acme/imported/x.mjs', module('acme-three'))
  const { catalogue, diagnostics } = await catalogueOf(loadConfig({ dataDir: dir, env: {} }).config)
  t.same(diagnostics, [])
  t.same([...catalogue.targets.keys()].slice(-3), ['acme-one', 'acme-two', 'acme-three'])
})

let modules = 0
/** A name that was not loaded yet: a module is loaded once. */
const fresh = (): string => `p${++modules}.mjs`

/** What the sender says of a target with this `send`. */
const sent = async (t: Test, send: string, more = '', settings: JsonObject = {}) => {
  const file = fresh()
  const yaml = stringify({ plugins: [`./${file}`], platforms: { 'acme-chat': settings } })
  const text = `export const target = { name: 'acme-chat', repeatable: true, ${more} send(outgoing, kit) { ${send} } }`
  const { config } = loadConfig({ dataDir: t.testdir({ 'config.yaml': yaml, [file]: text }), env: {} })
  const { catalogue, diagnostics } = await catalogueOf(config)
  t.same(diagnostics, [])
  const clock = fakeClock()
  const { targets } = catalogue
  const sender = createSender({
    targets,
    profile: (name) => config.profiles.get(name),
    facts: { tell: () => {} },
    keep: createKeep(adopt),
    clock,
  })
  const about = { text: 'hello', profile: 'default', route: 'r', deliveryId: 'd', place: 0, budgetMs: 5_000 }
  const answer = sender({ ...about, delivery: { target: 'acme-chat', extra: {} } })
  return { answer, clock }
}

t.test('a send that throws, rejects or says nothing clear is a failure that is not repeated, whatever it says of itself', async (t) => {
  const bad: { readonly [code: string]: RegExp } = {
    'throw new Error("no luck")': /^no luck$/,
    'throw Object.create(null)': /^an error without a message$/,
    'return Promise.reject({ message: { toString() { throw 1 } } })': /^an error without a message$/,
    'return Promise.reject()': /undefined/,
    'return undefined': /did not say whether it was sent/,
    'return null': /did not say/,
    'return "ok"': /did not say/,
    'return { ok: 1 }': /did not say/,
    'return { ok: false, repeatable: true }': /did not say/,
    'return { get ok() { throw new Error("trap") } }': /^trap$/,
    'return { ok: false, why: "x".repeat(1e6) }': /^x{1000}$/,
  }
  for (const [code, why] of Object.entries(bad)) t.match(await (await sent(t, code)).answer, { ok: false, why, repeatable: false }, code)
  const { answer } = await sent(t, 'return { ok: false, why: "busy", repeatable: true, retryAfterMs: -1 }')
  t.same(await answer, { ok: false, why: 'busy', repeatable: true }, 'a clear failure stands; a wait that is none does not')
  t.same(await (await sent(t, 'return { ok: true, detail: 7, more: 1 }')).answer, { ok: true })
})

t.test('a send that never ends is left when its time is over, and what comes later changes nothing', async (t) => {
  for (const send of ['return new Promise(() => {})', 'return new Promise((_, reject) => setImmediate(reject, new Error("late")))']) {
    const { answer, clock } = await sent(t, send)
    clock.advance(10_000)
    t.match(await answer, { ok: false, why: /^no answer in \d seconds$/, repeatable: false })
    await new Promise((resolve) => setImmediate(resolve))
  }
})

t.test('settings that are missing are named before it is asked, and its secrets are taken out of its errors', async (t) => {
  const more = "settings: [{ key: 'token', secret: true }], needs: [['token']],"
  t.match(await (await sent(t, 'throw new Error("asked")', more)).answer, { why: 'not connected: set platforms.acme-chat.token' })
  const { answer } = await sent(t, 'return { ok: false, why: `refused ${kit.settings.token}` }', more, { token: 'canary-token' })
  t.match(await answer, { ok: false, why: 'refused ***' })
})

t.test('a check that fails, or reports nonsense, is a mistake in that route', async (t) => {
  const routes = 'platforms:\n  webhook:\n    extra:\n      routes:\n        a: { deliver: acme-chat, deliver_extra: { k: 1 } }\n'
  const check = (code: string): string => `export const target = { name: 'acme-chat', send() {}, check(extra, report) { ${code} } }`
  const of = (code: string): Promise<string[]> => {
    const file = fresh()
    return findings(t.testdir({ 'config.yaml': `plugins: [./${file}]\n${routes}`, [file]: check(code) }))
  }
  t.same(await of('throw new Error("oops")'), ['WH707 6 the check of acme-chat failed: oops'])
  t.same(await of('report("no code", ["k"], "k is odd")'), ['WH707 6 k is odd'])
  t.same(await of('report(7, 8, 9, 10)'), ['WH707 6 9'])
})

t.test('a reload adds a plugin, takes one away, loads none twice, and refuses a broken one until it is mended', async (t) => {
  const routes = (deliver: string) => ({ r: { prompt: 'hello', deliver, deliver_only: true } })
  const write = (dir: string, plugins: readonly string[], deliver: string): void => {
    const settings = { secret, port: 0, routes: routes(deliver) }
    const config = { plugins, platforms: { webhook: { enabled: true, extra: settings } }, storage: { kind: 'memory' } }
    writeFileSync(join(dir, 'config.yaml'), stringify(config))
  }
  const counting = 'globalThis.acmeLoads = (globalThis.acmeLoads ?? 0) + 1'
  const gateway = await startGateway(t, {
    routes: { r: { prompt: 'hello' } },
    files: { 'a.mjs': module('acme-a', undefined, counting), 'b.mjs': 'throw new Error("broken")' },
  })
  const { dir } = gateway
  const loads = (): unknown => Reflect.get(globalThis, 'acmeLoads')
  write(dir, ['./a.mjs'], 'acme-a')
  t.match(await gateway.operations.reload(), { ok: true })
  t.match(await gateway.post('r'), { status: 200, json: { target: 'acme-a' } })
  t.equal(loads(), 1)

  write(dir, ['./a.mjs', './b.mjs'], 'acme-b')
  t.match(await gateway.operations.reload(), { ok: false, diagnostics: [{ code: 'WH710' }, { code: 'WH704' }] })
  t.match(await gateway.post('r'), { status: 200, json: { target: 'acme-a' } }, 'the old one serves on')
  writeFileSync(join(dir, 'b.mjs'), module('acme-b'))
  writeFileSync(join(dir, 'a.mjs'), 'throw new Error("a changed plugin needs a restart")')
  t.match(await Promise.all([gateway.operations.reload(), gateway.operations.reload()]), [{ ok: true }, { ok: true }])
  t.match(await gateway.post('r'), { status: 200, json: { target: 'acme-b' } })
  t.equal(loads(), 1)

  writeFileSync(join(dir, 'slow.mjs'), module('acme-slow', undefined, 'await new Promise((resolve) => setTimeout(resolve, 300))'))
  write(dir, ['./a.mjs', './slow.mjs'], 'acme-slow')
  const slow = gateway.operations.reload()
  await new Promise((resolve) => setImmediate(resolve))
  write(dir, ['./a.mjs'], 'acme-a')
  t.match(await Promise.all([slow, gateway.operations.reload()]), [{ ok: true }, { ok: true }])
  t.match(await gateway.post('r'), { json: { target: 'acme-a' } }, 'what was read last counts, however long the one before takes')

  write(dir, [], 'acme-b')
  t.match(await gateway.operations.reload(), { ok: false, diagnostics: [{ code: 'WH704' }] })
})

t.test('the form of their names is the same wherever it stands', async (t) => {
  const { platforms } = schema.properties as { platforms: { patternProperties: JsonObject; properties: JsonObject } }
  t.ok(pluginTarget.source in platforms.patternProperties, pluginTarget.source)
  t.same(
    Object.keys(platforms.properties).filter((name) => pluginTarget.test(name)),
    [],
  )
})
