/** Secrets from programs in the built gateway: start, reload, refresh, rotation, failures, and what commands make of them. */

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { isRunning } from '../fakes/process.ts'
import { command, dataDir, type ProcessGateway, spawnGateway, startGateway } from '../fakes/process-gateway.ts'
import { until } from '../fakes/wait.ts'

const first = 'the-first-secret-of-pr'
const second = 'the-second-secret-of-pr'

/** A double of `op read`: it needs its token, says the secret in a file, and notes each call. */
const op = (dir: string): string => `#!/bin/sh
echo "$*" >> '${dir}/calls'
[ "$OP_SERVICE_ACCOUNT_TOKEN" = op-token-5f2a ] || { echo "no token; the secret is $(cat '${dir}/vault')" >&2; exit 6; }
[ "$1" = read ] && exec cat '${dir}/vault'
`

type Setup = { readonly provider?: object; readonly routes?: { readonly [name: string]: unknown }; readonly reference?: string }

const setUp = (t: Test, { provider = {}, routes, reference = 'exec:op/prod/hooks/pr' }: Setup = {}): string => {
  const dir = dataDir(t, {
    routes: routes ?? { pr: { secret: reference, prompt: 'p', deliver: 'log' } },
    files: { vault: `${first}\n`, '.env': 'OP_SERVICE_ACCOUNT_TOKEN=op-token-5f2a\n' },
  })
  const program = join(dir, 'op')
  writeFileSync(program, op(dir))
  chmodSync(program, 0o755)
  chmodSync(join(dir, '.env'), 0o600)
  const file = join(dir, 'config.yaml')
  const providers = { op: { command: [program, 'read', 'op://{id}'], env: ['OP_SERVICE_ACCOUNT_TOKEN'], ...provider } }
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n${stringify({ secrets: { providers } })}`)
  return dir
}

const callsIn = (dir: string): number =>
  existsSync(join(dir, 'calls')) ? readFileSync(join(dir, 'calls'), 'utf8').trimEnd().split('\n').length : 0
const posted = async (gateway: ProcessGateway, id: string, key: string): Promise<number> => (await gateway.post('pr', id, { key })).status
const everything = (gateway: ProcessGateway, end: { out: string; err: string }): string => JSON.stringify(gateway.lines) + end.out + end.err

t.test('a secret is asked for once at a start, and rotates at a reload: old and new verify', async (t) => {
  const dir = setUp(t)
  const gateway = await startGateway(t, dir)
  t.equal(callsIn(dir), 1)
  t.equal(readFileSync(join(dir, 'calls'), 'utf8'), 'read op://prod/hooks/pr\n')
  t.equal(await posted(gateway, 'a', first), 202)
  t.equal(await posted(gateway, 'b', 'exec:op/prod/hooks/pr'), 401, 'the reference is no secret')
  writeFileSync(join(dir, 'vault'), second)
  t.match(command({ dir }, 'gateway', 'reload'), { status: 0 })
  t.equal(callsIn(dir), 2)
  t.same([await posted(gateway, 'c', second), await posted(gateway, 'd', first), await posted(gateway, 'e', 'neither')], [202, 202, 401])
  t.match(command({ dir }, 'gateway', 'status').stdout, /^secret +exec:op\/prod\/hooks\/pr, read 20.*, the one before it verifies too$/m)

  writeFileSync(join(dir, '.env'), 'OP_SERVICE_ACCOUNT_TOKEN=wrong\n')
  for (const _ of [1, 2]) {
    const reloaded = command({ dir }, 'gateway', 'reload')
    t.match(reloaded, {
      status: 0,
      stdout: /WH330.*exec:op\/prod\/hooks\/pr: its program ended with code 6; the secret that was read \d+ s ago stays/,
    })
    t.match(reloaded.stdout, /config\.yaml:\d+:\d+/)
  }
  t.equal(await posted(gateway, 'f', second), 202)
  t.match(command({ dir }, 'gateway', 'status').stdout, /no newer one: its program ended with code 6/)
  t.match(command({ dir }, 'doctor', '--json').stdout, /the secret exec:op.prod.hooks.pr is that of/)
  gateway.kill('SIGTERM')
  const end = await gateway.ended
  t.equal(gateway.lines.filter(({ msg }) => msg.startsWith('no newer secret')).length, 1, 'the log has it once')
  t.notMatch(everything(gateway, end), /the-first|the-second|op-token/)
})

t.test('a program that fails keeps the gateway from starting, and its stderr is not quoted', (t) => {
  const dir = setUp(t, { provider: { env: [] } })
  const run = command({ dir }, 'gateway', 'run')
  t.match(run, { status: 78, stderr: /WH329.*exec:op\/prod\/hooks\/pr: its program ended with code 6[\s\S]*config\.yaml:\d+:\d+/ })
  t.match(run.stderr, /env -i PATH="\$PATH" HOME="\$HOME" \S+\/op read op:\/\/prod\/hooks\/pr/)
  t.notMatch(run.stdout + run.stderr, /the-first|no token/)
  t.end()
})

t.test('a failure for a disabled route is a warning', async (t) => {
  const dir = setUp(t, {
    routes: { pr: { secret: 'exec:op/pr', prompt: 'p', deliver: 'log' }, off: { enabled: false, secret: 'exec:no/x', prompt: 'p' } },
  })
  const file = join(dir, 'config.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('providers:', 'providers:\n    no: { command: [/bin/false, "{id}"] }'))
  const gateway = await startGateway(t, dir)
  t.equal((await gateway.post('off', 'a', { key: 'exec:no/x' })).status, 403)
  const warned = await gateway.line(({ code }) => code === 'WH330')
  t.match(warned, { level: 'warn', line: Number, msg: /exec:no\/x: its program ended with code 1/ })
  writeFileSync(file, readFileSync(file, 'utf8').replace('enabled: false', 'enabled: true'))
  t.match(command({ dir }, 'gateway', 'run'), { status: 78, stderr: /WH329.*exec:no\/x/ })
})

t.test('a subscription that names a new secret is served soon, and a stop ends a program that hangs', async (t) => {
  const dir = setUp(t)
  const gateway = await startGateway(t, dir)
  t.match(command({ dir }, 'webhook', 'subscribe', 'new', '--secret', 'exec:op/new', '--prompt', 'p', '--deliver', 'log'), { status: 0 })
  await until(async () => (await gateway.post('new', 'a', { key: first })).status === 202)
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0 })

  writeFileSync(join(dir, 'op'), `#!/bin/sh\necho $$ > '${dir}/pid'\nexec sleep 60\n`)
  const hanging = spawnGateway(t, dir)
  hanging.listening.catch(() => undefined)
  const pid = await until(() => existsSync(join(dir, 'pid')) && Number(readFileSync(join(dir, 'pid'), 'utf8')))
  hanging.kill('SIGTERM')
  t.match(await hanging.ended, { signal: 'SIGTERM' })
  await until(() => !isRunning(pid))
})

