/** `headgate test`: what passes, what fails and says why, and that a test meets what the server does. */

import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { load } from 'js-yaml'
import t from 'tap'
import { definition } from '../../src/config/schema-walk.ts'
import { expectationKeys } from '../../src/dryrun/route-tests/expectations.ts'
import { type FakeCli, fakeCli, going } from '../fakes/cli.ts'
import { until } from '../fakes/wait.ts'

type Tests = { readonly data: { readonly suites: readonly { tests: Shown[] }[]; readonly summary: object; readonly coverage: unknown } }
type Shown = { readonly name: string; readonly result: string; readonly said: string[] }

const page = readFileSync('docs/tests.md', 'utf8')
const blocks = [...page.matchAll(/^```yaml( tests)?\n([\s\S]*?)^```/gm)].map(([, isTests, text]) => ({ isTests, text: text ?? '' }))
const config = blocks.find(({ isTests }) => !isTests)?.text ?? ''

const run = async (cli: FakeCli, ...argv: string[]): Promise<Tests['data'] & { code: number; shown: readonly Shown[] }> => {
  const { code, out } = await cli.run('test', ...argv, '--json')
  const { data } = JSON.parse(out) as Tests
  return { code, ...data, shown: data.suites.flatMap(({ tests }) => tests) }
}

const withTests = (t: Parameters<typeof fakeCli>[0], tests: string, more: { [file: string]: string } = {}): FakeCli =>
  fakeCli(t, { 'config.yaml': config, 'a.webhook-test.yaml': `tests:\n${tests}`, ...more })

t.test('the tests of the page pass, without a secret and without a network', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': config, 'routes.webhook-test.yaml': blocks.find(({ isTests }) => isTests)?.text ?? '' })
  const { code, summary, shown } = await run(cli)
  t.same(summary, { passed: 4, failed: 0, skipped: 0 }, JSON.stringify(shown))
  t.equal(code, 0)
})

t.test('a target and a script that fail, for the reason that the test gives', async (t) => {
  const tests = `tests:
  - name: a target that fails for good
    route: a
    mocks: { deliver: { fail: the chat is gone, repeatable: false } }
    steps:
      - { send: { payload: { n: 1 } }, expect: { outcome: accepted, runs: 1, dead: 1, deliveries: 1 } }
  - name: a target that fails once
    route: a
    steps:
      - { send: { payload: { n: 1 } }, mocks: { deliver: { fail: busy } }, expect: { runs: 0, deliveries: 1 } }
      - { advance: 1m, expect: { runs: 1, dead: 0, deliveries: 1 } }
  - name: a script that fails
    route: a
    mocks: { script: { fail: no such table } }
    send: { payload: { n: 1 } }
    expect: { status: 200, outcome: ignored, stopped_at: script, reason: { contains: no such table } }
`
  const routes =
    'platforms: { webhook: { enabled: true, extra: { routes: { a: { secret: c2a91f70e35bd846, prompt: p, script: a.sh } } } } }\n'
  const cli = fakeCli(t, { 'config.yaml': routes, 'scripts/a.sh': 'cat\n', 'a.webhook-test.yaml': tests })
  const { code, summary, shown } = await run(cli)
  t.same(summary, { passed: 3, failed: 0, skipped: 0 }, JSON.stringify(shown))
  t.equal(code, 0)
})

