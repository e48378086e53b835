/**
 * Replicas: what a replica tells the other replicas of itself, what a replica knows of the other replicas, and what an operator should
 * know.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import { StoreFault } from '../../src/core/fault.ts'
import type { Replica as ReplicaView } from '../../src/generated/control.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import type { LiveConfig } from '../../src/serve/live-config.ts'
import { configDigest } from '../../src/serve/replicas/config-digest.ts'
import { createFileHashes } from '../../src/serve/replicas/file-hashes.ts'
import { replicaProblems } from '../../src/serve/replicas/replica-problems.ts'
import { Replicas } from '../../src/serve/replicas/replicas.ts'
import type { Replica, ReplicaState, Shared } from '../../src/store/shared.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder, sameFolder } from '../fakes/folder.ts'
import { noChanges } from '../fakes/operations.ts'

type Tree = { readonly [key: string]: unknown }

const secret = 'It is a secret to everybody'
const filters = [{ field: 'payload.a', in_file: 'lists/known.txt' }]
const config = {
  platforms: { webhook: { enabled: true, extra: { port: 1, secret, routes: { work: { prompt: 'p', filters, script: 'x.sh' } } } } },
  agent: { runner: 'command', command: ['./agent.sh'], env: ['TOKEN'] },
  plugins: ['./plugin.mjs'],
}
const files: { readonly [path: string]: string } = {
  'scripts/x.sh': 'cat',
  'skills/s/SKILL.md': 'do',
  'lists/known.txt': 'a',
  'plugin.mjs': 'export {}',
}

let folders = 0
const digestOf = async (t: Test, changes: Tree = {}, changed: typeof files = {}, env: { [name: string]: string } = {}): Promise<string> => {
  const dir = join(t.testdirName, String(folders++))
  for (const [path, text] of Object.entries({ 'config.yaml': stringify({ ...config, ...changes }), ...files, ...changed })) {
    mkdirSync(join(dir, path, '..'), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  const loaded = loadConfig({ dataDir: dir, env }).config
  return configDigest(loaded, builtinCatalogue, await createFileHashes()(loaded))
}

t.test('the digest: equal for equal files in different folders, another for all that runs depend on', async (t) => {
  sameFolder(t)
  const same = await digestOf(t)
  const extra = config.platforms.webhook.extra
  const webhook = (more: Tree): Tree => ({ platforms: { webhook: { enabled: true, extra: { ...extra, ...more } } } })
  const equal = {
    'another folder': await digestOf(t),
    'another port': await digestOf(t, webhook({ port: 2 })),
    'another login to the database': await digestOf(t, { storage: { kind: 'postgres', url: 'postgres://x:y@z/d' } }),
    'a variable that nothing names': await digestOf(t, {}, {}, { HOSTNAME: 'b' }),
  }
  for (const [what, digest] of Object.entries(equal)) t.equal(digest, same, what)
  const others = {
    'a route': await digestOf(t, webhook({ routes: { work: { prompt: 'q', filters, script: 'x.sh' } } })),
    'the secret': await digestOf(t, webhook({ secret: 'Another secret to everybody' })),
    'a setting of the adapter': await digestOf(t, webhook({ rate_limit: 7 })),
    'the agent': await digestOf(t, { agent: { ...config.agent, command: ['./other.sh'] } }),
    'a variable of the agent': await digestOf(t, {}, {}, { TOKEN: 't' }),
    'a credential of a target': await digestOf(t, {}, {}, { TELEGRAM_BOT_TOKEN: 't' }),
    'a job': await digestOf(t, { jobs: { nightly: { schedule: '@daily', prompt: 'p' } } }),
    ...Object.fromEntries(await Promise.all(Object.keys(files).map(async (path) => [path, await digestOf(t, {}, { [path]: 'changed' })]))),
  }
  t.equal(new Set([same, ...Object.values(others)]).size, 1 + Object.keys(others).length, JSON.stringify({ same, ...others }))
})

t.test('a file is hashed again after it changed', async (t) => {
  const dir = newFolder(t, { 'config.yaml': stringify(config), scripts: { 'x.sh': 'cat' } })
  const loaded = loadConfig({ dataDir: dir, env: {} }).config
  const hash = createFileHashes()
  const before = await hash(loaded)
  t.strictSame(await hash(loaded), before)
  writeFileSync(join(dir, 'scripts/x.sh'), 'changed')
  t.notSame(await hash(loaded), before)
})

const another = (id: string, state: Partial<ReplicaState>): Replica => ({
  id,
  seenMs: 0,
  clockAheadMs: 0,
  state: { ...({} as ReplicaState), digest: '', isStopping: false, ...state },
})

/** Makes a replica on a store whose answer to a beat also has the replicas in `store.others`. */
const joinStore = (t: Test) => {
  const clock = fakeClock()
  const told: ReplicaState[] = []
  const store = { others: [] as Replica[], asked: undefined as Replica['asked'], isAway: false, isTooNew: false, left: false }
  const shared = {
    replica: '1',
    async beat(state: ReplicaState) {
      if (store.isAway) throw new StoreFault('away')
      told.push(state)
      const mine = { ...another('1', state), ...(store.asked ? { asked: store.asked } : {}) }
      return { replicas: [mine, ...store.others], isTooNew: store.isTooNew }
    },
    async leave() {
      store.left = true
    },
  } as unknown as Shared
  const log: string[] = []
  const live = {
    config: loadConfig({ dataDir: newFolder(t, { 'config.yaml': stringify(config) }), env: {} }).config,
    catalogue: builtinCatalogue,
  } as LiveConfig
  const replicas = new Replicas({
    shared,
    clock,
    log: Object.assign((_: string, __: object, message: string) => void log.push(message), { writes: () => true }),
    current: () => live,
    runs: () => 3,
  })
  const reloads: boolean[] = []
  const begin = (): Promise<void> =>
    replicas.begin({
      url: 'http://here',
      requests: () => 2,
      isStopping: () => false,
      notReady: () => undefined,
      async reload({ force }) {
        reloads.push(force)
        return { ok: !force, diagnostics: [], restart: [], changes: noChanges }
      },
    })
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms)
    await replicas.beat()
  }
  return { replicas, begin, told, store, log, reloads, pass }
}

