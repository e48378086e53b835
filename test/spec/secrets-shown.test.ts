/** No secret that the gateway knows, or that a request brings, shows in anything that it or a command writes. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { isObject, type Json, type JsonObject, own } from '../../src/core/json.ts'
import { consoleQuestions } from '../../src/generated/console.ts'
import { schema } from '../../src/generated/schema.ts'
import { journalFolder } from '../../src/journal/folder.ts'
import { targets } from '../../src/parts/targets/index.ts'
import { connect } from '../../src/store/postgres/connection.ts'
import { fakeCli } from '../fakes/cli.ts'
import { ofPage, send, signInAs, startConsole } from '../fakes/console.ts'
import { openEditor } from '../fakes/editor.ts'
import { newFolder } from '../fakes/folder.ts'
import { hexHmac } from '../fakes/gateway.ts'
import type { Double } from '../fakes/platforms/double.ts'
import { doubles } from '../fakes/platforms/index.ts'
import { openPostgresServer, withoutPostgres } from '../fakes/postgres-server.ts'
import { type Line, spawnGateway, startGateway } from '../fakes/process-gateway.ts'
import { canary, marks, secretPlaces } from '../fakes/secret-places.ts'
import { closedOrigin, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

/** Headers of a request whose names say that they hold a secret. */
const secretHeaders = ['X-Credential', 'X-Passphrase', 'X-Private-Key', 'X-Auth', 'Authorization', 'X-Api-Key', 'Cookie', 'X-Session-Token']

