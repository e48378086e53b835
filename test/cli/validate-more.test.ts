/** `validate` beyond the files: samples that are tried on routes, the machine, a watch, and only what git says has changed. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { fakeCli, going } from '../fakes/cli.ts'
import { examples } from '../fakes/examples.ts'
import { until } from '../fakes/wait.ts'

const configOf = (routes: string, rest = ''): string => `platforms:
  webhook:
    enabled: true
    extra:
      port: 0
      secret: b0e6f2a94c7d41d8
      routes:
${routes.replace(/^(?=.)/gm, '        ')}${rest}`

type Item = { code: string; route: string | null; message: string; help: string; suggest: string[]; range: { start: { line: number } } }
type Told = { readonly diagnostics: Item[]; readonly samples?: { name: string; routes: string[] }[] }

const told = async (t: Test, routes: string, ...argv: string[]): Promise<Told> => {
  const cli = fakeCli(t, { 'config.yaml': configOf(routes) })
  const { out } = await cli.run('validate', '--json', ...argv)
  return JSON.parse(out).data
}

/** The route, what is found when `github` is tried on it, and what the message and the way out must have. */
const found: readonly [title: string, route: string, code: string, message: string, help: string][] = [
  [
    'a field',
    'events: [push], filters: [{ field: repository.privat, equals: true }]',
    'WH409',
    'repository.privat',
    '"repository.private"',
  ],
  [
    'a field behind payload.',
    'events: [push], filters: [{ not: { field: payload.head_comit.id, equals: a } }]',
    'WH409',
    'not in the sample github/push',
    '"payload.head_commit.id"',
  ],
  ['a field without any near', 'events: [push], filters: [{ field: zzz, equals: a }]', 'WH409', '"zzz"', 'samples show'],
  ['a header', 'events: [push], filters: [{ field: headers.X-GitHub-Evnt, equals: push }]', 'WH409', 'Evnt', '"headers.x-github-event"'],
  ['a placeholder', 'events: [pull_request], prompt: "a {pull_request.titel} b"', 'WH501', 'in none of 3 samples', '"pull_request.title"'],
  ['one in other letters', 'events: [pull_request], prompt: "{repository.fullName}"', 'WH501', 'stays as it is', '"repository.full_name"'],
  [
    'the top of a path is missing',
    'events: [pull_request], prompt: "{mergeable_state}"',
    'WH501',
    'mergeable_state',
    '"pull_request.mergeable_state"',
  ],
  ['a list without a number', 'events: [push], prompt: "{commits.id}"', 'WH501', '{commits.id}', '"commits.0.id"'],
  [
    'in a setting',
    'events: [pull_request], prompt: p, deliver: github_comment, deliver_extra: { repo: a/b, pr_number: "{numbr}" }',
    'WH501',
    '{numbr}',
    '"number"',
  ],
  [
    'one behind a filter that no sample passes',
    'events: [push], filters: [{ field: ref, equals: x }], prompt: "{compar}"',
    'WH501',
    'compar',
    '"compare"',
  ],
  ['the payload in it', 'prompt: "{payload}", filters: [{ field: payload.payload, exists: false }]', 'WH502', '{payload}', '{__raw__}'],
  [
    'what is cut',
    'events: [pull_request], prompt: "{__raw__}"',
    'WH504',
    ' → 4000 characters of sample github/pull_request.',
    '{dotted.path}',
  ],
  ['no prompt', 'events: [pull_request]', 'WH504', 'the whole payload is cut', '{dotted.path}'],
  ['a key', 'events: [push], prompt: p, coalesce: { key: repository.nmae }', 'WH215', 'merges nothing', '"repository.name"'],
  ['a key of work', 'events: [push], prompt: p, supersede: { key: repository.nmae }', 'WH215', 'ends nothing', '"repository.name"'],
  [
    'an address',
    'events: [pull_request, push], prompt: p, deliver: github_comment, deliver_extra: { repo: "{repository.full_name}", pr_number: "{number}" }',
    'WH336',
    'with the sample github/push, nothing can be delivered: delivery to github_comment: pr_number is not',
    'filter',
  ],
  [
    'an address that runs for forks do not have',
    'events: [workflow_run], prompt: p, deliver: github_comment, deliver_extra: { repo: "{repository.full_name}", pr_number: "{workflow_run.pull_requests.0.number}" }',
    'WH336',
    'with the sample github/workflow_run.fork, nothing can be delivered: delivery to github_comment: pr_number is not',
    'filter',
  ],
  [
    'a path in a condition of JSONata',
    "events: [pull_request], filters: [{ jsonata: \"payload.pull_request.titel = 'a' and payload.action = 'x'\" }]",
    'WH409',
    '"payload.pull_request.titel" is in none of 3 samples',
    '"payload.pull_request.title"',
  ],
  [
    'one without any near, under not',
    'events: [push], filters: [{ not: { jsonata: "$count(payload.zzz) > 1" } }]',
    'WH409',
    'payload.zzz',
    'samples show',
  ],
  [
    'a condition that never has a value',
    "events: [push], filters: [{ jsonata: '$.payload.commits[5].id' }]",
    'WH345',
    'has no value',
    'samples',
  ],
  [
    'one that fails',
    'events: [push], filters: [{ jsonata: "$sum(payload.ref) = 1" }]',
    'WH345',
    'fails with the sample github/push: Argument 1',
    'samples',
  ],
  [
    'a condition that gives a text',
    'events: [push], filters: [{ not: { jsonata: payload.ref } }]',
    'WH348',
    '"payload.ref" is a text with the sample github/push, and a condition holds where it is true',
    'compare it',
  ],
  ['one that gives a list', 'events: [push], filters: [{ jsonata: "[payload.commits.id]" }]', 'WH348', 'is a list', '$count'],
  ['one that gives a number', 'events: [push], filters: [{ jsonata: $count(payload.commits) }]', 'WH348', 'is a number', 'compare it'],
  [
    'a header in a condition of JSONata',
    'events: [push], filters: [{ jsonata: "headers.`x-githb-event` = \'push\'" }]',
    'WH409',
    '"headers.`x-githb-event`" is not in the sample',
    '"headers.`x-github-event`"',
  ],
  [
    'a header in an expression',
    'events: [push], prompt: "{= headers.`x-githb-event` }"',
    'WH501',
    'x-githb-event',
    'headers.`x-github-event`',
  ],
  ['a path in an expression', 'events: [push], prompt: "a {= $uppercase(reff) } b"', 'WH501', '"reff" is not in the sample', '"ref"'],
  [
    'one through a list',
    'events: [push], prompt: "{= $join(commits[0].(author).name & commits.mesage) }"',
    'WH501',
    '"commits.mesage"',
    '"commits.message"',
  ],
  ['one without any near in an expression', 'events: [push], prompt: "{= nothing.here }"', 'WH501', 'nothing.here', 'samples show'],
  ['an expression that fails', 'events: [push], prompt: "{= $sum(ref) }"', 'WH345', '"{= $sum(ref) }" fails', 'samples'],
  ['one that selects nothing', `events: [push], prompt: "{= commits[id = 'x'].message }"`, 'WH346', 'has no value', 'samples'],
  [
    'a path in a transform',
    `events: [push], transform: '{ "t": repository.nmae }', prompt: "{t}"`,
    'WH501',
    '"repository.nmae" is not in the sample',
    '"repository.name"',
  ],
  ['a transform that ignores each', `events: [push], transform: 'commits[id = "x"]', prompt: p`, 'WH346', 'has no value', 'samples'],
  ['a placeholder that it does not make', `events: [push], transform: '{ "title": ref }', prompt: "{titel}"`, 'WH501', 'titel', '"title"'],
  ['a key of a template', 'events: [push], prompt: p, coalesce: { key: "{reff}-{repository.name}" }', 'WH215', 'merges nothing', '"ref"'],
]