t.test('a replica tells its state at the start and every five seconds, and removes itself at its end', async (t) => {
  const { replicas, begin, told, store, log, pass } = joinStore(t)
  await begin()
  t.match(told, [{ url: 'http://here', runs: 3, requests: 2, isStopping: false, uptimeMs: 0, digest: /^[0-9a-f]{12}$/ }])
  await pass(5_000)
  t.ok(told.length >= 2)
  t.match(told.at(-1), { uptimeMs: 5_000, digestMs: 5_000 })
  store.isAway = true
  await pass(5_000)
  await pass(5_000)
  t.equal(log.length, 1, 'a store that is away is logged once')
  store.isAway = false
  store.isTooNew = true
  await pass(5_000)
  t.equal(replicas.isTooNew, true)
  await replicas.leave()
  const { length } = told
  await pass(60_000)
  t.equal(told.length, length)
  t.equal(store.left, true)
})

t.test('others differ while a replica lives that has another digest and does not stop', async (t) => {
  const { replicas, begin, told, store, pass } = joinStore(t)
  await begin()
  const differ = async (...others: Replica[]): Promise<boolean> => {
    store.others = others
    await pass(5_000)
    return replicas.othersDiffer()
  }
  const { digest = '' } = told[0] ?? {}
  t.equal(await differ(), false)
  t.equal(await differ(another('2', { digest })), false)
  t.equal(await differ(another('2', { digest }), another('3', { digest: 'other' })), true)
  t.equal(await differ(another('3', { digest: 'other', isStopping: true })), false)
  await replicas.leave()
})

t.test('a reload that was asked for is made once, and its end is told', async (t) => {
  const { replicas, begin, told, store, reloads, pass } = joinStore(t)
  await begin()
  store.asked = { request: 'r1', force: false }
  await pass(5_000)
  await pass(1)
  await pass(1)
  t.strictSame(reloads, [false])
  t.match(told.at(-1), { reload: { request: 'r1', ok: true } })
  store.asked = { request: 'r2', force: true }
  await pass(5_000)
  await pass(1)
  t.strictSame(reloads, [false, true])
  t.match(told.at(-1), { reload: { request: 'r2', ok: false } })
  await replicas.leave()
})

t.test('problems: a split after a while, versions, clocks, and replicas that are silent', async (t) => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  const replica = (pid: number, more: Partial<ReplicaView> = {}): ReplicaView => ({
    id: String(pid),
    self: false,
    host: 'h',
    pid,
    url: '',
    version: '1',
    digest: 'd',
    digest_since: '2026-03-01T11:00:00Z',
    started_at: '2026-03-01T11:00:00Z',
    seen_seconds: 0,
    clock_ahead_seconds: 0,
    runs: 0,
    requests: 0,
    stopping: false,
    not_ready: null,
    reload: null,
    ...more,
  })
  const messages = (...others: ReplicaView[]): string[] => replicaProblems([replica(1), ...others], now).map(({ message }) => message)
  t.strictSame(messages(replica(2, { clock_ahead_seconds: 5 })), [])
  t.strictSame(messages(replica(2, { digest: 'e', digest_since: '2026-03-01T11:59:50Z' })), [], 'a reload in progress')
  t.strictSame(messages(replica(2, { digest: 'e' })), ['the replicas run 2 configurations: d on h (process 1); e on h (process 2)'])
  t.strictSame(messages(replica(2, { digest: 'e', stopping: true })), [])
  t.strictSame(messages(replica(2, { version: '2' })), ['the replicas run 2 versions: 1 on h (process 1); 2 on h (process 2)'])
  t.strictSame(messages(replica(2, { clock_ahead_seconds: -7 })), ['the clock of h (process 2) is 7 s behind that of the database'])
  t.strictSame(messages(replica(2, { seen_seconds: 40, digest: 'e' })), ['h (process 2) was last seen 40 s ago'])
})
