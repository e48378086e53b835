/** When the disk fails: 503 and never an exit, nothing promised that is not on it, and work again when it does. */

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { works } from '../fakes/process.ts'
import { command, dataDir, linesIn, type ProcessGateway, spawnGateway, startGateway } from '../fakes/process-gateway.ts'
import { until } from '../fakes/wait.ts'

const noPrlimit = !works('prlimit', '--version') && 'needs prlimit'
const noMount = !works('unshare', '-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt') && 'needs the right to mount'
const noStrace = !works('strace', '-e', 'trace=none', 'true') && 'needs strace'
/** Takes from root the right to ignore owners and modes. */
const likeAnyUser = 'setpriv --bounding-set -dac_override,-dac_read_search'
const noOwners = !works('sh', '-c', `test "$(id -u)" = 0 && ${likeAnyUser} true`) && 'needs root and setpriv'

/** What an event costs in the database: prompts of this size fill it quickly. */
const prompt = 'p'.repeat(20_000)

/** Posts events until the store refuses one; the ids that were accepted, and the refused one. */
const fill = async (t: Test, gateway: ProcessGateway): Promise<{ accepted: string[]; refused: string }> => {
  const accepted: string[] = []
  for (let i = 0; i < 2000; i++) {
    const id = `fill-${i}`
    const { status, json, headers } = await gateway.post('work', id)
    if (status === 202) {
      accepted.push(id)
      continue
    }
    t.match({ status, json, headers }, { status: 503, json: { error: 'Store is unavailable' }, headers: { 'retry-after': /^\d+$/ } })
    return { accepted, refused: id }
  }
  throw new Error('the disk never got full')
}

/** Posts one event again and again until it is taken; the status it got then. */
const insist = async (gateway: ProcessGateway, id: string): Promise<number> => {
  for (const end = Date.now() + 10_000; Date.now() < end; await new Promise((then) => setTimeout(then, 50))) {
    const { status } = await gateway.post('work', id)
    if (status !== 503) return status
  }
  throw new Error('it never worked again')
}

const stop = async (t: Test, gateway: ProcessGateway): Promise<void> => {
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0, signal: null, err: '' })
}

type FullDisk = {
  readonly title: string
  readonly skip: false | string
  readonly before: (dir: string) => string
  readonly makeRoom: (pid: number, dir: string) => void
}

const fullDisks: readonly FullDisk[] = [
  {
    title: 'a file that may not grow',
    skip: noPrlimit,
    // In blocks of 512 bytes. Node ignores the signal that comes with it.
    before: () => 'ulimit -S -f 2048',
    makeRoom: (pid) => void execFileSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:']),
  },
  {
    title: 'a full disk',
    skip: noMount,
    before: (dir) => `exec unshare -m sh -c 'mount -t tmpfs -o size=1m,mode=700 tmpfs "$0" && exec "$@"' '${join(dir, 'state')}' "$@"`,
    makeRoom: (pid, dir) =>
      void execFileSync('nsenter', ['-t', String(pid), '-m', 'mount', '-o', 'remount,size=64m', 'tmpfs', join(dir, 'state')]),
  },
]

for (const { title, skip, before, makeRoom } of fullDisks) {
  t.test(`${title}: 503 with Retry-After, no exit; what was refused is accepted when there is room`, { skip }, async (t) => {
    // The one agent waits: what fills the disk stays there.
    const dir = dataDir(t, {
      routes: { work: { prompt } },
      agent: `echo "$HEADGATE_DELIVERY_ID" >> "$dir/ran"; while [ ! -e "$dir/go" ] && [ -d "$dir" ]; do sleep 0.02; done; echo done`,
      config: { gateway: { max_concurrent_runs: 1 } },
    })
    mkdirSync(join(dir, 'state'))
    const gateway = await startGateway(t, dir, { before: before(dir) })
    const { accepted, refused } = await fill(t, gateway)
    t.ok(accepted.length > 10, `${accepted.length} fitted`)

    for (const id of [refused, 'another']) t.equal((await gateway.post('work', id)).status, 503)
    t.match(await gateway.health(), { status: 200, json: { status: 'ok' } })
    t.equal((await gateway.post('nowhere', 'x')).status, 404)
    // The reply of the run that is active cannot be stored now, and must not be lost.
    execFileSync('touch', [join(dir, 'go')])
    await gateway.line(({ msg }) => msg === 'cannot record a run, trying again')

    makeRoom(gateway.pid, dir)
    for (const id of [refused, 'another']) t.equal(await insist(gateway, id), 202, id)
    t.equal((await gateway.post('work', accepted[0] ?? '')).json.status, 'duplicate')
    const all = [...accepted, refused, 'another']
    const delivered = () => gateway.lines.filter(({ msg }) => msg === 'delivered').map(({ delivery_id }) => String(delivery_id))
    await until(() => delivered().length === all.length)
    t.strictSame(delivered().sort(), [...all].sort())
    t.strictSame(linesIn(dir, 'ran').sort(), [...all].sort(), 'each ran once')
    await stop(t, gateway)
  })
}

