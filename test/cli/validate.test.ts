/** `validate`: all findings at once, in order, with the line that is meant and never a secret. */

import { chmodSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import t from 'tap'
import type { SourceRange } from '../../src/core/diagnostic.ts'
import { fakeCli } from '../fakes/cli.ts'
import { examples } from '../fakes/examples.ts'

const store = 'webhook_subscriptions.json'

const clean = `platforms:
  webhook:
    enabled: true
    extra:
      secret: global-secret-1
      routes:
        a: { events: [push] }
        b: { secret: other-secret-2 }
`

/** Twelve mistakes, each on its own line. */
const twelve = `platforms:
  webhook:
    enabled: true
    prot: 8644
    extra:
      port: 99999
      rate_limit: "30"
      secret: global-secret-1
      routes:
        unknown-key:
          evnts: [push]
        bad-target:
          deliver: telegrm
        two-modes:
          deliver: http
          deliver_extra: { url: "https://example.com/" }
          deliver_only: true
          cron_job: nightly
        empty-secret:
          secret: ""
        no-target:
          deliver_only: true
        bad-pattern:
          filters:
            - { field: a, regex: "(" }
        two-operators:
          filters:
            - { field: a, equals: 1, contains: 2 }
        missing-script:
          script: nope.py
        missing-setting:
          deliver: github_comment
agent:
  runner: opnai
`

const codesOf = (out: string): [code: string, line: number][] =>
  JSON.parse(out).data.diagnostics.map(({ code, range }: { code: string; range: { start: SourceRange } | null }) => [
    code,
    range?.start.line ?? 0,
  ])

t.test('clean files: counts and exit 0', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': clean })
  t.same(await cli.run('validate'), { code: 0, out: '0 errors, 0 warnings in 2 routes (1 file)\n', err: '' })
  t.same(JSON.parse((await cli.run('validate', '--json')).out), {
    v: 1,
    kind: 'validate',
    ok: true,
    data: { diagnostics: [], summary: { errors: 0, warnings: 0, infos: 0, fixable: 0, suppressed: 0, withheld: 0, routes: 2, files: 1 } },
    warnings: [],
  })
})

t.test('a setting of a platform that nothing reads is a warning with a suggestion, in a profile too', async (t) => {
  const config = `gateway: { multiplex_profiles: true }
platforms:
  webhook: { enabled: true }
  telegram: { tokn: canary, bot_token: x, x-note: 1 }
  github: { tokn: canary }
`
  const cli = fakeCli(t, { 'config.yaml': config, 'profiles/office/config.yaml': 'platforms: { ntfy: { topik: canary } }\n' })
  const { code, out } = await cli.run('validate', '--json')
  t.equal(code, 0)
  t.notMatch(out, 'canary')
  t.match(JSON.parse(out).data.diagnostics, [
    { code: 'WH706', help: 'did you mean "token"?', range: { start: { line: 4 } } },
    { code: 'WH706', message: /"tokn" of github/ },
    { code: 'WH706', help: 'did you mean "topic"?' },
  ])
})

t.test('the second name of a target leads to the section of its platform', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': 'platforms: { msteams: { enabled: true }, whatsapp_cloud: { enabled: true } }\n' })
  const { code, out } = await cli.run('validate', '--json')
  t.equal(code, 1)
  t.match(JSON.parse(out).data.diagnostics, [{ help: 'did you mean "teams"?' }, { help: 'did you mean "whatsapp"?' }])
})

t.test('twelve mistakes: all of them, ordered by line, exit 1', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': twelve })
  const { code, out } = await cli.run('validate', '--format', 'json')
  t.equal(code, 1)
  const found = codesOf(out)
  const expected: [string, number][] = [
    ['WH101', 4],
    ['WH105', 6],
    ['WH102', 7],
    ['WH101', 11],
    ['WH704', 13],
    ['WH203', 17],
    ['WH201', 20],
    ['WH202', 22],
    ['WH401', 25],
    ['WH405', 28],
    ['WH601', 30],
    ['WH705', 32],
    ['WH103', 34],
  ]
  for (const [wanted, line] of expected)
    t.ok(
      found.some(([code, at]) => code === wanted && at === line),
      `${wanted} on line ${line}`,
    )
  t.same(
    [...found].sort(([, a], [, b]) => a - b),
    found,
    'in the order of the lines',
  )
  const pretty = await cli.run('validate')
  t.equal(pretty.code, 1)
  t.match(
    pretty.out,
    /error\[WH101\] unknown key "evnts" {2}\S*config\.yaml:11:11\n {3}\|\n10 \| +unknown-key:\n11 \| +evnts: \[push\]\n {3}\| {11}\^{5}\n {3}= route {3}unknown-key\n {3}= help {4}did you mean "events"\?\n {3}= start {3}the gateway does not start with this\n/,
  )
  t.notMatch(pretty.out, 'global-secret-1')
})

t.test('each item has the agreed members', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': clean.replace('events: [push]', 'evnts: [push]') })
  const { data, ok } = JSON.parse((await cli.run('validate', '--json')).out)
  t.equal(ok, false)
  const at = clean.indexOf('events')
  const { file, ...item } = data.diagnostics[0]
  t.equal(resolve(file), cli.file('config.yaml'))
  t.same(item, {
    code: 'WH101',
    name: 'unknown key',
    severity: 'error',
    stops_startup: true,
    message: 'unknown key "evnts"',
    help: 'did you mean "events"?',
    range: { start: { line: 7, column: 14, offset: at }, end: { line: 7, column: 19, offset: at + 5 } },
    pointer: '/platforms/webhook/extra/routes/a/evnts',
    route: 'a',
    suggest: ['events'],
    fix: {
      title: 'write "events" instead of "evnts"',
      safe: true,
      edits: [
        {
          file,
          start: { line: 7, column: 14, offset: at },
          end: { line: 7, column: 19, offset: at + 5 },
          text: 'events',
        },
      ],
    },
    related: [],
    docs: 'https://github.com/headgate/headgate/blob/main/docs/codes.md#wh101',
  })
})

