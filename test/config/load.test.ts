import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { readSkills, skillNames } from '../../src/config/skills.ts'
import { parseSource } from '../../src/config/yaml/source.ts'
import { createDryEffects } from '../../src/dryrun/trace/dry-effects.ts'
import { prepareGateway } from '../../src/gateway/compose.ts'
import { defaultAgentOf } from '../../src/parts/named-agents.ts'
import { runnersByName } from '../../src/parts/runners/index.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { compileRoute } from '../../src/plan/compile.ts'
import { knownSecrets } from '../../src/plan/known-secrets.ts'
import { runnerSettings } from '../../src/plan/runner.ts'
import { newFolder } from '../fakes/folder.ts'

type Env = { readonly [name: string]: string }

const load = (dir: string, env: Env = {}, flags: { host?: string; port?: number } = {}) => {
  const loaded = loadConfig({ dataDir: dir, env, ...flags })
  const compiled = [...loaded.config.routes.values()].flatMap(
    (route) => compileRoute(route, loaded.config, builtinCatalogue, createDryEffects()).diagnostics,
  )
  return { config: loaded.config, found: [...loaded.diagnostics, ...compiled] }
}

const webhook = (lines: string): string => `platforms:\n  webhook:\n    enabled: true\n    extra:\n${lines}`
const route = (lines: string): string => webhook(`      secret: s3cret\n      routes:\n        a:\n${lines}`)
/** Code and line of everything that is wrong. */
const summary = (found: ReturnType<typeof load>['found']) => found.map(({ code, place }) => `${code}@${place?.line ?? '-'}`)

t.test('the five start-up failures stop the start, with their place', async (t) => {
  const cases: { readonly [code: string]: string } = {
    'WH201@6': webhook('      routes:\n        a: { prompt: x }'),
    'WH202@8': route('          deliver_only: true'),
    'WH203@9': route(
      '          cron_job: nightly\n          deliver_only: true\n          deliver: http\n          deliver_extra: { url: "http://127.0.0.1/" }',
    ),
    'WH204@8': route(
      '          coalesce: { key: number }\n          deliver_only: true\n          deliver: http\n          deliver_extra: { url: "http://127.0.0.1/" }',
    ),
    'WH205@6': webhook('      host: 0.0.0.0\n      routes:\n        a: { secret: INSECURE_NO_AUTH }'),
  }
  for (const [expected, yaml] of Object.entries(cases)) {
    const code = expected.split('@')[0]
    const { found } = load(newFolder(t, { 'config.yaml': yaml }))
    const hit = found.find((each) => each.code === code)
    t.ok(hit?.stopsStart, `${code} in ${summary(found)}`)
    t.ok(hit?.help, 'it says a way out')
    t.equal(hit?.route, 'a')
    t.ok(hit?.place?.line)
  }
  const conflict = load(newFolder(t, { 'config.yaml': route('          coalesce: { key: x }\n          cron_job: y') }))
  t.ok(conflict.found.some(({ code }) => code === 'WH204'))
  const log = load(newFolder(t, { 'config.yaml': route('          deliver_only: true\n          deliver: log') }))
  t.ok(log.found.some(({ code }) => code === 'WH202'))
})

t.test('a missing secret inherits the global one, an empty or blank one does not', async (t) => {
  for (const [secret, ok] of [
    ['', false],
    ["          secret: ''\n", false],
    ["          secret: '  '\n", false],
  ] as const) {
    const { found } = load(newFolder(t, { 'config.yaml': route(`          prompt: x\n${secret}`) }))
    t.equal(
      found.some(({ code }) => code === 'WH201'),
      secret !== '' && !ok,
      secret,
    )
  }
  t.equal(load(newFolder(t, { 'config.yaml': webhook('      routes:\n        a: {}') }), { WEBHOOK_SECRET: 'from-env' }).found.length, 0)
})

t.test('every problem at once, each with line, column and a way out', async (t) => {
  const { found } = load(
    newFolder(t, {
      'config.yaml': webhook(
        [
          '      rate_limit: 0', // 5
          '      port: "80"', // 6
          '      routes:', // 7
          '        a:', // 8
          '          evnts: [push]', // 9
          '          secret: 123456', // 10
          '        b/c: {}', // 11
          '        d:', // 12
          '          secret: x1y2z3', // 13
          '          filters:', // 14
          '            - { field: a, regex: "(?=x)" }', // 15
          '            - { field: a }', // 16
          '            - { field: a, equals: 1, contains: 2 }', // 17
          '          deliver: telegrm', // 18
          '        e:', // 19
          '          secret: ${NOT_SET}', // 20
          '          verify: nothing', // 21
          '        f:', // 22
          '          secret: x1y2z3', // 23
          '          deliver: github_comment', // 24
        ].join('\n'),
      ),
    }),
  )
  const lines = summary(found)
  for (const expected of ['WH105@5', 'WH102@6', 'WH101@9', 'WH102@10', 'WH108@11', 'WH704@18', 'WH305@20', 'WH103@21', 'WH705@24'])
    t.ok(lines.includes(expected), `${expected} in ${lines}`)
  t.match(found.find(({ code }) => code === 'WH101')?.help, /did you mean "events"/)
  t.match(found.find(({ code }) => code === 'WH704')?.help, /did you mean "telegram"/)
  t.match(found.find(({ code }) => code === 'WH305')?.message, /NOT_SET/)
  t.notOk(JSON.stringify(found).includes('123456'), 'no secret in a message')
})

