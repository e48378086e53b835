/** `validate`: all findings at once, in order, with the line that is meant and never a secret. */

import { chmodSync } from 'node:fs'
import { resolve } from 'node:path'
import t from 'tap'
import type { Place } from '../../src/core/diagnostic.ts'
import { fakeCli } from '../fakes/cli.ts'

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
  JSON.parse(out).data.diagnostics.map(({ code, range }: { code: string; range: { start: Place } | null }) => [
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
    data: { diagnostics: [], summary: { errors: 0, warnings: 0, routes: 2, files: 1 } },
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
  const cli = fakeCli(t, { 'config.yaml': config, 'profiles/work/config.yaml': 'platforms: { ntfy: { topik: canary } }\n' })
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
    ['WH103', 13],
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
    /error\[WH101\] unknown key "evnts" {2}\S*config\.yaml:11:11\n {3}\|\n10 \| +unknown-key:\n11 \| +evnts: \[push\]\n {3}\| {11}\^{5}\n {3}= route {3}unknown-key\n {3}= help {4}did you mean "events"\?/,
  )
  t.notMatch(pretty.out, 'global-secret-1')
  t.notMatch(pretty.out, 'docs')
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
  })
})

t.test('concise: one finding a line', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': clean.replace('events: [push]', 'evnts: [push]') })
  t.match((await cli.run('validate', '--format', 'concise')).out, /^\S*config\.yaml:7:14: WH101 error: unknown key "evnts" \(route a\)\n$/)
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

t.test(
  'a folder without a configuration is said by the name of the file; one that is not there fails where it was asked for',
  async (t) => {
    const cli = fakeCli(t)
    const file = cli.file('config.yaml')
    t.match(await cli.run('validate'), { code: 0, out: `info[WH004] there is no ${file}` })
    t.match(await cli.runWith({ env: {} }, '--data-dir', cli.dir, 'validate'), { code: 1, out: /WH004[\s\S]*error\[WH109\]/ })
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
  },
)

t.test('what is wrong with the shape of a route names the route and the whole path, and the route counts', async (t) => {
  const config = clean
    .replace('{ events: [push] }', '{ events: [push, 1], filters: [{ all: [{ field: a, equals: 1 }, { field: 1, exists: true }] }] }')
    .replace('{ secret: other-secret-2 }', '{ secret: "${NOPE}" }\n        c.d: { evnts: [x] }\n        e: 1')
  const cli = fakeCli(t, { 'config.yaml': `${config}agent: { model: 1 }\n`, [store]: '{"s":{"secret":"${NOPE}"},"u":{"events":[1]}}' })
  chmodSync(cli.file(store), 0o600)
  const concise = (await cli.run('validate', '--format', 'concise')).out
  t.match(concise, 'WH102 error: events[1]: must be text, found 1 (route a)\n')
  t.match(concise, 'WH102 error: filters[0].all[1].field: must be text, found 1 (route a)\n')
  t.match(concise, 'WH305 error: cannot resolve ${NOPE} (route b)\n')
  t.match(concise, 'WH101 error: unknown key "evnts" (route c.d)\n')
  t.match(concise, 'platforms.webhook.extra.routes.e: must be a map, found 1 (route e)\n')
  t.match(concise, 'WH305 error: cannot resolve ${NOPE} (route s)\n')
  t.match(concise, 'WH102 error: events[0]: must be text, found 1 (route u)\n')
  const pretty = (await cli.run('validate')).out
  for (const name of ['a', 'b', 'c.d', 'e', 's', 'u']) t.match(pretty, `= route   ${name}\n`)
  t.match(pretty, / in 6 routes \(2 files\)/)
  const { data } = JSON.parse((await cli.run('validate', '--json')).out)
  t.same(data.diagnostics.map(({ route }: { route: string | null }) => String(route)).sort(), ['a', 'a', 'b', 'c.d', 'e', 'null', 's', 'u'])
  t.equal(data.summary.routes, 6)
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
    ['a: { secret: canary-canary, evnts: 1 }', 'a: { secret: ****, evnts: 1 }'],
    ['a: { evnts: 1, secret: "canary, canary" }', 'a: { evnts: 1, secret: **** }'],
    ["a: { secret: 'can''ary', evnts: 1 } # kept", 'a: { secret: ****, evnts: 1 } # kept'],
    ['a: { secrets: [canary-1, "canary-2"], evnts: 1 }', 'a: { secrets: [****, ****], evnts: 1 }'],
    ['a: { secret: "${NAME}", evnts: 1 }', 'a: { secret: "${NAME}", evnts: 1 }'],
    ['a: { secret: "${NAME:-canary}", evnts: 1 }', 'a: { secret: "${NAME:-****}", evnts: 1 }'],
    ['a: { secret: "canary${NAME}canary", evnts: 1 }', 'a: { secret: "****${NAME}****", evnts: 1 }'],
    ['a: { secret: file:/run/secret, evnts: 1 }', 'a: { secret: file:/run/secret, evnts: 1 }'],
    ['a: { secret: INSECURE_NO_AUTH, evnts: 1 }', 'a: { secret: INSECURE_NO_AUTH, evnts: 1 }'],
    ['a: { secret: 1234567, evnts: 1 }', 'a: { secret: ****, evnts: 1 }'],
    ['a: { secret: { canary: canary }, evnts: 1 }', 'a: { secret: ****, evnts: 1 }'],
    ['a: { secret: &canary x, evnts: 1, x-a: { token: *canary } }', 'a: { secret: ****, evnts: 1, x-a: { token: **** } }'],
    [
      'a: { deliver_extra: { headers: { X-Key: "canary ${K}", Y: canary } }, evnts: 1 }',
      'a: { deliver_extra: { headers: { X-Key: "****${K}", Y: **** } }, evnts: 1 }',
    ],
    ['{ "a": { "secret": "canary", "evnts": 1 } }', '{ "a": { "secret": ****, "evnts": 1 } }'],
    ['a: { secrets: [&canary x, !canary y, *canary], evnts: 1 }', 'a: { secrets: [****, ****, ****], evnts: 1 }'],
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
    '2 | x-a: { secret: ****, n: 1 }\n3 | platforms: { x-token: [****] }',
  )
  const broken = 'a: { secret: canary, b: "${NAME}", token: "${NAME}", c: 1 }\n  b: 1\n'
  t.match((await fakeCli(t, { 'config.yaml': broken }).run('validate')).out, 'a: { secret: ****, b: "${NAME}", token: "${NAME}", c: 1 }')
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
  t.match(out + err, /ntfy: \{ server_url: "https:\/\/\*{4}@example\.com\/path", enabled: 3/)
  t.match(out + err, /webhook_url: \*{4}/)
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
