/** What a reload keeps, what it lets go, and that others get their turn meanwhile. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import type { RouteSource } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { loadInThread } from '../../src/config/thread/load-in-thread.ts'
import { systemClock } from '../../src/core/clock.ts'
import { createFacts } from '../../src/core/facts/facts.ts'
import type { ExactObject, Json } from '../../src/core/json.ts'
import { withDigits } from '../../src/core/written-digits.ts'
import { createDryEffects } from '../../src/dryrun/trace/dry-effects.ts'
import { schema } from '../../src/generated/schema.ts'
import { writtenTargets } from '../../src/parts/written-targets.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { compileRoute } from '../../src/plan/compile.ts'
import { createSharedEffects } from '../../src/serve/effects.ts'
import { compileLiveConfig, type LiveConfig } from '../../src/serve/live-config.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import { newFolder, sameFolder } from '../fakes/folder.ts'

type Routes = { readonly [name: string]: object }

const fileOf = (routes: Routes, extra: object = {}, more: object = {}): string =>
  stringify({ platforms: { webhook: { enabled: true, extra: { secret: 's3cret s3cret', ...extra, routes } } }, ...more })

const lab = (t: Test) => {
  let current: LiveConfig | undefined
  const machine = createSharedEffects({
    clock: systemClock,
    facts: createFacts(),
    log: Object.assign(() => {}, { writes: () => false }),
    limits: () => ({ adapter: { rate_limit: 10 }, maxConcurrentScripts: 1, maxQueuedRuns: 10, maxWaitingRequests: 10 }),
    jobs: () => current?.jobs ?? { find: () => [], isRefused: () => false },
  })
  machine.attach({ store: openMemory({ clock: systemClock }), wake: () => {}, commentKey: Buffer.alloc(32) })
  const compile = async (text: string, files: { readonly [path: string]: unknown } = {}): Promise<LiveConfig> => {
    const { config } = loadConfig({ dataDir: sameFolder(t, { 'config.yaml': text, ...files }), env: {} })
    current = await compileLiveConfig(config, builtinCatalogue, machine, current)
    return current
  }
  return { compile, forget: () => (current = undefined) }
}

const planOf = ({ table }: LiveConfig, name: string) => table.configured.get(name)?.plan?.()

t.test('an unchanged route keeps its plan; another one, or another ground, does not', async (t) => {
  const { compile } = lab(t)
  const first = await compile(fileOf({ a: { prompt: 'a' }, b: { prompt: 'b' }, c: { prompt: 'c' } }))
  const second = await compile(fileOf({ b: { prompt: 'B' }, a: { prompt: 'a' }, d: {} }))
  t.equal(planOf(second, 'a'), planOf(first, 'a'))
  t.ok(planOf(second, 'b'))
  t.not(planOf(second, 'b'), planOf(first, 'b'))
  t.same([...second.table.configured.keys()], ['b', 'a', 'd'])
  for (const [what, extra, more] of [
    ['the global secret', { secret: 'another secret' }, {}],
    ['a limit', { max_body_bytes: 2_000 }, {}],
    [
      'a platform',
      {},
      {
        platforms: { webhook: { enabled: true, extra: { secret: 's3cret s3cret', routes: { a: { prompt: 'a' } } } }, ntfy: { topic: 'x' } },
      },
    ],
  ] as const) {
    const before = await compile(fileOf({ a: { prompt: 'a' } }))
    const after = await compile(fileOf({ a: { prompt: 'a' } }, extra, more))
    t.ok(planOf(after, 'a'), what)
    t.not(planOf(after, 'a'), planOf(before, 'a'), what)
  }
})

t.test('each setting of the adapter reaches what is served, or is said to need a restart', async (t) => {
  const { WebhookSettings: adapter } = (schema.$defs ?? schema.definitions) as unknown as { WebhookSettings: { properties: object } }
  const { compile } = lab(t)
  const ofPlan = {
    secret: 'another secret',
    max_body_bytes: 2_000,
    script_timeout_seconds: 7,
    trust_proxy: ['127.0.0.1'],
    public_url: 'https://hooks.example.com',
    redact: ['payload.user.email'],
  }
  const ofEachRequest = { rate_limit: 7 }
  /** test/e2e/reload.test.ts looks at these. */
  const ofRestart = { host: '127.0.0.2', port: 1 }
  const all = { ...ofPlan, ...ofEachRequest, ...ofRestart, routes: {} }
  t.strictSame(Object.keys(all).sort(), Object.keys(adapter.properties).sort(), 'a new setting is added here')
  for (const [key, value] of Object.entries(ofPlan)) {
    const before = await compile(fileOf({ a: { prompt: 'a' } }))
    const after = await compile(fileOf({ a: { prompt: 'a' } }, { [key]: value }))
    t.ok(planOf(after, 'a'), key)
    t.not(planOf(after, 'a'), planOf(before, 'a'), key)
  }
  const { config } = await compile(fileOf({ a: { prompt: 'a' } }, ofEachRequest))
  t.equal(config.adapter.rate_limit, 7)
})

