/** Plugins: the documented example works as it stands, mistakes are said with their place, and a bad plugin breaks nothing else. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { pluginNamePattern } from '../../src/core/names.ts'
import type { Event } from '../../src/core/request.ts'
import { createDryEffects } from '../../src/dryrun/trace/dry-effects.ts'
import { schema } from '../../src/generated/schema.ts'
import { presets, schemes } from '../../src/parts/schemes/index.ts'
import { createKeep } from '../../src/parts/targets/delivery/keep.ts'
import { catalogueOf } from '../../src/plan/catalogue.ts'
import { checkConfigured } from '../../src/plan/check.ts'
import { guardedOperator } from '../../src/plugin/guarded-operator.ts'
import { checkOperator, checkRunner, checkScheme, checkTarget } from '../../src/plugin/plugin.ts'
import { createSender } from '../../src/runs/sender.ts'
import { adopt } from '../fakes/adopt.ts'
import { fakeCli } from '../fakes/cli.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { secret, startGateway } from '../fakes/gateway.ts'
import { ownComments } from '../fakes/own-comments.ts'
import { sink } from '../fakes/sink.ts'

const document = readFileSync(fileURLToPath(new URL('../../docs/plugins.md', import.meta.url)), 'utf8')
const blocks = (language: string): string[] =>
  [...document.matchAll(new RegExp(`\`\`\`${language}\\b.*\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text]) => text as string)
const [example, schemeExample, operatorExample, runnerExample] = blocks('js') as [string, string, string, string]
const [exampleConfig, familiesConfig] = blocks('yaml').map((text) => parse(text))
/** The documented modules of the other families, by file. */
const families = { 'acme-sign.mjs': schemeExample, 'acme-within.mjs': operatorExample, 'acme-agent.mjs': runnerExample }

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
  const [first = '', ...others] = await findings(newFolder(t, { 'config.yaml': 'x-note: 1\nplugins:\n  - ./p.mjs\n', 'p.mjs': text }))
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
  const gateway = await startGateway(t, { dir: newFolder(t, files), env: { ACME_TOKEN: 'canary-acme' } })
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

t.test('a target says where it has no address, which chat it sends to, and that its texts come back', async (t) => {
  const text = `export const target = {
    name: 'acme-forge', returnsAsEvent: true, settings: [{ key: 'room' }],
    unaddressed: (extra, { room }) => (extra.chat_id ?? room) === undefined ? 'it needs a room' : undefined,
    chat: ({ chat_id }, { room }) => ({ chat: chat_id ?? room, more: 1 }),
    async send({ text }, kit) { return { ok: false, why: kit.mark('0123456789abcdef', { repo: 'o/r', number: '1' }, text), repeatable: false } },
  }`
  const routes = { r: { prompt: 'hi', deliver: 'acme-forge', deliver_only: true } }
  const config = { plugins: ['./p.mjs'], platforms: { webhook: { enabled: true, extra: { secret, routes } } } }
  const checked = await fakeCli(t, { 'config.yaml': stringify(config), 'p.mjs': text }).run('validate', '--format', 'concise')
  t.match(checked.out, /WH713 error: the target "acme-forge" has no address: it needs a room/)
  const { catalogue } = await catalogueOf(
    loadConfig({ dataDir: newFolder(t, { 'config.yaml': stringify(config), 'p.mjs': text }), env: {} }).config,
  )
  const target = catalogue.targets.get('acme-forge')
  t.same([target?.chat?.({}, { room: 'C1' }), target?.chat?.({}, {})], [{ chat: 'C1' }, undefined])

  const gateway = await startGateway(t, { config: { plugins: ['./p.mjs'] }, routes, files: { 'p.mjs': text } })
  const event = (body: string) => gateway.post('r', { body: { comment: { body }, repository: { full_name: 'o/r' }, issue: { number: 1 } } })
  t.equal((await event('a question')).status, 502)
  const { reason } = await gateway.line(({ outcome }) => outcome === 'delivery_failed')
  t.match(reason, /<!-- headgate:/)
  t.match((await event(`hi${String(reason).replace(/^.*?(<!--.*-->).*$/, '$1')}`)).json, { status: 'ignored', reason: 'own_comment' })
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
    'config.yaml:5:10: WH105 error: url: the value (not shown) is not of the right form (stops the start)',
    'config.yaml:6:5: WH101 error: unknown key "tokn" (stops the start)',
    'config.yaml:12:71: WH707 error: chat_id: must not be empty (route a; stops the start)',
    'config.yaml:13:71: WH707 error: chat_id: must be text, found 7 (route b; stops the start)',
    'config.yaml:14:71: WH707 error: unknown key "chat-id" (route c; stops the start)',
  ])
})

