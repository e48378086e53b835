/** What parts have open is closed once, when its last user has ended, and never before. */

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import type { ExactJson } from '../../src/core/json.ts'
import { createDryEffects } from '../../src/dryrun/trace/dry-effects.ts'
import type { ExactOperator } from '../../src/parts/operators/operator.ts'
import { createPartScopes } from '../../src/parts/part-scopes.ts'
import { runnersByName } from '../../src/parts/runners/index.ts'
import type { RunnerPart } from '../../src/parts/runners/runner.ts'
import type { TargetPart } from '../../src/parts/targets/target.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { checkAll } from '../../src/plan/check.ts'
import type { Catalogue } from '../../src/plan/compile.ts'
import { compileRunner } from '../../src/plan/runner.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { type GatewayOptions, secret, startGateway } from '../fakes/gateway.ts'
import { until } from '../fakes/wait.ts'

/** Parts in place of `equals`, `echo`, `log` and the scheme `v1`: they own something, and whoever says `slow` waits in them to be let go. */
const probe = () => {
  const open = new Map<string, string>()
  const closed: string[] = []
  const waiting: (() => void)[] = []
  let used = 0
  let last = 0
  /** Opens something; its close. Twice closed is as wrong as used after it was closed. */
  const opening = (what: string) => {
    const id = `${what} ${++last}`
    open.set(id, what)
    const use = async (wait: boolean): Promise<void> => {
      used++
      if (!open.has(id)) throw new Error(`${id} is used after its close`)
      if (wait) await new Promise<void>((then) => waiting.push(then))
      if (!open.has(id)) throw new Error(`${id} was closed while it was used`)
    }
    const close = (): void => {
      if (!open.delete(id)) throw new Error(`${id} is closed twice`)
      closed.push(what)
    }
    return { use, close }
  }
  const equals: ExactOperator = {
    name: 'equals',
    compile(operand) {
      const { use, close } = opening(String(operand))
      const run = async (value: ExactJson | undefined) => {
        await use(value === 'slow')
        return true
      }
      return { run, close }
    },
    examples: [],
  }
  const echo: RunnerPart = {
    name: 'echo',
    title: 'probe',
    compile({ model = 'agent' }) {
      const { use, close } = opening(model)
      const run = async (prompt: string) => {
        await use(prompt === 'slow')
        return prompt === 'say' ? 'said' : 'NO_REPLY'
      }
      return { run, close }
    },
  }
  const schemes = builtinCatalogue.schemes.map((scheme): typeof scheme => {
    if (scheme.name !== 'v1') return scheme
    const compile: typeof scheme.compile = (text) => {
      const run = scheme.compile(text)
      return typeof run === 'function' ? { run, close: opening('scheme').close } : run
    }
    return { ...scheme, compile }
  })
  const makeKept = () => ({ run: 'kept', close: opening('kept').close })
  const log: TargetPart = {
    name: 'log',
    title: 'probe',
    repeatable: true,
    send: async (_outgoing, { keep }) => ({ ok: true, detail: keep.of(makeKept) }),
  }
  const parts: Catalogue = {
    ...builtinCatalogue,
    schemes,
    operators: new Map([...builtinCatalogue.operators, ['equals', equals]]),
    targets: new Map([...builtinCatalogue.targets, ['log', log]]),
    runners: new Map([...runnersByName, ['echo', echo]]),
  }
  return {
    parts,
    closed,
    uses: () => used,
    open: () => [...open.values()].sort(),
    letGo: async () => {
      const go = await until(() => waiting.shift())
      go()
    },
    waiting: (count: number) => until(() => waiting.length === count),
  }
}

/** A route that owns what its filter opens, under this name; it runs its agent with the payload's text. */
const owning = (name: string, more: object = {}) => ({ filters: [{ field: 'hold', equals: name }], prompt: '{text}', ...more })

const fileOf = (routes: object, more: object = {}): string =>
  stringify({
    platforms: { webhook: { enabled: true, extra: { secret, port: 0, rate_limit: 100_000, routes } } },
    storage: { kind: 'memory' },
    ...more,
  })

const lab = async (t: Test, routes: object, options: GatewayOptions = {}) => {
  const probed = probe()
  const gateway = await startGateway(t, { parts: probed.parts, files: { 'config.yaml': fileOf(routes) }, level: 'info', ...options })
  const put = (name: string, text: string): void => {
    writeFileSync(join(gateway.dir, `${name}.new`), text)
    renameSync(join(gateway.dir, `${name}.new`), join(gateway.dir, name))
  }
  const reload = (routesNow: object, more: object = {}) => {
    put('config.yaml', fileOf(routesNow, more))
    return gateway.operations.reload({ force: true })
  }
  const accept = async (route: string, body: object) => t.equal((await gateway.post(route, { body })).status, 202)
  return { ...probed, gateway, put, reload, accept }
}