t.test('time, duplicates, retries, dead runs, mocks and signatures are as the server has them', async (t) => {
  const cli = withTests(
    t,
    `
  - name: duplicates for an hour
    route: pr
    steps:
      - { send: { sample: github/pull_request.opened, id: one }, expect: { outcome: accepted } }
      - { send: { sample: github/pull_request.opened, id: one }, expect: { outcome: duplicate, status: 200 } }
      - { advance: 3601 }
      - { send: { sample: github/pull_request.opened, id: one }, expect: { outcome: accepted } }
      - { send: { sample: github/pull_request.opened, id: two }, advance: 1s, expect: { status: 202 } }
  - name: three failures are a dead run
    route: pr
    mocks: { agent: { fail: no credit } }
    steps:
      - { send: { sample: github/pull_request.opened }, expect: { outcome: accepted, runs: 0 } }
      - { advance: 1h, expect: { runs: 1, dead: 1, deliveries: 0 } }
  - name: a delivery that fails once is tried again
    route: pr
    steps:
      - { send: { sample: github/pull_request.opened }, mocks: { deliver: { status: 503 } }, expect: { runs: 0, deliveries: 1 } }
      - { advance: 1m, expect: { runs: 1, dead: 0, deliveries: 1, deliver: { text: { contains: Review } } } }
  - name: nobody signed it
    route: pr
    send: { sample: github/pull_request.opened, sign: none }
    expect: { status: 401, outcome: bad_signature, stopped_at: signature, answer: '{"error":"Invalid signature"}' }
  - name: no JSON
    route: pr
    send: { body: "{" }
    expect: { outcome: bad_json }
  - name: rate limit
    route: pr
    steps:
      - { send: { sample: github/pull_request.opened }, repeat: 30, expect: { outcome: accepted } }
      - { send: { sample: github/pull_request.opened }, expect: { outcome: rate_limited, status: 429 } }
  - name: as many, with time between them
    route: pr
    steps:
      - { send: { sample: github/pull_request.opened }, repeat: 40, every: 3s, expect: { outcome: accepted } }
  - name: by rules
    route: pr
    send: { payload: { action: opened, number: 7, pull_request: { title: Tidy } } }
    expect:
      prompt: { equals: "Review PR #7: Tidy", lacks: [x, "{"], matches: "^Review", jsonata: "$length($) = 18", max_chars: 18, unresolved: [] }
      deliver: { target: log, extra: {}, text: { contains: [Tidy, "#7"] } }
      reason: { equals: null }
  - name: later
    route: pr
    skip: it is not decided
`.replace('      reason: { equals: null }\n', ''),
  )
  const { code, summary, shown } = await run(cli, 'a.webhook-test.yaml'.replace(/^/, `${cli.dir}/`))
  t.same(summary, { passed: 8, failed: 0, skipped: 1 }, JSON.stringify(shown))
  t.equal(code, 0)
})

t.test('scripts run where the file says so, and let each event on where it does not', async (t) => {
  const route =
    'platforms: { webhook: { enabled: true, extra: { secret: c2a91f70e35bd846, routes: { s: { script: no.sh, prompt: p } } } } }\n'
  for (const [first, outcome] of [
    ['run_scripts: true', 'ignored'],
    ['run_scripts: false', 'accepted'],
  ]) {
    const tests = `${first}\ntests: [{ name: a, route: s, send: { payload: {} }, expect: { outcome: ${outcome} } }]\n`
    const cli = fakeCli(t, { 'config.yaml': route, 'a.webhook-test.yaml': tests, 'scripts/no.sh': 'exit 0\n' })
    const { code, shown } = await run(cli)
    t.equal(code, 0, JSON.stringify(shown))
  }
})

t.test('an event whose reply has nowhere to go asks no agent, in a test too', async (t) => {
  const cli = withTests(
    t,
    `
  - name: of a fork
    route: ci
    send: { payload: { pulls: [] } }
    expect: { outcome: accepted, prompt: "p" }
  - name: of our own
    route: ci
    send: { payload: { pulls: [7] } }
    expect: { outcome: accepted, prompt: "p", deliver: { target: github_comment } }
`,
    {
      'config.yaml':
        'platforms: { webhook: { enabled: true, routes: { ci: { prompt: p, deliver: github_comment, deliver_extra: { repo: a/b, pr_number: "{pulls.0}" } } } } }',
    },
  )
  const { code, summary, shown } = await run(cli)
  t.equal(code, 1)
  t.same(summary, { passed: 1, failed: 1, skipped: 0 }, JSON.stringify(shown))
  t.match(JSON.stringify(shown), /pr_number is not a positive whole number/)
})

