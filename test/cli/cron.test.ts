/** `cron`: jobs made, shown, paused, resumed, removed and started; nothing saved that would not run; configured ones left alone. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { JsonObject } from '../../src/core/json.ts'
import { type FakeCli, fakeCli } from '../fakes/cli.ts'
import { startGateway } from '../fakes/gateway.ts'
import { fakeOperations, serveOperations } from '../fakes/operations.ts'
import { until } from '../fakes/wait.ts'

const store = 'cron_jobs.json'
const enabled = 'platforms: { webhook: { enabled: true, extra: { secret: s } } }\n'
const nightly = 'jobs:\n  nightly: { name: report, schedule: "0 6 * * *", timezone: Europe/Berlin }\n'

const jobsIn = (cli: FakeCli, file = store): JsonObject => JSON.parse(cli.read(file))
const json = async (cli: FakeCli, ...argv: string[]) => {
  const { out, code } = await cli.run(...argv, '--json')
  return { code, ...JSON.parse(out) }
}
const create = (cli: FakeCli, ...argv: string[]) => cli.run('cron', 'create', ...argv)

t.test('create: stores what was given under a generated id, and says when it runs', async (t) => {
  const cli = fakeCli(t, { 'ask.txt': 'Say hello.\n' })
  const { code, out, err } = await create(
    cli,
    ' Morning ',
    '--schedule',
    '0 6 * * *',
    '--timezone',
    'Europe/Berlin',
    '--prompt',
    `@${cli.file('ask.txt')}`,
  )
  t.same({ code, err }, { code: 0, err: '' })
  const [id, entry] = Object.entries(jobsIn(cli))[0] as [string, JsonObject]
  t.match(id, /^job-[0-9a-f]{8}$/)
  t.match(
    out,
    new RegExp(`^created  ${id}\nname     Morning\nnext     \\d{4}-\\d\\d-\\d\\dT06:00:00\\+0[12]:00\ntry      headgate cron run ${id}\n$`),
  )
  t.same(Object.keys(entry), ['name', 'schedule', 'timezone', 'prompt', 'created_at'], 'only what was given')
  t.match(entry, { name: 'Morning', prompt: 'Say hello.\n', created_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ })
})

t.test('create: every option', async (t) => {
  const cli = fakeCli(t)
  const flags = [
    '--schedule',
    'every 15m',
    '--model',
    'small',
    '--deliver',
    'http',
    '--deliver-extra',
    'url=http://127.0.0.1:9/x',
    '--description',
    'd',
  ]
  const made = await json(cli, 'cron', 'create', 'x', '--id', 'mine', '--disabled', ...flags, '--deliver-chat-id', 'c')
  t.match(made, { code: 0, v: 1, kind: 'cron.create', ok: true, data: { id: 'mine', name: 'x', state: 'disabled', next_run: null } })
  t.match(jobsIn(cli), {
    mine: {
      schedule: 'every 15m',
      model: 'small',
      deliver: 'http',
      deliver_extra: { url: 'http://127.0.0.1:9/x', chat_id: 'c' },
      description: 'd',
      enabled: false,
    },
  })
})

t.test('create: a job without a prompt is warned about, in words that stand alone', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': enabled })
  for (const prompt of [[], ['--prompt', ' \n']])
    t.match(await create(cli, 'x', '--schedule', '@daily', ...prompt), {
      code: 0,
      err: /WH225.*no prompt.*ask the agent nothing.*cron_job/,
    })
  t.match(await create(cli, 'x2', '--schedule', '@daily', '--prompt', 'x'), { code: 0, err: '' })
})

const refused: [title: string, flags: string[], code: number, says: RegExp][] = [
  ['a bad schedule', ['--schedule', 'whenever'], 1, /WH223.*five fields/],
  ['one that never comes', ['--schedule', '0 0 30 2 *'], 1, /WH223.*never comes/],
  [
    'a time that is past',
    ['--schedule', '2020-01-01T00:00', '--timezone', 'Europe/Berlin'],
    1,
    /WH223.*2020-01-01T00:00:00\+01:00 is past.*never run[\s\S]*it is 2\d{3}-\S+\+0[12]:00 now.*--schedule/,
  ],
  ['a bad zone', ['--schedule', '@daily', '--timezone', 'Mars'], 1, /WH223.*not a time zone/],
  ['a mistyped target', ['--schedule', '@daily', '--deliver', 'htp'], 1, /WH704/],
  ['a missing setting', ['--schedule', '@daily', '--deliver', 'http'], 1, /WH705.*url/],
  ['a bad setting', ['--schedule', '@daily', '--deliver', 'http', '--deliver-extra', 'url=x'], 1, /WH707/],
  ['a bad id', ['--schedule', '@daily', '--id', 'a/b'], 1, /WH108/],
  ['a profile that is not served', ['--schedule', '@daily', '--profile', 'office'], 5, /multiplex_profiles/],
  ['no schedule', ['--prompt', 'x'], 2, /--schedule/],
  ['toolsets', ['--schedule', '@daily', '--toolsets', 'x'], 2, /unknown option '--toolsets'/],
]
for (const [title, flags, code, says] of refused) {
  t.test(`create refused with nothing saved: ${title}`, async (t) => {
    const cli = fakeCli(t)
    t.match(await create(cli, 'x', ...flags), { code, err: says, out: /^$/ })
    t.notOk(existsSync(cli.file(store)))
  })
}

t.test('create: an id that is taken, in either file; a name that is taken is only warned about', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': enabled + nightly })
  await create(cli, 'x', '--schedule', '@daily', '--id', 'a')
  const before = cli.read(store)
  t.match(await create(cli, 'y', '--schedule', '@daily', '--id', 'a'), { code: 6, err: /"a" is there already/ })
  t.match(await create(cli, 'y', '--schedule', '@daily', '--id', 'nightly'), { code: 6, err: /in config\.yaml/ })
  t.equal(cli.read(store), before)
  t.match(await create(cli, 'report', '--schedule', '@daily', '--id', 'b'), { code: 0, err: /WH218.*nightly.*by its id, b/ })
})

t.test('a configuration that cannot be read: nothing is made on top of it', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': 'jobs: [' })
  t.match(await create(cli, 'x', '--schedule', '@daily'), { code: 1, err: /WH001[\s\S]*nothing was saved/ })
  t.notOk(existsSync(cli.file(store)))
})

t.test('list: configured and stored jobs, their state and next run', async (t) => {
  const cli = fakeCli(t, {
    'config.yaml': `${enabled}${nightly}gateway: { multiplex_profiles: true }\n`,
    [store]: JSON.stringify({
      nightly: { paused: true },
      off: { schedule: '@daily', enabled: false, updated_at: '2026-01-02T03:04:05Z' },
      over: { schedule: '2020-01-01T00:00' },
      bad: { schedule: 'never', name: 'evil\u001b[2J' },
      gone: { paused: true },
    }),
    'profiles/office/config.yaml': 'jobs: { w: { schedule: "@hourly" } }',
  })
  const { code, kind, data } = await json(cli, 'cron', 'list')
  t.same([code, kind], [0, 'cron.list'])
  const brief = (jobs: JsonObject[]) => jobs.map(({ id, source, state, next_run }) => [id, source, state, next_run])
  t.same(brief(data.jobs), [
    ['nightly', 'config', 'paused', null],
    ['off', 'stored', 'disabled', null],
    ['over', 'stored', 'active', null],
    ['bad', 'stored', 'invalid', null],
  ])
  t.match(data.jobs[0], { name: 'report', profile: 'default', schedule: '0 6 * * *', timezone: 'Europe/Berlin', deliver: 'log' })
  t.match(data.jobs[1], { updated_at: '2026-01-02T03:04:05Z' })
  t.match((await json(cli, 'cron', 'list', '--all')).data.jobs.at(-1), {
    id: 'w',
    profile: 'office',
    timezone: 'UTC',
    next_run: /:00:00Z$/,
  })
  t.same(brief((await json(cli, 'cron', 'list', '--profile', 'office')).data.jobs).length, 1)
  t.match(await cli.run('cron', 'list', '--profile', 'ofice'), { code: 5, err: /did you mean "office"/ })
  const text = await cli.run('cron', 'list')
  t.match(text.out, /^nightly +report +paused +0 6 \* \* \* +Europe\/Berlin +- +log +config$/m)
  t.notMatch(text.out, /\u001b/)
  t.match(await cli.runWith({ isTty: true }, 'cron', 'list'), { out: /^ID +NAME +STATE/ })
  t.match(await fakeCli(t).run('cron', 'list'), { code: 0, out: '', err: /no jobs yet/ })
})

t.test('list and show: a one-off whose time is past will not run again; within its grace it may, and both say so', async (t) => {
  const ago = (ms: number): string => new Date(Date.now() - ms).toISOString().replace(/\.\d+/, '')
  const cli = fakeCli(t, {
    [store]: JSON.stringify({
      over: { schedule: '2020-01-01T00:00', prompt: 'x' },
      missed: { schedule: ago(60_000), prompt: 'x' },
      late: { schedule: ago(60_000), prompt: 'x', grace_seconds: 30 },
      ahead: { schedule: '2999-01-01T00:00', prompt: 'x' },
    }),
  })
  const { out } = await cli.run('cron', 'list')
  t.match(out, /^over .* never again +log/m)
  t.match(out, /^missed .* only if missed +log/m)
  t.match(out, /^late .* never again +log/m)
  t.match(out, /^ahead .* 2999-01-01T00:00:00Z +log/m)
  const { data } = await json(cli, 'cron', 'list')
  t.same(
    data.jobs.map(({ past, next_run }: JsonObject) => [past, next_run !== null]),
    [
      [true, false],
      [true, false],
      [true, false],
      [false, true],
    ],
  )
  const over = await cli.run('cron', 'show', 'over')
  t.match(over, { out: /^next_runs: its time is past; .*not run again/m, err: /WH224.*2020-01-01T00:00:00Z.*not run again/ })
  t.match(await cli.run('cron', 'show', 'missed'), { out: /^next_runs: .*only if the gateway was down then and starts before 2/m })
  t.match((await json(cli, 'cron', 'show', 'over')).data, { past: true, next_runs: [] })
})

t.test(
  'list and show: a job that runs now, as the gateway says; without one, and from one that cannot tell, nothing is claimed',
  async (t) => {
    const cli = fakeCli(t, {
      'config.yaml': `${enabled}jobs:\n  a: { schedule: "@daily", timezone: Europe/Berlin, prompt: x }\n  b: { schedule: "@daily", prompt: x }\n  p: { schedule: "@daily", prompt: x, paused: true }\n`,
    })
    t.match((await json(cli, 'cron', 'show', 'a')).data, { running: null, running_since: null, running_event: null })
    t.notMatch((await cli.run('cron', 'list')).out, /running/)
    const since = '2026-07-01T10:00:00.000Z'
    const told = ['a', 'p'].map((job) => ({ profile: 'default', job, event_id: `e-${job}`, since }))
    let isBroken = false
    const runningJobs = async () => {
      if (isBroken) throw new Error('broken')
      return { jobs: [...told, { profile: 'office', job: 'b', event_id: 'e-b', since }] }
    }
    await serveOperations(t, cli.dir, fakeOperations({ runningJobs }))
    const { out } = await cli.run('cron', 'list')
    t.match(out, /^a +a +running since 2026-07-01T12:00:00\+02:00 +@daily .*\d{4}-\d\d-\d\dT00:00:00\+0[12]:00/m)
    t.match(out, /^b +b +active /m, "another profile's job of this id is another job")
    t.match(out, /^p +p +paused, running since 2026-07-01T10:00:00Z /m)
    t.match((await json(cli, 'cron', 'show', 'b')).data, { state: 'active', running: false, running_since: null })
    const shown = { state: 'active', running: true, running_since: '2026-07-01T12:00:00+02:00', running_event: 'e-a' }
    t.match((await json(cli, 'cron', 'show', 'a')).data, shown)
    t.match((await cli.run('cron', 'show', 'a')).out, /^running_since: '2026-07-01T12:00:00\+02:00'\nrunning_event: e-a$/m)
    isBroken = true
    t.match(await cli.run('cron', 'list'), { code: 0, out: /^a +a +active/m, err: /which jobs run now is not known: the gateway failed/ })
  },
)

t.test('show: whole, with its next runs, secrets masked, and why it does not run', async (t) => {
  const extra = { url: 'http://h/', secret: 'hunter2-hunter2' }
  const cli = fakeCli(t, {
    'config.yaml': enabled + nightly,
    [store]: JSON.stringify({
      a: { name: 'twin', schedule: '@daily', deliver: 'http', deliver_extra: extra },
      b: { name: 'twin', schedule: 'never' },
    }),
  })
  const { data } = await json(cli, 'cron', 'show', 'report')
  t.match(data, { id: 'nightly', source: 'config', fields: { schedule: '0 6 * * *' } })
  t.equal(data.next_runs.length, 3)
  for (const run of data.next_runs) t.match(run, /T06:00:00\+0[12]:00$/)
  const text = await cli.run('cron', 'show', 'a')
  t.match(text.out, /url: http:\/\/h\//)
  t.notMatch(text.out + JSON.stringify(await json(cli, 'cron', 'show', 'a')), /hunter2/)
  t.match(await cli.run('cron', 'show', 'b'), { code: 0, out: /state: invalid/, err: /WH223.*five fields/ })
  t.match(await cli.run('cron', 'show', 'twin'), { code: 6, err: /2 jobs are named "twin": a, b/ })
  t.match(await json(cli, 'cron', 'show', 'nihgtly'), { code: 5, error: { code: 'not_found', suggest: ['nightly'] } })
})

t.test('a jobs file that is corrupt is never overwritten', async (t) => {
  const cli = fakeCli(t, { [store]: '{"a":{"sched' })
  for (const argv of [['list'], ['show', 'a'], ['create', 'x', '--schedule', '@daily'], ['pause', 'a'], ['remove', 'a', '--yes']]) {
    t.match(await cli.run('cron', ...argv), { code: 6, err: /cron_jobs\.json: not valid JSON at 1:13/ }, argv.join(' '))
  }
  t.equal(cli.read(store), '{"a":{"sched')
})

t.test('pause and resume: a stored job keeps everything else', async (t) => {
  const entry = { schedule: '@daily', 'x-note': 'mine', toolsets: ['by hand'] }
  const cli = fakeCli(t, { [store]: JSON.stringify({ a: entry }) })
  t.match(await json(cli, 'cron', 'pause', 'a'), { code: 0, kind: 'cron.pause', data: { id: 'a', paused: true, changed: true } })
  t.match(jobsIn(cli), { a: { ...entry, paused: true, updated_at: /Z$/ } })
  t.match(await cli.run('cron', 'pause', 'a'), { code: 0, out: 'no change: a is paused already\n' })
  t.match(await cli.run('cron', 'resume', 'a'), { code: 0, out: 'resumed  a\n' })
  t.match(jobsIn(cli), { a: entry })
  t.notMatch(cli.read(store), /paused/)
  t.match(await json(cli, 'cron', 'resume', 'a'), { kind: 'cron.resume', data: { changed: false } })
})

t.test('pause and resume: a configured job by a note, which leaves nothing behind', async (t) => {
  const config = `${enabled}jobs:\n  a: { schedule: "@daily" }\n  p: { schedule: "@daily", paused: true }\n  off: { schedule: "@daily", enabled: false }\n`
  const cli = fakeCli(t, { 'config.yaml': config })
  t.match(await cli.run('cron', 'pause', 'a'), { code: 0, out: 'paused   a\n' })
  t.match(jobsIn(cli), { a: { paused: true } })
  t.match((await json(cli, 'cron', 'show', 'a')).data, { state: 'paused' })
  t.match(await cli.run('cron', 'resume', 'a'), { code: 0, out: 'resumed  a\n' })
  t.same(jobsIn(cli), {})
  t.match(await cli.run('cron', 'pause', 'p'), { code: 0, out: /no change/ })
  t.match(await cli.run('cron', 'resume', 'p'), { code: 1, err: /paused in config\.yaml[\s\S]*config\.yaml:4:\d+/ })
  t.match(await cli.run('cron', 'resume', 'off'), { code: 0, err: /WH219.*disabled/ })
  t.same(jobsIn(cli), {})
  t.equal(cli.read('config.yaml'), config)
})

t.test('remove: asks, keeps a backup, says how to undo and which routes started it', async (t) => {
  const route =
    'platforms: { webhook: { enabled: true, extra: { secret: s, routes: { r1: { cron_job: a }, r2: { cron_job: named } } } } }\n'
  const entries = { a: { name: 'named', schedule: '@daily' }, b: { schedule: '@daily' } }
  const cli = fakeCli(t, { 'config.yaml': route + nightly, [store]: JSON.stringify(entries) })
  t.match(await cli.run('cron', 'remove', 'nightly', '--yes'), { code: 1, err: /config\.yaml:3:3/ })
  const asked: string[] = []
  const answering = (text: string) => ({
    ask: async (question: string) => {
      asked.push(question)
      return text
    },
  })
  t.match(await cli.runWith(answering('n'), 'cron', 'remove', 'a'), { code: 130 })
  t.same(jobsIn(cli), entries)
  const { code, out, err } = await cli.runWith(answering('y'), 'cron', 'remove', 'named')
  t.match(asked, [/"a" that r1, r2 start/, /"a"/])
  t.match({ code, out, err }, { code: 0, out: /^removed {2}a\nundo {5}cp /, err: /WH217.*"r1"[\s\S]*WH217.*"r2"/ })
  t.same(jobsIn(cli), { b: entries.b })
  t.same(jobsIn(cli, `${store}.bak`), entries)
  t.match(await cli.run('cron', 'remove', 'a', '--yes'), { code: 5 })
})

t.test('a profile has jobs of its own', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': `${enabled}gateway: { multiplex_profiles: true }\n`, 'profiles/office/config.yaml': '' })
  await create(cli, 'x', '--schedule', '@daily', '--id', 'a', '--profile', 'office')
  t.match(jobsIn(cli, join('profiles/office', store)), { a: { name: 'x' } })
  t.notOk(existsSync(cli.file(store)))
  t.match(await cli.run('cron', 'pause', 'a'), { code: 5 })
  t.match(await cli.run('cron', 'pause', 'a', '--profile', 'office'), { code: 0 })
  t.match(await cli.run('cron', 'remove', 'a', '--yes', '--profile', 'office'), { code: 0 })
  t.same(jobsIn(cli, join('profiles/office', store)), {})
})

/** A gateway over the data directory of a command line. */
const withGateway = async (t: Test, files: { readonly [name: string]: string }) => {
  const cli = fakeCli(t, {
    'config.yaml': `platforms: { webhook: { enabled: true, extra: { secret: s, port: 0 } } }\nstorage: { kind: memory }\n`,
    ...files,
  })
  return { cli, gateway: await startGateway(t, { dir: cli.dir }) }
}