t.test('samples show what no payload has, and what is cut', async (t) => {
  const routes = found.map(([, route], i) => `r${i}: { ${route} }\n`).join('')
  const { diagnostics } = await told(t, routes, '--sample', 'github')
  for (const [i, [title, , code, message, help]] of found.entries()) {
    const item = diagnostics.find((each) => each.route === `r${i}` && each.code === code)
    t.ok(item, `${title}: ${code}`)
    t.ok(item?.message.includes(message), `${title}: ${item?.message}`)
    t.ok(item?.help.includes(help), `${title}: ${item?.help}`)
  }
})

t.test('without a sample, placeholders are compared with the keys that a transform writes', async (t) => {
  const shapes = ['{ "a": x, "b": y }', '(x = 1 ? { "a": x } : { "b": y })', 'x ? ($n := 1; { "a": $n, "b": y })']
  const open = ['$merge([payload, { "a": x }])', '{ name: x }', 'x ? { "a": x } : payload', 'list.{ "a": x }']
  const routes = [...shapes, ...open].map((each, i) => `r${i}: { transform: '${each}', prompt: "{a} {b.c} {c} {route} {= c }" }\n`).join('')
  const { diagnostics } = await told(t, routes)
  const found = diagnostics.filter(({ code }) => code === 'WH501')
  t.same(
    found.map(({ route, message }) => [route, message]),
    shapes.map((_, i) => [`r${i}`, '{c} is not in what "transform" makes: it has a, b']),
  )
})