t.test('concise: one finding a line', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': clean.replace('events: [push]', 'evnts: [push]') })
  t.match(
    (await cli.run('validate', '--format', 'concise')).out,
    /^\S*config\.yaml:7:14: WH101 error: unknown key "evnts" \(route a; stops the start\)\n$/,
  )
})

t.test('subscriptions have places in their own file and never stop the start', async (t) => {
  const cli = fakeCli(t, {
    'config.yaml': clean,
    [store]:
      '{\n  "a": {"secret": "first-secret-1"},\n  "ok": {"secret": "third-secret-3"},\n  "bad": {"secret": "hunter2-hunter2",\n    "evnts": []},\n  "none": {"secret": "", "deliver_only": true},\n  "__proto__": {}\n}\n',
  })
  chmodSync(cli.file(store), 0o600)
  const { code, out } = await cli.run('validate', '--json')
  t.equal(code, 1)
  t.same(codesOf(out), [
    ['WH211', 2],
    ['WH101', 5],
    ['WH201', 6],
    ['WH202', 6],
    ['WH108', 7],
  ])
  const { data } = JSON.parse(out)
  t.match(data.summary, { errors: 4, warnings: 1, routes: 7, files: 2 })
  t.ok(data.diagnostics.every((item: { stops_startup: boolean }) => !item.stops_startup))
})

t.test('a corrupt subscriptions file: its place and the backup', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': clean, [store]: '{"a": {"secret": "hunter2-hunter2" x' })
  chmodSync(cli.file(store), 0o600)
  const { code, out } = await cli.run('validate')
  t.equal(code, 1)
  t.match(out, /error\[WH803\].*not valid JSON at 1:36.*:1:36/)
  t.match(out, 'webhook_subscriptions.json.bak')
  t.notMatch(out, 'hunter2')
})

t.test('files of entries that are nested too deep: the place, in validate, at the commands and at the server', async (t) => {
  const deep = `{\n  "a": { "secret": "hunter2-hunter2", "filters": ${'['.repeat(3_000)}${']'.repeat(3_000)} }\n}`
  const cli = fakeCli(t, { 'config.yaml': clean, [store]: deep, 'cron_jobs.json': deep })
  for (const name of [store, 'cron_jobs.json']) chmodSync(cli.file(name), 0o600)
  const { code, out } = await cli.run('validate', '--format', 'concise')
  t.equal(code, 1)
  t.match(out, /webhook_subscriptions\.json:2:148: WH803 error: .*nested deeper than 100 at 2:148/)
  t.match(out, /cron_jobs\.json:2:148: WH806 error/)
  t.match(await cli.run('webhook', 'subscribe', 'b'), { code: 6, err: /nested deeper than 100 at 2:148/ })
  cli.write(store, `\ufeff${JSON.stringify({ x: { secret: 'x-x-x-x-x' } })}`)
  t.match(await cli.run('webhook', 'list'), { code: 6, err: /1:1: it begins with a byte order mark/ })
  cli.write(store, 'x'.repeat(17_000_000))
  t.match(await cli.run('validate', cli.file(store)), { code: 1, out: /WH803.*larger than 16777216/ })
})

t.test('a subscriptions file that others can read is a warning, and --deny-warnings makes it count', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': clean, [store]: '{}' })
  chmodSync(cli.file(store), 0o644)
  t.match(await cli.run('validate'), { code: 0, out: /WH804.*0644/ })
  t.match(await cli.run('validate', '--deny-warnings'), { code: 1 })
})

t.test('an adapter that is off is an error, as for gateway run; a file that cannot be read is not taken for one', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': 'platforms: { webhook: { enabled: false } }\n' }, {})
  t.match(await cli.run('validate'), { code: 1, out: /error\[WH109\].*not enabled/ })
  t.match(await cli.run('gateway', 'run'), { code: 7, err: /not enabled/ })
  cli.write('config.yaml', 'platforms: {')
  const { out } = await cli.run('validate')
  t.match(out, 'WH001')
  t.notMatch(out, 'WH109')
})

t.test('a folder without a configuration is said by the name of the file; where the folder was asked for it is an error', async (t) => {
  const cli = fakeCli(t)
  const file = cli.file('config.yaml')
  t.match(await cli.run('validate'), { code: 1, out: `error[WH003] ${file} does not exist` })
  t.match(await cli.run('validate', cli.dir), { code: 1, out: `error[WH003] ${file} does not exist` })
  t.match(await cli.runWith({ env: {} }, '--data-dir', cli.dir, 'validate'), { code: 1, out: /error\[WH003\]/ })
  cli.write(store, '{}')
  chmodSync(cli.file(store), 0o600)
  t.match(await cli.run('validate'), { code: 0, out: `info[WH004] there is no ${file}` })
  const nowhere = cli.file('nowhere/config.yaml')
  for (const format of ['pretty', 'concise', 'json'])
    t.match(await cli.run('--data-dir', cli.file('nowhere'), 'validate', '--format', format), {
      code: 1,
      out: `${nowhere} does not exist`,
    })
  const env = { WEBHOOK_ENABLED: 'true', HEADGATE_HOME: cli.file('nowhere') }
  t.match(await cli.runWith({ env }, 'validate'), { code: 1, out: `error[WH003] ${nowhere} does not exist` })
  const home = { WEBHOOK_ENABLED: 'true', HOME: cli.dir }
  t.match(await cli.runWith({ env: home }, 'validate'), { code: 0, out: `there is no ${cli.file('.headgate/config.yaml')}` })
})