t.test('of a sender that waits, the answer has the reply of the run', async (t) => {
  const respond = '{ wait_seconds: 10, status: 201, content_type: application/json, body: \'{"text": "{reply}"}\' }'
  const route = `ask: { prompt: "{q}", respond: ${respond}, delay_seconds: 4 }, now: { prompt: "{q}", respond: { wait_seconds: 10 }, retry: { max_attempts: 1 } }`
  const cli = withTests(
    t,
    `
  - name: with the reply
    route: now
    send: { payload: { q: how much? } }
    expect: { status: 200, outcome: accepted, answer: "how much?", runs: 1 }
  - name: in a body, once the run has begun
    route: ask
    mocks: { agent: { reply: 'a "lot"' } }
    steps:
      - { send: { payload: {} }, expect: { status: 202, answer: { contains: accepted } } }
      - { send: { payload: {} }, advance: 4s, expect: { status: 201, answer: '{"text": "a \\"lot\\""}' } }
  - name: nothing to send
    route: now
    mocks: { agent: { reply: NO_REPLY } }
    send: { payload: {} }
    expect: { status: 204, answer: "" }
  - name: a dead run
    route: now
    mocks: { agent: { fail: no credit } }
    send: { payload: {} }
    expect: { status: 202, dead: 1 }
  - name: a refusal
    route: now
    send: { payload: {}, sign: bad }
    expect: { status: 401 }
`,
    { 'config.yaml': `platforms: { webhook: { enabled: true, extra: { secret: s, routes: { ${route} } } } }` },
  )
  const { summary, shown } = await run(cli, `${cli.dir}/a.webhook-test.yaml`)
  t.same(summary, { passed: 5, failed: 0, skipped: 0 }, JSON.stringify(shown))
})

t.test('a target may be called by its other name, as in a route', async (t) => {
  const extra = '{ repo: a/b, pr_number: "1" }'
  const tests = ['github_comment', 'hosta_comment', 'gitlab_comment'].map(
    (target) => `  - { name: ${target}, route: r, send: {}, expect: { deliver: { target: ${target} } } }\n`,
  )
  const route = `r: { deliver: hosta_comment, deliver_extra: ${extra}, prompt: hi }`
  const cli = withTests(t, tests.join(''), { 'config.yaml': `platforms: { webhook: { enabled: true, extra: { routes: { ${route} } } } }` })
  const { shown } = await run(cli)
  t.same(
    shown.map(({ result, said }) => [result, said[0]]),
    [
      ['passed', undefined],
      ['passed', undefined],
      ['failed', 'step 1: deliver.target: expected "gitlab_comment", got "github_comment"'],
    ],
  )
})