t.test('a placeholder of another language is one finding, also where its inner braces could be read', async (t) => {
  const texts = ['{{payload.ref}}', '{{#if payload.x}}', '{{/if}}', '{{steps.trigger.event.body.ref}}']
  const { diagnostics } = await told(
    t,
    texts.map((text, i) => `o${i}: { events: [push], prompt: "${text}" }\n`).join(''),
    '--sample',
    'github',
  )
  for (const [i, text] of texts.entries())
    t.same(
      diagnostics.filter(({ route, code }) => route === `o${i}` && ofSamples.has(code)).map(({ code }) => code),
      ['WH502'],
      text,
    )
})

t.test('a key whose braces are no placeholder is mended where the meaning is plain', async (t) => {
  const keys: readonly (readonly [key: string, mended: string | undefined])[] = [
    ['{{ repository.full_name }}', '{repository.full_name}'],
    ['a-{{ repository.id }}/{{ number }}', 'a-{repository.id}/{number}'],
    ['{ number }', '{number}'],
    ['{{ .Labels.x }}', undefined],
    ['{{ $json.body.x }}', undefined],
    ['{{ number | upper }}', undefined],
  ]
  const uses = ['coalesce', 'session', 'concurrency', 'rate_limit'] as const
  const more = { coalesce: '', session: '', concurrency: 'limit: 1, ', rate_limit: 'per_minute: 9, ' }
  const route = (use: (typeof uses)[number], key: string) => `{ prompt: p, ${use}: { ${more[use]}key: "${key}" } }`
  const names = keys.flatMap(([key], i) => uses.map((use) => [`${use}${i}`, use, key] as const))
  const cli = fakeCli(t, { 'config.yaml': configOf(names.map(([name, use, key]) => `${name}: ${route(use, key)}\n`).join('')) })
  const before: (Item & { severity: string })[] = JSON.parse((await cli.run('validate', '--json')).out).data.diagnostics
  for (const [name] of names)
    t.same(
      before.filter((each) => each.route === name && each.severity === 'error').map(({ code }) => code),
      ['WH503'],
      name,
    )
  await cli.run('validate', '--fix')
  const after = cli.read('config.yaml')
  for (const [i, [key, mended]] of keys.entries()) for (const use of uses) t.match(after, `${use}${i}: ${route(use, mended ?? key)}`)
})

t.test('a sample is an event of no route that verifies another sender', async (t) => {
  const routes = 'a: { verify: github, events: [push], prompt: p, secret: b0e6f2a94c7d41d8 }\nb: { events: [push], prompt: p }\n'
  const { samples = [] } = await told(t, routes, '--sample', 'gitlab')
  t.same(samples.find(({ name }) => name === 'gitlab/push')?.routes, ['b'])
})