t.test('what is wrong with the shape of a route names the route and the whole path, and the route counts', async (t) => {
  const config = clean
    .replace('{ events: [push] }', '{ events: [push, 1], filters: [{ all: [{ field: a, equals: 1 }, { field: 1, exists: true }] }] }')
    .replace('{ secret: other-secret-2 }', '{ secret: "${NOPE}" }\n        c.d: { evnts: [x] }\n        e: 1')
  const cli = fakeCli(t, { 'config.yaml': `${config}agent: { model: 1 }\n`, [store]: '{"s":{"secret":"${NOPE}"},"u":{"events":[1]}}' })
  chmodSync(cli.file(store), 0o600)
  const concise = (await cli.run('validate', '--format', 'concise')).out
  t.match(concise, 'WH102 error: events[1]: must be text, found 1 (route a; stops the start)\n')
  t.match(concise, 'WH102 error: filters[0].all[1].field: must be text, found 1 (route a; stops the start)\n')
  t.match(concise, 'WH305 error: cannot resolve ${NOPE} (route b; stops the start)\n')
  t.match(concise, 'WH101 error: unknown key "evnts" (route c.d; stops the start)\n')
  t.match(concise, 'platforms.webhook.extra.routes.e: must be a map, found 1 (route e; stops the start)\n')
  t.match(concise, 'WH305 error: cannot resolve ${NOPE} (route s)\n')
  t.match(concise, 'WH102 error: events[0]: must be text, found 1 (route u)\n')
  const pretty = (await cli.run('validate')).out
  for (const name of ['a', 'b', 'c.d', 'e', 's', 'u']) t.match(pretty, `= route   ${name}\n`)
  t.match(pretty, / in 6 routes \(2 files\)/)
  const { data } = JSON.parse((await cli.run('validate', '--json')).out)
  t.same(data.diagnostics.map(({ route }: { route: string | null }) => String(route)).sort(), ['a', 'a', 'b', 'c.d', 'e', 'null', 's', 'u'])
  t.equal(data.summary.routes, 6)
})

t.test('what is wrong with the shape of a route hides nothing else of it, and nothing is made up of it', async (t) => {
  const route = (text: string): Promise<string[]> => {
    const routes = `platforms: { webhook: { enabled: true, extra: { port: 0, secret: b0e6f2a94c7d41d8, routes: { r: ${text} } } } }\n`
    const cli = fakeCli(t, { 'config.yaml': routes })
    return cli.run('validate', '--format', 'concise').then(({ out }) => out.match(/WH(?!506)\d+/g) ?? [])
  }
  t.same(await route('{ prompt: p, deliver: telegrm }'), ['WH704'])
  t.same(await route('{ prompt: p, promt: x, coalesce: { key: k, max_wait_seconds: 29 } }'), ['WH101', 'WH212'])
  t.same(await route('{ prompt: p, coalesce: { max_wait_seconds: 29 } }'), ['WH104', 'WH212'])
  t.same(await route('{ prompt: p, coalesce: { key: k, window_seconds: x, max_wait_seconds: 29 } }'), ['WH102'])
  t.same(await route('{ prompt: p, coalesce: { max_wait_seconds: 29 }, cron_job: j }'), ['WH104', 'WH204', 'WH217'])
  t.same(await route('{ prompt: p, coalesce: { key: k, single_flight: true }, concurrency: { limit: 0 } }'), ['WH208', 'WH105'])
  const queue = 'rate_limit: { per_minute: 1, when_over: queue }'
  t.same(await route(`{ deliver_only: true, deliver: log, ${queue} }`), ['WH202', 'WH208'])
  t.same(await route('{ prompt: p, split: items, rate_limit: { per_minute: 1 } }'), ['WH208'])
  t.same(await route('{ prompt: p, verify: line, secret: b0e6f2a94c7d41d8, events: [message], rate_limit: { per_minute: 1 } }'), ['WH208'])
  t.same(await route(`{ prompt: p, split: items, ${queue} }`), [])
  t.same(await route('{ prompt: p, filters: [{ feld: a, regex: "(" }] }'), ['WH101', 'WH401'])
  t.same(await route('{ prompt: p, coalesce: { key: k, keep: 5 } }'), ['WH102'])
  t.same(await route('{ prompt: p, session: { key: 5 } }'), ['WH102'])
  t.same(await route('{ prompt: p, toolsets: [5] }'), ['WH102'])
})

type Members = { [key: string]: unknown }

/** Each place in a value, that value itself not among them. */
const placesIn = (value: unknown): (string | number)[][] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, item]) => [[key], ...placesIn(item).map((path) => [key, ...path])])