type Trace = { readonly lines: () => string[]; stop(): Promise<void> }

/** Watches all threads of a process, and meddles with their system calls; once it is stopped the process goes on by itself. */
const attach = async (t: Test, { pid, dir }: ProcessGateway, ...args: string[]): Promise<Trace> => {
  const file = join(dir, 'trace')
  const strace = spawn('strace', ['-f', '-y', '-s', '64', ...args, '-o', file, '-p', String(pid)], { stdio: 'ignore' })
  const closed = once(strace, 'close')
  t.teardown(async () => {
    strace.kill('SIGKILL')
    await closed
  })
  const isTraced = (task: string): boolean => !/^TracerPid:\s+0$/m.test(readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8'))
  await until(() => readdirSync(`/proc/${pid}/task`).every(isTraced))
  return {
    lines: () => readFileSync(file, 'utf8').split('\n'),
    async stop() {
      strace.kill('SIGINT')
      await closed
    },
  }
}

/** One run that waits, so that the worker leaves the database alone and what is seen belongs to the posts. */
const withIdleWorker = async (t: Test, storage: object): Promise<ProcessGateway> => {
  const dir = dataDir(t, {
    routes: { work: { prompt: 'p' } },
    agent: 'echo > "$dir/began"; while [ -d "$dir" ]; do sleep 0.05; done',
    config: { gateway: { max_concurrent_runs: 1, drain_seconds: 0 }, storage },
  })
  const gateway = await startGateway(t, dir)
  t.equal((await gateway.post('work', 'first')).status, 202)
  await until(() => existsSync(join(dir, 'began')))
  return gateway
}

/** How many 202s were written after a sync of the database that came after their request, and how many without. */
const syncsBeforeAnswers = (trace: readonly string[]): { synced: number; unsynced: number } => {
  const count = { synced: 0, unsynced: 0 }
  let isSynced = false
  for (const line of trace) {
    if (/read.*"POST \/webhooks\//.test(line)) isSynced = false
    if (/f(data)?sync\(.*headgate\.db.*= 0$|f(data)?sync resumed>.*= 0$/.test(line)) isSynced = true
    if (/writev?\(.*"HTTP\/1\.1 202/.test(line)) count[isSynced ? 'synced' : 'unsynced']++
  }
  return count
}

t.test('what is answered with 202 is on the disk', { skip: noStrace }, async (t) => {
  for (const [durability, expected] of [
    ['fsync', { synced: 10, unsynced: 0 }],
    // Shows that the trace can tell the difference.
    ['commit', { synced: 0, unsynced: 10 }],
  ] as const) {
    const gateway = await withIdleWorker(t, { durability })
    const strace = await attach(t, gateway, '-e', 'trace=read,write,writev,fsync,fdatasync')
    for (let i = 0; i < 10; i++) t.equal((await gateway.post('work', `id-${i}`)).status, 202)
    await strace.stop()
    t.strictSame(syncsBeforeAnswers(strace.lines()), expected, durability)
    await stop(t, gateway)
  }
})

t.test('a disk that is slow to sync stalls the events, and nobody else', { skip: noStrace }, async (t) => {
  const gateway = await withIdleWorker(t, {})
  const strace = await attach(t, gateway, '-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:delay_exit=500000')
  const order: string[] = []
  const posts = ['a', 'b', 'c'].map(async (id) => order.push(String((await gateway.post('work', id)).status)))
  for (let i = 0; i < 5; i++) order.push(String((await gateway.health()).status))
  await Promise.all(posts)
  t.strictSame(order, ['200', '200', '200', '200', '200', '202', '202', '202'])
  await strace.stop()
  t.ok(strace.lines().some((line) => line.includes('DELAYED')))
  await stop(t, gateway)
})

const quickAgent = 'echo "$HEADGATE_DELIVERY_ID" >> "$dir/ran"; echo done'
const isDelivered = (gateway: ProcessGateway, id: string) =>
  gateway.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === id)

/** A gateway whose database is open and has done its first work: from here on each commit is one sync. */
const warm = async (t: Test): Promise<ProcessGateway> => {
  const gateway = await startGateway(t, dataDir(t, { routes: { work: { prompt: 'p' } }, agent: quickAgent }))
  t.equal((await gateway.post('work', 'before')).status, 202)
  await isDelivered(gateway, 'before')
  // That its end is in the log does not mean that the database has forgotten it: that would be one more sync.
  await until(() => /^backlog +0$/m.test(command(gateway, 'gateway', 'status').stdout))
  return gateway
}

t.test('a signal while work is being taken: it is run to its end, once', { skip: noStrace }, async (t) => {
  const gateway = await warm(t)
  await attach(t, gateway, '-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:delay_exit=300000')
  t.equal((await gateway.post('work', 'a')).status, 202)
  await stop(t, gateway)
  const next = await startGateway(t, gateway.dir)
  t.equal((await next.post('work', 'b')).status, 202)
  await isDelivered(next, 'b')
  await stop(t, next)
  t.strictSame(linesIn(gateway.dir, 'ran'), ['before', 'a', 'b'])
})

/** Lets every sync fail, the first ones excepted. */
const failSyncs = (t: Test, gateway: ProcessGateway, from: number): Promise<Trace> =>
  attach(t, gateway, '-e', 'trace=fsync,fdatasync', '-e', `inject=fsync,fdatasync:error=EIO:when=${from}+`)

/** The commit has failed, and so has the closing of the handle: what was written of it is still in the log of the database. */
const hasFailed = (strace: Trace) => until(() => strace.lines().filter((line) => line.includes('INJECTED')).length >= 2)

t.test('a disk that fails to sync: 503 and no exit; it recovers without a restart', { skip: noStrace }, async (t) => {
  const gateway = await warm(t)
  const strace = await failSyncs(t, gateway, 1)
  for (const id of ['a', 'b', 'c']) {
    const { status, headers } = await gateway.post('work', id)
    t.match({ status, headers }, { status: 503, headers: { 'retry-after': /^\d+$/ } })
    await hasFailed(strace)
  }
  t.equal((await gateway.health()).status, 200)
  await strace.stop()

  // The first one turns out to be there all the same: it runs without anybody asking, and its repeat is known.
  await isDelivered(gateway, 'a')
  t.equal(await insist(gateway, 'a'), 200)
  for (const id of ['b', 'c']) t.equal(await insist(gateway, id), 202, id)
  for (const id of ['b', 'c']) await isDelivered(gateway, id)
  await stop(t, gateway)
  t.strictSame(linesIn(gateway.dir, 'ran').sort(), ['a', 'b', 'before', 'c'], 'each ran once')
})

t.test('a disk that fails while work is taken: the work is not left lying until its lease runs out', { skip: noStrace }, async (t) => {
  const gateway = await warm(t)
  // The first sync is that of the event, the next one that of its taking.
  const strace = await failSyncs(t, gateway, 2)
  t.equal((await gateway.post('work', 'a')).status, 202)
  await hasFailed(strace)
  await strace.stop()
  await isDelivered(gateway, 'a')
  await stop(t, gateway)
  t.strictSame(linesIn(gateway.dir, 'ran'), ['before', 'a'])
})

t.test(
  'a data directory that belongs to another user: who owns it, and the command that gives it to this user',
  { skip: noOwners },
  async (t) => {
    const dir = dataDir(t, { routes: { work: { prompt } } })
    const start = (path = dir) => spawnGateway(t, path, { before: `set -- ${likeAnyUser} "$@"` }).ended
    chownSync(dir, 65_534, 65_534)
    chmodSync(dir, 0o755)
    const owned = `${dir} belongs to user 65534 and group 65534 with mode 0755, and this is user 0, group 0`
    const where = '(as root; for a container on its host, with the folder that is mounted there)'
    const said = (path: string, why: string, fix: string) =>
      `error: cannot write into the data directory ${path}: ${why}\n  ${fix} ${where}\n`
    t.same(await start(), { code: 1, signal: null, out: '', err: said(dir, owned, `chown -R 0:0 ${dir}`) })
    const missing = join(dir, 'more/data')
    t.match(await start(missing), { err: said(missing, `it is not there, and ${owned}`, `install -d -m 700 -o 0 -g 0 ${missing}`) })
    mkdirSync(join(dir, 'state'))
    chownSync(dir, 0, 0)
    chmodSync(join(dir, 'state'), 0o500)
    t.match(await start(), { code: 1, err: new RegExp(`chmod u\\+rwx ${join(dir, 'state')} `) })
  },
)
