/** Jobs from config.yaml and from the jobs files: loaded, checked, looked up as they are now, the last good set kept. */

import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import type { Diagnostic } from '../../src/core/diagnostic.ts'
import { createDryEffects } from '../../src/dryrun/trace/dry-effects.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { checkAll } from '../../src/plan/check.ts'
import { JobBook, jobParts } from '../../src/plan/jobs.ts'
import { newFolder } from '../fakes/folder.ts'

type Files = Parameters<Test['testdir']>[0]

const enabled = 'platforms: { webhook: { enabled: true } }\n'
const stored = 'cron_jobs.json'

const open = (t: Test, files: Files, env: { readonly [name: string]: string } = {}) => {
  const dir = newFolder(t, files)
  const loaded = loadConfig({ dataDir: dir, env })
  const told: Diagnostic[] = []
  const book = new JobBook({
    config: loaded.config,
    parts: jobParts(loaded.config, builtinCatalogue),
    report: (found) => told.push(...found),
  })
  book.refresh()
  const write = (name: string, value: unknown): void => {
    // Written beside and moved over it, as every writer does.
    const file = join(dir, name)
    writeFileSync(`${file}.new`, typeof value === 'string' ? value : JSON.stringify(value))
    renameSync(`${file}.new`, file)
  }
  const ids = (): string[] => book.all().map(({ id }) => id)
  return { dir, loaded, book, told, write, ids }
}

/** What `validate` finds: code, line and message. */
const findings = (t: Test, files: Files): string[] => {
  const loaded = loadConfig({ dataDir: newFolder(t, files), env: {} })
  return checkAll(loaded, builtinCatalogue, createDryEffects())
    .diagnostics.filter(({ code }) => code !== 'WH804')
    .map(({ code, place, message }) => `${code} ${place?.line ?? '-'} ${message}`)
}

t.test('jobs of the configuration and of each served profile', async (t) => {
  const { loaded, book } = open(t, {
    'config.yaml': `${enabled}gateway: { multiplex_profiles: true }
jobs:
  nightly:
    name: The report
    schedule: "0 6 * * *"
    timezone: Europe/Berlin
    prompt: Say what happened.
    model: small
    grace_seconds: 60
  off: { schedule: "@daily", enabled: false, paused: true }
  waiting: { schedule: every 15m, paused: true }
`,
    profiles: {
      work: { 'config.yaml': 'jobs:\n  nightly: { schedule: "@hourly" }\n', [stored]: '{"own":{"schedule":"@daily"}}' },
      bare: {},
    },
  })
  t.same(loaded.diagnostics, [])
  t.match(book.find('default', 'nightly'), [
    {
      id: 'nightly',
      name: 'The report',
      profile: 'default',
      state: 'active',
      prompt: 'Say what happened.',
      model: 'small',
      graceMs: 60_000,
      delivery: { target: 'log', extra: {} },
      origin: 'config',
    },
  ])
  t.match(book.find('work', 'nightly'), [{ profile: 'work', graceMs: 3_600_000, prompt: '' }])
  t.match(book.find('work', 'own'), [{ origin: 'stored' }])
  t.same(book.find('default', 'own'), [], 'a job belongs to its profile')
  t.same(book.find('bare', 'nightly'), [])
  t.same(
    book.all().map(({ state }) => state),
    ['active', 'disabled', 'paused', 'active', 'active'],
  )
})

t.test('a reference is an id first, else a name, which several may have', async (t) => {
  const { book } = open(t, {
    [stored]: JSON.stringify({
      a: { name: 'report', schedule: '@daily', prompt: 'x' },
      b: { name: 'report', schedule: '@daily', prompt: 'x' },
      report2: { name: 'a', schedule: '@daily', prompt: 'x' },
    }),
  })
  const found = (reference: string): string[] => book.find('default', reference).map(({ id }) => id)
  t.same(found('a'), ['a'])
  t.same(found('report'), ['a', 'b'])
  t.same(found('report2'), ['report2'])
  for (const none of ['', 'nope', '__proto__', 'constructor']) t.same(found(none), [], none)
})