t.test('a rule of a schema that no sentence is about is said all the same', async (t) => {
  const text = module(
    'acme-chat',
    '',
    "export const schema = { settings: { not: { required: ['both'] } }, deliver_extra: { minProperties: 1 } }",
  )
  const yaml = 'plugins: [./p.mjs]\nplatforms:\n  acme-chat: { both: 1 }\njobs:\n  j: { schedule: "@daily", deliver: acme-chat }\n'
  t.same(await findings(newFolder(t, { 'config.yaml': yaml, 'p.mjs': text })), [
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
  t.same(await findings(newFolder(t, { 'config.yaml': yaml, 'p.cjs': text })), ['WH101 3 unknown key "tokn"', 'WH707 4 unknown key "to"'])
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
  t.match(await findings(newFolder(t, { 'config.yaml': `plugins: [./p.mjs]\n${routes}`, 'p.mjs': text })), [
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
  const dir = newFolder(t, { 'config.yaml': yaml, 'p.mjs': module('acme-chat') })
  t.same(await findings(dir), [
    'WH711 3 no plugin reads the settings "acme-chta"',
    'WH711 9 no plugin brings the target "acme-caht"',
    'WH711 10 no plugin brings the target "other-thing"',
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
  t.match(await findings(newFolder(t, { 'config.yaml': stringify({ plugins: listed }), ...files })), [
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
  t.match(await cli.run('webhook', 'subscribe', 'b', '--deliver', 'acme-mail'), { code: 1, err: /WH711/ })
  t.match(await cli.run('cron', 'create', 'j', '--schedule', '@daily', '--deliver', 'acme-chat'), { code: 0 })
  t.match((await cli.run('cron', 'list', '--json')).out, /"state":"active"/)
})

t.test('packages are found from the data directory, those that may be imported only too', async (t) => {
  const dir = newFolder(t, { 'config.yaml': stringify({ plugins: ['acme-plugin', '@acme/imported'] }) })
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
  const { config } = loadConfig({ dataDir: newFolder(t, { 'config.yaml': yaml, [file]: text }), env: {} })
  const { catalogue, diagnostics } = await catalogueOf(config)
  t.same(diagnostics, [])
  const clock = fakeClock()
  const { targets } = catalogue
  const sender = createSender({
    targets,
    profile: (name) => config.profiles.get(name),
    facts: { emit: () => {} },
    keep: createKeep(adopt),
    clock,
    ownComments,
  })
  const about = { text: 'hello', profile: 'default', route: 'r', deliveryId: 'd', position: 0, budgetMs: 5_000 }
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
    return findings(newFolder(t, { 'config.yaml': `plugins: [./${file}]\n${routes}`, [file]: check(code) }))
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
  t.match(await gateway.operations.reload(), { ok: false, diagnostics: [{ code: 'WH710' }, { code: 'WH711' }] })
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
  t.match(await gateway.operations.reload(), { ok: false, diagnostics: [{ code: 'WH711' }] })
})

/** A gateway with one route that asks a plugin, and the route's answer to a post. */
const plugged = (t: Test, text: string, route: JsonObject, config: JsonObject = {}) => {
  const file = fresh()
  const plugins = [`./${file}`]
  return startGateway(t, { config: { plugins, ...config }, routes: { r: { prompt: 'hello', ...route } }, files: { [file]: text } })
}

t.test('the documented scheme, operator and runner serve a route, and `webhook test` signs for it', async (t) => {
  const acme = await sink(t, (response) => response.writeHead(acme.seen.length === 1 ? 200 : 500).end('A reply.'))
  const { plugins, agent, platforms } = familiesConfig
  const { routes } = platforms.webhook.extra
  const config = {
    plugins,
    agent: { ...agent, base_url: acme.origin },
    platforms: { webhook: { enabled: true, extra: { secret, port: 0, routes: { ...routes, open: { prompt: 'x' } } } } },
    storage: { kind: 'memory' },
  }
  const files = { 'config.yaml': stringify(config), ...families }
  const gateway = await startGateway(t, { dir: newFolder(t, files), env: { ACME_KEY: 'canary-acme' } })
  const cli = fakeCli(t, files, {})
  t.match(await cli.run('validate'), { code: 0, out: /^0 errors, 0 warnings/ })
  const post = (created: number, ...more: string[]) => {
    const payload = JSON.stringify({ title: 'Disk', created_at: new Date(created).toISOString() })
    return cli.run('webhook', 'test', 'triage', '--payload', payload, '--url', `${gateway.url}/webhooks/triage`, ...more)
  }
  t.match(await post(Date.now()), { code: 0, out: /acme-sign .*\n<-- 202 accepted/ })
  await gateway.line(({ text }) => text === 'A reply.')
  t.match(acme.seen, [{ url: '/ask', headers: { authorization: 'Bearer canary-acme' }, body: '{"prompt":"Disk","route":"triage"}' }])
  t.match(await post(Date.now() - 3_600_000), { code: 1, out: /ignored \(filter\)/ })
  t.match(await post(Date.now(), '--scheme', 'v2'), { code: 1, out: /<-- 401/ })
  await gateway.line(({ reason }) => /no header of a listed scheme/.test(String(reason)))
  const odd = { 'acme-time': String(Math.floor(Date.now() / 1000)), 'acme-signature': '00' }
  t.equal((await gateway.post('triage', { sign: false, headers: odd })).status, 401)
  await gateway.line(({ reason }) => reason === 'acme-sign: the signature differs')
  t.match(await cli.run('webhook', 'test', 'open', '--scheme', 'acme-sing', '--url', gateway.url), { code: 2, err: /acme-sign/ })
  t.match(await post(Date.now(), '--id', 'again'), { code: 0 })
  await gateway.line(({ reason }) => /agent: HTTP 500/.test(String(reason)))
})

t.test('the documented parts keep the contract', async (t) => {
  const dir = newFolder(t, { 'acme-chat.mjs': example, ...families })
  const load = (name: string) => import(pathToFileURL(join(dir, name)).href)
  t.same(await checkTarget((await load('acme-chat.mjs')).target), [])
  t.same(await checkScheme((await load('acme-sign.mjs')).scheme), [])
  t.same(await checkOperator((await load('acme-within.mjs')).operator), [])
  t.same(await checkRunner((await load('acme-agent.mjs')).runner), [])
})

/** Parts that say all that reviews and the doctor ask of a part. */
const telling = `
export const runner = {
  name: 'acme-agent',
  env: { apiKey: ['ACME_KEY'] },
  program: ({ model }) => model,
  compile({ apiKey }, report) {
    if (!apiKey) report('WH714', ['api_key'], 'acme-agent needs a key', 'set agent.api_key')
    return async () => String(apiKey)
  },
}
export const target = { name: 'acme-diary', internal: true, send() {} }
export const scheme = {
  name: 'acme-sign',
  shows: () => false,
  compile() {},
  sign: ({ body }) => ({ headers: {}, body }),
  byHand: { how: 'Acme-Sum: hex HMAC-SHA256 of the body', signed: '$b', headers: { 'Acme-Sum': 'v=$hmac' } },
}
globalThis.acmeOpen = []
const compile = (list) => {
  globalThis.acmeOpen.push(list)
  return { run: (value) => list.includes(value), close: () => globalThis.acmeOpen.pop() }
}
export const operators = [
  { name: 'acme-among', compile: (list) => (value) => list.includes(value), domain: (values) => ({ kind: 'one_of', values }) },
  { name: 'acme-silent', compile },
  { name: 'acme-open', compile, domain: (values) => ({ kind: 'one_of', values }) },
  { name: 'acme-odd', compile, domain: () => ({ kind: 'one_of' }) },
  { name: 'acme-trap', compile, domain: () => { throw new Error('trap') } },
]
`

t.test('what a plugin tells of its parts is reviewed as ours is', async (t) => {
  const config = `plugins: [./p.mjs]
agent: { runner: acme-agent, model: acme-cli }
platforms:
  webhook:
    extra:
      secret: 4b1f70c29de8a6c3
      port: 0
      routes:
        a: { filters: [{ field: x, equals: a }, { field: x, acme-among: [b, c] }], prompt: p, deliver: acme-diary }
        b: { filters: [{ field: x, equals: a }, { field: x, acme-silent: [b] }], deliver: acme-diary }
        c: { filters: [{ field: x, equals: a }, { field: x, acme-odd: [b] }, { field: x, acme-trap: [b] }], prompt: p }
        d: { filters: [{ field: event, acme-among: [1, ping] }], events: [push], prompt: p }
        e: { filters: [{ field: x, equals: a }, { field: x, acme-open: [b, no] }], prompt: p }
`
  const files = { 'config.yaml': config, 'p.mjs': telling, 'webhook_subscriptions.json': '{"s":{"prompt":"p","verify":"acme-sign"}}' }
  const cli = fakeCli(t, files, { WEBHOOK_ENABLED: 'true', ACME_KEY: 'k', PATH: '' })
  const { out } = await cli.run('validate', '--format', 'concise')
  const said = out
    .split('\n')
    .flatMap((line) => /config\.yaml:(\d+):\d+: (WH\d+) \w+: (.*?)(?: \(.*)?$/.exec(line)?.slice(1).join(' ') ?? [])
  t.same(said.sort(), [
    '12 WH406 the type of an event is always a text, never 1',
    '12 WH408 "ping" is not in "events": this never holds for it',
    '13 WH006 no is the text "no" here, not false',
    '2 WH227 agent: the command "acme-cli" is not on the PATH: every run fails',
    '9 WH403 no event can pass the filters: it wants x equals "a", and x acme-among ["b","c"]',
  ])
  t.same((globalThis as { acmeOpen?: unknown }).acmeOpen, [])
  t.match(await cli.run('doctor'), { out: /^fail +agent +acme-agent acme-cli is not there, or not executable$/m })
  t.match(await cli.run('webhook', 'subscribe', 's', '--description', 'd'), {
    code: 0,
    out: /^sign +only acme-sign counts: Acme-Sum: hex HMAC-SHA256 of the body\ntry .* -H "Acme-Sum: v=\$\(printf %s "\$b" \| openssl dgst -sha256 /m,
  })
})

t.test('a scheme, runner or operator that no plugin brings is WH711 at its place, with the nearest name', async (t) => {
  const yaml = `plugins: [./acme-sign.mjs, ./acme-within.mjs, ./acme-agent.mjs]
agent:
  runner: acme-agnt
platforms:
  webhook:
    extra:
      secret: 4b1f70c29de8
      rate_limit: 60
      routes:
        a: { verify: acme-sing }
        b: { verify: [github, standard-webhooks] }
        c: { filters: [{ field: x, acme-wihtin: 5 }, { not: { field: x, not-equals: 1 } }] }
        d: { verify: acme-sign, filters: { field: x, acme-within: 5 } }
        e: { verify: nonsense }
`
  t.same((await findings(newFolder(t, { 'config.yaml': yaml, ...families }))).sort(), [
    'WH103 14 verify: "nonsense" is not one of the known values',
    'WH711 10 neither signature_schemes nor a plugin has the scheme "acme-sing"',
    'WH711 11 neither signature_schemes nor a plugin has the scheme "standard-webhooks"',
    'WH711 12 no plugin brings the operator "acme-wihtin"',
    'WH711 12 no plugin brings the operator "not-equals"',
  ])
  const { out } = await fakeCli(t, { 'config.yaml': yaml, ...families }).run('validate', '--json')
  const said = JSON.parse(out).data.diagnostics.map(({ code, help }: { code: string; help: string }) => `${code} ${help}`)
  t.same(said.sort(), [
    `WH103 use one of: ${[...schemes.map(({ name }) => name), ...presets.flatMap(({ name, aliases = [] }) => [name, ...aliases])].join(', ')}`,
    'WH711 did you mean "acme-agent"?',
    'WH711 did you mean "acme-sign"?',
    'WH711 did you mean "acme-within"?',
    'WH711 did you mean "not_equals"?',
    'WH711 did you mean "standard_webhooks"?',
  ])
})

t.test('parts of the other families that cannot be used, and names that are there already, are WH710', async (t) => {
  const scheme = (more: string): string => `export const scheme = { name: 'acme-sign', shows() {}, compile() {}, sign() {}, ${more} }`
  const bad: readonly (readonly [string, RegExp])[] = [
    ['export const scheme = 7', /its scheme is not an object/],
    ['export const schemes = {}', /either "scheme" or "schemes", a list/],
    ['export const operator = {}, operators = []', /either "operator" or "operators"/],
    ["export const scheme = { name: 'github' }", /its scheme's name "github" has not the form of acme-chat/],
    [scheme('shows: 1'), /"shows" of its scheme acme-sign is not a function/],
    [scheme("idHeaders: ['Acme-Id']"), /"idHeaders" .* is not a list of header names in small letters/],
    [scheme("secretHeaders: ['Acme-Pass']"), /"secretHeaders" .* is not a list of header names in small letters/],
    [scheme("secretFields: 'pass'"), /"secretFields" .* is not a list of paths/],
    [scheme("badSecret: 'bad'"), /"badSecret" .* is not texts/],
    [scheme('get signedId() { throw new Error("trap") }'), /trap/],
    ["export const operator = { name: 'equals', compile() {} }", /"equals" has not the form/],
    ["export const operator = { name: 'acme-is', compile() {}, examples: [{}] }", /"examples" of its operator acme-is/],
    ["export const runner = { name: 'acme-agent' }", /"compile" of its runner acme-agent is not a function/],
    ["export const runner = { name: 'acme-agent', compile() {}, notice: 1 }", /"notice"/],
    ["export const runner = { name: 'acme-agent', compile() {}, env: { apiKey: 'ACME' } }", /"env" .* is not a map \{ apiKey \} of names/],
    ["export const runner = { name: 'acme-agent', compile() {}, env: { get apiKey() { throw new Error('trap') } } }", /trap/],
    ["export const runner = { name: 'acme-agent', compile() {}, program: 'acme' }", /"program" of its runner acme-agent is not a function/],
    ["export const runner = { name: 'acme-agent', compile() {}, api: 'https://a.example' }", /"api" .* is not a map \{ url, keyless\? \}/],
    ["export const runner = { name: 'acme-agent', compile() {}, api: { url: 'a.example' } }", /"api"/],
    ["export const runner = { name: 'acme-agent', compile() {}, api: { url: 'https://a.example', keyless: true } }", /"api"/],
    ["export const operator = { name: 'acme-is', compile() {}, domain: {} }", /"domain" .* is not a function/],
    [scheme("byHand: { how: 'x' }"), /"byHand" .* is not texts \{ how, signed \}/],
    ["export const scheme = { name: 'host-a', shows() {}, compile() {}, sign() {} }", /the scheme "host-a" is there already/],
  ]
  for (const [text, message] of bad) t.match(await broken(t, text), message, text)
  const whole = `${schemeExample}\n${operatorExample}\n${runnerExample}`
  const file = fresh()
  t.same(await findings(newFolder(t, { 'config.yaml': `plugins: [./${file}]`, [file]: whole })), [], 'one may bring several families')
  for (const [family, text] of [
    ['scheme', schemeExample],
    ['operator', operatorExample],
    ['runner', runnerExample],
  ] as const) {
    const [a, b] = [fresh(), fresh()]
    const files = { 'config.yaml': `plugins:\n  - ./${a}\n  - ./${b}\n`, [a]: text, [b]: text }
    t.match(await findings(newFolder(t, files)), [new RegExp(`^WH710 3 .*the ${family} "acme-[a-z]+" is there already$`)], family)
  }
})

t.test('a scheme that throws, or gives back something else, refuses the request, and the log says why', async (t) => {
  const whole = { shows: '() => true', compile: '() => () => () => true', signedId: 'undefined' }
  const bad: readonly (readonly [Partial<typeof whole>, string])[] = [
    [{ shows: '() => { throw new Error("trap") }' }, 'its shows failed: trap'],
    [{ compile: '() => { throw new Error("trap") }' }, 'its compile failed: trap'],
    [{ compile: '() => 7' }, 'its compile gave no function'],
    [{ compile: '() => () => { throw Object.create(null) }' }, 'its check of the headers failed: an error without a message'],
    [{ compile: '() => () => true' }, 'it did not say whether the signature holds'],
    [{ compile: '() => () => () => { throw new Error("trap") }' }, 'its check of a body failed: trap'],
    [{ compile: '() => () => () => 1' }, 'it did not say whether the signature holds'],
    [{ compile: '() => () => async () => { throw new Error("nobody waits") }' }, 'it did not say whether the signature holds'],
    [{ compile: '() => () => () => ({ then() {} })' }, 'it did not say whether the signature holds'],
    [{ signedId: '() => { throw new Error("trap") }' }, 'its check of a body failed: trap'],
    [{ signedId: '() => 7' }, 'its signedId gave no text'],
  ]
  const source = (name: string, change: Partial<typeof whole>): string =>
    `{ name: '${name}', ${Object.entries({ ...whole, ...change })
      .map(([key, code]) => `${key}: ${code}`)
      .join(', ')}, sign() { throw new Error('no pen') } }`
  const text = `export const schemes = [${[...bad, [{}] as const].map(([change], i) => source(`acme-${i}`, change)).join(',\n')}]`
  const routes = Object.fromEntries([...bad.keys(), bad.length].map((i) => [`r${i}`, { prompt: 'hello', verify: `acme-${i}` }]))
  const config = { plugins: ['./p.mjs'] }
  const gateway = await startGateway(t, { config, routes: { ...routes, open: { prompt: 'hello' } }, files: { 'p.mjs': text } })
  for (const [i, [, why]] of bad.entries()) {
    t.equal((await gateway.post(`r${i}`, { sign: false })).status, 401, why)
    t.ok(await gateway.line(({ reason }) => reason === `acme-${i}: ${why}`), why)
  }
  t.equal((await gateway.post(`r${bad.length}`, { sign: false })).status, 202, 'one that holds serves')
  t.equal((await gateway.post('open', { sign: false })).status, 401, 'but only the route that names it')
  t.equal((await gateway.post('open')).status, 202)
  const cli = fakeCli(t, { 'config.yaml': stringify(config), 'p.mjs': text })
  t.match(await cli.run('webhook', 'subscribe', 's', '--prompt', 'x'), { code: 0 })
  t.match(await cli.run('webhook', 'test', 's', '--scheme', 'acme-0'), { code: 1, err: /acme-0 cannot sign: no pen/ })
})

t.test('what a scheme says is a secret itself is masked once the request is verified', async (t) => {
  const text = `export const scheme = {
    name: 'acme-pass', shows: (headers) => 'acme-pass' in headers, secretHeaders: ['acme-pass'], secretFields: ['in.*.pass'],
    compile: (secret) => ({ headers }) => (body) => headers['acme-pass'] === secret && JSON.parse(body).in[0].pass === secret || 'another one',
    sign: ({ secret, body }) => ({ headers: { 'Acme-Pass': secret }, body }),
  }`
  const routes = { r: { verify: 'acme-pass', secret: 'hush-hush-1234', prompt: '{in} {= $string(headers) }' } }
  const gateway = await startGateway(t, { config: { plugins: ['./p.mjs'] }, routes, files: { 'p.mjs': text } })
  const post = (pass: string) =>
    gateway.post('r', { sign: false, headers: { 'Acme-Pass': 'hush-hush-1234' }, body: { in: [{ pass, n: 1 }] } })
  t.equal((await post('another-one')).status, 401)
  t.equal((await post('hush-hush-1234')).status, 202)
  const { text: delivered } = await gateway.line(({ msg }) => msg === 'delivered')
  t.match(delivered, /"pass":"\*{3}","n":1.*"acme-pass":"\*{3}"/s)
  t.notMatch(delivered, 'hush')
})

t.test('an operator that throws, or says nothing clear, is a broken condition, under `not` too', async (t) => {
  const bad: { readonly [code: string]: RegExp } = {
    'throw new Error("trap")': /failed: trap/,
    'return 1': /failed: it said neither true nor false/,
    'return Promise.reject(new Error("late trap"))': /failed: late trap/,
    'return { then(_, no) { no(new Error("thenable")) } }': /failed: thenable/,
    'return Promise.resolve("yes")': /failed: it said neither/,
  }
  for (const [code, why] of Object.entries(bad)) {
    const text = `export const operator = { name: 'acme-is', compile: () => () => { ${code} } }`
    const condition = { field: 'x', 'acme-is': 1 }
    const gateway = await plugged(t, text, { filters: { not: condition } })
    t.match(await gateway.post('r', { body: { x: 1 } }), { status: 200, json: { status: 'ignored', reason: 'filter' } }, code)
    t.match(await gateway.line(({ reason }) => why.test(String(reason))), {}, code)
    // The next round empties the folder.
    await gateway.stop()
  }
  const says = async (compile: string): Promise<string[]> => {
    const file = fresh()
    const yaml = `plugins: [./${file}]\n${'platforms: { webhook: { extra: { secret: s, routes: { a: { filters: { field: x, acme-is: 5 } } } } } }'}\n`
    return findings(newFolder(t, { 'config.yaml': yaml, [file]: `export const operator = { name: 'acme-is', ${compile} }` }))
  }
  t.same(await says('compile() { throw new Error("trap") }'), ['WH714 2 the operator acme-is failed: trap'])
  t.same(await says('compile: () => true'), ['WH714 2 the operator acme-is compiled to something else than a function'])
  t.same(await says('compile(five, { report }) { report(1, 2, five); return () => true }'), ['WH714 2 5'])
})

t.test('what scheme, operator and runner have open is closed when the gateway stops', async (t) => {
  const open = (run: string, what: string): string => `() => ({ run: ${run}, close: () => (globalThis.acmeClosed ??= []).push('${what}') })`
  const text = `
    export const scheme = { name: 'acme-sign', shows: () => true, compile: ${open('() => () => true', 'scheme')}, sign() {} }
    export const operator = { name: 'acme-is', compile: ${open('() => true', 'operator')} }
    export const runner = { name: 'acme-agent', compile: ${open("async () => 'A reply.'", 'runner')} }`
  const route = { verify: 'acme-sign', filters: { field: 'x', 'acme-is': 1 } }
  const gateway = await plugged(t, text, route, { agent: { runner: 'acme-agent' } })
  t.equal((await gateway.post('r', { sign: false })).status, 202)
  await gateway.line(({ text }) => text === 'A reply.')
  t.notOk(Reflect.get(globalThis, 'acmeClosed'))
  await gateway.stop()
  t.same(Reflect.get(globalThis, 'acmeClosed').sort(), ['operator', 'runner', 'scheme'])
})

t.test('an operator that never answers is left after five seconds', async (t) => {
  const clock = fakeClock()
  const part = guardedOperator({ name: 'acme-is', compile: () => () => new Promise(() => {}), examples: [] }, String, clock)
  const test = adopt(part.compile(1, { profileDir: '', report: () => {}, recompileAtReload: () => {} }))
  const answer = Promise.resolve(test(1, {} as Event))
  clock.advance(5_000)
  await t.rejects(answer, { message: 'no answer in 5 seconds' })
})

t.test('a runner that throws, gives no text or never ends fails the attempt', async (t) => {
  const bad: { readonly [code: string]: RegExp } = {
    'throw new Error("trap")': /agent: trap/,
    'return 7': /agent: the runner gave no text/,
    'return "x".repeat(9e6)': /agent: the answer is too large/,
    'return new Promise(() => {})': /agent: the runner took too long/,
  }
  for (const [code, why] of Object.entries(bad)) {
    const text = `export const runner = { name: 'acme-agent', compile: () => () => { ${code} } }`
    const gateway = await plugged(t, text, { retry: { max_attempts: 1 } }, { agent: { runner: 'acme-agent', timeout_seconds: 1 } })
    t.equal((await gateway.post('r')).status, 202)
    t.match(await gateway.line(({ reason }) => why.test(String(reason))), {}, code)
    // The next round empties the folder.
    await gateway.stop()
  }
  const says = (compile: string): Promise<{ code: number; out: string }> => {
    const file = fresh()
    const yaml = `plugins: [./${file}]\nagent: { runner: acme-agent }\n`
    const text = `export const runner = { name: 'acme-agent', ${compile} }`
    return fakeCli(t, { 'config.yaml': yaml, [file]: text }).run('validate', '--format', 'concise')
  }
  t.match(await says('compile() { throw new Error("trap") }'), {
    code: 1,
    out: /config\.yaml:2:10: WH714 error: agent: the runner acme-agent failed: trap/,
  })
  t.match(await says('compile: () => true'), { code: 1, out: /compiled to something else than a function/ })
})

t.test('a reload to another plugin that brings the same names compiles the routes anew', async (t) => {
  const operator = (holds: boolean): string => `export const operator = { name: 'acme-is', compile: () => () => ${holds} }`
  const gateway = await plugged(t, operator(true), { filters: { field: 'x', 'acme-is': 1 } })
  t.equal((await gateway.post('r')).status, 202)
  writeFileSync(join(gateway.dir, 'q.mjs'), operator(false))
  const file = join(gateway.dir, 'config.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/p\d+\.mjs/, 'q.mjs'))
  t.match(await gateway.operations.reload(), { ok: true })
  t.match(await gateway.post('r'), { json: { status: 'ignored' } })
})

t.test('the form of their names is the same wherever it stands', async (t) => {
  const { platforms } = schema.properties as { platforms: { patternProperties: JsonObject; properties: JsonObject } }
  const { Condition: condition } = schema.definitions as { Condition: { patternProperties: JsonObject } }
  for (const { patternProperties } of [platforms, condition]) t.ok(pluginNamePattern.source in patternProperties, pluginNamePattern.source)
  t.same(
    Object.keys(platforms.properties).filter((name) => pluginNamePattern.test(name)),
    [],
  )
})
