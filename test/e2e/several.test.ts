/** A reply for several targets, and `kill -9` in the middle of them. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { dataDir, linesIn, startGateway } from '../fakes/process-gateway.ts'
import { until } from '../fakes/wait.ts'

/** Targets of a plugin that cannot recognise repeats; each keeps in a file of its name that it was asked. */
const plugin = `
import { appendFileSync, existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
const file = (name) => fileURLToPath(new URL(name, import.meta.url))
const never = () => new Promise(() => {})
const busy = { ok: false, why: 'busy', repeatable: true }
const target = (name, answer) => ({ name, send() { appendFileSync(file(name), 'asked\\n'); return answer() } })
export const targets = [
  target('acme-busy', () => existsSync(file('hang')) ? never() : busy),
  target('acme-slow', never),
  target('acme-last', () => ({ ok: true })),
]`

const directory = (t: Test, deliver: readonly string[], backoff: number): string =>
  dataDir(t, {
    routes: { work: { prompt: 'p', deliver, retry: { max_attempts: 3, backoff } } },
    config: { plugins: ['./several.mjs'] },
    files: { 'several.mjs': plugin },
  })

const failedAgain = 'run failed, it will be tried again'

t.test('a kill in the middle: what was in hand is not sent again, what failed before it is', async (t) => {
  const dir = directory(t, ['acme-busy', 'acme-slow', 'acme-last'], 0)
  const first = await startGateway(t, dir)
  t.equal((await first.post('work', 'a')).status, 202)
  await until(() => linesIn(dir, 'acme-slow').length === 1)
  first.kill()
  await first.ended
  t.equal(linesIn(dir, 'acme-busy').length, 1)
  const second = await startGateway(t, dir)
  const { reason } = await second.line(({ msg }) => msg === failedAgain)
  t.match(reason, /acme-slow: the process ended while it was being delivered.*acme-busy: busy/)
  t.match(await second.line(({ msg }) => msg === 'run is dead'), { reason: /acme-slow.*may have arrived/ })
  t.equal(linesIn(dir, 'acme-slow').length, 1, 'it may have arrived')
  t.equal(linesIn(dir, 'acme-busy').length, 3, 'it cannot have')
  t.equal(linesIn(dir, 'acme-last').length, 1)
})

t.test('a kill while one is tried again: it is in hand then, whatever became of it before', async (t) => {
  // The second attempt must find what is written after the first one was told.
  const dir = directory(t, ['acme-busy', 'acme-last'], 3)
  const first = await startGateway(t, dir)
  await first.post('work', 'a')
  await first.line(({ msg }) => msg === failedAgain)
  writeFileSync(join(dir, 'hang'), '')
  await until(() => linesIn(dir, 'acme-busy').length === 2)
  first.kill()
  await first.ended
  const second = await startGateway(t, dir)
  t.match(await second.line(({ msg }) => msg === 'run is dead'), { reason: /acme-busy.*may have arrived/ })
  t.equal(linesIn(dir, 'acme-busy').length, 2)
  t.equal(linesIn(dir, 'acme-last').length, 1)
})

t.test('a kill in the middle of a direct delivery: the repeat of the sender goes to those that have not had it', async (t) => {
  const dir = dataDir(t, {
    routes: { work: { prompt: 'p', deliver: ['acme-last', 'acme-busy'], deliver_only: true }, other: { prompt: 'p' } },
    config: { plugins: ['./several.mjs'] },
    files: { 'several.mjs': plugin, hang: '' },
  })
  const first = await startGateway(t, dir)
  const broken = first.post('work', 'a').catch(() => 'no answer')
  await until(() => linesIn(dir, 'acme-busy').length === 1)
  // The gateway writes to its store in order: the store knows of the delivery to the first target before this answer comes.
  t.equal((await first.post('other', 'b')).status, 202)
  first.kill()
  t.equal(await broken, 'no answer')
  const second = await startGateway(t, dir)
  rmSync(join(dir, 'hang'))
  t.equal((await second.post('work', 'a')).status, 502)
  t.equal(linesIn(dir, 'acme-busy').length, 2)
  t.equal(linesIn(dir, 'acme-last').length, 1)
})

/** Comments after a second, and shows no earlier ones. */
const blindGh = (dir: string): string => `#!/bin/sh
if [ "$2" = graphql ]; then echo 'gh: Resource not accessible by integration (HTTP 403)' >&2; exit 1; fi
echo post >> '${dir}/posts'; sleep 1; echo '{"id":7}'
`

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  t.test(`${signal} while a comment is on its way that could not be recognised again: it is not repeated`, async (t) => {
    const route = { prompt: 'p', deliver: 'github_comment', deliver_extra: { repo: 'o/r', pr_number: '1' } }
    const dir = dataDir(t, { routes: { work: route }, config: { gateway: { drain_seconds: 0.1 } } })
    mkdirSync(join(dir, 'bin'))
    writeFileSync(join(dir, 'bin', 'gh'), blindGh(dir), { mode: 0o755 })
    const env = { PATH: `${join(dir, 'bin')}:${process.env.PATH}`, GH_TOKEN: 'canary' }
    const first = await startGateway(t, dir, { env })
    t.equal((await first.post('work', 'a')).status, 202)
    const about = { level: 'warn', route: 'work', delivery_id: 'a', target: 'github_comment', reason: /not look.*could not be recognised/ }
    t.match(await first.line(({ msg }) => msg === 'delivery goes out only once'), about)
    await until(() => linesIn(dir, 'posts').length === 1)
    first.kill(signal)
    await first.ended
    const second = await startGateway(t, dir, { env })
    if (signal === 'SIGKILL') t.match(await second.line(({ msg }) => msg === 'run is dead'), { reason: /may have arrived.*retry by hand/ })
    t.equal((await second.post('work', 'b')).status, 202)
    await until(() => linesIn(dir, 'posts').length > 1)
    t.match(await second.line(({ msg }) => msg === 'delivery goes out only once'), { delivery_id: 'b' }, 'the first that is told')
    t.equal(linesIn(dir, 'posts').length, 2)
    second.kill()
    await second.ended
  })
}