/** Routes that nothing is said of. */
const fine: readonly string[] = [
  'events: [pull_request], filters: [{ field: pull_request.milestone, exists: true }, { field: zzz, missing: true }], prompt: p',
  // No sample is of an event `labeled`: none shows what such an event has.
  'events: [pull_request], filters: [{ field: action, equals: labeled }, { field: label.name, equals: bug }], prompt: "{label.name}"',
  'events: [pull_request], filters: [{ any: [{ field: action, equals: opened }, { all: [{ field: action, equals: labeled }, { field: label.name, equals: a }] }] }], prompt: p',
  // Of the second event there is no sample.
  'events: [pull_request, pull_request_review_comment], prompt: "{comment.path}"',
  'events: [no_such_event], prompt: "{anything}"',
  'events: [push], prompt: "{commits.7.id} {= head_commit.nothing ?? payload.here ?? ref }"',
  'events: [push], prompt: "{= $exists(zzz) and zzz.a = 1 ? zzz.b : commits.author.name[0] & $$.ref & headers.`x-none` & event_type }"',
  // Of an event `labeled` there is no sample, and of an added file neither.
  "events: [pull_request], filters: [{ jsonata: \"payload.action = 'labeled' and payload.label.name = 'bug'\" }], prompt: p",
  "events: [push], filters: [{ not: { jsonata: \"$exists(payload.zzz) or payload.commits.added = 'x' or request.query.a = '1'\" } }], prompt: p",
  'events: [push], filters: [{ field: headers.X-Forwarded-Host, equals: a }], prompt: "{event_type} {route} {delivery_id}"',
  'events: [push], filters: [{ jsonata: "headers.`x-forwarded-host` = \'a\' or payload.deleted" }, { jsonata: payload.created }], prompt: p',
  'events: [push], filters: [{ field: event, equals: push }], prompt: p, coalesce: { key: repository.id }',
  'events: [push], script: a.py, prompt: "{made.by.the.script} {__raw__}", coalesce: { key: made }',
  'prompt: "{repository.name}"',
  'events: [pull_request], prompt: p, deliver: github_comment, deliver_extra: { repo: "{repository.full_name}", pr_number: "{number}" }',
  'events: [push], prompt: p, deliver: github_comment, deliver_extra: { repo: a/b, pr_number: 7 }',
  `events: [push], transform: '{ "made": ref, "by": pusher.name }', prompt: "{made} {by} {= made } {__raw__}", coalesce: { key: made }`,
]
const ofSamples = new Set(['WH215', 'WH336', 'WH345', 'WH346', 'WH348', 'WH409', 'WH501', 'WH502', 'WH504', 'WH605'])

t.test('samples raise no false alarm', async (t) => {
  const { diagnostics, samples = [] } = await told(t, fine.map((route, i) => `f${i}: { ${route} }\n`).join(''), '--sample', 'github')
  for (const { code, route, message } of diagnostics) if (ofSamples.has(code)) t.fail(`${route}: ${code} ${message}`)
  const taken = samples.find(({ name }) => name === 'github/pull_request.opened')
  t.same(taken?.routes, ['f0', 'f1', 'f2', 'f3', 'f7', 'f13', 'f14'])
  const cli = fakeCli(t)
  const files = [...examples, 'README.md', 'docs/jobs.md', 'docs/plugins.md']
  for (const file of files) {
    const { out } = await cli.run('validate', '--no-env', '--no-refs', '--json', file, '--sample', 'samples')
    const codes = JSON.parse(out).data.diagnostics.map(({ code }: Item) => code)
    t.same(
      codes.filter((code: string) => ofSamples.has(code)),
      [],
      file,
    )
  }
})

t.test('a payload that has a key "payload" makes {payload} right', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': configOf('a: { prompt: "{payload} {payload.x}" }\n'), 'mine.json': '{"payload":{"x":1}}' })
  t.match((await cli.run('validate', '--format', 'concise')).out, /WH502[\s\S]*WH507/)
  t.match(await cli.run('validate', '--format', 'concise', '--sample', cli.file('mine.json')), { code: 0, out: /^$/ })
})

t.test('--fix puts the right path in the place of the wrong one', async (t) => {
  const routes = `a: { events: [push], prompt: "new {compar}!", filters: [{ field: compar, equals: x }], coalesce: { key: compar } }
b: { events: [push], prompt: "x {= $uppercase(befor) & commits[0].mesage }", filters: [{ jsonata: "payload.befor != 'a'" }] }
c: { events: [push], prompt: p, session: { key: "x {commits[0].id}-{$.ref}" }, coalesce: { key: "{repository['full_name']}" } }
`
  const cli = fakeCli(t, { 'config.yaml': configOf(routes) })
  await cli.run('validate', '--sample', 'github', '--fix=WH501,WH409,WH215,WH340')
  t.match(cli.read('config.yaml'), 'prompt: "new {compare}!", filters: [{ field: compare, equals: x }], coalesce: { key: "compare" }')
  t.match(cli.read('config.yaml'), `"x {= $uppercase(before) & commits[0].mesage }", filters: [{ jsonata: "payload.before != 'a'" }]`)
  t.match(cli.read('config.yaml'), 'session: { key: "x {commits.0.id}-{ref}" }, coalesce: { key: "{repository.full_name}" }')
})