t.test('whatever stands at whichever place of a route: it is found, and all routes are checked', async (t) => {
  const whole = {
    description: 'd',
    enabled: true,
    profile: 'default',
    secrets: ['d0e6f2a94c7d41d8'],
    verify: ['github'],
    events: ['push'],
    script: 'x.sh',
    filters: [{ field: 'a', equals: 1 }, { any: [{ field: 'b', in: ['x'] }, { not: { field: 'c', regex: 'x' } }] }],
    prompt: '{a}',
    skills: ['s'],
    toolsets: ['web'],
    deliver: ['log', { target: 'slack', deliver_extra: { chat_id: 'x' } }],
    deliver_extra: { a: '1' },
    deliver_mode: 'all',
    deliver_only: false,
    coalesce: { key: 'k', window_seconds: 3, max_wait_seconds: 2, keep: 'latest' },
    concurrency: { limit: 3, key: 'k' },
    session: { key: 'k' },
    retry: { max_attempts: 3 },
    agent: { model: 'm' },
    tests: [{ name: 'a', send: { payload: {} }, expect: { status: 202 } }],
  }
  const routes: { [name: string]: unknown } = {}
  for (const [i, path] of placesIn(whole).entries())
    for (const [j, wrong] of [{ wrong: [[]] }, null, -1, undefined].entries()) {
      const spec = structuredClone(whole)
      const around = path.slice(0, -1).reduce<Members>((at, key) => at[key] as Members, spec)
      around[String(path.at(-1))] = wrong
      routes[`r${i}-${j}`] = spec
    }
  const webhook = { enabled: true, extra: { port: 0, secret: 'b0e6f2a94c7d41d8', routes } }
  const cli = fakeCli(t, {
    'config.yaml': JSON.stringify({ platforms: { webhook } }),
    'webhook_subscriptions.json': JSON.stringify(routes),
  })
  const { code, out } = await cli.run('validate', '--json')
  t.equal(code, 1)
  const found: { route: string | null; file: string }[] = JSON.parse(out).data.diagnostics
  for (const file of ['config.yaml', 'webhook_subscriptions.json'])
    for (const name of Object.keys(routes).filter((name) => name.endsWith('-0')))
      t.ok(
        found.some((each) => each.route === name && each.file.endsWith(file)),
        `${file} ${name}`,
      )
})

t.test('a path is that file, a subscriptions file among them; a missing one is exit 2', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': twelve, 'other.yaml': clean, [`sub/${store}`]: '{"a":{"evnts":[]}}' })
  t.match(await cli.run('validate', cli.file('other.yaml')), { code: 0, out: /in 2 routes \(1 file\)/ })
  t.match(await cli.run('validate', '--config', cli.file('other.yaml')), { code: 0 })
  t.match(await cli.run('validate', cli.file(`sub/${store}`), '--config', cli.file('other.yaml')), { code: 1, out: /WH101/ })
  t.match(await cli.run('validate', cli.file('other.yaml'), cli.file(`sub/${store}`)), { code: 1, out: /in 3 routes \(2 files\)/ })
  t.match(await cli.run('validate', 'nowhere.yaml'), { code: 2, err: /no such path: nowhere\.yaml/ })
  t.match(await cli.run('validate', '--config', 'nowhere.yaml'), { code: 2 })
})

t.test("the agent's settings are checked as at start", async (t) => {
  const cli = fakeCli(t, { 'config.yaml': `${clean}agent:\n  runner: command\n` })
  t.match(await cli.run('validate'), { code: 1, out: /WH222.*config\.yaml:10:3/ })
})

const leaks: [title: string, yaml: string][] = [
  ['a plain value', 'secret: hunter2-hunter2\n      prot: 1'],
  ['a wrong type', 'secret: [hunter2-hunter2]'],
  ['a list of secrets', 'routes: { a: { secrets: [hunter2-hunter2, 5] } }'],
  ['a block list', 'routes:\n        a:\n          secrets:\n          - hunter2-hunter2\n          - 5\n          evnts: 1'],
  ['a block text', 'secret: |\n        hunter2-hunter2\n      prot: 1'],
  ['a text on the next line', 'secret:\n        hunter2-hunter2\n      prot: 1'],
  ['a list of maps', 'routes: { a: 1 }\n      secret:\n        - x: 1\n          y: hunter2-hunter2\n      prot: 1'],
  ['a quote that does not end', 'secret: "hunter2-hunter2\n      port: 1'],
  ['text after a quote', 'secret: "x" hunter2-hunter2'],
  ['an alias', 'secret: *hunter2-hunter2'],
  ['an inline map', 'routes: { a: { secret: hunter2-hunter2, evnts: 1 } }'],
  ['an unresolved reference', 'secret: "${NOPE}hunter2-hunter2"'],
  ['a file that is not there', 'routes: { a: { secret: hunter2-hunter2, deliver: http, deliver_extra: { secret: hunter2-hunter2 } } }'],
]