const agent = (model: string, more: object = {}) => ({ agent: { runner: 'echo', model }, ...more })

t.test('a runner that was replaced is closed when its last run has ended, once', async (t) => {
  const { gateway, reload, accept, open, closed, letGo, waiting } = await lab(t, { a: { prompt: '{text}' } })
  t.same(open(), ['agent'])
  await accept('a', { text: 'slow' })
  await accept('a', { text: 'slow' })
  await waiting(2)
  t.match(await reload({ a: { prompt: '{text}' } }, agent('second')), { ok: true })
  t.same(open(), ['agent', 'scheme', 'second'])
  await letGo()
  await accept('a', { text: 'quick' })
  t.same(closed, [], 'one run is left')
  await letGo()
  await until(() => closed.length > 0)
  t.same(closed, ['agent'])
  await gateway.stop()
  t.same([open(), closed.sort()], [[], ['agent', 'scheme', 'second']])
})

t.test('a plan that was replaced is closed when its last request has its answer; one that is kept is not', async (t) => {
  const { gateway, reload, open, closed, letGo, waiting } = await lab(t, {
    kept: owning('kept'),
    changed: owning('old'),
    gone: owning('gone'),
  })
  t.same(open(), ['agent', 'gone', 'kept', 'old'])
  const asked = [gateway.post('changed', { body: { hold: 'slow' } }), gateway.post('kept', { body: { hold: 'slow' } })]
  await waiting(2)
  for (const round of [1, 2]) {
    t.match(await reload({ kept: owning('kept'), changed: owning(`new ${round}`) }), { ok: true })
    await until(() => closed.length === round * 2)
  }
  t.same(closed, ['gone', 'agent', 'new 1', 'agent'])
  t.same(open(), ['agent', 'kept', 'new 2', 'old', 'scheme', 'scheme'])
  await letGo()
  await letGo()
  for (const answer of await Promise.all(asked)) t.equal(answer.status, 202)
  await until(() => closed.includes('old'))
  t.same(open(), ['agent', 'kept', 'new 2', 'scheme'])
  // A request of a configuration before the last but one may still run through a plan that all of them had.
  const late = gateway.post('kept', { body: { hold: 'slow' } })
  await waiting(1)
  await reload({ kept: owning('kept') })
  await reload({})
  t.ok(open().includes('kept'))
  await letGo()
  t.equal((await late).status, 202)
  await until(() => !open().includes('kept'))
  await gateway.stop()
  t.same(open(), [])
})

t.test('a stop closes what is open, with what targets keep, and also what is still in use', async (t) => {
  const { gateway, accept, open, closed, letGo, waiting } = await lab(t, { a: owning('a'), b: owning('b', { enabled: false }) })
  t.same(open(), ['a', 'agent'], 'what is disabled has nothing open')
  await accept('a', { text: 'say' })
  await until(() => open().includes('kept'))
  const late = gateway.post('a', { body: { hold: 'slow' } }).catch(() => undefined)
  await waiting(1)
  await gateway.stop(0)
  t.same([open(), closed.sort()], [[], ['a', 'agent', 'b', 'kept', 'scheme']])
  await letGo()
  await late
})

t.test('a thousand reloads leave nothing open', async (t) => {
  const { gateway, reload, open, closed } = await lab(t, { kept: owning('kept') })
  for (let i = 0; i < 1_000; i++) await reload({ kept: owning('kept'), changing: owning(`changing ${i}`) })
  await until(() => open().length === 3)
  t.same(open(), ['agent', 'changing 999', 'kept'])
  t.equal(closed.filter((what) => what === 'agent').length, 1_000)
  await gateway.stop()
  t.same(open(), [])
})

t.test('a configuration that is refused closes what it opened, and nothing else', async (t) => {
  const { gateway, reload, open, closed } = await lab(t, { kept: owning('kept') })
  t.match(
    await reload({
      kept: owning('kept'),
      fresh: owning('fresh'),
      bad: owning('bad', {
        filters: [
          { field: 'a', regex: '(' },
          { field: 'a', equals: 'bad' },
        ],
      }),
    }),
    {
      ok: false,
    },
  )
  await until(() => closed.length === 3)
  t.same(closed.sort(), ['agent', 'bad', 'fresh'])
  t.same(open(), ['agent', 'kept'])
  t.match(await reload({ kept: owning('kept') }, { platforms: { webhook: { enabled: false } } }), { ok: false })
  t.equal((await gateway.post('kept', { body: {} })).status, 202)
})