t.test('samples are names, files and folders; what is none is refused; which were used is said', async (t) => {
  const order = '{"event_type":"order","id":7}'
  const cli = fakeCli(t, {
    'config.yaml': configOf('a: { events: [order], prompt: "{idd}" }\nb: { events: [push], prompt: "{ref}" }\n'),
    'payloads/order.json': order,
    'payloads/acme/push.json': JSON.stringify({ headers: { 'X-GitHub-Event': 'push' }, body: { ref: 'x' } }),
    'payloads/notes.txt': 'no sample',
    'broken/a.json': '{',
    'empty/a.txt': '',
  })
  const { code, out, err } = await cli.run('validate', '--format', 'concise', '--sample', cli.file('payloads'))
  t.equal(code, 0)
  t.match(out, /WH501.*"\{idd\}" is not in the sample .*order\.json/)
  t.match(err, /^used 2 of 2 samples: .*push\.json.*, .*order\.json\n$/)
  const one = await cli.run('validate', '--sample', 'github/push', '--sample', 'github/fork')
  t.match(one.err, 'used 1 of 2 samples: github/push\nno sample is an event of a\n')
  const broken = fakeCli(t, {
    'config.yaml': configOf('a: { prompt: p, events: [fork] }\nc: { prompt: p, session: { key: "{{ x }}" } }\n'),
  })
  t.match(
    (await broken.run('validate', '--sample', 'github/push')).err,
    'event of a\nnot compiled, so no sample is taken: c (mend the errors first)\n',
  )
  t.match(await cli.run('validate', '--sample', 'github/psh'), { code: 5, err: /did you mean "github\/push"/ })
  t.match(await cli.run('validate', '--sample', './nope.json'), { code: 2, err: /no such path/ })
  t.match(await cli.run('validate', '--sample', cli.file('empty')), { code: 2, err: /no JSON file/ })
  t.match(await cli.run('validate', '--sample', cli.file('broken')), { code: 1, err: /a\.json: not JSON \(line 1, column 2\)/ })
})

t.test('--env: scripts are read and run on samples, logins and the machine are looked at, in the words of doctor', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const routes = `torn: { events: [push], script: torn.sh, prompt: p }
torn-too: { events: [push], script: torn.py, prompt: p }
silent: { events: [push], script: silent.sh, prompt: p } # webhook-ignore WH709: another machine has gh
renames: { events: [push], script: renames.sh, prompt: "{title} {titel}" }
comments: { events: [push], prompt: p, deliver: github_comment, deliver_extra: { repo: a/b, pr_number: '1' } }
`
  const cli = fakeCli(t, {
    'config.yaml': configOf(routes).replace('port: 0', `port: ${port}`),
    'scripts/torn.sh': 'if true; then\n  echo hunter2\n',
    'scripts/torn.py': 'x = 1\nif x\n  print("hunter2")\n',
    'scripts/silent.sh': 'cat >/dev/null\n',
    'scripts/renames.sh': `echo '{"title":"x"}'\n`,
  })
  const bin = cli.file('bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'gh'), '#!/bin/sh\necho no oauth token >&2\nexit 1\n', { mode: 0o755 })
  const future = Date.now() / 1000 + 3_600
  utimesSync(cli.file('config.yaml'), future, future)
  const env = { HEADGATE_HOME: cli.dir, PATH: `${bin}:${process.env.PATH}` }
  const run = (...argv: string[]) => cli.runWith({ env }, 'validate', ...argv)
  const { code, out } = await run('--env', '--sample', 'github', '--json')
  t.equal(code, 1)
  t.notMatch(out, 'hunter2')
  const items: Item[] = JSON.parse(out).data.diagnostics
  const of = (wanted: string) => items.filter((each) => each.code === wanted)
  t.match(of('WH604'), [
    { route: 'torn', message: /"torn\.sh" cannot be read: .*line 3/, range: { start: { line: 8 } }, stops_startup: false },
    { route: 'torn-too', message: /"torn\.py" cannot be read: line 2: / },
  ])
  t.match(of('WH605'), [{ route: 'silent', message: /ignores the one sample/ }])
  t.match(of('WH501'), [{ route: 'renames', suggest: ['title'] }])
  t.match(of('WH709'), [{ route: 'comments', message: 'gh is not logged in', severity: 'warning' }])
  t.match(of('WH801'), [{ message: `another program listens on port ${port}`, severity: 'error' }])
  t.match(of('WH805'), [{ message: /from now/, severity: 'warning' }])
  const doctor = await cli.runWith({ env }, 'doctor')
  for (const wanted of ['WH604', 'WH709', 'WH801']) for (const { message } of of(wanted)) t.ok(doctor.out.includes(message), message)
  const plain = await run('--json')
  t.notMatch(plain.out, /WH(?:010|604|605|709|801|805)/, 'without --env none of it, and no comment is idle')
  t.match(await run('--env', '--no-refs'), { code: 2 })
  t.match(JSON.parse((await run('--env', '--data-dir', cli.file('config.yaml'), '--json')).out).data.diagnostics, [
    { code: 'WH003' },
    { code: 'WH003' },
    { code: 'WH802' },
    { code: 'WH807', message: /^the clock could not be checked: / },
  ])
})