t.test('a route whose name sounds secret is shown all the same', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': clean.replace('        a: {', '        my-token:\n          evnts: 1\n        a: {') })
  t.match((await cli.run('validate')).out, /7 \| +my-token:\n8 \| +evnts: 1/)
})

for (const [title, yaml] of leaks) {
  t.test(`no secret in any message or frame: ${title}`, async (t) => {
    const cli = fakeCli(t, { 'config.yaml': `platforms:\n  webhook:\n    extra:\n      ${yaml}\n` })
    for (const format of ['pretty', 'concise', 'json']) {
      const { code, out, err } = await cli.run('validate', '--format', format)
      t.equal(code, 1, format)
      t.notMatch(out + err, 'hunter2', format)
    }
  })
}

t.test('only the value of a secret is masked: not a reference, not what stands beside it, and the marker stays in place', async (t) => {
  const cases: [line: string, shown: string][] = [
    ['a: { secret: canary-canary, evnts: 1 }', 'a: { secret: ***, evnts: 1 }'],
    ['a: { evnts: 1, secret: "canary, canary" }', 'a: { evnts: 1, secret: *** }'],
    ["a: { secret: 'can''ary', evnts: 1 } # kept", 'a: { secret: ***, evnts: 1 } # kept'],
    ['a: { evnts: 1 } # secret: "canary canary"', 'a: { evnts: 1 } # secret: ***'],
    [
      'a: { evnts: 1, prompt: "x # token: shown" } # the secret: of Kim',
      'a: { evnts: 1, prompt: "x # token: shown" } # the secret: of Kim',
    ],
    ['a: { secrets: [canary-1, "canary-2"], evnts: 1 }', 'a: { secrets: [***, ***], evnts: 1 }'],
    ['a: { secret: "${NAME}", evnts: 1 }', 'a: { secret: "${NAME}", evnts: 1 }'],
    ['a: { secret: "${NAME:-canary}", evnts: 1 }', 'a: { secret: "${NAME:-***}", evnts: 1 }'],
    ['a: { secret: "canary${NAME}canary", evnts: 1 }', 'a: { secret: "***${NAME}***", evnts: 1 }'],
    ['a: { secret: file:/run/secret, evnts: 1 }', 'a: { secret: file:/run/secret, evnts: 1 }'],
    ['a: { secret: INSECURE_NO_AUTH, evnts: 1 }', 'a: { secret: INSECURE_NO_AUTH, evnts: 1 }'],
    ['a: { secret: 1234567, evnts: 1 }', 'a: { secret: ***, evnts: 1 }'],
    ['a: { secret: { canary: canary }, evnts: 1 }', 'a: { secret: ***, evnts: 1 }'],
    ['a: { secret: &canary x, evnts: 1, x-a: { token: *canary } }', 'a: { secret: ***, evnts: 1, x-a: { token: *** } }'],
    [
      'a: { deliver_extra: { headers: { X-Key: "canary ${K}", Y: canary } }, evnts: 1 }',
      'a: { deliver_extra: { headers: { X-Key: "***${K}", Y: *** } }, evnts: 1 }',
    ],
    ['{ "a": { "secret": "canary", "evnts": 1 } }', '{ "a": { "secret": ***, "evnts": 1 } }'],
    ['a: { secrets: [&canary x, !canary y, *canary], evnts: 1 }', 'a: { secrets: [***, ***, ***], evnts: 1 }'],
    ['my-token: { evnts: 1 }', 'my-token: { evnts: 1 }'],
  ]
  for (const [line, shown] of cases) {
    const config = `platforms:\n  webhook:\n    enabled: true\n    secret: x-x-x-x-x\n    routes:\n      ${line}\n`
    const { out } = await fakeCli(t, { 'config.yaml': config }, { NAME: 'x-x-x-x', K: 'x' }).run('validate')
    const lines = out.split('\n')
    const at = lines.indexOf(`6 |       ${shown}`)
    t.ok(at > 0, `${line}\n${out}`)
    const marked = lines.map((each) => (lines[at] ?? '').slice(each.indexOf('^'), each.lastIndexOf('^') + 1))
    t.ok(marked.includes('evnts') || marked.includes('"evnts"'), line)
    t.notMatch(out, 'canary')
  }
  const twice = 'platforms: {}\nx-a: { secret: canary, n: 1 }\nplatforms: { x-token: [canary] }\n'
  t.match(
    (await fakeCli(t, { 'config.yaml': twice }).run('validate')).out,
    '2 | x-a: { secret: ***, n: 1 }\n3 | platforms: { x-token: [***] }',
  )
  const broken = 'agent: { secret: canary, b: "${NAME}", token: "${NAME}", c: 1 }\n  b: 1\n'
  t.match((await fakeCli(t, { 'config.yaml': broken }).run('validate')).out, 'agent: { secret: ***, b: "${NAME}", token: "${NAME}", c: 1 }')
})

t.test('addresses that are or hold a secret, and headers, are not shown', async (t) => {
  const config = `platforms:
  discord: { webhook_url: "https://example.com/api/webhooks/1/canary-1", enabled: 3 }
  slack:
    webhook_url: https://example.com/services/canary-2
    enabled: 3
  ntfy: { server_url: "https://someone:p@canary-3@example.com/path", enabled: 3 }
  teams:
    webhook_url: >-
      https://example.com/canary-4
    enabled: 3
  webhook:
    routes:
      r: { deliver: http, deliver_extra: { headers: { X-Auth: canary-5 } }, events: 3 }
      s:
        deliver_extra:
          headers:
            X-Auth: canary-6
          subject: 3
`
  const { out, err } = await fakeCli(t, { 'config.yaml': config }).run('validate')
  t.match(out + err, /ntfy: \{ server_url: "https:\/\/\*{3}@example\.com\/path", enabled: 3/)
  t.match(out + err, /webhook_url: \*{3}/)
  t.notMatch(out + err, 'canary')
})

t.test('colour when asked for, none by default', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': twelve })
  t.notMatch((await cli.run('validate')).out, '\u001b')
  t.match((await cli.run('validate', '--color', 'always')).out, '\u001b[31;1merror[WH101]')
})

t.test('http without a secret is said to be unsigned, which is no warning', async (t) => {
  const config = `${clean}
        hook: { prompt: p, deliver: http, deliver_extra: { url: "http://127.0.0.1:9/in" } }
        signed: { prompt: p, deliver: http, deliver_extra: { url: "http://127.0.0.1:9/in", secret: key } }
jobs:
  nightly: { schedule: "@daily", prompt: p, deliver: [{ target: http, deliver_extra: { url: "http://127.0.0.1:9/in" } }] }
`
  const cli = fakeCli(t, { 'config.yaml': config })
  const { code, out } = await cli.run('validate', '--deny-warnings', '--format', 'json')
  t.equal(code, 0)
  t.match(JSON.parse(out).data.diagnostics, [
    { code: 'WH708', severity: 'info', route: 'hook', range: { start: { line: 10 } }, help: /deliver_extra\.secret/ },
    { code: 'WH708', severity: 'info', message: /^job "nightly"/ },
  ])
  t.equal(JSON.parse(out).data.diagnostics.length, 2)
  const unsigned = ['webhook', 'subscribe', 'b', '--deliver', 'http', '--deliver-extra', 'url=http://127.0.0.1:9/']
  t.match(await cli.run(...unsigned), { code: 0, err: /^info\[WH708\] / })
  t.match((await cli.run('validate')).out, /^info\[WH708\] .*not signed.*config\.yaml:10:/m)
})

/** A warning on line 8 (WH210), an unknown setting on line 10 (WH706). */
const lived = `platforms:
  webhook:
    enabled: true
    extra:
      secret: global-secret-1
      routes:
        a:
          { deliver_only: true, deliver: telegram, agent: { model: m }, prompt: p }
  telegram: { token: telegram-1, home_channel: "-100123" }
  mattermost: { tokn: x }
`
const idle = '          { deliver_only'
const codes = async (cli: ReturnType<typeof fakeCli>, ...options: string[]): Promise<string[]> =>
  codesOf((await cli.run('validate', ...options, '--json')).out).map(([code]) => code)

t.test('a webhook-ignore comment takes findings out of its line or the next one, with a reason', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': lived })
  t.same(await codes(cli), ['WH210', 'WH706'])
  const cases: [text: string, found: string[]][] = [
    [lived.replace('m }, prompt: p }', 'm }, prompt: p } # webhook-ignore WH210: until May'), ['WH706']],
    [lived.replace(idle, `          # webhook-ignore WH210: until May\n          # more words\n\n${idle}`), ['WH706']],
    [lived.replace('tokn: x }', 'tokn: x } # webhook-ignore wh706, WH210: until May'), ['WH210', 'WH010']],
    [lived.replace('m }, prompt: p }', 'm }, prompt: p } # webhook-ignore WH210'), ['WH210', 'WH010', 'WH706']],
    [lived.replace('m }, prompt: p }', 'm }, prompt: p } # webhook-ignore WH210:  '), ['WH210', 'WH010', 'WH706']],
    [lived.replace('m }, prompt: p }', 'm }, prompt: p } # webhook-ignore WH211: no such thing'), ['WH210', 'WH010', 'WH706']],
    [lived.replace('m }, prompt: p }', 'm }, prompt: p } # webhook-ignore WH999: nothing has it'), ['WH210', 'WH010', 'WH706']],
    [lived.replace('m }, prompt: p }', 'm }, prompt: p } # webhook-ignored WH210: another word'), ['WH210', 'WH706']],
    [
      lived
        .replace(idle, `          # webhook-ignore WH210: a\n${idle}`)
        .replace('m }, prompt: p }', 'm }, prompt: p, description: "b # webhook-ignore WH706: c" }'),
      ['WH706'],
    ],
    // What stops the start stays, and the comment is said to be in vain.
    [
      lived
        .replace('a:\n', 'a: # webhook-ignore WH101: no\n')
        .replace('agent:', 'agnt:')
        .replace('          {', '          # webhook-ignore WH101: no\n          {'),
      ['WH010', 'WH101', 'WH706'],
    ],
  ]
  for (const [text, found] of cases) {
    cli.write('config.yaml', text)
    t.same(await codes(cli), found, text)
  }
  t.match(await cli.run('validate'), { code: 1, out: /warning\[WH010\] WH101 stops the start here: it cannot be hidden/ })
  cli.write('config.yaml', lived.replace('m }, prompt: p }', 'm }, prompt: p } # webhook-ignore WH210: until May'))
  t.match(JSON.parse((await cli.run('validate', '--json')).out).data.summary, { warnings: 1, suppressed: 1 })
  t.same(await codes(cli, '--no-refs', '--select', 'WH0'), [])
})