t.test('the plan key changes with the schedule and nothing else', async (t) => {
  const { book, write } = open(t, { [stored]: '{"a":{"schedule":"@daily","prompt":"x"}}' })
  const key = (): string => book.find('default', 'a')[0]?.planKey ?? ''
  const first = key()
  t.match(first, /^default\/a\/./)
  write(stored, { a: { schedule: '@daily', prompt: 'x', paused: true } })
  t.equal(key(), first)
  write(stored, { a: { schedule: '@daily', prompt: 'x', timezone: 'Europe/Berlin' } })
  t.not(key(), first)
  write(stored, { a: { schedule: '@hourly', prompt: 'x' } })
  t.not(key(), first)
})

t.test('a change of the file is seen, and an unchanged one is not read again', async (t) => {
  const { dir, book, write, ids } = open(t, { 'config.yaml': 'jobs: { c: { schedule: "@daily", prompt: x } }' })
  t.same(ids(), ['c'])
  const before = book.all()
  book.refresh()
  t.equal(book.all(), before, 'the same list')
  write(stored, { a: { schedule: '@daily', prompt: 'x' }, b: { schedule: '@daily', prompt: 'x' } })
  book.refresh()
  t.same(ids(), ['c', 'a', 'b'])
  write(stored, { b: { schedule: '@daily', prompt: 'x' } })
  book.refresh()
  t.same(ids(), ['c', 'b'])
  rmSync(join(dir, stored))
  book.refresh()
  t.same(ids(), ['c'])
})

t.test('a torn or corrupt file keeps the last good set, and is told once', async (t) => {
  const { book, write, ids, told } = open(t, { [stored]: '{"a":{"schedule":"@daily","prompt":"x"}}' })
  t.ok(book.complete)
  for (const text of ['{"a":{"sched', '', '[]', 'null']) {
    write(stored, text)
    book.refresh()
    book.refresh()
    t.same(ids(), ['a'], JSON.stringify(text))
    t.same(
      told.splice(0).map(({ code }) => code),
      ['WH806'],
    )
  }
  write(stored, { b: { schedule: '@daily', prompt: 'x' } })
  book.refresh()
  t.same(ids(), ['b'])
  t.same(told, [])
})

t.test('a file that was corrupt from the start: the book is not complete', async (t) => {
  const { book, write, ids } = open(t, { [stored]: '{', 'config.yaml': 'jobs: { c: { schedule: "@daily", prompt: x } }' })
  t.same([book.complete, ids()], [false, ['c']])
  write(stored, {})
  book.refresh()
  t.ok(book.complete)
})

t.test('an entry that is not valid is skipped with a warning; the others run', async (t) => {
  const { ids, told } = open(t, {
    [stored]: JSON.stringify({
      good: { schedule: '@daily', prompt: 'x' },
      'bad id': { schedule: '@daily', prompt: 'x' },
      shape: { schedule: 7 },
      never: { schedule: '0 0 30 2 *', prompt: 'x' },
      zone: { schedule: '@daily', timezone: 'Mars/Phobos' },
      setting: { schedule: '@daily', prompt: 'x', deliver: 'github_comment', deliver_extra: { repo: 'a/b' } },
      url: { schedule: '@daily', prompt: 'x', deliver: 'http', deliver_extra: { url: 'ftp://x', secret: 'signs it' } },
      unresolved: { schedule: '@daily', prompt: 'x', deliver: 'http', deliver_extra: { url: 'http://h/', secret: '${NOPE}' } },
      listed: ['x'],
    }),
  })
  t.same(ids(), ['good'])
  t.same(
    told.map(({ code }) => code),
    ['WH108', 'WH102', 'WH223', 'WH223', 'WH705', 'WH707', 'WH305', 'WH102'],
  )
  t.notMatch(told.map(({ message }) => message).join(), /\n/)
})