t.test('--env says which look at the machine failed', async (t) => {
  // A path that a socket has room for.
  const dir = mkdtempSync(join(tmpdir(), 'headgate-env-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'state'))
  writeFileSync(join(dir, 'config.yaml'), configOf('a: { prompt: p }\n'), { mode: 0o600 })
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'))
  }).listen(join(dir, 'state/gateway.sock'))
  t.teardown(() => server.close())
  const validate = (...argv: string[]) => fakeCli(t).run('validate', '--data-dir', dir, '--format', 'concise', ...argv)
  t.match(await validate('--env'), {
    code: 0,
    out: /^WH807 warning: the port could not be checked: the gateway gave an unexpected answer\n$/,
  })
  t.equal((await validate('--env', '--deny-warnings')).code, 1)
  t.equal((await validate()).out, '')
})

t.test('--watch checks again when a checked file changes; Ctrl-C ends it with the exit code of the last check', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': configOf('a: { events: [push], prompt: p }\n'), 'other.txt': '' })
  const said = { out: '', err: '' }
  let stop: (why: 'cancelled') => void = () => {}
  const stopped = new Promise<'cancelled'>((resolve) => {
    stop = resolve
  })
  const io = {
    stopped: () => stopped,
    stdout: (text: string) => {
      said.out += text
    },
    stderr: (text: string) => {
      said.err += text
    },
  }
  const watching = cli.runWith(io, 'validate', '--watch', '--format', 'concise')
  await until(() => said.err.includes('watching'))
  t.equal(said.out, '')
  cli.write('config.yaml.new', configOf('a: { evnts: [push] }\n'))
  renameSync(cli.file('config.yaml.new'), cli.file('config.yaml'))
  await until(() => said.out.includes('unknown key "evnts"'))
  t.match(said.err, /^watching: .*\n\n\S*config\.yaml changed\n--- \d\d:\d\d:\d\d\n/)
  cli.write('other.txt', 'not checked')
  cli.write('webhook_subscriptions.json', '{"b":{"promt":"x"}}')
  await until(() => said.out.includes('unknown key "promt"'))
  t.notMatch(said.err, 'other.txt')
  stop('cancelled')
  t.equal((await watching).code, 1)
})

t.test('--watch checks once for a change, of what it came to know later too', async (t) => {
  const route = (more: string): string =>
    configOf(`a: { events: [push], prompt: p, script: a.sh, filters: [{ field: ref, in_file: lists/refs.txt }]${more} }\n`)
  const cli = fakeCli(t, { 'config.yaml': route(''), 'scripts/a.sh': 'cat\n', 'lists/refs.txt': 'main\n' })
  const watching = going(cli, 'validate', '--watch', '--format', 'concise')
  t.teardown(() => watching.stop('gone'))
  const { said } = watching
  const changes = () => [...said.err.matchAll(/(\S+) changed/g)].map(([, file = '']) => basename(file))
  await until(() => said.err.includes('watching'))
  const names = ['scripts/a.sh', 'lists/refs.txt', 'config.yaml', 'scripts/a.sh', 'webhook_subscriptions.json']
  for (const [i, name] of names.entries()) {
    cli.write(name, name === 'config.yaml' ? route(', deliver: log') : `${i}\n`)
    await until(() => said.err.split('watching').length > changes().length + 1 && changes().at(-1) === basename(name))
  }
  t.same(
    changes(),
    names.map((name) => basename(name)),
  )
})