t.test('a toolset has a name of its own, which no built-in one has and every run may have, and says what it allows', (t) => {
  const name = (text: string): string[] =>
    load(newFolder(t, { 'config.yaml': `toolsets:\n  ${text}: { command: [x], allow: [a] }\n` })).found.map(
      ({ code, place, help }) => `${code}@${place?.line}:${place?.column} ${help}`,
    )
  const help =
    'A toolset name has lower-case letters, digits or underscore, the first a letter; at most 32. It is neither the name of a built-in toolset nor one that runs may not have, such as terminal or file.'
  for (const good of ['notes', 'a1_b', 'files', 'x'.repeat(32)]) t.same(name(good), [], good)
  for (const bad of ['terminal', 'memory', 'clarify', 'Notes', '1a', 'a-b', '_a', 'x'.repeat(33)])
    t.same(name(bad), [`WH108@2:3 ${help}`], bad)
  const codes = (entry: string): string[] => summary(load(newFolder(t, { 'config.yaml': `toolsets:\n  a: ${entry}\n` })).found)
  t.same(codes('{ command: [x] }'), ['WH104@2'])
  t.same(codes('{ command: [x], allow: [] }'), ['WH105@2'])
  t.same(codes('{ command: [x], allow: [a], folder: here, timeout_seconds: 0 }'), ['WH105@2', 'WH105@2'])
  t.same(codes('{ url: "http://h", allow: [a], headers: { A: "${NOT_SET}", "b c": x }, env: { 1A: x } }'), [
    'WH108@2',
    'WH108@2',
    'WH305@2',
  ])
  t.end()
})

t.test('a text that is too short is no empty one, and a map without lines says to indent them', (t) => {
  const short = load(newFolder(t, { 'config.yaml': route('          allow_from: ["x"]') })).found
  t.match(short, [{ code: 'WH105', message: 'allow_from[0]: is too short: at least 2' }])
  const empty = load(newFolder(t, { 'config.yaml': route('          coalesce:\n          key: x') })).found
  t.match(
    empty.find(({ code }) => code === 'WH102'),
    { message: /coalesce: must be a map, found null/, help: /^indent "key" more than "coalesce"$/ },
  )
  t.end()
})

t.test('what is wrong with one of several targets is one sentence, at its place', (t) => {
  const found = (deliver: string): string[] =>
    load(newFolder(t, { 'config.yaml': route(`          deliver: ${deliver}`) })).found.map(
      ({ message, place }) => `${place?.column} ${message}`,
    )
  t.same(found('[log, htp]'), ['26 deliver[1]: "htp" is not one of the known values'])
  t.same(found('[log, { target: telegrm }]'), ['36 deliver[1].target: "telegrm" is not one of the known values'])
  t.same(found('[log, { target: log, chat: 1 }]'), ['41 deliver[1]: unknown key "chat"'])
  t.same(found('[]'), ['20 deliver: must not be empty'])
  t.same(found('[log, 7]'), ['26 deliver[1]: must be text or a map, found 7'])
  t.same(found('7'), ['20 deliver: must be text or a list, found 7'])
  t.same(found('{ target: log }'), ['20 deliver: must be text or a list, found a map'])
  t.end()
})

t.test('what has no effect in the file of a profile is said there', (t) => {
  const own =
    'plugins: [./p.mjs]\nx-note: 1\nplatforms:\n  telegram: { token: x }\n  webhook: { port: 1 }\nagent: { runner: echo }\njobs: {}\nplugin: 1\n'
  const files = { 'config.yaml': 'gateway: { multiplex_profiles: true }\n', profiles: { work: { 'config.yaml': own } } }
  const { found } = load(newFolder(t, files))
  t.same(
    found.filter(({ place }) => place?.file.includes('work')).map(({ code, place, message }) => `${code} ${place?.line} ${message}`),
    [
      'WH101 8 unknown key "plugin"',
      'WH210 1 "plugins" has no effect in the config.yaml of profile "work"',
      'WH210 6 "agent" has no effect in the config.yaml of profile "work"',
      'WH210 5 "platforms.webhook" has no effect in the config.yaml of profile "work"',
    ],
  )
  t.end()
})

t.test('patterns, operators and templates are refused at load, each at its line', async (t) => {
  const { found } = load(
    newFolder(t, {
      'config.yaml': route(
        [
          '          filters:', // 8
          '            - { field: a, regex: "(?=x)" }', // 9
          '            - { field: a, regex: "(" }', // 10
          '            - { field: a }', // 11
          '            - any: [{ not: { field: a, equals: 1, contains: 2 } }]', // 12
          '            - { jsonata: "a b" }', // 13
          '          prompt: "{= $count( }"', // 14
        ].join('\n'),
      ),
    }),
  )
  t.same(summary(found), ['WH402@9', 'WH401@10', 'WH405@11', 'WH405@12', 'WH412@13', 'WH503@14'])
})