t.test('toolsets of jobs are checked where they are written', async (t) => {
  const toolsets = ['clarify', 'notes', 'web_serch', 'terminal']
  const { told, ids, loaded } = open(t, {
    'config.yaml': `${enabled}toolsets: { notes: { command: [x], allow: [y] } }\njobs: { c: { schedule: "@daily", prompt: x, toolsets: [file] } }\n`,
    [stored]: JSON.stringify({ s: { schedule: '@daily', prompt: 'x', toolsets } }),
  })
  t.same(ids(), ['c', 's'], 'the job runs without them')
  const ofStored = ['WH702 job "s": there is no toolset "web_serch": it is dropped', 'WH703 job "s": the toolset "terminal" is not allowed']
  t.match(
    told.map(({ code, message }) => `${code} ${message}`),
    ofStored,
  )
  const { diagnostics } = checkAll(loaded, builtinCatalogue, createDryEffects())
  t.match(
    diagnostics.filter(({ code }) => /^WH70[23]$/.test(code)).map(({ code, pointer }) => `${code} ${pointer}`),
    ['WH703 /jobs/c/toolsets/0', 'WH702 /s/toolsets/2', 'WH703 /s/toolsets/3'],
  )
})

t.test('a stored entry under a configured id is a pause note and nothing more', async (t) => {
  const config = 'jobs: { c: { schedule: "@daily", prompt: configured }, off: { schedule: "@daily", enabled: false } }'
  const { book, write, told } = open(t, { 'config.yaml': config, [stored]: '{"c":{"paused":true},"off":{"paused":true}}' })
  const job = () => book.find('default', 'c')[0]
  t.equal(job()?.state, 'paused')
  t.equal(book.find('default', 'off')[0]?.state, 'disabled')
  write(stored, { c: { schedule: '@hourly', prompt: 'stored' } })
  t.match(job(), { state: 'active', prompt: 'configured', origin: 'config' })
  t.equal(book.all().length, 2)
  write(stored, { gone: { paused: true }, c: 7 })
  t.equal(job()?.state, 'active')
  t.equal(book.all().length, 2, 'a note about a job that is gone is no job')
  t.same(told, [])
})

t.test('secrets of a delivery are resolved, and named instead of stored', async (t) => {
  const extra = { url: 'http://h/', secret: '${TOKEN}', headers: { 'x-a': '{b}' } }
  const { book } = open(
    t,
    {
      'config.yaml': `jobs: { c: { schedule: "@daily", prompt: x, deliver: http, deliver_extra: ${JSON.stringify(extra)} } }`,
      [stored]: JSON.stringify({ s: { schedule: '@daily', prompt: 'x', deliver: 'http', deliver_extra: extra } }),
    },
    { TOKEN: 'hunter2' },
  )
  for (const id of ['c', 's']) {
    t.same(book.find('default', id)[0]?.delivery, {
      target: 'http',
      extra: { url: 'http://h/', headers: { 'x-a': '{b}' } },
      withheld: ['secret'],
    })
    t.match(book.get('default', id)?.spec.deliver_extra, { secret: 'hunter2' })
  }
  t.equal(book.get('default', 'nope')?.spec.deliver_extra, undefined)
})

t.test('at most 10,000 jobs, configured ones first', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`j${i}`, { schedule: 'every 1d', prompt: 'x' }]))
  const { book, told } = open(t, { 'config.yaml': 'jobs: { c: { schedule: "@daily", prompt: x } }', [stored]: JSON.stringify(many) })
  t.equal(book.all().length, 10_000)
  t.equal(book.all()[0]?.id, 'c')
  t.match(told, [{ code: 'WH806', message: /only 10000/ }])
})