t.test("a subscription's plan is closed when it is changed or removed, after its last request", async (t) => {
  const { gateway, put, reload, open, letGo, waiting } = await lab(t, {})
  const subscribe = (entries: object): void => put('webhook_subscriptions.json', JSON.stringify(entries))
  const post = (hold: string) => gateway.post('s', { body: { hold } })
  subscribe({ s: { ...owning('first'), secret }, other: { ...owning('other'), secret } })
  t.equal((await post('')).status, 202)
  t.same(open(), ['agent', 'first', 'other', 'scheme'])
  const slow = post('slow')
  await waiting(1)
  subscribe({ s: { ...owning('second'), secret }, other: { ...owning('other'), secret } })
  t.equal((await post('')).status, 202)
  t.same(open(), ['agent', 'first', 'other', 'scheme', 'scheme', 'second'])
  await letGo()
  t.equal((await slow).status, 202)
  await until(() => !open().includes('first'))
  t.match(await reload({}), { ok: true })
  t.same(open(), ['agent', 'other', 'scheme', 'second'])
  subscribe({})
  t.equal((await post('')).status, 404)
  t.same(open(), ['agent'])
  subscribe({ s: { ...owning('third'), secret } })
  t.equal((await post('')).status, 202)
  // On another ground all plans are made anew.
  t.match(await reload({}, { platforms: { webhook: { enabled: true, extra: { secret, port: 0, max_body_bytes: 2_000 } } } }), { ok: true })
  await until(() => !open().includes('scheme'))
  t.same(open(), ['agent', 'third'])
})

t.test('what is compiled to be checked is closed at once: by `validate`, and by a dry replay', async (t) => {
  const { parts, open, closed } = probe()
  const files = { 'config.yaml': fileOf({ a: owning('a') }), 'webhook_subscriptions.json': JSON.stringify({ s: owning('s', { secret }) }) }
  const loaded = loadConfig({ dataDir: newFolder(t, files), env: {} })
  const effects = createDryEffects()
  checkAll(loaded, parts, effects)
  compileRunner(loaded.config, parts, effects).scope.release()
  await effects.scopes.close()
  t.same([open(), closed.sort()], [[], ['a', 'agent', 's']])

  const live = await lab(t, { a: owning('live') })
  const answer = await live.gateway.post('a', { body: {} })
  const eventId = answer.headers.get('x-headgate-event-id') ?? ''
  const before = live.uses()
  t.match(
    await until(async () => {
      const replayed = await live.gateway.operations.replay({ id: eventId, dry_run: true })
      return replayed.found && replayed
    }),
    { outcome: 'accepted' },
  )
  t.ok(live.uses() > before)
  t.same(live.open(), ['agent', 'live', 'scheme'])
  t.match(await live.gateway.operations.replay({ id: eventId }), { outcome: 'accepted' })
  t.same(live.open(), ['agent', 'live', 'scheme'])
})

t.test('a close that throws or hangs is logged and holds nobody up', async (t) => {
  const clock = fakeClock()
  const said: string[] = []
  const scopes = createPartScopes(
    clock,
    Object.assign((_level: string, fields: object, message: string) => said.push(JSON.stringify({ ...fields, message })), {
      writes: () => true,
    }) as never,
  )
  const scope = scopes.create({ route: 'r' })
  let good = 0
  const adopted = [
    scope.adopt({
      run: 1,
      close: () => {
        throw new Error('no')
      },
    }),
    scope.adopt({ run: 2, close: () => new Promise(() => {}) }),
    scope.adopt({
      run: 3,
      close: async () => {
        good++
      },
    }),
    scope.adopt(4),
  ]
  t.same(adopted, [1, 2, 3, 4])
  scope.hold()
  scope.release()
  t.equal(good, 0)
  scope.release()
  scope.close()
  t.equal(good, 1, 'beside one that hangs, and once')
  const over = scopes.close()
  clock.advance(5_000)
  await over
  const message = 'what a part had open could not be closed'
  t.same(
    said.map((line) => JSON.parse(line)),
    [
      { route: 'r', reason: 'no', message },
      { route: 'r', reason: 'it did not end in 5 seconds', message },
    ],
  )
  scopes.create({}).adopt({
    run: 5,
    close: () => {
      good++
    },
  })
  t.equal(good, 2, 'what is opened too late is closed at once')
})