t.test('findings are chosen by code or the beginning of one', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': lived })
  t.same(await codes(cli, '--select', 'wh7'), ['WH706'])
  t.same(await codes(cli, '--select', 'WH2,WH7', '--ignore', 'WH706'), ['WH210'])
  t.match(await cli.run('validate', '--deny-warnings', '--ignore', 'WH2', '--ignore', 'WH7'), { code: 0 })
  t.match(await cli.run('validate', '--select', 'WH211O'), {
    code: 2,
    err: /--select: no finding has the code "WH211O"[\s\S]*did you mean .*"WH211"/,
  })
  t.match(await cli.run('validate', '--ignore', 'WH9'), { code: 2 })
})

t.test('a baseline keeps what is known out, also when lines move, and never what stops the start', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': lived })
  const file = cli.file('baseline.json')
  t.match(await cli.run('validate', '--baseline', file), { code: 2, err: /cannot read the baseline/ })
  t.match(await cli.run('validate', '--write-baseline'), { code: 2, err: /--baseline/ })
  t.match(await cli.run('validate', '--baseline', file, '--write-baseline', '--deny-warnings'), { code: 0, out: /2 suppressed/ })
  cli.write('config.yaml', `# new\n\n${lived}`)
  t.match(await cli.run('validate', '--baseline', file, '--deny-warnings'), { code: 0, out: /^0 errors, 0 warnings/ })
  cli.write('config.yaml', lived.replace('tokn: x', 'tokn: x, chanel: y'))
  t.same(await codes(cli, '--baseline', file), ['WH706'])
  cli.write('config.yaml', lived.replace('agent:', 'agnt:'))
  await cli.run('validate', '--baseline', file, '--write-baseline')
  t.match(await cli.run('validate', '--baseline', file), { code: 1, out: /WH101/ })
  cli.write('baseline.json', '{"v":1,"findings":[3]}')
  t.match(await cli.run('validate', '--baseline', file), { code: 2, err: /is no baseline/ })
})