t.test('a route is checked at load, and its plan is made once, for its first event', async (t) => {
  const { compile } = lab(t)
  let compiled = 0
  const compileCounting = () => {
    compiled++
    return {}
  }
  const counting = { name: 'counting', compile: compileCounting }
  const parts = { ...builtinCatalogue, stages: [...builtinCatalogue.stages, counting] }
  const { config } = await compile(fileOf({ plain: {}, scripted: { script: 'x.sh' }, bad: { filters: [{ field: 'a', regex: '(' }] } }))
  const made = (name: string) => compileRoute(config.routes.get(name) as RouteSource, config, parts, createDryEffects())
  const plain = made('plain')
  t.equal(compiled, 1)
  t.equal(plain.plan?.(), plain.plan?.())
  t.equal(compiled, 2)
  const scripted = made('scripted')
  t.equal(scripted.plan?.(), scripted.plan?.())
  t.equal(compiled, 3, 'what depends on a file is not compiled again')
  const { plan, diagnostics } = made('bad')
  t.equal(plan, undefined)
  t.same(
    diagnostics.map(({ code }) => code),
    ['WH401'],
  )
})

t.test('what depends on files and jobs, or has something wrong with it, is looked at anew', async (t) => {
  const { compile } = lab(t)
  const routes = {
    listed: { filters: [{ field: 'a', in_file: 'list.txt' }] },
    scripted: { script: 'x.sh' },
    cron: { cron_job: 'nightly' },
    open: { secret: 'INSECURE_NO_AUTH' },
  }
  const codes = ({ diagnostics }: LiveConfig) => diagnostics.map(({ code, route }) => `${code} ${route}`)
  const jobs = { jobs: { nightly: { schedule: '0 6 * * *', prompt: 'x' } } }
  const files = { 'list.txt': 'x', scripts: { 'x.sh': '' } }
  const whole = await compile(fileOf(routes, {}, jobs), files)
  t.same(codes(whole), ['WH304 open'])
  t.same(codes(await compile(fileOf(routes))), ['WH407 listed', 'WH601 scripted', 'WH217 cron', 'WH304 open'])
  t.same(codes(await compile(fileOf(routes, {}, jobs), files)), ['WH304 open'])
})

t.test('a subscription is looked at anew where a route would be, and keeps its plan where a route would', async (t) => {
  const { compile } = lab(t)
  const secret = 'the secret of a sender'
  const text = JSON.stringify({ plain: { prompt: 'p', secret }, scripted: { prompt: 'p', script: 'x.sh', secret } })
  const files = { 'webhook_subscriptions.json': text }
  const planOfEntry = ({ table }: LiveConfig, name: string) => table.subscribed.get(name)?.plan?.()
  const scripts = { 'x.sh': '' }
  const whole = await compile(fileOf({}), { ...files, scripts })
  const [plain, scripted] = ['plain', 'scripted'].map((name) => planOfEntry(whole, name))
  t.ok(plain && scripted)
  const again = await compile(fileOf({}), { ...files, scripts })
  t.equal(planOfEntry(again, 'plain'), plain)
  t.ok(planOfEntry(again, 'scripted'))
  t.not(planOfEntry(again, 'scripted'), scripted, 'its script may be another one')
})

t.test('the loop turns while routes are compiled', async (t) => {
  const { compile } = lab(t)
  const routes = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`r${i}`, { filters: [{ field: 'a', regex: `(?i)x${i}[\\p{L}\\d]{1,40}[a-z]+$` }] }]),
  )
  let turns = 0
  let done = false
  const count = (): void => {
    turns++
    if (!done) setImmediate(count)
  }
  const compiled = compile(fileOf(routes)).finally(() => {
    done = true
  })
  setImmediate(count)
  t.equal((await compiled).table.configured.size, 300)
  t.ok(turns > 1)
})