t.test('YAML: syntax, duplicate keys, alias bombs', async (t) => {
  t.match(summary(load(newFolder(t, { 'config.yaml': 'a: [1' })).found)[0], /^WH001@1/)
  t.match(summary(load(newFolder(t, { 'config.yaml': 'platforms: {}\nplatforms: {}' })).found)[0], /^WH002@2/)
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefg'.split('').map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdef'[i]}`).join(',')}]`),
  ].join('\n')
  t.match(summary(load(newFolder(t, { 'config.yaml': bomb })).found)[0], /^WH001/)
  const found = (yaml: string) =>
    load(newFolder(t, { 'config.yaml': yaml })).found.map(({ code, place }) => `${code} ${place?.line}:${place?.column}`)
  t.same(
    found('a: 1\nb: {c: 1, c: 2}\na: 2\nagent: {}'),
    ['WH002 2:11', 'WH002 3:1', 'WH101 3:1', 'WH101 2:1'],
    'all of them, and what else is wrong',
  )
  t.same(found('a: &x\n  b: [1, *x]'), ['WH001 2:10'], 'an alias of itself')
  t.same(found(`a: ${'['.repeat(3_000)}${']'.repeat(3_000)}`), ['WH001 1:103'], 'nested too deep')
  t.same(found('a: 1\n---\nb: 2'), ['WH001 2:1'], 'two documents')
  t.same(found('platforms: *p'), ['WH001 1:12'], 'an alias of nothing')
})

t.test('places: quoted, flow, empty, many-line and aliased values, whatever the line breaks', (t) => {
  const found = (yaml: string) =>
    load(newFolder(t, { 'config.yaml': webhook(yaml) }))
      .found.map(({ place }) => place && `${place.line}:${place.column}-${place.endLine}:${place.endColumn}`)
      .sort()
  t.same(found('      port: "80"\n      host: [a,\n        b]'), ['5:13-5:17', '6:13-7:11'])
  t.same(found('      rate_limit:\n      port: {}\n'), ['5:7-5:17', '6:13-6:15'])
  t.same(found('      port: |\n        80\n        81\n'), ['6:1-8:1'])
  t.same(found('      x-p: &p "80"\n      port: *p\n'), ['6:13-6:15'])
  t.same(found('      port: eighty # no\r\n      host:\r\n        - a\r\n'), ['5:13-5:19', '7:9-7:12'])
  t.end()
})

t.test('YAML: a slip is said where it was made, with what to do, and quotes nothing of the text', (t) => {
  const route = (lines: string): string => `routes:\n  a:\n${lines}`
  const cases: [title: string, yaml: string, at: string, help: RegExp][] = [
    ['a double quote', 'a:\n  b: "canary\n  c: 1\n', '2:6', /closing "/],
    ['a single quote', "a:\n  b: 'canary\nc: 1\n", '2:6', /closing '/],
    ['a quote before another text', 'a: "canary\nb: "x"\n', '1:4', /closing "/],
    ['a quote that another seems to close', 'a:\n  b: "canary\n    c: "x y"\n', '2:6', /closing "/],
    ['a quote at the end', '{"a": "canary\n}\n', '1:7', /closing "/],
    ['a list', route('    events: [canary, "b]"\n    prompt: x # ]\n'), '3:13', /closing \]/],
    ['a map in a list', route('    filters:\n      - { field: a, equals: "}"\n      - { field: b, equals: c }\n'), '4:9', /closing \}/],
    ['the wrong bracket', 'a: {b: [1, 2}\n', '1:8', /closing \]/],
    ['behind a block and a quote in a plain text', "a: |\n  it's [ {\nb: it's\nc: [1\nd: 2\n", '4:4', /closing \]/],
    ['a comma', 'a: [{ b: 1 } { c: 2 }]\n', '1:14', /comma/],
    ['a comma in JSON', '{\n  "a": true\n  "b": {}\n}\n', '3:3', /comma/],
    ['a time of cron', 'jobs:\n  a:\n    schedule: */5 * * * *\n', '3:15', /quotes/],
    ['another one', 'jobs:\n  a:\n    schedule: * * * * *\n', '3:15', /quotes/],
    ['one in a map of one line', 'jobs: { a: { schedule: */5 * * * *, prompt: x } }\n', '1:24', /quotes/],
    ['a colon', 'a: canary: x\n', '1:4', /quotes/],
    ['a sign that begins no text', 'a:\n  - @canary\n', '2:5', /quotes/],
    ['behind a quote', 'a: "canary" y\n', '1:13', /behind|take it out/],
    ['a text of several lines', route('    prompt: |\n    canary\n    y\n    deliver: log\n'), '4:5', /indent these lines/],
    ['its second line', route('    prompt: |\n      x\n   canary\n    deliver: log\n'), '5:4', /indent these lines/],
    ['a quoted text of several lines', 'a:\n  b: "x\n canary"\n', '3:2', /indent these lines/],
    ['a key that stands elsewhere', 'a:\n  b: 1\n c: canary\n', '3:2', /same column/],
  ]
  for (const [title, yaml, at, help] of cases) {
    const { found } = load(newFolder(t, { 'config.yaml': yaml }))
    t.match(found, [{ code: 'WH001', help }], `${title}: ${found[0]?.message}`)
    t.equal(`${found[0]?.place?.line}:${found[0]?.place?.column}`, at, `${title}: ${found[0]?.message}`)
    t.notMatch(JSON.stringify(found[0]), 'canary')
  }
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab:-[]{},"\'|>#*& \n'), maxLength: 60 }), (yaml) => {
      const [found] = parseSource('f', yaml).diagnostics
      t.ok(found === undefined || (found.help && found.place && found.place.line <= yaml.split('\n').length), JSON.stringify(yaml))
    }),
    { numRuns: 2_000 },
  )
  t.end()
})