t.test('run: in the running gateway, which sees new jobs at once; without one exit 4', async (t) => {
  const away = fakeCli(t)
  await create(away, 'Alone', '--schedule', '@yearly', '--id', 'a')
  t.match(await away.run('cron', 'run', 'a'), { code: 4, err: /gateway run/ })
  t.match(await away.run('cron', 'run', 'nope'), { code: 5 })
  const { cli, gateway } = await withGateway(t, {})
  await create(cli, 'Hello', '--schedule', '0 0 1 1 *', '--prompt', 'Good morning', '--id', 'a')
  await create(cli, 'twin', '--schedule', '@yearly', '--id', 'b')
  await create(cli, 'twin', '--schedule', '@yearly', '--id', 'c', '--disabled')
  await cli.run('cron', 'pause', 'a')
  const started = await json(cli, 'cron', 'run', 'Hello')
  t.match(started, { code: 0, kind: 'cron.run', data: { job: 'a', profile: 'default', event_id: /^[0-9a-f-]{36}$/ } })
  t.match(await gateway.line(({ msg }) => msg === 'delivered'), { text: 'Good morning', job: 'a' })
  t.match(await cli.run('cron', 'run', 'b'), { code: 0, out: /^started {2}b\nevent {4}\S{36}\nfollow {3}headgate events show / })
  t.match(await cli.run('cron', 'run', 'c'), { code: 1, err: /disabled/ })
  t.match(await cli.run('cron', 'run', 'twin'), { code: 6, err: /b, c/ })
  t.match(await json(cli, 'cron', 'run', 'Helo'), { code: 5, error: { code: 'not_found', suggest: ['Hello'] } })
})