t.test('nothing of an old configuration stays reachable through the plans that are kept', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { compile } = lab(t)
  const kept = Object.fromEntries(
    Object.entries({
      agent: { prompt: '{a}', filters: [{ field: 'a', regex: 'x[a-z]+y' }] },
      direct: { deliver_only: true, deliver: 'http', deliver_extra: { url: 'http://127.0.0.1/', secret: 'hush hush' } },
      group: { coalesce: { key: '{a}' } },
      expression: { filters: [{ jsonata: 'payload.a = 1' }] },
    }),
  )
  const routesOf = (round: number): Routes => ({ ...kept, changing: { prompt: `round ${round}` } })
  const first = await compile(fileOf(routesOf(0)))
  const plans = Object.keys(kept).map((name) => planOf(first, name))
  const old: WeakRef<object>[] = []
  const note = async (round: number): Promise<void> => {
    const { config, table, jobs } = await compile(fileOf(routesOf(round)))
    old.push(new WeakRef(config), new WeakRef(table), new WeakRef(jobs), new WeakRef(table.configured.get('changing') as object))
  }
  for (let round = 1; round <= 3; round++) await note(round)
  await compile(fileOf(routesOf(4)))
  const last = await compile(fileOf(routesOf(5)))
  for (let tries = 0; tries < 5 && old.some((each) => each.deref()); tries++) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  t.same(
    old.map((each) => each.deref() === undefined),
    old.map(() => true),
  )
  t.strictSame(
    Object.keys(kept).map((name) => planOf(last, name) === plans.shift()),
    Object.keys(kept).map(() => true),
  )
})

t.test('loaded in a thread, a configuration is the same one, and findings have their places', async (t) => {
  const broken = `${fileOf({ a: { secret: '${KEY}', prompt: 'x' }, b: { promt: 1 }, c: { filters: [{ field: 'a', regex: '(' }] } }, {}, { gateway: { multiplex_profiles: true }, agent: { runner: 'command' } })}`
  const dataDir = newFolder(t, { 'config.yaml': broken, profiles: { work: { 'config.yaml': 'jobs: { j: { schedule: "@daily" } }' } } })
  const options = { dataDir, env: { KEY: 'a key' } }
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (_, each) => (each instanceof Map ? [...each] : each)))
  const here = loadConfig(options)
  const idle = new AbortController().signal
  const first = await loadInThread(options, new Map(), idle, async ({ config, diagnostics, located }) => {
    t.same(plain(config), plain(here.config))
    t.same(diagnostics, here.diagnostics)
    const sought = [
      { ...diagnostics[0], place: config.routes.get('c')?.place([...(config.routes.get('c')?.base ?? []), 'filters'], 'key') },
    ]
    t.same(
      (await located(sought as typeof diagnostics))[0]?.place,
      here.config.routes.get('c')?.place([...(here.config.routes.get('c')?.base ?? []), 'filters'], 'key'),
    )
    return config
  })
  await loadInThread(options, first.routes, idle, async ({ config }) => t.same(plain(config), plain(here.config)))
  let known = first.routes
  for (const digits of ['1234567890123456789', '1234567890123456788']) {
    const number = { field: 'id', equals: '#' }
    const text = fileOf({ a: { filters: [number], deliver: 'http', deliver_extra: { url: 'http://h/', headers: { A: '#' } } } }, {}, {})
    writeFileSync(join(dataDir, 'config.yaml'), text.replaceAll("'#'", digits).replaceAll('"#"', digits))
    await loadInThread(options, known, idle, async ({ config }) => {
      known = config.routes
      const { spec } = config.routes.get('a') as RouteSource
      t.match(writtenTargets(spec), [{ extra: { headers: { A: digits } } }])
      t.match(String((withDigits(spec.filters as Json) as ExactObject[])[0]?.equals), digits)
    })
  }
  const stopped = new AbortController()
  const late = loadInThread(options, new Map(), stopped.signal, async () => t.fail('it went on'))
  stopped.abort(new Error('stopping'))
  await t.rejects(late)
  await t.rejects(
    loadInThread(options, new Map(), stopped.signal, async () => t.fail('it began')),
    /stopping/,
  )
})