/** Returns the text of all files below a folder, but for those with these names. */
const filesBelow = (folder: string, ...without: readonly string[]): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !without.includes(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

t.test('each place of a secret has a canary; no log, record, command or screen shows one', async (t) => {
  // It says back what it was sent, as proxies and gateways do on their error pages.
  const target = await sink(t, (response, { url, headers }) => {
    response.writeHead(422, { 'content-type': 'text/plain' }).end(`cannot ${url} ${JSON.stringify(headers)}`)
  })
  const failing = {
    deliver: 'http',
    deliver_extra: {
      url: `${target.origin}/services/T01/${canary('address-path')}/{n}?access_token=${canary('address')}&plain=1`,
      secret: canary('signing'),
      headers: { 'X-Target-Passphrase': canary('target-header') },
    },
  }
  const secret = canary('global')
  const cli = fakeCli(
    t,
    {
      'config.yaml': stringify({
        agent: { runner: 'echo' },
        platforms: {
          webhook: {
            enabled: true,
            extra: {
              port: 0,
              secret,
              routes: {
                fails: { ...failing, prompt: 'got {n}', deliver_only: true },
                token: { verify: 'gitlab', secret: canary('token'), prompt: 'got {n}', deliver: 'log' },
                queued: { ...failing, secret: canary('queued'), prompt: 'got {n}' },
                filtered: {
                  secret: canary('route'),
                  prompt: 'p',
                  deliver: 'log',
                  filters: [{ not: { field: 'headers.x-credential', exists: true } }, { field: 'headers.x-passphrase', equals: 'other' }],
                },
                unset: { secret: '${MISSING_ONE}', prompt: 'p', deliver: 'log', enabled: false },
              },
            },
          },
          telegram: { token: canary('bot') },
          slack: { webhook_url: `https://hooks.slack.com/services/${canary('slack')}` },
        },
        toolsets: { own: { url: `http://127.0.0.1:9/mcp?key=${canary('mcp')}`, allow: ['x'], headers: { 'X-Key': canary('mcp-header') } } },
      }),
      // The agent says its prompt back, so the log would show the secret with the delivered text.
      'cron_jobs.json': JSON.stringify({
        stored: {
          schedule: '0 0 1 1 *',
          prompt: `got ${canary('stored-job')}`,
          deliver: ['log', 'http'],
          deliver_extra: { url: `${target.origin}/job`, secret: canary('stored-job') },
        },
      }),
    },
    {},
  )
  const gateway = await startGateway(t, cli.dir, {
    args: ['--log-level', 'debug', '--log-requests'],
    env: { MISSING_ONE: canary('variable') },
  })
  const origin = await gateway.listening
  const body = '{"n":1}'
  const post = async (route: string, headers: { readonly [name: string]: string }): Promise<string> => {
    const brought = Object.fromEntries(secretHeaders.map((name) => [name, canary(`sent-${name}`)]))
    const answer = await fetch(`${origin}/webhooks/${route}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...brought, ...headers },
      body,
    })
    return `${answer.status} ${await answer.text()} ${JSON.stringify([...answer.headers])}`
  }
  const signed = (key: string) => ({ 'X-Webhook-Signature': hexHmac(body, key) })
  const answers = [
    await post('fails', signed(secret)),
    await post('token', { 'X-Gitlab-Token': canary('token'), 'X-Gitlab-Event': 'Push Hook' }),
    await post('filtered', signed(canary('route'))),
    await post('filtered', signed('wrong')),
    await post('fails', { 'Content-Type': 'text/plain', ...signed('wrong') }),
    await post('queued', signed(canary('queued'))),
  ]
  t.match(answers, [/^502 /, /^202 /, /^200 .*ignored/, /^401 /, /^401 /, /^202 /])
  t.match(await cli.run('cron', 'run', 'stored'), { code: 0 })
  await gateway.line(({ msg, text }) => msg === 'delivered' && text === 'got ***')
  t.equal(target.seen[0]?.headers['x-target-passphrase'], canary('target-header'), 'the target does get it')
  const address = `/services/T01/${canary('address-path')}/1?access_token=${canary('address')}&plain=1`
  t.equal(target.seen[0]?.url, address, 'and is asked at its whole address')
  await until(() => target.seen.filter(({ url }) => url === address).length > 1)

  const shown = new Map<string, string>([['answers', answers.join('\n')]])
  const run = async (...argv: string[]): Promise<string> => {
    const { out, err } = await cli.runWith({ env: { HEADGATE_HOME: cli.dir, MISSING_ONE: canary('variable') } }, ...argv)
    shown.set(argv.join(' '), `${out}\n${err}`)
    return out
  }
  let ids: string[] = []
  await until(async () => {
    const { events } = JSON.parse(await run('--json', 'events', 'list')).data ?? {}
    ids = (events ?? []).map(({ event_id }: { event_id: string }) => event_id)
    return ids.length >= 4
  })
  for (const id of ids) {
    await run('events', 'show', id)
    await run('--json', 'events', 'show', id)
    await run('events', 'export', id)
    await run('webhook', 'trace', 'filtered', '--event-id', id, '--scheme', 'none')
  }
  t.match(await run('new', 'made', '--like', ids[0] ?? '', '--dry-run'), /would be written/)
  for (const route of ['fails', 'token', 'filtered', 'queued', 'unset']) {
    await run('webhook', 'show', route)
    await run('--json', 'webhook', 'show', route)
  }
  await run('events', 'list')
  await run('events', 'replay', '--route', 'fails', '--yes')
  await run('webhook', 'list')
  await run('validate')
  await run('--json', 'validate')
  await run('doctor')
  await run('gateway', 'status')
  await run('--json', 'gateway', 'status')
  await run('targets', 'list')
  await run('targets', 'test', 'telegram')
  shown.set('journal', filesBelow(journalFolder(cli.dir)))

  const editor = openEditor(t, { dir: cli.dir, args: ['fails'], columns: 140, env: { MISSING_ONE: canary('variable') } })
  await editor.see('Description')
  await editor.see('outcome delivered')
  editor.press('p')
  await editor.see('Recorded')
  shown.set('editor', editor.written())
  editor.kill('SIGKILL')

  gateway.kill('SIGTERM')
  const { out, err } = await gateway.ended
  shown.set('log', out + err)
  // The prompt of a run is stored as it was written, also where it quotes a secret.
  const inPrompt = canary('stored-job')
  shown.set('files', filesBelow(cli.dir, 'config.yaml', 'cron_jobs.json').replaceAll(inPrompt, ''))
  const isThere = (text: string): boolean => text.trim().length > 0
  for (const [where, text] of shown) {
    t.ok(isThere(text), `${where} says something`)
    t.strictSame([...new Set(text.match(marks) ?? [])], [], where)
  }
})

t.test('the log knows the secret of a subscription, also of one that is made while the gateway runs', async (t) => {
  const entry = (name: string) => ({ secret: canary(name), prompt: `got ${canary(name)}`, deliver: 'log' })
  const cli = fakeCli(
    t,
    {
      'config.yaml': stringify({ agent: { runner: 'echo' }, platforms: { webhook: { enabled: true, extra: { port: 0 } } } }),
      'webhook_subscriptions.json': JSON.stringify({ first: entry('first') }),
    },
    {},
  )
  const gateway = await startGateway(t, cli.dir, { args: ['--log-level', 'debug'] })
  const origin = await gateway.listening
  const post = async (name: string): Promise<number> => {
    const headers = { 'Content-Type': 'application/json', 'X-Webhook-Signature': hexHmac('{}', canary(name)) }
    return (await fetch(`${origin}/webhooks/${name}`, { method: 'POST', headers, body: '{}' })).status
  }
  // The agent says its prompt back, and the log shows what is delivered.
  const isMasked = ({ msg, text }: { readonly msg: string; readonly text?: unknown }): boolean => msg === 'delivered' && text === 'got ***'
  t.equal(await post('first'), 202)
  await gateway.line(isMasked)
  cli.write('webhook_subscriptions.json', JSON.stringify({ first: entry('first'), second: entry('second') }))
  t.equal(await post('second'), 202)
  await gateway.line(() => gateway.lines.filter(isMasked).length === 2)
  gateway.kill('SIGTERM')
  const { out, err } = await gateway.ended
  t.strictSame(`${out}${err}`.match(marks), null)
})

t.test('a finding shows no key of a relay, and an address with a mask in its path is refused', async (t) => {
  const relay = { keys: [canary('relay-key'), canary('relay-keys')], routes: { a: {} }, ppublic: 1 }
  const masked = { prompt: 'p', deliver: 'http', deliver_extra: { url: 'https://hooks.slack.com/services/***/***/***' } }
  const config = {
    relay: { url: 'https://relay.example.org/home', key: canary('own-key'), evry: 1 },
    platforms: { webhook: { enabled: true, extra: { secret: canary('global'), routes: { masked } } } },
  }
  const cli = fakeCli(t, { 'config.yaml': stringify(config), 'relay.yaml': `gateways: { home: ${JSON.stringify(relay)} }\n` }, {})
  const findings = await cli.run('validate')
  t.match(findings, { code: 1, out: /error\[WH510\][\s\S]*services\/\*\*\*/ })
  t.match(findings.out, /key: \*{3}/, 'the line is shown')
  const check = await cli.run('relay', 'validate')
  t.match(`${check.out}${check.err}`, /ppublic/)
  t.strictSame(`${findings.out}${check.out}${check.err}`.match(marks), null)
})

const definitions = schema.definitions as { readonly [name: string]: JsonObject }

/** A route for each place of a route's secret. Those of targets are settings of their target. */
const routePlaces = (): readonly { readonly name: string; readonly route: JsonObject }[] => [
  ...secretPlaces(definitions.Route as JsonObject).map(({ value }, i) => ({
    name: `r${i}`,
    route: { prompt: 'got {n}', deliver: 'http', ...(value as JsonObject) },
  })),
  ...targets.flatMap(({ name: target, schema: declared }) =>
    secretPlaces((declared?.deliver_extra ?? {}) as JsonObject, [target]).map(({ value }, i) => ({
      name: `${target.replaceAll('_', '-')}${i}`,
      route: { prompt: 'got {n}', deliver: target, deliver_extra: value },
    })),
  ),
]

/** Texts in which the stars of a text stand elsewhere, and texts with another mistake beside stars that stay. */
const movedStars = (text: string): readonly string[] => {
  const stars = [...new Set(text.match(/'?\*\*\*(?: \([0-9a-f]{8}\))?'?/g))].map((each) => `'${each.replaceAll("'", '')}'`)
  const moved = stars
    .slice(0, 1)
    .flatMap((each) => [
      text.replace(/^prompt: .*$/m, `prompt: ${each}`),
      `${text}\nevents: [${each}]`,
      `${text}\nunknown: ${each}`,
      `${text}\n# description: ${each}`,
      `${text}\n${each}: x`,
      text.replace(/'?\*\*\* \([0-9a-f]{8}\)'?/, (old) => `&it ${old}\nname: *it`),
    ])
  return [
    `${text}\nunknwon: 1`,
    text.replace(/^deliver: .*$/m, 'deliver: [log, 1]'),
    text.replace(/plain=1/, 'plain=2'),
    `${text}\na: b: c`,
    ...moved,
  ]
}

const secret = 'a proxy shows this secret'
const allRoles = { viewer: 'readers', reader: 'readers,see-all', operator: 'ops', all: 'ops,see-all' }
type Role = keyof typeof allRoles

/** Starts a console on the files. Returns the function that asks as a role, and gathers the canaries that answers show. */
const openConsole = async (
  t: Test,
  config: JsonObject,
  files: { readonly [name: string]: string | { readonly [name: string]: string } },
) => {
  const auth = {
    forward: { secret, user_header: 'X-User', groups_header: 'X-Groups' },
    roles: { viewer: ['readers'], operator: ['ops'], payloads: ['see-all'] },
  }
  const console = { public_origin: 'https://hooks.example.com', proxies: ['127.0.0.0/8'], auth }
  const dir = newFolder(t, { 'config.yaml': stringify({ ...config, console }), ...files })
  const { origin } = await startConsole(t, dir)
  const ofProxy = { ...ofPage('https://hooks.example.com'), host: 'hooks.example.com', 'x-headgate-secret': secret }
  const signIns = new Map<string, { readonly [name: string]: string }>()
  for (const [role, groups] of Object.entries(allRoles))
    signIns.set(role, await signInAs(origin, { ...ofProxy, 'x-user': role, 'x-groups': groups }))
  const shown = new Set<string>()
  const ask = async (role: Role, question: string, body: object) => {
    const { text, status } = await send(origin, `/ask/${question}`, { headers: signIns.get(role) ?? {}, body: JSON.stringify(body) })
    for (const mark of text.match(marks) ?? []) shown.add(`${question} shows ${mark} to ${role}`)
    return { status, answer: JSON.parse(text) }
  }
  return { dir, ask, shown }
}
type Ask = Awaited<ReturnType<typeof openConsole>>['ask']

/** Values with which questions are asked, by the names of their members. */
const members: { readonly [member: string]: unknown } = {
  ...{ id: 'none', source: 'config', from: '', to: 'prompt: x', fix: 'none', payload: { from: 'sample', id: 'github/push' } },
  ...{ span: 'hour', target: 'http', profile: 'default', job: 'none', paused: true, action: 'replay', plan: 'none', values: ['ann'] },
}

/** Asks each question of the table, about each route where it is about one. A new question may need a member that is not known here. */
const askAll = async (t: Test, ask: Ask, names: readonly string[]): Promise<void> => {
  for (const [question, { question: form }] of Object.entries(consoleQuestions)) {
    if (question === 'signOut' || question === 'live') continue
    const needed: readonly string[] = form.required
    const ofRoute = needed.filter((member) => member === 'name' || member === 'route')
    const others = needed.filter((member) => member !== 'name' && member !== 'route')
    t.ok(
      others.every((member) => Object.hasOwn(members, member)),
      `${question} can be asked`,
    )
    for (const [i, name] of names.slice(0, ofRoute.length > 0 ? undefined : 1).entries()) {
      const body = Object.fromEntries([...others.map((each) => [each, members[each]]), ...ofRoute.map((each) => [each, name])])
      for (const role of i === 0 ? (Object.keys(allRoles) as Role[]) : (['all'] as const)) await ask(role, question, body)
    }
  }
}

/** Asks the questions about a route's text with each of `movedStars`. */
const askAboutText = async (t: Test, ask: Ask, name: string): Promise<void> => {
  const { answer, status } = await ask('viewer', 'routeText', { name })
  t.equal(status, 200, name)
  for (const [i, to] of movedStars(answer.from).entries()) {
    const of = { name, from: answer.from, to }
    const asked = [ask('viewer', 'routePreview', of), ask('viewer', 'routePlan', of)]
    if (i < 5) asked.push(ask('reader', 'routePreview', { ...of, payload: members.payload }), ask('viewer', 'routeNames', of))
    const [preview] = await Promise.all(asked)
    for (const fix of preview?.answer.fixes ?? []) await ask('viewer', 'fixRoute', { ...of, fix })
    if (i !== 4 && i !== 5) continue
    t.match(await ask('all', 'saveRoute', { ...of, despite_errors: true }), { answer: { ok: false } }, to)
    await ask('all', 'keepDraft', of)
    await ask('viewer', 'routeText', { name })
    await ask('all', 'dropDraft', { name })
  }
}

t.test('no question of the console shows the secret of a place, to no role, wherever its stars are moved', async (t) => {
  const all = routePlaces()
  const routes = Object.fromEntries(all.map(({ name, route }) => [name, route]))
  const entries = Object.fromEntries(all.map(({ name, route }) => [`sub-${name}`, route]))
  const { dir, ask, shown } = await openConsole(
    t,
    { platforms: { webhook: { enabled: true, extra: { secret: canary('global'), routes } } } },
    { 'webhook_subscriptions.json': JSON.stringify(entries) },
  )
  const before = readFileSync(join(dir, 'config.yaml'), 'utf8')
  const names = [...Object.keys(routes), ...Object.keys(entries)]
  await askAll(t, ask, names)
  for (const name of names) await askAboutText(t, ask, name)
  t.equal(readFileSync(join(dir, 'config.yaml'), 'utf8'), before, 'and nothing was saved')
  t.strictSame([...shown], [])
})

t.test('no command shows the secret of a place, nor does a backup have it', async (t) => {
  const routes = Object.fromEntries(routePlaces().map(({ name, route }) => [name, route]))
  const config = { platforms: { webhook: { enabled: true, extra: { secret: canary('global'), routes } } } }
  const entries = JSON.stringify(Object.fromEntries(routePlaces().map(({ name, route }) => [`sub-${name}`, route])))
  const all = fakeCli(t, { 'config.yaml': stringify(config), 'webhook_subscriptions.json': entries }, {})
  const shown: string[] = []
  const run = async (cli: ReturnType<typeof fakeCli>, ...argv: string[]): Promise<void> => {
    const { out, err } = await cli.run(...argv)
    t.ok(out + err, argv.join(' '))
    for (const mark of `${out}${err}`.match(marks) ?? []) shown.push(`${argv.join(' ')}: ${mark}`)
  }
  for (const argv of [
    ['config', 'show'],
    ['validate', '--json'],
    ['doctor', '--json'],
    ['webhook', 'list', '--json'],
    ['export', 'asyncapi'],
  ])
    await run(all, ...argv)
  const file = join(all.dir, 'copy.tar.gz')
  await run(all, 'backup', file)
  const bytes = gunzipSync(readFileSync(file)).toString('latin1')
  t.match(bytes, /SECRET_LEFT_OUT_OF_BACKUP/)
  t.strictSame(bytes.match(marks), null, 'a backup')

  const login = (place: string): string => `https://me:${canary(`login of ${place}`)}@127.0.0.1:9/in?sig=${canary(`sig of ${place}`)}`
  const words = [
    '--token',
    canary('word'),
    `--api-key=${canary('word')}`,
    '-H',
    `Authorization: Bearer ${canary('word')}`,
    `--url=${login('word')}`,
  ]
  const resolved = fakeCli(
    t,
    {
      'config.yaml': stringify({
        agent: { runner: 'command', command: ['agent', ...words] },
        toolsets: {
          own: { command: ['notes', ...words, '--plain', 'shown'], allow: ['x'], env: { LEVEL: '${LEVEL}' } },
          other: { url: login('toolset'), allow: ['x'], headers: { 'X-Any': '${LEVEL}' } },
        },
        telemetry: { otlp: { endpoint: login('telemetry'), headers: { 'X-Any': '${LEVEL}' } } },
      }),
      '.env': `LEVEL=${canary('variable')}\n`,
    },
    {},
  )
  for (const argv of [
    ['config', 'show', '--resolved', '--json'],
    ['config', 'show'],
    ['validate', '--json'],
  ])
    await run(resolved, ...argv)
  t.match(await resolved.run('config', 'show', '--resolved'), { code: 0, out: /shown/ })
  t.strictSame(shown, [])
})

t.test('settings whose keys only look like those of secrets are shown', async (t) => {
  const verify = { algorithm: 'token', signature: { header: 'X-Shown' } }
  const extra = { routes: { r: { prompt: 'p', secret: canary('secret'), verify } } }
  const cli = fakeCli(t, { 'config.yaml': stringify({ platforms: { webhook: { enabled: true, extra } } }) }, {})
  const { out } = await cli.run('config', 'show')
  t.match(out, 'header: X-Shown')
  t.strictSame(out.match(marks), null)
})

t.test('a viewer learns by no finding which files exist', async (t) => {
  const route = { secret: 'a secret of this route', prompt: 'got {n}', deliver: 'log' }
  const { ask, dir } = await openConsole(
    t,
    { platforms: { webhook: { enabled: true, extra: { secret: 'a secret of all routes', routes: { r: route } } } } },
    { 'webhook_subscriptions.json': JSON.stringify({ sub: route }) },
  )
  writeFileSync(join(dir, '..', 'foreign-here.txt'), '{"a": 1}\n', { mode: 0o644 })
  writeFileSync(join(dir, 'foreign-here.txt'), '{"a": 1}\n', { mode: 0o644 })
  const keys: readonly ((file: string) => string)[] = [
    (file) => `callback: { url: 'https://h.example.org/', secret: 'file:${join(dir, '..', file)}' }`,
    (file) => `verify_token: file:${join(dir, file)}`,
    (file) => `payload_schema: ../${file}`,
    (file) => `script: ${file}`,
    (file) => `skills: [${file.replace(/\.\w+$/, '')}]`,
    (file) => `payload_schema: ${join(dir, '..', file)}`,
    (file) => `filters: [{ field: n, in_file: ../${file} }]`,
    (file) => `filters: [{ field: n, in_file: ${join(dir, '..', file)} }]`,
    (file) => `script: ../../${file}`,
    (file) => `script: ${join(dir, '..', file)}`,
    (file) => `skills: [../../${file}]`,
    (file) => `deliver_extra: { secret: 'file:${join(dir, '..', file)}' }`,
  ]
  for (const name of ['r', 'sub']) {
    const { answer } = await ask('viewer', 'routeText', { name })
    for (const key of keys) {
      const told = async (file: string): Promise<string> => {
        const of = { name, from: answer.from, to: `${answer.from.trimEnd()}\n${key(file)}\n` }
        const answers = [
          await ask('viewer', 'routePreview', of),
          await ask('viewer', 'routePlan', of),
          await ask('reader', 'routePreview', { ...of, payload: members.payload }),
        ]
        const text = JSON.stringify(answers).replaceAll(file.replace('.txt', ''), 'FILE')
        // How many stored payloads are counted in the time of a preview depends on the machine.
        return text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|"ms":[\d.]+|"of":\d+|"untallied":\d+/g, '')
      }
      t.equal(await told('foreign-here.txt'), await told('foreign-gone.txt'), `${name}: ${key('FILE')}`)
    }
  }
})

/** Puts the values of places into one, the first of two that cannot stand together. */
const joined = (into: Json, value: Json): Json => {
  if (Array.isArray(into) && Array.isArray(value)) return into.length === 0 ? value : [joined(into[0] as Json, value[0] as Json)]
  if (!isObject(into) || !isObject(value)) return into
  const keys = [...new Set([...Object.keys(into), ...Object.keys(value)])]
  return Object.fromEntries(
    keys.map((key) => [
      key,
      own(into, key) === undefined
        ? (value[key] as Json)
        : value[key] === undefined
          ? (into[key] as Json)
          : joined(into[key] as Json, value[key] as Json),
    ]),
  )
}
const together = (root: JsonObject): JsonObject =>
  secretPlaces(root)
    .map(({ value }) => value)
    .reduce(joined, {}) as JsonObject

t.test('no place of a secret outside of routes is shown: platforms, jobs, profiles, variables, toolsets, included files', async (t) => {
  const { platforms, ...sections } = together(schema) as { readonly platforms: JsonObject } & JsonObject
  const { webhook: _, ...chats } = platforms
  const extra = { port: 0, secret: canary('global'), routes: { plain: { prompt: 'got {n}', deliver: 'log', enabled: true } } }
  const whole = { ...sections, include: ['routes.d/*.yaml'], platforms: { ...chats, webhook: { enabled: true, extra } } }
  const [route] = routePlaces()
  const names = [...new Set(JSON.stringify(schema).match(/[A-Z][A-Z0-9]+_(?:TOKEN|SECRET|KEY|PASSWORD|URL)/g))]
  const files = {
    'config.yaml': stringify(whole, { aliasDuplicateObjects: false }),
    'routes.d/more.yaml': stringify({ routes: { more: route?.route ?? {} } }),
    'cron_jobs.json': JSON.stringify({
      job: { ...(together(definitions.StoredJob as JsonObject) as object), schedule: '0 0 1 1 *', prompt: 'x' },
    }),
    'relay.yaml': stringify(together(definitions.RelayFile as JsonObject)),
    'profiles/a/config.yaml': stringify(
      { platforms: chats, jobs: { j: together(definitions.Job as JsonObject) } },
      { aliasDuplicateObjects: false },
    ),
    '.env': names.map((name) => `${name}=${canary(`env-${name}`)}\n`).join(''),
  }
  t.ok(new Set(files['config.yaml'].match(marks)).size > 60, 'there are many places')
  const cli = fakeCli(t, files, {})
  const shown: string[] = []
  const commands: readonly (readonly string[])[] = [
    ...[['config', 'show'], ['validate'], ['doctor'], ['webhook', 'list'], ['targets', 'list'], ['cron', 'list']],
    ...[
      ['relay', 'validate'],
      ['validate', '--env'],
      ['export', 'asyncapi'],
      ['cron', 'show', 'job'],
      ['webhook', 'show', 'more'],
      ['test'],
    ],
    ...[
      ['targets', 'test', 'telegram'],
      ['config', 'diff'],
      ['gateway', 'status'],
      ['webhook', 'list', '--profile', 'a'],
      ['agent', 'test'],
    ],
  ]
  // A slip beside the places makes frames, which quote their lines.
  const slips: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => `${text}unknwon: 1\n`,
    (text) => text.replaceAll(/^( +)(\w*(?:token|secret|password|key)): /gm, '$1$2x: '),
  ]
  for (const [i, slip] of slips.entries()) {
    for (const name of ['config.yaml', 'relay.yaml', 'profiles/a/config.yaml', 'routes.d/more.yaml'] as const)
      cli.write(name, slip(files[name]))
    for (const argv of commands.flatMap((each) => [each, ['--json', ...each]])) {
      const { out, err } = await cli.run(...argv)
      for (const mark of new Set(`${out}${err}`.match(marks))) shown.push(`${argv.join(' ')} (${i}): ${mark}`)
    }
  }
  const { console: _console, ...withoutConsole } = whole as JsonObject
  const { 'config.yaml': _config, ...others } = files
  const asked = await openConsole(t, withoutConsole, { 'routes.d': { 'more.yaml': others['routes.d/more.yaml'] }, '.env': others['.env'] })
  await askAll(t, asked.ask, ['plain', 'more'])
  t.strictSame([...shown, ...asked.shown], [])
})

/**
 * The double of each platform whose API is HTTP, by profile: a platform has one connection in each profile. In `logins` the addresses have a
 * login, and nobody answers there.
 */
const doublesByProfile = (): ReadonlyMap<string, readonly Double[]> => {
  const profiles = new Map<string, readonly Double[]>([['logins', []]])
  const hasPlatform = (name: string): boolean =>
    targets.some((each) => each.name === name && each.schema?.settings && !name.endsWith('_comment'))
  for (const double of doubles.filter(({ listen, target }) => !listen && hasPlatform(target))) {
    const used = (profile: string): readonly Double[] => profiles.get(profile) ?? []
    const free = ['logins', 'default', 'second', 'third'].filter((profile) => !used(profile).some(({ target }) => target === double.target))
    for (const profile of free[0] === 'logins' ? free.slice(0, 2) : free.slice(0, 1)) profiles.set(profile, [...used(profile), double])
  }
  return profiles
}

t.test('the log and the files of a gateway show no secret of platforms, toolsets, jobs and variables', async (t) => {
  // Its errors quote what it was sent, in each field that the API of a platform may have for a reason.
  const target = await sink(t, (response, { url, headers, body }) => {
    const why = `${url} ${JSON.stringify({ authorization: headers.authorization, ...headers })} ${body}`
    const reason = { message: why, description: why, errmsg: why, msg: why, details: why, error_message: why, title: why, error: why }
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(reason))
  })
  const closed = await closedOrigin()
  const login = closed.replace('://', `://user:${canary('login')}@`)
  const withSecrets = (value: Json, name: string): Json => JSON.parse(JSON.stringify(value).replaceAll(/canary[^"?\\]*/g, canary(name)))
  const jobs: { readonly profile: string; readonly name: string }[] = []
  const files = [...doublesByProfile()].map(([profile, all]): readonly [string, JsonObject] => {
    const own = all.map(({ target: name, way = '', settings, address, chat, ownChat, extra = {} }) => {
      const job = `to-${name.replaceAll('_', '-')}`
      jobs.push({ profile, name: job })
      const to = address?.(chat, target.origin) ?? (ownChat ? {} : { chat_id: chat })
      const delivery = { deliver: name, deliver_extra: withSecrets({ ...to, ...extra }, `${name}-extra`) }
      return [
        name,
        withSecrets(settings(profile === 'logins' ? login : target.origin), `${name}-${way}`),
        job,
        { schedule: '0 0 1 1 *', prompt: 'x', ...delivery },
      ] as const
    })
    const platforms = Object.fromEntries(own.map(([name, settings]) => [name, settings]))
    return [profile, { platforms, jobs: Object.fromEntries(own.map(([, , name, job]) => [name, job])) }]
  })
  const { platforms, jobs: own } = Object.fromEntries(files).default as { readonly [section: string]: JsonObject }
  const url = (of: string): string => `${of}/hooks/${canary('path')}?access_token=${canary('query')}`
  const more = { plain: url(target.origin), closed: url(closed) }
  jobs.push(...Object.keys(more).map((name) => ({ profile: 'default', name })))
  const toAddress = (to: string): JsonObject => ({ schedule: '0 0 1 1 *', prompt: 'x', deliver: 'http', deliver_extra: { url: to } })
  const cli = fakeCli(
    t,
    {
      'config.yaml': stringify({
        agent: { runner: 'echo' },
        gateway: { multiplex_profiles: true },
        platforms: { ...platforms, webhook: { enabled: true, extra: { port: 0, secret: canary('global') } } },
        toolsets: { own: { url: url(target.origin), allow: ['x'], headers: { Authorization: '${MCP}' } } },
        jobs: { ...own, ...Object.fromEntries(Object.entries(more).map(([name, to]) => [name, toAddress(to)])) },
      }),
      '.env': `MCP=${canary('mcp-variable')}\n`,
      ...Object.fromEntries(
        files.filter(([profile]) => profile !== 'default').map(([profile, file]) => [`profiles/${profile}/config.yaml`, stringify(file)]),
      ),
    },
    {},
  )
  const gateway = await startGateway(t, cli.dir, { args: ['--log-level', 'debug'] })
  await gateway.listening
  const hasFailed = ({ msg }: Line): boolean => msg === 'run is dead' || msg === 'run failed, it will be tried again'
  for (const { profile, name } of jobs) t.match(await cli.run('cron', 'run', name, '--profile', profile), { code: 0 }, name)
  for (const { profile, name } of jobs) await gateway.line((line) => hasFailed(line) && line.job === name && line.profile === profile)
  const quoting = gateway.lines.filter(({ reason }) => String(reason).includes('***'))
  t.ok(new Set(quoting.map(({ job }) => job)).size > 10, 'many errors quoted a secret')
  gateway.kill('SIGTERM')
  const { out, err } = await gateway.ended
  t.strictSame([...new Set(`${out}${err}`.match(marks))], [], 'log')
  t.strictSame([...new Set(filesBelow(cli.dir, 'config.yaml', '.env').match(marks))], [], 'files')
})

/** A database that refuses each sign-in with a message that quotes the password, as no good server does. */
const quotingDatabase = async (t: Test): Promise<string> => {
  const server = createServer((socket) => {
    const message = (type: string, body: Buffer): Buffer => {
      const head = Buffer.from(`${type}\0\0\0\0`)
      head.writeInt32BE(body.length + 4, 1)
      return Buffer.concat([head, body])
    }
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      if (data[0] !== 'p'.charCodeAt(0)) return void socket.write(message('R', Buffer.from([0, 0, 0, 3])))
      const why = `SFATAL\0VFATAL\0C28P01\0Mwrong password ${data.subarray(5, -1).toString()}\0\0`
      socket.end(message('E', Buffer.from(why)))
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  t.teardown(() => server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('no error that ends a command or a start shows a secret that a server, a program or a file quotes', async (t) => {
  const password = canary('database')
  const address = `postgres://me:${password}@${await quotingDatabase(t)}/events?sslmode=disable`
  const config = (url: string, secrets = ''): string => `
storage: { kind: postgres, url: "${url}" }
platforms: { webhook: { enabled: true, extra: { port: 0, secret: ${canary('global')} } } }
${secrets}`
  const token = canary('token-of-the-environment')
  const cli = fakeCli(t, { 'config.yaml': config(address), '.env': `TELEGRAM_BOT_TOKEN=${token}\n` }, {})
  const shown: string[] = []
  const fails = async (...argv: string[]): Promise<void> => {
    const { code, out, err } = await cli.run(...argv)
    t.not(code, 0, argv.join(' '))
    t.match(out + err, '***', argv.join(' '))
    for (const mark of `${out}${err}`.match(marks) ?? []) shown.push(`${argv.join(' ')}: ${mark}`)
  }
  for (const argv of [
    ['events', 'list'],
    ['events', 'list', '--json'],
    ['--verbose', 'events', 'list'],
    ['events', 'retry', '--dead', '--yes'],
  ])
    await fails(...argv)
  await fails('webhook', 'show', canary('global'))
  await fails('webhook', 'show', token)
  const { out, err, code } = await spawnGateway(t, cli.dir).ended
  t.equal(code, 4, 'the start')
  t.match(out + err, '***')
  shown.push(...(`${out}${err}`.match(marks) ?? []))
  writeFileSync(join(cli.dir, 'secret.sh'), `#!/bin/sh\nprintf '%s' '${address}'\n`, { mode: 0o700 })
  cli.write('config.yaml', config('exec:vault/db', `secrets: { providers: { vault: { command: [sh, ${join(cli.dir, 'secret.sh')}] } } }`))
  await fails('events', 'list')
  cli.write('plugin.mjs', `throw new Error('cannot use ${canary('global')}')\n`)
  cli.write('config.yaml', config(address, 'plugins: [./plugin.mjs]'))
  const broken = await spawnGateway(t, cli.dir).ended
  t.match(broken, { code: 78, err: '***' }, 'a plugin that throws')
  shown.push(...(`${broken.out}${broken.err}`.match(marks) ?? []))
  t.strictSame(shown, [])
})

/** Each part of it says all that it was handed and knows: in a report, as a reason, or by an error. */
const talkative = `
const said = (...all) => 'cannot use ' + JSON.stringify(all) + ' with ${canary('global')}'
const throws = (...all) => { throw new Error(said(...all)) }
const reported = (report, ...all) => { report('WH707', [said(...all)], said(...all), said(...all)); throws(...all) }
const settings = [{ key: 'pin', env: ['ACME_PIN'], secret: true }]
const check = (values, report) => reported(report, values)
export const targets = [
  { name: 'acme-chat', settings, withheld: ['door'], check, undeliverable: said, unaddressed: said, send: throws },
]
export const operator = { name: 'acme-is', examples: [], compile: (operand, kit) => reported(kit.report, operand) }
export const runner = { name: 'acme-agent', env: { apiKey: ['ACME_KEY'] }, compile: (given, report) => reported(report, given) }
const scheme = (name, compile) => ({ name, title: name, shows: () => true, compile, sign: throws })
export const schemes = [
  scheme('acme-compiles', (secret) => throws(secret)),
  scheme('acme-refuses', (secret) => () => said(secret)),
  scheme('acme-reads', (secret) => () => () => throws(secret)),
]
`

t.test('no finding, reason or error of a plugin shows a secret that it was handed, whoever asks', async (t) => {
  const to = (name: string) => ({
    deliver: 'acme-chat',
    deliver_extra: {
      door: '${DOOR}',
      token: canary(`token-${name}`),
      url: `https://h.example.org/?sig=${canary(`sig-${name}`)}`,
    },
  })
  const route = (name: string, more: object = {}) => ({ prompt: 'got {n}', secret: canary(`secret-${name}`), ...to(name), ...more })
  const schemes = ['acme-compiles', 'acme-refuses', 'acme-reads']
  const routes = {
    plain: route('plain'),
    filtered: route('filtered', { filters: [{ field: 'n', 'acme-is': 1 }] }),
    ...Object.fromEntries(schemes.map((verify) => [verify, route(verify, { verify, deliver: 'log', deliver_extra: {} })])),
  }
  const config = (plugin: string): string =>
    stringify({
      plugins: [plugin],
      agent: { runner: 'acme-agent' },
      platforms: {
        'acme-chat': { password: canary('platform') },
        webhook: { enabled: true, extra: { port: 0, secret: canary('global'), routes } },
      },
      jobs: { j: { schedule: '0 0 1 1 *', prompt: 'x', ...to('job') } },
    })
  const files = {
    'config.yaml': config('./p.mjs'),
    'p.mjs': talkative,
    'broken.mjs': `throw new Error('cannot use ${canary('global')}')\n`,
    'webhook_subscriptions.json': JSON.stringify({ sub: route('sub') }),
    'cron_jobs.json': JSON.stringify({ stored: { schedule: '0 0 1 1 *', prompt: 'x', ...to('stored') } }),
  }
  const cli = fakeCli(t, files, {})
  // The names `door` and `pin` do not say that they name a secret: the plugin does, by `withheld` and `secret`.
  const env = { HEADGATE_HOME: cli.dir, ACME_KEY: canary('key'), ACME_PIN: canary('pin'), DOOR: canary('door') }
  const quoting = new Set<string>()
  const shown = new Set<string>()
  const look = (where: string, text: string): void => {
    if (/cannot use .*\*{3}/.test(text)) quoting.add(where)
    for (const mark of text.match(marks) ?? []) shown.add(`${where} shows ${mark}`)
  }
  const run = async (...argv: string[]): Promise<void> => {
    const { out, err } = await cli.runWith({ env }, ...argv)
    look(argv.join(' '), out + err)
  }
  const asks = schemes.flatMap((name) => [
    ['webhook', 'trace', name, '--payload', '{"n":1}'],
    ['webhook', 'verify', name, '--body', '{"n":1}'],
  ])
  const everywhere = [
    ['validate'],
    ['validate', '--json'],
    ['validate', '--format', 'sarif'],
    ['validate', '--sample', 'github/push'],
    ['validate', '--env'],
    ['doctor'],
    ['doctor', '--json'],
    ['test'],
    ['targets', 'list'],
    ['targets', 'test', 'acme-chat'],
    ['webhook', 'list'],
    ['cron', 'list'],
    ['webhook', 'show', 'plain'],
    ['webhook', 'trace', 'plain', '--payload', '{"n":1}', '--scheme', 'none'],
    ['webhook', 'subscribe', 's', '--prompt', 'x', '--deliver', 'acme-chat', '--dry-run'],
    ...asks,
  ]
  for (const argv of everywhere) await run(...argv)
  const gateway = spawnGateway(t, cli.dir, { args: ['--log-level', 'debug'], env })
  const end = await gateway.ended
  look('the start', end.out + end.err)
  cli.write('config.yaml', config('./broken.mjs'))
  for (const argv of [['validate'], ['doctor'], ['targets', 'list']]) await run(...argv, '--quiet')
  // A gateway that serves is asked to take the plugin up.
  cli.write('config.yaml', stringify({ platforms: { webhook: { enabled: true, extra: { port: 0, secret: canary('global') } } } }))
  const serving = await startGateway(t, cli.dir, { args: ['--log-level', 'debug'], env })
  await serving.listening
  cli.write('config.yaml', config('./p.mjs'))
  await run('gateway', 'reload')
  await run('gateway', 'status')
  serving.kill('SIGTERM')
  const served = await serving.ended
  look('the log', served.out + served.err)
  const { 'config.yaml': _, ...others } = files
  const users = await openConsole(t, parse(config('./p.mjs')), others)
  await askAll(t, users.ask, ['plain'])
  for (const where of ['validate --json', 'doctor', 'the start', 'gateway reload', 'gateway status', 'the log'])
    t.ok(quoting.has(where), `${where} quotes the plugin`)
  t.strictSame([...shown, ...users.shown], [])
})

/** Returns the rows of each table of a database's schema, as texts. */
const tablesOf = async (url: string, schemaName: string): Promise<ReadonlyMap<string, readonly string[]>> => {
  const connection = await connect({ url: () => url, schema: schemaName, durability: 'commit', byIndex: false })
  const ask = (text: string) => connection.query({ name: text.slice(0, 60), text }, [])
  try {
    const columns = await ask(
      'select table_name, column_name, data_type from information_schema.columns where table_schema = current_schema()',
    )
    const tables = new Map<string, string[]>()
    for (const [table, column, type] of columns.map((row) => row.map(String))) {
      const shown = type === 'bytea' ? `encode(${column}, 'escape')` : `${column}::text`
      const rows = await ask(`select ${shown} from ${table}`)
      tables.set(table as string, [...(tables.get(table as string) ?? []), ...rows.map(([text]) => String(text))])
    }
    return tables
  } finally {
    await connection.end()
  }
}

t.test('no table of a shared database has a secret, but for those that were typed into entries', { skip: withoutPostgres }, async (t) => {
  const server = await openPostgresServer()
  t.teardown(() => server.stop())
  const schemaName = server.newSchema()
  const target = await sink(t, (response, { url, headers }) => {
    response
      .writeHead(422, { 'content-type': 'application/json' })
      .end(JSON.stringify({ description: `cannot ${url} ${JSON.stringify(headers)}` }))
  })
  const address = `${target.origin}/services/T01/${canary('path')}/{n}?access_token=${canary('query')}`
  const toTarget = (name: string): JsonObject => ({
    deliver: 'http',
    deliver_extra: { url: address, secret: canary(`${name}-signing`), headers: { 'X-Passphrase': canary(`${name}-header`) } },
  })
  const called = {
    url: `${target.origin}/hooks/${canary('call-path')}?key=${canary('call-query')}`,
    secret: canary('call'),
    headers: { 'X-Key': canary('call-header') },
  }
  const routes: { readonly [name: string]: JsonObject } = {
    plain: { prompt: 'got {n}', ...toTarget('plain'), callback: called },
    direct: { prompt: 'got {n}', ...toTarget('direct'), deliver_only: true },
    later: { prompt: 'got {n}', ...toTarget('later'), deliver_only: true, retry: { max_attempts: 2 }, delay_seconds: 3600 },
    lane: { prompt: 'got {n}', ...toTarget('lane'), concurrency: { key: '{n}', limit: 1 }, session: { key: '{n}' } },
    joined: { prompt: 'got {n}', ...toTarget('joined'), coalesce: { key: '{n}', window_seconds: 300 } },
    limited: { prompt: 'got {n}', deliver: 'log', rate_limit: { per_minute: 1, key: 'n' } },
    several: {
      prompt: 'got {n}',
      secrets: [canary('several'), canary('several-more')],
      deliver: 'telegram',
      deliver_extra: { chat_id: '1' },
    },
    split: { prompt: 'got {item}', split: { items: 'items' }, ...toTarget('split') },
  }
  const subscription = {
    prompt: 'got {n}',
    secret: '${SUB_SECRET}',
    deliver: 'http',
    deliver_extra: { url: target.origin, secret: '${SUB_SECRET}' },
  }
  const typed = { prompt: 'got {n}', secret: canary('typed'), ...toTarget('typed') }
  const cli = fakeCli(
    t,
    {
      'config.yaml': stringify({
        agent: { runner: 'echo' },
        storage: { kind: 'postgres', url: server.url, schema: schemaName, durability: 'commit' },
        platforms: {
          webhook: { enabled: true, extra: { port: 0, secret: canary('global'), routes } },
          telegram: { token: canary('bot'), api_base: target.origin },
        },
        alerts: [toTarget('alert')],
        jobs: { own: { schedule: '0 0 1 1 *', prompt: 'x', ...toTarget('job') } },
      }),
      '.env': `SUB_SECRET=${canary('variable')}\n`,
      'webhook_subscriptions.json': JSON.stringify({ sub: subscription, typed }),
      'cron_jobs.json': JSON.stringify({ stored: { schedule: '0 0 1 1 *', prompt: 'x', ...toTarget('stored') } }),
    },
    {},
  )
  const gateway = await startGateway(t, cli.dir)
  const origin = await gateway.listening
  const body = '{"n":1,"items":[{"id":1},{"id":2}]}'
  const statuses: number[] = []
  const keys = { sub: canary('variable'), typed: canary('typed') }
  for (const name of [...Object.keys(routes), ...Object.keys(keys), 'plain']) {
    const { secret: own, secrets } = (routes[name] ?? {}) as { readonly secret?: string; readonly secrets?: readonly string[] }
    const key = (keys as { readonly [name: string]: string })[name] ?? own ?? secrets?.[0] ?? canary('global')
    const brought = Object.fromEntries(secretHeaders.map((header) => [header, canary(`sent-${header}`)]))
    const signed = { 'Content-Type': 'application/json', 'X-Webhook-Signature': hexHmac(body, key), 'X-Delivery-Id': name }
    const answer = await fetch(`${origin}/webhooks/${name}?access_token=${canary('sent-query')}`, {
      method: 'POST',
      headers: { ...brought, ...signed },
      body,
    })
    statuses.push(answer.status)
  }
  t.same([...new Set(statuses)].sort(), [202, 502])
  t.match(await cli.run('cron', 'run', 'stored'), { code: 0 })
  t.match(await cli.run('cron', 'run', 'own'), { code: 0 })
  // Their runs have ended, so the errors, which quote what the target got, are stored.
  await until(() => target.seen.filter(({ url }) => url?.includes(canary('call-path'))).length > 1)
  await until(() => new Set(gateway.lines.filter(({ msg }) => msg === 'run is dead').map(({ route, job }) => route ?? job)).size > 6)
  gateway.kill('SIGTERM')
  await gateway.ended
  const tables = await tablesOf(server.url, schemaName)
  for (const table of ['runs', 'messages', 'record_batches', 'sessions', 'records', 'groups', 'claims', 'entries'])
    t.ok(tables.get(table)?.length, `there are ${table}`)
  t.match(tables.get('records')?.join(), /cannot \/bot\*{3}/, 'a record quotes the target')
  const found = [...tables].flatMap(([table, rows]) => [...new Set(rows.join('\n').match(marks))].map((mark) => `${table}: ${mark}`))
  // SECURITY.md: what was typed into a subscription or a stored job stands in `entries` as in its file.
  const written = `${cli.read('webhook_subscriptions.json')} ${cli.read('cron_jobs.json')}`
  t.strictSame(
    found.filter((each) => !(each.startsWith('entries: ') && written.includes(each.slice('entries: '.length)))),
    [],
  )
})