t.test('retention: what the file says, else the defaults', async (t) => {
  const retention = (text: string) => loadConfig({ dataDir: newFolder(t, { 'config.yaml': text }), env: {} }).config.storage.retention
  const defaults = { maxAgeMs: 72 * 3_600_000, maxBytes: 1_073_741_824, maxEvents: 1_000_000, maxDeadRuns: 10_000, payloads: true }
  t.same(retention(''), defaults)
  t.same(retention('storage: { retention: { hours: 0.5, max_bytes: 2000000, max_events: 1000, max_dead_runs: 1, payloads: false } }'), {
    maxAgeMs: 1_800_000,
    maxBytes: 2_000_000,
    maxEvents: 1_000,
    maxDeadRuns: 1,
    payloads: false,
  })
  t.same(retention('storage: { retention: { hours: 0, payloads: maybe } }'), { ...defaults, maxAgeMs: 0 }, 'the shape says what is wrong')
})

t.test('validate: each mistake at its place, in both files and every profile', async (t) => {
  t.same(
    findings(t, {
      'config.yaml': `${enabled}gateway: { multiplex_profiles: true }
jobs:
  a: { schedule: "0 25 * * *", prompt: x }
  b: { schedule: "@daily", timezone: Nowhere }
  c: { schedule: "@daily", prompt: x, deliver: log }
  d: { schedule: "@daily", prompt: x, deliver: http }
  e: { prompt: x }
  f: { schedule: "@daily", prompt: x, skills: [s] }
  "g h": { schedule: "@daily", prompt: x }
  ok: { schedule: "@daily", prompt: x }
`,
      [stored]:
        '{\n  "x": {"schedule": "never", "prompt": "x"},\n  "ok": {"schedule": "@hourly", "prompt": "x"},\n  "gone": {"paused": true},\n  "y": {"schedul": "@daily"}\n}',
      profiles: { work: { 'config.yaml': 'jobs:\n\n  w: { schedule: "60 * * * *", prompt: x, toolsets: [t] }\n', [stored]: '{"z":' } },
    }).map((line) => line.slice(0, 60)),
    [
      'WH108 10 "g h" cannot be a name here',
      'WH104 8 jobs.e: "schedule" is missing',
      'WH223 4 job "a": "0 25 * * *" is not a cron expression: Inva',
      'WH223 5 job "b": "Nowhere" is not a time zone; write an IANA',
      'WH705 7 job "d": the target "http" needs deliver_extra.url',
      'WH701 9 job "f": there is no skill "s"',
      'WH702 3 job "w": there is no toolset "t": it is dropped',
      'WH223 3 job "w": "60 * * * *" is not a cron expression: Inva',
      'WH223 2 job "x": "never" is not a schedule: a cron expressio',
      'WH210 3 job "ok" stands in config.yaml: only "paused" counts',
      'WH101 5 job "y": unknown key "schedul"',
      'WH806 1 the jobs file is not usable: not valid JSON at 1:6',
    ],
  )
})

t.test('what stops the start: a configured job that is wrong; a stored one never does', async (t) => {
  const stops = (files: Files): boolean =>
    checkAll(loadConfig({ dataDir: newFolder(t, files), env: {} }), builtinCatalogue, createDryEffects()).diagnostics.some(
      ({ stopsStart }) => stopsStart,
    )
  t.ok(stops({ 'config.yaml': `${enabled}jobs: { a: { schedule: "0 0 30 2 *", prompt: x } }` }))
  t.notOk(stops({ 'config.yaml': enabled, [stored]: '{"a":{"schedule":"0 0 30 2 *","prompt":"x"},"b":{}}' }))
  t.notOk(stops({ 'config.yaml': enabled, [stored]: '{' }))
})