t.test('run: a job that still runs is not started beside itself', async (t) => {
  const { cli } = await withGateway(t, {
    'config.yaml': `platforms: { webhook: { enabled: true, extra: { secret: s, port: 0 } } }
storage: { kind: memory }
agent: { runner: command, command: [sleep, "30"] }
gateway: { drain_seconds: 0 }
jobs: { slow: { schedule: "@yearly", prompt: x } }
`,
  })
  t.match(await cli.run('cron', 'run', 'slow'), { code: 0 })
  t.match(await json(cli, 'cron', 'run', 'slow'), { code: 1, error: { code: 'job_running' } })
  const shown = async () => (await json(cli, 'cron', 'show', 'slow')).data
  await until(async () => (await shown()).running === true)
  t.match(await shown(), { running_since: /Z$/, running_event: /^[0-9a-f-]{36}$/ })
})

t.test('subscribe --cron-job: by id or name, stored as the id; a wrong one is refused with nothing saved', async (t) => {
  const subscriptions = 'webhook_subscriptions.json'
  const cli = fakeCli(t, {
    'config.yaml': `${enabled}${nightly}gateway: { multiplex_profiles: true }\n`,
    [store]: JSON.stringify({
      a: { name: 'twin', schedule: '@daily' },
      b: { name: 'twin', schedule: '@daily', paused: true },
    }),
    'profiles/office/config.yaml': `jobs: { theirs: { schedule: "@daily" } }`,
  })
  const subscribe = (...argv: string[]) => cli.run('webhook', 'subscribe', ...argv)
  t.match(await subscribe('r', '--cron-job', 'nihgtly'), { code: 1, err: /WH217[\s\S]*did you mean "nightly"/ })
  t.match(await json(cli, 'webhook', 'subscribe', 'r', '--cron-job', 'reprot'), { code: 1, error: { code: 'WH217', suggest: ['report'] } })
  t.match(await subscribe('r', '--cron-job', 'twin'), { code: 1, err: /WH218.*a, b/ })
  t.match(await subscribe('r', '--cron-job', 'theirs'), { code: 1, err: /WH217/ })
  t.notOk(existsSync(cli.file(subscriptions)))
  t.match(await subscribe('r', '--cron-job', 'report'), { code: 0, err: '' })
  t.equal(cli.entry('r').cron_job, 'nightly', 'the name may go to another job')
  t.match(await subscribe('r', '--cron-job', 'b'), { code: 0, err: /WH219.*paused/ })
  t.equal(cli.entry('r').cron_job, 'b')
  t.match(await subscribe('w', '--cron-job', 'theirs', '--route-profile', 'office'), { code: 0 })
  t.match(await subscribe('w', '--cron-job', 'nightly'), { code: 1 }, 'of the profile that it is bound to')
  t.match(await cli.run('validate'), { code: 0 })
  cli.write(store, JSON.stringify({ wrong: { schedule: 'never' } }))
  const wrong = await subscribe('n', '--cron-job', 'wrong')
  t.match(wrong, { code: 1, err: /WH217.*"wrong" has a mistake[\s\S]*cron show wrong[\s\S]*nothing was saved/ })
})