t.test('--changed --watch watches what has not changed yet, and asks git at each look', async (t) => {
  const route = (more: string): string => configOf(`a: { events: [push], prompt: p${more} }\n`)
  const cli = fakeCli(t, { 'config.yaml': route(''), 'profiles/p/config.yaml': route(''), 'a.webhook-test.yaml': 'tests: []\n' })
  const git = (...argv: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...argv], { cwd: cli.dir, encoding: 'utf8' })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'first')
  const watching = going(cli, 'validate', '--watch', '--changed', '--format', 'concise')
  t.teardown(() => watching.stop('gone'))
  const { said } = watching
  await until(() => said.err.includes('watching'))
  cli.write('a.webhook-test.yaml', 'tests: []\ntset: []\n')
  await until(() => said.out.includes('unknown key "tset"'))
  git('checkout', '-q', 'a.webhook-test.yaml')
  await until(() => said.err.split('watching').length === 4)
  const { length } = said.out
  cli.write('config.yaml', route(', evnts: []'))
  await until(() => said.out.includes('unknown key "evnts"'))
  t.notMatch(said.out.slice(length), 'tset')
})

t.test('--changed asks git before it checks: what git refuses is said at once', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': configOf('a: { prompt: p, script: a.sh }\n'), 'scripts/a.sh': `touch ran\n` })
  execFileSync('git', ['init', '-q'], { cwd: cli.dir })
  t.match(await cli.run('validate', '--changed=nope', '--sample', 'github/psh'), { code: 2, err: /git knows no such commit/ })
})

t.test('--watch refuses what is one document or writes', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': configOf('a: { prompt: p }\n') })
  for (const format of ['json', 'sarif', 'junit', 'gitlab'])
    t.match(await cli.run('validate', '--watch', '--format', format), { code: 2, err: /one document\n {2}use one of pretty/ })
  for (const more of [['--json'], ['--fix'], ['--diff'], ['-'], ['--baseline', 'b', '--write-baseline']])
    t.match(await cli.run('validate', '--watch', ...more), { code: 2 }, more.join(' '))
})

t.test('--changed tells only of files that git says are changed or does not know', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'headgate-changed-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  const cli = fakeCli(t)
  const git = (...argv: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...argv], { cwd: dir, encoding: 'utf8' })
  const write = (name: string, route: string): void => writeFileSync(join(dir, name), configOf(`${route}: { evnts: [push] }\n`))
  const routesOf = async (...argv: string[]): Promise<string[]> => {
    const { out } = await cli.run('validate', '--json', ...argv, join(dir, 'one.yaml'), join(dir, 'two.yaml'), join(dir, 'a new.yaml'))
    const { diagnostics, summary } = JSON.parse(out).data
    t.equal(summary.files, summary.routes)
    return diagnostics.flatMap(({ code, route }: Item) => (code === 'WH101' ? route : []))
  }
  for (const name of ['one', 'two']) write(`${name}.yaml`, name)
  t.match(await cli.run('validate', '--changed', join(dir, 'one.yaml')), { code: 2, err: /is not in a git repository/ })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'first')
  write('a new.yaml', 'three')
  t.same(await routesOf('--changed'), ['three'])
  write('two.yaml', 'changed')
  git('add', 'two.yaml')
  t.same(await routesOf('--changed'), ['three', 'changed'])
  git('commit', '-qm', 'second')
  t.same(await routesOf('--changed'), ['three'])
  t.same(await routesOf('--changed=HEAD~1'), ['three', 'changed'])
  t.match(await cli.run('validate', '--changed', join(dir, 'one.yaml')), { code: 0, out: /0 errors.* in 0 routes \(0 files\)/ })
  for (const ref of ['nope', '--output=x'])
    t.match(await cli.run('validate', `--changed=${ref}`, join(dir, 'one.yaml')), { code: 2, err: /commit/ })
  t.match(await cli.run('validate', '--changed', '--baseline', 'b', '--write-baseline', join(dir, 'one.yaml')), { code: 2 })
})