t.test('a route refers to configured and stored jobs of its own profile', async (t) => {
  const route = (job: string, profile = 'default'): string =>
    `platforms: { webhook: { enabled: true, extra: { secret: s, routes: { r: { cron_job: ${job}, profile: ${profile} } } } } }\n`
  const more = 'gateway: { multiplex_profiles: true }\njobs: { c: { schedule: "@daily", prompt: x }, p: { schedule: "@daily", prompt: x } }'
  const files = (job: string, profile?: string): Files => ({
    'config.yaml': route(job, profile) + more,
    [stored]:
      '{"s":{"name":"twin","schedule":"@daily","prompt":"x"},"s2":{"name":"twin","schedule":"@daily","prompt":"x"},"p":{"paused":true}}',
    profiles: { work: { 'config.yaml': '', [stored]: '{"w":{"schedule":"@daily","prompt":"x"}}' } },
  })
  const codes = (job: string, profile?: string) => findings(t, files(job, profile)).map((line) => line.slice(0, 5))
  t.same(codes('c'), [])
  t.same(codes('s'), [])
  t.same(codes('w', 'work'), [])
  t.same(codes('w'), ['WH217'])
  t.same(codes('c', 'work'), ['WH217'])
  t.same(codes('twin'), ['WH218'])
  t.same(codes('p'), ['WH219'])
})

t.test('a job that is refused has one finding: none on the routes that start it, by its id or its name', async (t) => {
  const routes = (...jobs: string[]): string => `{ ${jobs.map((job, i) => `r${i}: { cron_job: ${job} }`).join(', ')} }`
  const files: Files = {
    'config.yaml': `platforms: { webhook: { enabled: true, extra: { secret: s, routes: ${routes('cron', 'named', 'zone', 'shape', 'formed', 's', 'stored', 'odd', 'gone')} } } }
jobs:
  cron: { name: named, schedule: "99 * * * *", prompt: x }
  zone: { schedule: "@daily", timezone: Mars, prompt: x }
  shape: { name: formed, prompt: x }
`,
    [stored]: '{\n "s": {"name": "stored", "schedule": "never", "prompt": "x"},\n "odd": {"schedule": 7}\n}',
  }
  t.same(
    findings(t, files).map((line) => line.slice(0, 7)),
    ['WH104 5', 'WH217 1', 'WH223 3', 'WH223 4', 'WH223 2', 'WH102 3'],
    'only "gone" is no job at all',
  )
})

t.test(
  'validate: a one-off that is past and a job without a prompt are warned about at their places, and nothing is refused',
  async (t) => {
    const loaded = loadConfig({
      dataDir: newFolder(t, {
        'config.yaml': `${enabled}jobs:
  over: { prompt: x, schedule: "2020-01-01T00:00" }
  off: { prompt: x, schedule: "2020-01-01T00:00", enabled: false }
  ahead: { prompt: x, schedule: "2999-01-01T00:00" }
  bare: { schedule: "@daily" }
  blank:
    schedule: "@daily"
    prompt: "  "
`,
        [stored]: '{\n "s": {"prompt": "x", "schedule": "2020-01-01T00:00:00+01:00"},\n "n": {"schedule": "@daily"}\n}',
      }),
      env: {},
    })
    const found = checkAll(loaded, builtinCatalogue, createDryEffects()).diagnostics.filter(({ code }) => code !== 'WH804')
    t.same(
      found.map(({ code, severity, stopsStart, pointer, place }) => [code, severity, stopsStart, pointer, place?.line]),
      [
        ['WH225', 'warning', false, '/jobs/bare', 6],
        ['WH225', 'warning', false, '/jobs/blank/prompt', 9],
        ['WH224', 'warning', false, '/jobs/over/schedule', 3],
        ['WH224', 'warning', false, '/s/schedule', 2],
        ['WH225', 'warning', false, '/n', 3],
      ],
    )
    t.match(found[2]?.message, /job "over": its time, 2020-01-01T00:00:00Z, is past: it will not run again/)
    t.match(found[0]?.message, /job "bare": it has no prompt: .*ask the agent nothing/)
  },
)