t.test('validate and commands: which ask, and which do not', async (t) => {
  const dir = setUp(t)
  t.match(command({ dir }, 'validate'), { status: 0 })
  t.match(command({ dir }, 'webhook', 'show', 'pr').stdout, /^secret: exec:op\/prod\/hooks\/pr$/m)
  t.match(command({ dir }, 'doctor'), { stdout: /./ })
  command({ dir }, 'webhook', 'list')
  command({ dir }, 'targets', 'list')
  t.equal(callsIn(dir), 0, 'no program runs')
  t.match(command({ dir }, 'webhook', 'secret', 'pr', '--reveal'), { stdout: `${first}\n` })
  t.match(command({ dir }, 'validate', '--run-providers'), { status: 0 })
  t.equal(callsIn(dir), 2)
  writeFileSync(join(dir, 'vault'), '')
  t.match(command({ dir }, 'validate', '--run-providers'), { status: 1, stdout: /WH329.*it gave an empty text/ })
  writeFileSync(join(dir, 'vault'), 'INSECURE_NO_AUTH')
  t.match(command({ dir }, 'gateway', 'run'), { status: 78, stderr: /WH329.*it gave INSECURE_NO_AUTH/ })
  t.match(command({ dir }, 'webhook', 'test', 'pr', '--payload', '{}', '--url', 'http://127.0.0.1:1/webhooks/pr'), {
    status: 78,
    stderr: /exec:op\/prod\/hooks\/pr: it gave INSECURE_NO_AUTH/,
  })
})