/** One slip, as people make it, and all that `validate` finds: codes with their help, and where the gateway does not start. */
const slips: readonly [title: string, config: string, found: readonly (readonly [code: string, help: RegExp])[]][] = [
  [
    'keys beside their route',
    'platforms:\n  webhook:\n    enabled: true\n    secret: b0e6f2a94c7d41d8\n    routes:\n      a:\n      events: [push]\n      prompt: p\n      deliver: log\n      filters: [{ field: a, equals: b }]\n',
    [['WH102', /^indent "events", and the keys after it, more than "a"$/]],
  ],
  [
    'a route beside its section',
    'platforms:\n  webhook:\n    enabled: true\n    secret: b0e6f2a94c7d41d8\n    extra:\n      routes:\n      a:\n        prompt: p\n',
    [['WH102', /^indent "a" more than "routes"$/]],
  ],
  [
    'a section at the top',
    'gateway: {}\nroutes: { a: { prompt: p } }\n',
    [['WH101', /^routes stand below platforms\.webhook\.extra\.routes, or in a file/]],
  ],
  ['a misspelt key that must be there', configOf('r: { prompt: p, session: { ky: x } }\n'), [['WH101', /^did you mean "key"\?$/]]],
  ['a misspelt algorithm', configOf('r: { prompt: p, verify: { algoritm: token } }\n'), [['WH101', /^did you mean "algorithm"\?$/]]],
  ['a key of another map', configOf('r: { prompt: p, chat_id: 1 }\n'), [['WH101', /^"chat_id" belongs below "deliver_extra"$/]]],
  ['an operator of another tool', configOf('r: { prompt: p, filters: [{ field: a, prefix: b }] }\n'), [['WH101', /^write starts_with$/]]],
  ['a comparison', configOf('r: { prompt: p, filters: [{ not: { field: a, Less-Than: 3 } }] }\n'), [['WH101', /^write lt$/]]],
  ['a key of another tool', configOf('r: { prompt: p, ip-whitelist: [10.0.0.0/8] }\n'), [['WH101', /^write allow_from, /]]],
  ['a key that is part of the address', configOf('r: { prompt: p, path: /hooks/r }\n'), [['WH101', /rename the route$/]]],
  [
    'a misspelt variable for the key of a sender',
    configOf('r: { prompt: p, events: [charge.failed], verify: stripe, secret: "${STRIPE_SECRT}" }\n'),
    [['WH305', /^did you mean \$\{STRIPE_SECRET\}\?/]],
  ],
  [
    'a misspelt variable for a signature',
    configOf('r: { prompt: p, deliver: http, deliver_extra: { url: "http://127.0.0.1:9/", secret: "${STRIPE_SECRT}" } }\n'),
    [['WH305', /^did you mean \$\{STRIPE_SECRET\}\?/]],
  ],
]

t.test('one slip is one finding, with the way out', async (t) => {
  for (const [title, config, found] of slips) {
    const cli = fakeCli(t, { 'config.yaml': config, '.env': 'STRIPE_SECRET=whsec_b0e6f2a94c7d41d8b0e6f2a94c7d41d8\n' })
    const { data } = JSON.parse((await cli.run('validate', '--json')).out) as { data: { diagnostics: Item[] } }
    t.match(
      data.diagnostics.filter(({ code }) => code !== 'WH303').map(({ code, help }) => [code, help]),
      found,
      title,
    )
    t.equal(data.diagnostics.filter(({ code }) => code !== 'WH303').length, found.length, `${title}: and nothing else`)
  }
})

t.test('of a long line the part around the place is shown, with carets below it', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': configOf(`r: { prompt: "${'word '.repeat(60)}", evens: [a], deliver: log }\n`) })
  const { out, err } = await cli.run('validate')
  const lines = `${out}${err}`.split('\n')
  const at = lines.findIndex((line) => /^ *\| +\^+$/.test(line))
  const caret = lines[at]?.indexOf('^') ?? -1
  t.equal(lines[at - 1]?.slice(caret, caret + 5), 'evens')
})