t.test('YAML: what cannot be walked is a finding at its place, and no start', async (t) => {
  const deep = (open: string, close = '') => `a: 1\nb: ${open.repeat(3_000)}${close.repeat(3_000)}`
  const cases: [title: string, yaml: string, at: string, message: RegExp][] = [
    ['a list in itself', 'a: 1\nb: &b\n  - x\n  - *b\n', '4:5', /stands inside what it names/],
    ['a map in itself', 'platforms: &p\n  webhook: { extra: *p }\n', '2:21', /stands inside what it names/],
    ['two maps in each other', 'a: &a { b: &b { a: *a, b: *b } }\n', '1:20', /stands inside what it names/],
    ['lists in lists', deep('[', ']'), '2:103', /nested deeper than 100/],
    ['maps in maps', deep('{a: ', '}'), '2:397', /nested deeper than 100/],
    ['lists in lists that do not end', deep('['), '2:103', /nested deeper than 100/],
    ['compact lists', `- 1\n- ${'- '.repeat(3_000)}x`, '2:201', /nested deeper than 100/],
    ['lines', Array.from({ length: 3_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), '100:100', /nested deeper than 100/],
    ['an alias of nothing', 'a: 1\nb: *canary', '2:4', /^Unresolved alias \(the anchor must be set before the alias\)$/],
    ['two documents', 'a: 1\n---\na: canary\n', '2:1', /more than one document/],
  ]
  for (const [title, yaml, at, message] of cases) {
    const { found } = load(newFolder(t, { 'config.yaml': yaml }))
    t.match(found, [{ code: 'WH001', message, stopsStart: true, help: /./ }], title)
    t.equal(`${found[0]?.place?.line}:${found[0]?.place?.column}`, at, title)
    t.notMatch(JSON.stringify(found), 'canary')
  }
  for (const [depth, findings] of [
    [98, 0],
    [99, 1],
  ] as const)
    t.equal(
      load(newFolder(t, { 'config.yaml': `x-a: ${'['.repeat(depth)}x${']'.repeat(depth)}` })).found.length,
      findings,
      'the map around them counts, and the value inside',
    )
  t.match(
    load(newFolder(t, { 'config.yaml': 'x-a: &a { x: 1 }\nagent: { <<: *a }' })).found[0],
    { code: 'WH101', place: { line: 2 } },
    'no merge',
  )
  t.same(load(newFolder(t, { 'config.yaml': `\ufeff${route('          prompt: x')}` })).found, [], 'a byte order mark')
  t.match(load(newFolder(t, { 'config.yaml': `#${'x'.repeat(17_000_000)}` })).found, [{ code: 'WH003', message: /larger than 16777216/ }])
})

t.test('YAML: no message quotes the file', async (t) => {
  const yamls = [
    'secret: "canary" canary',
    'secret: |canary\n x',
    'secret: "\\canary"',
    '- a\nsecret: "canary"',
    '%canary x\n---\nsecret: 1',
    'secret: &canary &canary x',
    'secret: !<canary x',
    'secret: !!timestamp canary',
    'secret: @canary',
    'secret: canary: canary',
    'secret: x\ncanary',
    '[canary]: x',
    'x\nsecret: {canary',
  ]
  const said: string[] = []
  t.capture(process, 'emitWarning', (warning: unknown) => said.push(String(warning)))
  for (const yaml of yamls) {
    const { found } = load(newFolder(t, { 'config.yaml': yaml }))
    t.ok(found.length > 0)
    for (const { code, message } of found) if (code === 'WH001') t.notMatch(message, 'canary', yaml)
  }
  t.same(said, [])
})

t.test('what an alias leads to twice is resolved once', async (t) => {
  const { config, found } = load(newFolder(t, { 'config.yaml': route('          &a { secret: "${A}" }\n        b: *a') }), { A: '${B}' })
  t.same(found, [])
  t.same(
    [...config.routes.values()].map(({ secrets }) => secrets),
    [['${B}'], ['${B}']],
  )
})

t.test('precedence: flag, environment, .env, file, default; extra wins key by key', async (t) => {
  const dir = newFolder(t, {
    '.env': 'WEBHOOK_PORT=3\nWEBHOOK_ENABLED=true\nWEBHOOK_SECRET=dotenv',
    'config.yaml': 'platforms:\n  webhook:\n    port: 1\n    rate_limit: 7\n    extra: { port: 2, host: "::1" }',
  })
  t.match(load(dir).config, { port: 3, host: '::1', adapter: { rate_limit: 7 }, enabled: true, globalSecret: 'dotenv' })
  t.match(load(dir, { WEBHOOK_PORT: '4', WEBHOOK_SECRET: 'process' }).config, { port: 4, globalSecret: 'process' })
  t.match(load(dir, { WEBHOOK_PORT: '4' }, { port: 5, host: 'localhost' }).config, { port: 5, host: 'localhost' })
  t.same(summary(load(dir).found), ['WH106@3'])
  t.match(load(newFolder(t, {})).config, {
    port: 8644,
    host: '127.0.0.1',
    enabled: false,
    adapter: { rate_limit: 30, max_body_bytes: 1_048_576 },
  })
  t.ok(load(dir, { WEBHOOK_PORT: 'high', WEBHOOK_ENABLED: 'perhaps' }).found.filter(({ code }) => code === 'WH102').length === 2)
})

t.test('a secret of which only its prefix is there is refused, wherever it stands', async (t) => {
  const http = (secret: string) => `deliver: http\n          deliver_extra: { url: "http://127.0.0.1/", secret: "${secret}" }`
  const cases: [title: string, yaml: string, env?: Env][] = [
    ['the global one', webhook('      secret: whsec_\n')],
    ['a route', route('          secret: whsec_')],
    ['with padding and blanks', route('          secret: " whsec_== "')],
    ['one of several', route('          secrets: [good-secret-1, whsec_]')],
    ['by a reference', route('          secret: ${S}'), { S: 'whsec_' }],
    ['by a part of it', route('          secret: whsec_${S:-}')],
    ['by a file', route('          secret: file:SECRET')],
    ['of http', route(`          ${http('whsec_')}`)],
    ['of http among several', route('          deliver: [{ target: http, deliver_extra: { url: "http://127.0.0.1/", secret: whsec_ } }]')],
    [
      'of a job',
      `${webhook('      secret: good-secret-1')}\njobs:\n  a:\n          schedule: 1h\n          prompt: x\n          ${http('whsec_')}`,
    ],
  ]
  for (const [title, yaml, env] of cases) {
    const dir = newFolder(t, { SECRET: 'whsec_\n' })
    writeFileSync(join(dir, 'config.yaml'), yaml.replace('file:SECRET', `file:${join(dir, 'SECRET')}`))
    const { found, config } = load(dir, env)
    const hits = found.filter(({ code }) => code === 'WH309')
    t.equal(hits.length, 1, `${title}: ${summary(found)}`)
    t.ok(hits[0]?.stopsStart && hits[0].place?.line && hits[0].help, title)
    t.notOk(JSON.stringify([...config.routes.values()].map(({ secrets }) => secrets)).includes('whsec_'), title)
  }
  const byEnvironment = load(newFolder(t, { 'config.yaml': route('          prompt: x') }), { WEBHOOK_SECRET: 'whsec_' })
  t.match(byEnvironment.found, [{ code: 'WH309', message: /WEBHOOK_SECRET/, stopsStart: true }])
  const byFile = load(newFolder(t, { 'config.yaml': route('          prompt: x'), '.env': 'WEBHOOK_SECRET=whsec_\n' }))
  t.match(byFile.found, [{ code: 'WH309', message: /WEBHOOK_SECRET/, stopsStart: true }])
  const kept = load(newFolder(t, { 'config.yaml': route('          secret: whsec_!!!!') }))
  t.match(kept.found, [{ code: 'WH307', stopsStart: false }], 'one that is no base64 may serve other schemes')
})

t.test('a mask that was pasted as a secret is named, wherever it stands, and stops the start', async (t) => {
  const cases: [title: string, yaml: string, env?: Env][] = [
    ['the global one', webhook("      secret: '*** (5af31ba6)'\n")],
    ['a route', route("          secret: '*** (5af31ba6)'")],
    ['as a finding shows it', route("          secret: '***'")],
    ['one of several', route("          secrets: [good-secret-1, '***']")],
    ['by a reference', route('          secret: ${S}'), { S: '*** (5af31ba6)' }],
    ['in an address', 'agent: { base_url: "https://127.0.0.1/v1?token=***" }\n'],
    ['of a platform', "platforms:\n  telegram: { token: '*** (5af31ba6)' }\n"],
    ['by the environment', route('          prompt: x'), { WEBHOOK_SECRET: '*** (5af31ba6)' }],
  ]
  for (const [title, yaml, env] of cases) {
    const { found } = load(newFolder(t, { 'config.yaml': yaml }), env)
    const [hit, ...others] = found.filter(({ code }) => code === 'WH510')
    t.match(hit, { stopsStart: true, message: /this is a mask/, help: /paste the secret itself/ }, `${title}: ${summary(found)}`)
    t.equal(others.length, 0, title)
  }
})

t.test('secret-like values take ${NAME}, ${NAME:-default} and file:', async (t) => {
  const dir = newFolder(t, { key: 'from-file\n' })
  const resolved = (value: string, env: Env = {}): readonly string[] | undefined => {
    writeFileSync(join(dir, 'config.yaml'), route(`          secret: ${value}`))
    return load(dir, env).config.routes.get('a')?.secrets
  }
  t.same(resolved('${A}', { A: 'one' }), ['one'])
  t.same(resolved('x-${A}-${B:-two}', { A: 'one' }), ['x-one-two'])
  t.same(resolved(`file:${dir}/key`), ['from-file'])
  t.same(
    resolved('"file:${FOLDER}/key"', { FOLDER: dir }),
    ['from-file'],
    'the credentials of systemd lie in a folder that a variable names',
  )
  t.same(resolved('${A}', { A: `file:${dir}/key` }), [`file:${dir}/key`], 'only the file of the configuration names files')
  t.same(resolved('credential:key', { CREDENTIALS_DIRECTORY: dir }), ['from-file'])
  t.same(resolved('"credential:${WHICH}"', { CREDENTIALS_DIRECTORY: dir, WHICH: 'key' }), ['from-file'])
  t.same(resolved('${A}', { A: 'credential:key', CREDENTIALS_DIRECTORY: dir }), ['credential:key'])
  t.equal(resolved('file:/nowhere/at/all'), undefined)
  t.equal(resolved('${constructor}'), undefined)
  writeFileSync(join(dir, 'config.yaml'), route('          prompt: "costs ${A}"'))
  t.equal(load(dir).config.routes.get('a')?.spec.prompt, 'costs ${A}', 'a prompt is not secret-like')
})

t.test('the file of a secret that cannot be read is said with its place, its cause and what to do', (t) => {
  const dir = newFolder(t, { credentials: { long: 'x'.repeat(65_537), folder: {} }, outside: 'canary' })
  symlinkSync('/dev/null', join(dir, 'credentials', 'device'))
  const folder = join(dir, 'credentials')
  const cases: readonly (readonly [secret: string, folder: string | undefined, message: RegExp, help: RegExp])[] = [
    [
      'credential:a',
      undefined,
      /^cannot resolve credential:a: CREDENTIALS_DIRECTORY is not set$/,
      /^write LoadCredential=a:\S+ under \[Service\]/,
    ],
    ['credential:a', '', /is not set$/, /LoadCredential=a:/],
    ['credential:a', 'credentials', /is no absolute path$/, /LoadCredential=a:/],
    ['credential:a', folder, /^cannot resolve credential:a: there is no such file$/, /LoadCredential=a:/],
    ['credential:../outside', folder, /it is no name of a credential$/, /and no folder$/],
    ['credential:..', folder, /it is no name of a credential$/, /and no folder$/],
    ['"credential:${KEY}"', folder, /^cannot resolve credential:\${KEY}: there is no such file$/, /./],
    ['"credential:${UP}"', folder, /it is no name of a credential$/, /and no folder$/],
    [`credential:${folder}/a`, folder, /it is no name of a credential$/, /and no folder$/],
    ['"credential:"', folder, /it is no name of a credential$/, /and no folder$/],
    ['credential:long', folder, /it is larger than 65536 bytes$/, /./],
    ['credential:folder', folder, /it is no regular file$/, /./],
    ['credential:device', folder, /it is no regular file$/, /./],
    ['"file:${CREDENTIALS_DIRECTORY}/a"', undefined, /^cannot resolve \${CREDENTIALS_DIRECTORY}$/, /LoadCredential=NAME:/],
    [`file:${folder}/a`, undefined, /a: there is no such file$/, /^mend the path/],
  ]
  for (const [secret, CREDENTIALS_DIRECTORY, message, help] of cases) {
    writeFileSync(join(dir, 'config.yaml'), route(`          secret: ${secret}`))
    const env = { UP: '../outside', KEY: 'canary', ...(CREDENTIALS_DIRECTORY === undefined ? {} : { CREDENTIALS_DIRECTORY }) }
    const { found } = load(dir, env)
    t.match(
      found,
      [{ code: 'WH305', message, help, stopsStart: true, route: 'a', place: { file: join(dir, 'config.yaml'), line: 8, column: 19 } }],
      secret,
    )
    t.equal(found.length, 1, secret)
    t.notOk(JSON.stringify(found).includes('canary'), secret)
  }
  t.end()
})

t.test('a header has a reference or a placeholder, not both: what a payload fills in is stored', (t) => {
  const env = { KEY: 'canary', BRACE: 'canary{title}' }
  const found = (header: string): string[] => {
    const lines = `          deliver: http\n          deliver_extra: { url: 'http://127.0.0.1', secret: s, headers: { X-Key: '${header}' } }`
    const { found: problems } = load(newFolder(t, { 'config.yaml': route(lines) }), env)
    t.notOk(JSON.stringify(problems).includes('canary'))
    return summary(problems).map((line) => line.replace(/@.*/, ''))
  }
  for (const header of ['${KEY}', '{title}', '{title} and {n}', 'Bearer ${KEY}', '${NONE:-}']) t.same(found(header), [], header)
  for (const header of ['${KEY} {title}', '{title}${KEY}', '${BRACE}', '${NONE:-{n}}']) t.same(found(header), ['WH707'], header)
  t.end()
})

t.test('a file that cannot be read is said, not thrown', async (t) => {
  t.match(summary(load(newFolder(t, { 'config.yaml': {} })).found)[0], /^WH003/)
})

t.test('an unknown runner is refused with its place, not thrown', async (t) => {
  const { config, diagnostics } = loadConfig({ dataDir: newFolder(t, { 'config.yaml': 'agent:\n  runner: opnai' }), env: {} })
  t.same(summary([...diagnostics]), ['WH103@2'])
  const log = Object.assign(() => {}, { writes: () => false })
  t.same((await prepareGateway(config, { log })).diagnostics, [])
})

t.test('a relative path of the agent is one of the data directory, a bare name is not', (t) => {
  const programOf = (command: string): string | undefined => {
    const dataDir = newFolder(t, { 'config.yaml': `agent: { runner: command, command: ${command} }\n` })
    return defaultAgentOf(loadConfig({ dataDir, env: {} }).config)
      .command?.join(' ')
      .replace(dataDir, '<data>')
  }
  t.equal(programOf('[./my-agent, ./notes, --x]'), '<data>/my-agent ./notes --x')
  t.equal(programOf('[bin/my-agent]'), '<data>/bin/my-agent')
  t.equal(programOf('[/opt/my-agent]'), '/opt/my-agent')
  t.equal(programOf('[my-agent, a/b]'), 'my-agent a/b')
  t.end()
})

t.test('an agent that lacks a setting is refused', async (t) => {
  const log = Object.assign(() => {}, { writes: () => false })
  const lacks = async (agent: string, env = {}): Promise<boolean> => {
    const { config } = loadConfig({ dataDir: newFolder(t, { 'config.yaml': `agent:\n  ${agent}` }), env })
    return (await prepareGateway(config, { log })).diagnostics.some(({ code }) => code === 'WH222')
  }
  for (const agent of ['runner: command', 'runner: anthropic\n  model: m', 'runner: openai\n  api_key: k']) t.ok(await lacks(agent), agent)
  t.notOk(await lacks('runner: anthropic\n  model: m', { ANTHROPIC_API_KEY: 'k' }))
  t.notOk(await lacks('runner: openai\n  model: m', { OPENAI_API_KEY: 'k' }))
  t.ok(await lacks('runner: openai\n  model: m', { ANTHROPIC_API_KEY: 'k' }), 'the key of another')
  const { config } = loadConfig({
    dataDir: newFolder(t, { 'config.yaml': 'agent: { runner: openai }' }),
    env: { OPENAI_API_KEY: 'canary' },
  })
  t.ok(knownSecrets(config).includes('canary'), 'it is taken out of logs')
})

t.test("the agent's key: the environment wins over the file, but its key goes to no other API than its own", async (t) => {
  const agent = (settings: string, env: Env = {}, inFile = 'api_key: of-the-file, '): string | undefined => {
    const files = { 'config.yaml': `agent: { runner: openai, ${inFile}${settings} }`, '.env': 'OPENAI_API_KEY=of-dot-env' }
    const { config } = loadConfig({ dataDir: newFolder(t, files), env })
    const { apiKey } = runnerSettings(runnersByName.get('openai') ?? {}, { agent: defaultAgentOf(config), profiles: config.profiles })
    const secrets = [...(inFile.includes('of-the-file') ? ['of-the-file'] : []), ...(apiKey === undefined ? [] : [apiKey])]
    for (const known of secrets) t.ok(knownSecrets(config).includes(known), 'it is taken out of logs')
    return apiKey
  }
  t.equal(agent('model: m'), 'of-dot-env')
  t.equal(agent('model: m', { OPENAI_API_KEY: 'of-the-process' }), 'of-the-process')
  t.equal(agent('model: m', { ANTHROPIC_API_KEY: 'of-another' }), 'of-dot-env')
  t.equal(agent('base_url: "https://api.openai.com/v2"'), 'of-dot-env')
  t.equal(agent('base_url: "https://api.openai.com.other.example/v1"'), 'of-the-file')
  t.equal(agent('base_url: "no address"'), 'of-the-file')
  const others = ['https://api.openai.com.other.example/v1', 'http://api.openai.com/v1', 'https://api.openai.com:8443/v1', 'no address']
  for (const url of [...others, 'http://127.0.0.1:11434/v1']) t.equal(agent(`base_url: "${url}"`, {}, ''), undefined, url)
  for (const url of ['https://api.openai.com/v2', 'https://API.openai.com:443/v1'])
    t.equal(agent(`base_url: "${url}"`, {}, ''), 'of-dot-env', url)
  t.equal(agent('base_url: "https://proxy.example/v1"', {}, 'api_key: "${OPENAI_API_KEY}", '), 'of-dot-env', 'the file says so itself')
})

t.test('a key of the environment that is kept back is told of, with the key that is missing', async (t) => {
  const log = Object.assign(() => {}, { writes: () => false })
  const found = async (runner: string, url: string, key = ''): Promise<string[]> => {
    const agent = `agent:\n  runner: ${runner}\n  model: m\n  base_url: ${url}\n${key}`
    const env = { OPENAI_API_KEY: 'canary', ANTHROPIC_API_KEY: 'canary' }
    const { config } = loadConfig({ dataDir: newFolder(t, { 'config.yaml': agent }), env })
    const { diagnostics } = await prepareGateway(config, { log })
    for (const { message, help } of diagnostics) t.notMatch(`${message} ${help}`, 'canary')
    return diagnostics.map(({ code, place, stopsStart, message, help }) => `${code}@${place?.line} ${stopsStart} ${message}: ${help}`)
  }
  const keptBack = (name: string, api: string): string =>
    `WH230@4 false agent: ${name} is a key of ${api}, and is not sent to base_url, which is another API's: set agent.api_key, if that API needs a key; where it takes the same key: api_key: \${${name}}`
  const openai = keptBack('OPENAI_API_KEY', 'https://api.openai.com/v1')
  const anthropic = keptBack('ANTHROPIC_API_KEY', 'https://api.anthropic.com/v1')
  const needs = (runner: string): string => `WH222@2 true agent: the ${runner} runner needs a key: set agent.api_key`
  t.same(await found('openai', 'https://proxy.example/v1'), [needs('openai'), openai])
  t.same(await found('anthropic', 'http://127.0.0.1:1/v1'), [needs('anthropic'), anthropic])
  t.same(await found('openai', 'http://127.0.0.1:11434/v1'), [openai], 'a model on this machine may need none')
  t.same(await found('openai', 'https://proxy.example/v1', '  api_key: "${OPENAI_API_KEY}"\n'), [])
  t.same(await found('openai', 'https://api.openai.com/v1'), [])
})

const skill = (text: string) => ({ 'SKILL.md': text })
const described = '---\nname: code-review\ndescription: " How we review. "\n---\n\n# Review\n\n---\n\nRead twice.\n'

t.test('skills: each listed one that can be read is loaded, the others are named with the reason', async (t) => {
  const dir = newFolder(t, {
    outside: skill('not yours'),
    'outside.md': 'not yours',
    skills: {
      plain: skill('# Plain\n'),
      'code-review': skill(described),
      windows: skill(`\ufeff${described.replaceAll('\n', '\r\n')}`),
      constructor: skill('---\n---\nA common word.'),
      open: skill('---\ndescription: no end\n'),
      wrong: skill('---\nname: wrong\ndescription: one: two\n---\nRead it.'),
      list: skill('---\n- a\n---\nRead it.'),
      odd: skill('---\ndescription: [1]\n---\nRead it.'),
      large: skill('x'.repeat(262_145)),
      largest: skill('x'.repeat(262_144)),
      bare: {},
      folder: { 'SKILL.md': {} },
      leads: t.fixture('symlink', '../outside'),
      'leads-too': { 'SKILL.md': t.fixture('symlink', '../../outside.md') },
      again: t.fixture('symlink', 'plain'),
      file: 'no folder',
    },
  })
  const names = ['windows', 'plain', 'code-review', 'plain', 'constructor', 'open', 'wrong', 'list', 'odd', 'largest', 'again']
  const { skills, missing } = readSkills(dir, names)
  t.same(missing, [])
  t.same(
    skills.map(({ name }) => name),
    [...new Set(names)],
  )
  const [windows, plain, review, common, open, wrong, list, odd, largest, again] = skills
  t.match(review, { description: 'How we review.', text: '# Review\n\n---\n\nRead twice.', folder: join(dir, 'skills', 'code-review') })
  t.match(windows, { description: review?.description, text: review?.text })
  t.same(plain, { name: 'plain', description: '', text: '# Plain', folder: join(dir, 'skills', 'plain') })
  t.match([common?.text, open?.text, odd?.text, again?.text], ['A common word.', '---\ndescription: no end', 'Read it.', '# Plain'])
  t.match(wrong, { description: '', text: 'Read it.', problem: /^its head cannot be read: .+, in line 3$/ })
  t.match(list, { description: '', text: 'Read it.', problem: /no map/ })
  t.equal(largest?.text.length, 262_144)
  const bad = [
    'gone',
    'bare',
    'large',
    'folder',
    'leads',
    'leads-too',
    'file',
    '..',
    '.',
    '',
    '../outside',
    'plain/SKILL.md',
    '__proto__',
    'a\0b',
  ]
  const refused = readSkills(dir, [...bad, 'plain'])
  t.same(
    refused.skills.map(({ name }) => name),
    ['plain'],
  )
  t.match(
    refused.missing.map(({ name, why, isAbsent }) => `${name}: ${isAbsent} ${why}`),
    [
      'gone: true there is no skills/gone/SKILL.md',
      'bare: true there is no',
      'large: false the file is larger than 262144 bytes',
      'folder: false not a regular file',
      'leads: false the file lies outside the skills folder',
      'leads-too: false the file lies outside the skills folder',
      'file: true there is no',
      ...bad.slice(7).map((name) => `${name}: false that is no name of a skill`),
    ],
  )
  const many = Array.from({ length: 21 }, (_, i) => `s${i}`)
  t.match(readSkills(dir, many).missing.at(-1), { name: 's20', why: 'only 20 skills are loaded' })
  t.same(readSkills(join(dir, 'nowhere'), ['plain']).skills, [])
  t.same(skillNames(join(dir, 'nowhere')), [])
  t.ok(skillNames(dir).includes('plain') && skillNames(dir).includes('again') && !skillNames(dir).includes('file'))
})

t.test('a user of the console with a password and no role is refused at the start', (t) => {
  const found = (roles: string): string[] => {
    const auth = `{ password: { ada: "\${HASH}" }, roles: ${roles} }`
    const yaml = `console: { enabled: true, auth: ${auth} }\n`
    return load(newFolder(t, { 'config.yaml': yaml }), { HASH: 'x' }).found.flatMap(({ code, message }) =>
      /no role/.test(message) ? [code] : [],
    )
  }
  t.same(found('{ viewer: [ops], payloads: ["user:ada"] }'), ['WH242'])
  for (const roles of ['{ viewer: ["*"] }', '{ operator: ["user:ada"] }']) t.same(found(roles), [])
  t.end()
})

t.test('settings of the console and of the breaker are taken from their keys', (t) => {
  const auth = `forward: { secret: 0123456789abcdef, secret_header: X-Key, user_header: X-U, groups_header: X-G }
    oidc: { issuer: "https://id.example.com", client_id: c, client_secret: s, scopes: [mail], user_claim: u, groups_claim: g }
    roles: { viewer: ["*"] }`
  const yaml = `console:\n  enabled: true\n  public_origin: "https://a.example"\n  proxies: [10.0.0.7]\n  auth:\n    ${auth}\ntargets: { breaker: { failures: 3, max_wait_seconds: 5 } }\n`
  const { config, found } = load(newFolder(t, { 'config.yaml': yaml }))
  t.same(found, [])
  t.match(config.console.auth, {
    forward: { secretHeader: 'x-key', userHeader: 'x-u', groupsHeader: 'x-g' },
    oidc: { scopes: ['mail'], userClaim: 'u', groupsClaim: 'g' },
  })
  t.same(config.breaker, { failures: 3, longestWaitMs: 5_000 })
  t.end()
})