t.test('standard input is checked as a configuration', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': clean })
  const stdin = async (): Promise<string> => twelve
  const { code, out } = await cli.runWith({ stdin }, 'validate', '-', '--format', 'concise')
  t.equal(code, 1)
  t.match(out, /^<stdin>:4:5: WH101 error/m)
  t.match(await cli.runWith({ stdin }, 'validate', '-', '--fix'), { code: 2, err: /standard input/ })
  t.match(await cli.runWith({ stdin }, 'validate', '-', '--diff'), { code: 1, out: /^- {10}evnts: \[push\]\n\+ {10}events: \[push\]$/m })
})

t.test('--no-env misses nothing of an environment that is not read', async (t) => {
  const config = `platforms:
  webhook:
    extra:
      routes:
        a: { secret: "\${NOPE}" }
        b: { deliver: http, deliver_extra: { url: "https://example.com/", secret: "file:/nope" } }
        c: { secret: "" }
agent: { runner: anthropic, model: m }
`
  const cli = fakeCli(t, { 'config.yaml': config, '.env': 'BAD="x\n' }, {})
  t.same(await codes(cli, '--no-env'), ['WH506', 'WH201'])
  const all = await codes(cli)
  for (const code of ['WH007', 'WH305', 'WH222', 'WH109']) t.ok(all.includes(code), code)
  const shipped = await cli.run('validate', '--no-env', '--no-refs', '--format', 'concise', ...examples)
  t.notMatch(shipped.out, / (?:error|warning)/, 'the examples get their tokens from there')
})

t.test('--no-refs looks for nothing beside the file, and loads no plugin', async (t) => {
  const config = clean.replace(
    '{ events: [push] }',
    '{ script: nope.py, filters: [{ field: a, in_file: nope.txt }], cron_job: nope, deliver: acme-chat }',
  )
  const cli = fakeCli(t, { 'config.yaml': `${config}plugins: [./boom.mjs]\n`, 'boom.mjs': 'throw new Error("loaded")\n' })
  const found = await codes(cli)
  for (const code of ['WH601', 'WH407', 'WH217', 'WH710']) t.ok(found.includes(code), code)
  t.match(await codes(cli, '--no-refs'), /^(?:WH210)?$/)
})

t.test('in one line with several secrets each finding is marked at its own key', async (t) => {
  const route = (name: string): string => `${name}: { secret: canary-${name.repeat(9)}, evnt${name}: [x] }`
  const text = `platforms: { webhook: { enabled: true, routes: { ${['a', 'b', 'c'].map(route).join(', ')} } } }\n`
  const { out } = await fakeCli(t, { 'config.yaml': text }).run('validate', '--select', 'WH101')
  t.notMatch(out, 'canary')
  const lines = out.split('\n')
  const marked = lines.flatMap((line, i) => {
    const [from, to] = [line.indexOf('^'), line.lastIndexOf('^') + 1]
    return from < 0 ? [] : [lines[i - 1]?.slice(from, to)]
  })
  t.same(marked, ['evnta', 'evntb', 'evntc'])
})

t.test('of a document the blocks that say webhook are checked, with the lines of the document', async (t) => {
  const fence = '```'
  const text = `# Notes\n\n${fence}yaml\nevnts: [not, checked] # webhook-ignore WH101: nor this\n${fence}\n\n- in a list:\n\n  ${fence}yaml webhook\n  platforms:\n    webhook: { routes: { a: { evnts: [push] } } }\n  ${fence}\n\n~~~yml webhook title=x\nplatforms: { webhook: { routes: { b: { secret: canary-canary, deliver: telegrm } } } }\n~~~\n\n${fence}yaml webhook\nplatforms: {\n`
  const cli = fakeCli(t, { 'notes.md': text })
  const file = cli.file('notes.md')
  const { code, out } = await cli.run('validate', file, '--format', 'concise')
  t.equal(code, 1)
  t.same(out.match(/notes\.md:\d+:\d+: WH\d+/g), ['notes.md:11:31: WH101', 'notes.md:15:72: WH704', 'notes.md:19:12: WH001'])
  const pretty = (await cli.run('validate', file)).out
  t.match(pretty, '2 routes (1 file)')
  t.notMatch(pretty, /canary|not, checked/)
  t.match(await cli.run('validate', file, '--fix'), { code: 1, err: /mended 2 findings in 1 file/ })
  t.equal(cli.read('notes.md'), text.replace('{ evnts', '{ events').replace('telegrm', 'telegram'))
})