t.test('what differs is said: the key, what was expected, what came, and how far the event got', async (t) => {
  const cli = withTests(
    t,
    `
  - { name: wrong outcome, route: pr, send: { sample: github/pull_request.closed }, expect: { outcome: accepted, prompt: { contains: x } } }
  - { name: wrong second step, route: pr, steps: [{ send: { sample: github/pull_request.opened } }, { advance: 1s, expect: { runs: 3 } }] }
  - { name: no such sample, route: pr, send: { sample: github/pull_requst.opened } }
  - { name: no such path, route: pr, send: { sample: github/pull_request.opened, unset: [nope.at] } }
  - { name: two bodies, route: pr, send: { body: x, payload: 1 } }
  - { name: no snapshot, route: pr, send: { sample: github/pull_request.opened }, expect: { prompt: { snapshot: true } } }
  - { name: "a stranger's\\u202e\\u009b2J\\u2066", route: pr, send: { sample: github/pull_request.closed }, expect: { outcome: accepted } }
`,
  )
  const { code, shown } = await run(cli)
  t.equal(code, 1)
  const said = (name: string): string => shown.find((each) => each.name === name)?.said.join('\n') ?? ''
  t.match(
    said('wrong outcome'),
    /^step 1: outcome: expected "accepted", got "ignored"\nstep 1: prompt\.contains\[0\]: .* got nothing\npassed .*events; ignored: filters\[0\]/,
  )
  t.match(said('wrong second step'), /^step 2: runs: expected 3, got 0/)
  t.match(said('no such sample'), /no sample "github\/pull_requst\.opened"/)
  t.match(said('no such path'), /--unset nope\.at|unset/)
  t.match(said('two bodies'), /payload and body|body and payload/)
  t.match(said('no snapshot'), /--update/)
  for (const [format, holds] of [
    ['pretty', /^ {2}NO {2}pr: wrong outcome .*a\.webhook-test\.yaml:3/m],
    ['tap', /^TAP version 14\n1\.\.8\n[\s\S]*^not ok \d - pr: wrong outcome$/m],
    ['junit', /<testsuite name="[^"]*a\.webhook-test\.yaml" tests="7" failures="7" errors="0" skipped="0">/],
    ['github', /^::error file=[^,]*a\.webhook-test\.yaml,line=3,col=\d+,title=pr%3A wrong outcome::step 1/m],
  ] as const) {
    const { code, out } = await cli.run('test', '--format', format)
    t.equal(code, 1, format)
    t.match(out, holds, format)
    t.match(out, /a stranger's\\+u\{202e\}\\+u\{9b\}2J\\+u\{2066\}/, format)
    t.notMatch(out.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u, format)
  }
})

t.test('each expectation that does not hold fails its test, and is named', async (t) => {
  const wrong: readonly (readonly [named: string, route: string, expectation: string])[] = [
    ['status', 'pr', 'status: 200'],
    ['outcome', 'pr', 'outcome: ignored'],
    ['stopped_at', 'pr', 'stopped_at: filters'],
    ['rule', 'pr', 'rule: "filters[0]"'],
    ['reason.equals', 'pr', 'reason: { equals: x }'],
    ['event', 'pr', 'event: push'],
    ['payload.jsonata', 'pr', 'payload: { jsonata: number = 8 }'],
    ['answer', 'pr', 'answer: x'],
    ['prompt', 'pr', 'prompt: x'],
    ['prompt.equals', 'pr', 'prompt: { equals: x }'],
    ['prompt.contains[0]', 'pr', 'prompt: { contains: x1 }'],
    ['prompt.lacks[0]', 'pr', 'prompt: { lacks: PR }'],
    ['prompt.matches', 'pr', 'prompt: { matches: ^x }'],
    ['prompt.jsonata', 'pr', 'prompt: { jsonata: "$ = 1" }'],
    ['prompt.max_chars', 'pr', 'prompt: { max_chars: 3 }'],
    ['prompt.unresolved', 'pr', 'prompt: { unresolved: [x] }'],
    ['prompt.snapshot', 'pr', 'prompt: { snapshot: true }'],
    ['runs', 'pr', 'runs: 2'],
    ['dead', 'pr', 'dead: 1'],
    ['deliveries', 'pr', 'deliveries: 0'],
    ['deliver.target', 'pr', 'deliver: { target: http }'],
    ['deliver.extra.url.equals', 'pr', 'deliver: { extra: { url: x } }'],
    ['deliver.text', 'pr', 'deliver: { text: x }'],
    ['deliver.body', 'pr', 'deliver: { body: x }'],
    ['items[0].event', 'many', 'items: [{ event: b }]'],
    ['items[0].outcome', 'many', 'items: [{ outcome: ignored }]'],
    ['items[0].stopped_at', 'many', 'items: [{ stopped_at: filters }]'],
    ['items[0].id', 'many', 'items: [{ id: y }]'],
    ['items[0].reason', 'many', 'items: [{ reason: x }]'],
  ]
  const sent = {
    pr: '{ sample: github/pull_request.opened }',
    many: '{ payload: { list: [{ type: a }] }, id: x }',
  } as { readonly [route: string]: string }
  const tests = wrong.map(([name, route, text]) => `  - { name: "${name}", route: ${route}, send: ${sent[route]}, expect: { ${text} } }\n`)
  const cli = withTests(t, tests.join(''), { 'config.yaml': `${config}        many: { split: list, prompt: p }\n` })
  const { shown } = await run(cli)
  for (const { name, result, said } of shown.slice(1)) {
    t.equal(result, 'failed', name)
    t.ok(said[0]?.startsWith(`step 1: ${name}: expected `), `${name}: ${said[0]}`)
  }
  t.equal(shown.length - 1, wrong.length)
})

t.test('the type and the headers that a test sends, and what it lets a script print, reach the route', async (t) => {
  const routes = `        head: { filters: [{ field: headers.X-Team, equals: blue }], prompt: p }
        typed: { events: [opened, closed], prompt: "{event_type}" }
        made: { script: a.sh, prompt: "made {n}" }
`
  const tests = `  - { name: headers, route: head, send: { payload: {}, headers: { X-Team: blue } }, expect: { outcome: accepted } }
  - { name: type, route: typed, send: { payload: {}, event: closed }, expect: { outcome: accepted, prompt: closed } }
  - { name: stdout, route: made, send: { payload: { n: 1 } }, mocks: { script: { stdout: '{"n":2}' } }, expect: { prompt: made 2 } }
`
  const cli = withTests(t, tests, { 'config.yaml': `${config}${routes}`, 'scripts/a.sh': 'exit 1\n' })
  const { summary, shown } = await run(cli)
  t.same(summary, { passed: 4, failed: 0, skipped: 0 }, JSON.stringify(shown))
})

t.test('snapshots are written when asked for, and compared after that', async (t) => {
  const cli = withTests(
    t,
    ['text', 'other']
      .map(
        (name) =>
          `  - { name: ${name}, route: pr, send: { sample: github/pull_request.opened }, expect: { prompt: { snapshot: true } } }\n`,
      )
      .join(''),
  )
  t.equal((await run(cli, '--update')).code, 0)
  const snapshots = cli.read('a.webhook-test.yaml.snapshots.json')
  t.match(snapshots, /Review PR #/)
  t.equal((await run(cli)).code, 0)
  t.same((await run(cli, '--update', '--name', 'other')).shown.length, 1)
  t.equal(cli.read('a.webhook-test.yaml.snapshots.json').length, snapshots.length, 'the snapshots of tests that were not run stay')
  const tests = cli.read('a.webhook-test.yaml')
  cli.write('a.webhook-test.yaml', tests.replace('name: other,', 'name: other, skip: not today,'))
  t.equal((await run(cli, '--update')).code, 0)
  t.equal(cli.read('a.webhook-test.yaml.snapshots.json').length, snapshots.length, 'so do those of skipped tests')
  cli.write('a.webhook-test.yaml', tests.replace('name: other,', 'nam: other,'))
  await run(cli, '--update')
  t.equal(cli.read('a.webhook-test.yaml.snapshots.json').length, snapshots.length, 'and those of tests that cannot be read')
  cli.write('a.webhook-test.yaml', tests)
  cli.write('a.webhook-test.yaml.snapshots.json', '{')
  t.equal((await cli.run('test')).code, 2)
  t.equal((await run(cli, '--update')).code, 0, 'a malformed file is written again')
  cli.write('config.yaml', config.replace('Review PR', 'Look at PR'))
  t.match((await run(cli)).shown[1], { result: 'failed' })
})

t.test('coverage says what no test has seen', async (t) => {
  const cli = withTests(t, '  - { name: text, route: pr, send: { sample: github/pull_request.opened } }\n')
  const { coverage } = await run(cli, '--coverage')
  t.match(coverage, [
    { route: 'pr', missed: ['filters[1].not (pull_request.draft) holds'] },
    { route: 'burst', seen: 0, all: 2, missed: ['an event that it takes', 'prompt: {number} has a value'] },
  ])
  t.match(await cli.run('test', '--min', '99'), { code: 1, err: /coverage is \d+ %: less than 99 %/ })
  t.match(await cli.run('test', '--min', '70'), { code: 1, err: /coverage is 66 %/ }, 'a route without tests counts with all that it has')
  t.equal((await cli.run('test', '--min', '50')).code, 0)
})

t.test('a file of tests that is wrong fails, in validate too, and stops no start', async (t) => {
  const cli = withTests(t, '  - { name: text, rout: pr }\n')
  t.match(await cli.run('test'), { code: 1, out: /WH101.*unknown key "rout"/s })
  t.match(await cli.run('validate', '--format', 'concise'), { code: 1, out: /a\.webhook-test\.yaml:2:\d+: WH101 error: .*rout/ })
  cli.write('a.webhook-test.yaml', 'tests:\n  - { name: text, route: prr }\n')
  t.match(await cli.run('test'), { code: 1, out: /there is no route "prr"[\s\S]*pr\b/ })
  cli.write('a.webhook-test.yaml', 'routes: ../nope.yaml\ntests: []\n')
  t.match(await cli.run('test'), { code: 1, out: /there is no .*nope\.yaml/ })
  t.match(await cli.run('test', 'nope.yaml'), { code: 2, err: /no such path/ })
  const beside = fakeCli(t, { 'config.yaml': config.replace('send: { sample', 'sent: { sample') })
  const { out } = await beside.run('validate', '--json', '--no-env')
  const { diagnostics } = (JSON.parse(out) as { data: { diagnostics: { code: string; stops_startup: boolean }[] } }).data
  t.match(diagnostics, [{ code: 'WH101', stops_startup: false, route: 'pr' }])
})

t.test('each key of "expect" in the schema is asked, and none beside', (t) => {
  t.same([...expectationKeys].sort(), Object.keys(definition('TestExpect').properties as object).sort())
  t.end()
})

t.test('the page shows tests that are YAML', (t) => {
  for (const { text } of blocks) t.ok(load(text))
  t.end()
})

t.test('--watch runs again when a test, a configuration or what a test sends changes, and outlives a mistake', async (t) => {
  const tests = (outcome: string): string => `routes: ../config.yaml
tests:
  - { name: opened, route: pr, send: { file: ../sent/opened.json, event: pull_request }, expect: { outcome: ${outcome} } }
`
  const sent = (action: string): string => JSON.stringify({ action, number: 7, pull_request: { title: 'Tidy', draft: false } })
  const cli = fakeCli(t, { 'config.yaml': config, 'tests/a.webhook-test.yaml': tests('ignored'), 'sent/opened.json': sent('opened') })
  const watching = going(cli, 'test', cli.file('tests'), '--watch')
  t.teardown(() => watching.stop('gone'))
  /** The last line of a run that came after `change`. */
  const after = async (change: () => void, wanted: RegExp): Promise<unknown> => {
    const { length } = watching.said.err
    change()
    const { said } = watching
    return until(() => said.err.slice(length).includes('watching: Ctrl-C ends it') && wanted.test(said.out.split('\n').at(-2) ?? ''))
  }
  await after(() => {}, /0 passed, 1 failed/)
  await after(() => cli.write('tests/a.webhook-test.yaml', tests('accepted')), /1 passed/)
  await after(() => cli.write('sent/opened.json', sent('closed')), /0 passed, 1 failed/)
  await after(() => cli.write('config.yaml', config.replace('[opened, reopened]', '[opened, closed]')), /1 passed/)
  await after(() => cli.write('tests/a.webhook-test.yaml', 'tests: ['), /0 passed, 1 failed/)
  rmSync(cli.file('tests/a.webhook-test.yaml'))
  await until(() => watching.said.err.includes('error: there is no test in '))
  await after(() => cli.write('tests/b.webhook-test.yaml', tests('accepted')), /1 passed/)
  watching.stop('cancelled')
  t.equal(await watching.ended, 130)
})

t.test('--watch --update runs twice at most, and --watch has no JSON', async (t) => {
  const tests = '  - { name: a, route: pr, send: { sample: github/pull_request.opened }, expect: { prompt: { snapshot: true } } }\n'
  const cli = withTests(t, tests)
  t.match(await cli.run('test', '--watch', '--json'), { code: 2, out: /gives one document/ })
  t.match(await cli.run('test', '--watch', '--format', 'json'), { code: 2, err: /gives one document/ })
  t.match(await cli.run('test', '--watch', cli.file('none')), { code: 2, err: /no such path/ })
  const watching = going(cli, 'test', '--watch', '--update')
  t.teardown(() => watching.stop('gone'))
  await until(() => existsSync(cli.file('a.webhook-test.yaml.snapshots.json')))
  const before = statSync(cli.file('a.webhook-test.yaml.snapshots.json')).mtimeMs
  await until(() => watching.said.err.split('watching').length > 2)
  t.equal(statSync(cli.file('a.webhook-test.yaml.snapshots.json')).mtimeMs, before, 'the second run wrote nothing')
  watching.stop('gone')
  t.equal(await watching.ended, 0)
})

t.test('tests of subscriptions: a file may name one, its entry may hold tests, and a configured route hides it', async (t) => {
  const tests = `tests:
  - { name: greets, route: hello, send: { payload: { name: Ada } }, expect: { outcome: accepted, prompt: "Hello Ada" } }
`
  const cli = fakeCli(t, { 'tests/a.webhook-test.yaml': tests })
  const file = cli.file('tests/a.webhook-test.yaml')
  t.match(await run(cli, file), { code: 1, suites: [{ diagnostics: [{ code: 'WH003' }] }] }, 'neither a configuration nor a subscription')
  t.equal((await cli.run('webhook', 'subscribe', 'hello', '--prompt', 'Hello {name}')).code, 0)
  t.match(
    await run(cli, file),
    { code: 0, summary: { passed: 1, failed: 0 }, shown: [{ route: 'hello' }] },
    'the environment alone enables',
  )
  cli.write('config.yaml', config)
  const covered = await run(cli, '--coverage')
  t.match(covered.coverage, [{ route: 'pr' }, { route: 'burst' }, { route: 'hello', seen: 2, all: 2 }], 'one that a test names counts')
  const { hello } = JSON.parse(cli.read('webhook_subscriptions.json'))
  const inEntry = [{ name: 'Grace', send: { payload: { name: 'Grace' } }, expect: { prompt: 'Hello Grace' } }]
  cli.write('webhook_subscriptions.json', JSON.stringify({ hello: { ...hello, tests: inEntry }, odd: { prompt: 1 } }))
  t.match(await run(cli), { code: 0, summary: { passed: 3, failed: 0 } }, 'with the test of config.yaml')
  const named = (route: string): void => cli.write('tests/a.webhook-test.yaml', tests.replace('hello', route))
  named('helo')
  t.match(await run(cli, file), { code: 1, suites: [{ diagnostics: [{ code: 'WH103', help: /did you mean hello/ }] }] })
  named('odd')
  t.match(await run(cli, file), { code: 1, suites: [{ diagnostics: [{ message: /"odd" is not valid/, help: /validate/ }] }] })
  named('hello')
  cli.write('webhook_subscriptions.json', JSON.stringify({ hello: { ...hello, tests: inEntry }, odd: { prompt: 1, tests: inEntry } }))
  const leftOut = { code: 'WH103', message: 'the tests of the route "odd" do not run: the route is not valid as it is now', route: 'odd' }
  t.match(await run(cli), { code: 1, summary: { passed: 3, failed: 1 }, suites: [{}, { diagnostics: [leftOut] }] })
  cli.write('noref.yaml', config.replace(/^( +)(prompt: .*)$/m, '$1$2\n$1secret: ${NOT_SET}'))
  const noSecret = { diagnostics: [{ message: /^the tests of the route "\w+" do not run/ }] }
  t.match(await run(cli, cli.file('noref.yaml')), { code: 1, suites: [noSecret] }, 'a route whose secret is missing')
  cli.write('webhook_subscriptions.json', '{"hello": {')
  t.match(await run(cli, file), {
    code: 1,
    suites: [{ diagnostics: [{ message: /no route "hello"/, help: /subscriptions file is not usable/ }] }],
  })
  t.match(await run(cli, cli.file('webhook_subscriptions.json')), { code: 1, suites: [{ diagnostics: [{ code: 'WH803' }] }] })
  cli.write('webhook_subscriptions.json', JSON.stringify({ hello }))
  cli.write('config.yaml', config.replace('        burst:', '        hello: { prompt: "configured {name}" }\n        burst:'))
  t.match(await run(cli, file), { code: 1, shown: [{ said: [/prompt: expected "Hello Ada", got "configured Ada"/] }] })
})

t.test('each item of a request that is split is checked, and their number', async (t) => {
  const route = `
        many:
          split: list
          filters: [{ field: n, not_equals: 2 }]
          prompt: "P {n}"
`
  const items = (third: string): string =>
    `[{ outcome: accepted, event: a, stopped_at: none }, { outcome: ignored, stopped_at: filters, reason: { contains: not_equals } }, ${third}]`
  const step = (name: string, expect: string): string => `
  - name: ${name}
    route: many
    send: { payload: { list: [{ n: 1, type: a }, { n: 2, type: b }, { n: 3, type: c }] }, id: x }
    expect: { items: ${expect}, runs: 2, deliveries: 2, prompt: P 3 }`
  const tests = [
    step('all', items('{ outcome: accepted, event: c, id: "x#2" }')),
    step('other', items('{ outcome: ignored }')),
    step('few', '[{}]'),
  ]
  const cli = withTests(t, tests.join(''), { 'config.yaml': `${config}${route.slice(1)}` })
  const { shown } = await run(cli)
  t.match(
    shown.slice(1),
    [
      { name: 'all', result: 'passed' },
      { name: 'other', result: 'failed' },
      { name: 'few', result: 'failed' },
    ],
    JSON.stringify(shown),
  )
  t.match(JSON.stringify(shown), /items\[2\]\.outcome/)
})