t.test('--fix mends what has one answer, byte for byte; --diff only shows it', async (t) => {
  const text = `${lived
    .replace('deliver: telegram', 'deliver: "telegrm"')
    .replace('platforms:', '\ufeff# Ümläut 🦊\r\nplatforms:')
    .replace('tokn: x', "'tokn':   canary-canary")}x-note: [ "kept",   1 ]\t# as it is\r\nagent: { toolset: 1 }\n`
  const cli = fakeCli(t, { 'config.yaml': text })
  chmodSync(cli.file('config.yaml'), 0o640)
  const diff = await cli.run('validate', '--diff')
  t.equal(cli.read('config.yaml'), text)
  t.match(diff.out, /^--- a\/.*config\.yaml\n\+\+\+ b\/.*config\.yaml\n@@ -6,8 \+6,8 @@\n/)
  t.match(diff.out, `\n-          { deliver_only: true, deliver: "telegrm", agent: { model: m }, prompt: p }\n`)
  t.match(diff.out, `\n+          { deliver_only: true, deliver: "telegram", agent: { model: m }, prompt: p }\n`)
  t.notMatch(diff.out, 'canary')
  t.match(diff.err, 'would mend 2 findings in 1 file')
  const fixed = await cli.run('validate', '--fix')
  t.match(fixed.err, 'mended 2 findings in 1 file')
  t.notMatch(fixed.out, /WH704|WH706/)
  t.equal(cli.read('config.yaml'), text.replace('telegrm', 'telegram').replace("'tokn'", "'token'"))
  t.equal(statSync(cli.file('config.yaml')).mode & 0o777, 0o640)
  t.match(await cli.run('validate', '--fix'), { err: /^mended 0 findings in 0 files/ })
})

t.test('--fix=CODE mends that code only, what follows --fix may be a path, and slips that meet are told', async (t) => {
  const cli = fakeCli(t, { 'a.yaml': clean.replace('events', 'evnts').replace('other-secret-2 }', 'other-secret-2, deliver: telegrm }') })
  const file = cli.file('a.yaml')
  t.match(await cli.run('validate', '--fix=WH704', file), { code: 1, err: /mended 1 finding/ })
  t.match(cli.read('a.yaml'), /evnts[\s\S]*deliver: telegram /)
  t.match(await cli.run('validate', '--fix', file), { code: 0 })
  t.match(cli.read('a.yaml'), 'events: [push]')
  t.match(await cli.run('validate', '--fix=WH999', file), { code: 2 })
  cli.write('a.yaml', clean.replace('events: [push]', 'evnts: [push], eventz: [push]'))
  t.match(await cli.run('validate', '--fix', file), {
    code: 1,
    err: /mended 1 finding[\s\S]*not mended: .*WH101: the file could not be read afterwards/,
  })
  t.match(cli.read('a.yaml'), '{ events: [push], eventz: [push] }')
  cli.write('a.yaml', clean.replace('events: [push]', 'toolset: [x]'))
  t.match(await cli.run('validate', '--fix=WH101', file), { code: 1, err: /mended 0 findings/ })
  t.match(cli.read('a.yaml'), 'toolset: [x]')
  cli.write('a.yaml', clean.replace('events: [push]', 'events: [push], evnts: [push]'))
  t.match(await cli.run('validate', '--fix', file), { code: 1, err: /mended 0 findings/ })
})

t.test('--fix keeps a backup of run-time entries, and touches neither links nor files in another encoding', async (t) => {
  const entries = '{ "a":  {"secret": "hunter2-hunter2", "evnts": ["push"]} }\n'
  const cli = fakeCli(t, { 'config.yaml': clean.replace('        a: { events: [push] }\n', ''), [store]: entries })
  chmodSync(cli.file(store), 0o600)
  t.match(await cli.run('validate', '--fix'), { code: 0, err: /mended 1 finding/ })
  t.equal(cli.read(store), entries.replace('evnts', 'events'))
  t.equal(cli.read(`${store}.bak`), entries)
  t.equal(statSync(cli.file(store)).mode & 0o777, 0o600)
  const broken = clean.replace('events', 'evnts')
  cli.write('real.yaml', broken)
  symlinkSync(cli.file('real.yaml'), cli.file('link.yaml'))
  t.match(await cli.run('validate', '--fix', cli.file('link.yaml')), { code: 6, err: /symbolic link/ })
  t.equal(cli.read('real.yaml'), broken)
  writeFileSync(cli.file('latin.yaml'), Buffer.concat([Buffer.from('# \xe4\n', 'latin1'), Buffer.from(broken)]))
  t.match(await cli.run('validate', '--fix', cli.file('latin.yaml')), { code: 6, err: /not UTF-8/ })
})

t.test('explain says what a code means, lists all, and knows the nearest', async (t) => {
  const cli = fakeCli(t)
  t.match(await cli.run('explain', 'wh402'), {
    code: 0,
    out: /^error\[WH402\] pattern is not linear-time\n[\s\S]*wrong \(keys of a route\)\n {4}filters[\s\S]*right\n/,
  })
  t.match(JSON.parse((await cli.run('explain', 'WH706', '--json')).out), {
    kind: 'explain',
    data: { code: 'WH706', means: /./, why: /./, fix: /./ },
  })
  const { out } = await cli.run('explain')
  t.match(out, /^WH001 {2}error {4}the file cannot be read as YAML\n/)
  t.match(await cli.run('explain', 'WH40'), { code: 5, err: /no finding has the code "WH40"[\s\S]*did you mean/ })
  t.match(await cli.run('check', cli.dir), { code: 1, out: /WH003/ })
})

t.test('explain says what an outcome means, too', async (t) => {
  const cli = fakeCli(t)
  t.match(await cli.run('explain', 'bad_signature'), { code: 0, out: /^bad_signature\n\n[\s\S]*webhook show <route>/ })
  t.match(await cli.run('explain', 'ignored:filters'), { code: 0, out: /^ignored\n[\s\S]*webhook\s+trace/ })
  const listed = JSON.parse((await cli.run('explain', '--json')).out).data.outcomes as string[]
  for (const outcome of listed) {
    const { data } = JSON.parse((await cli.run('explain', outcome, '--json')).out)
    t.match(data, { outcome, means: /./, fix: /./ })
  }
  t.match(await cli.run('explain', 'bad_signatur'), { code: 5, err: /no outcome "bad_signatur"[\s\S]*bad_signature/ })
})
