/** Secrets from programs: what programs may answer, which references there are, refreshes, ages and overlaps. */

import { createHmac } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { validate } from '../../src/check/validate/validate.ts'
import { type Loaded, loadConfig } from '../../src/config/load.ts'
import { readingOf } from '../../src/config/thread/load-in-thread.ts'
import type { Clock } from '../../src/core/clock.ts'
import { KeptSecrets } from '../../src/datadir/secrets/kept-secrets.ts'
import { withSecrets } from '../../src/datadir/secrets/with-secrets.ts'
import { prepareGateway } from '../../src/gateway/compose.ts'
import { createLog } from '../../src/gateway/log.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { isRunning } from '../fakes/process.ts'
import { until } from '../fakes/wait.ts'

type Routes = { readonly [name: string]: object }

/** A data directory with a provider `p`, whose program is the shell script. */
const dirWith = (t: Test, script: string, routes: Routes, provider: object = {}): string => {
  const dir = newFolder(t, { program: `#!/bin/sh\n${script}\n` })
  chmodSync(join(dir, 'program'), 0o755)
  const providers = { p: { command: [join(dir, 'program'), '{id}'], timeout_seconds: 1, env: ['GIVEN'], ...provider } }
  const webhook = { enabled: true, extra: { port: 0, routes } }
  writeFileSync(join(dir, 'config.yaml'), stringify({ platforms: { webhook }, storage: { kind: 'memory' }, secrets: { providers } }))
  return dir
}

const routeWith = (secret: string): Routes => ({ pr: { secret, prompt: 'p', deliver: 'log' } })
const loadWith = async (dir: string): Promise<Loaded> =>
  loadConfig(await withSecrets({ dataDir: dir, env: { PATH: process.env.PATH, HOME: dir, GIVEN: 'given', OTHER: 'other' } }))
const secretsIn = ({ config }: Loaded) => config.routes.get('pr')?.secrets
const found = ({ diagnostics }: Loaded) => diagnostics.map(({ code, message }) => `${code} ${message}`)

t.test('what a text program may answer', async (t) => {
  for (const [script, secret, problem] of [
    [`printf 'of %s\\n\\n' "$1"`, 'of a/b\n', undefined],
    [`printf 'of %s\\r\\n' "$1"`, 'of a/b', undefined],
    ['cat; echo done', 'done', undefined],
    ['echo "${GIVEN:-unset} ${OTHER:-unset}"', 'given unset', undefined],
    ['', undefined, 'it gave an empty text'],
    ['echo "  "', undefined, 'it gave an empty text'],
    [`printf 'a\\000b'`, undefined, 'it gave a text with a NUL byte'],
    [`printf 'a\\377b'`, undefined, 'it gave a text that is no UTF-8'],
    ['yes', undefined, 'its program wrote more than 65536 bytes'],
    ['echo secret; exit 3', undefined, 'its program ended with code 3'],
    ['kill -9 $$', undefined, 'its program was ended by SIGKILL'],
    ['sleep 60', undefined, 'its program took longer than 1 s'],
    ['echo held; sleep 60 & echo $! > pid', 'held', undefined],
  ] as const) {
    const dir = dirWith(t, script, routeWith('exec:p/a/b'))
    const loaded = await loadWith(dir)
    if (secret !== undefined) t.same(secretsIn(loaded), [secret], script)
    else
      t.same(
        found(loaded).filter((each) => each.startsWith('WH329')),
        [`WH329 cannot resolve exec:p/a/b: ${problem}`],
        script,
      )
    if (existsSync(join(dir, 'pid'))) await until(() => !isRunning(Number(readFileSync(join(dir, 'pid'), 'utf8'))))
  }
})

t.test('a provider that does not answer is waited for once', async (t) => {
  const secrets = Array.from({ length: 20 }, (_, i) => `exec:p/${i}`)
  const dir = dirWith(t, 'echo >> calls; exec sleep 60', {
    pr: { secrets: secrets.slice(0, 10), prompt: 'p' },
    b: { secrets: secrets.slice(10), prompt: 'p' },
  })
  t.equal(found(await loadWith(dir)).filter((each) => each.endsWith('its program took longer than 1 s')).length, 20)
  t.equal(readFileSync(join(dir, 'calls'), 'utf8').length, 4, 'only those at once')
})

t.test('a json program is asked once for all ids', async (t) => {
  const routes = { pr: { secrets: ['exec:p/a', 'exec:p/b'], prompt: 'p' }, other: { secret: 'exec:p/a', prompt: 'p' } }
  for (const [answer, problems] of [
    ['{"values":{"a":"first of two","b":"second of two"}}', []],
    ['{"values":{"a":"first of two"},"errors":{"b":"no such item"}}', ['exec:p/b: it says: no such item']],
    ['{"values":{"a":"first of two","b":7}}', ['exec:p/b: it gave no text for this id']],
    ['{"values":{"a":"first of two","__proto__":"x"}}', ['exec:p/b: it gave no text for this id']],
    [
      '["first of two"]',
      [
        'exec:p/a: its output is no {"values": {…}, "errors": {…}}',
        'exec:p/b: its output is no {"values": {…}, "errors": {…}}',
        'exec:p/a: its output is no {"values": {…}, "errors": {…}}',
      ],
    ],
  ] as const) {
    const dir = dirWith(t, `cat >> asked; echo >> asked; echo '${answer}'`, routes, {
      protocol: 'json',
      command: [join(t.testdirName, 'program')],
    })
    const loaded = await loadWith(dir)
    t.same(
      found(loaded).filter((each) => each.startsWith('WH329')),
      problems.map((each) => `WH329 cannot resolve ${each}`),
    )
    t.equal(readFileSync(join(dir, 'asked'), 'utf8'), '{"protocol":1,"ids":["a","b"]}\n')
    if (problems.length === 0) t.same(secretsIn(loaded), ['first of two', 'second of two'])
  }
})

t.test('references that are none run no program', async (t) => {
  for (const id of ['../x', 'a/../b', 'a//b', '/a', 'a/', '-x', 'a b', 'a;b', '$HOME', '', 'a'.repeat(256), 'a/./b', 'a\nb']) {
    const dir = dirWith(t, 'touch ran', routeWith(`exec:p/${id}`))
    t.match(found(await loadWith(dir)).join(), /WH305 cannot resolve exec:p.*: it is no exec:PROVIDER\/ID/, id)
    t.notOk(existsSync(join(dir, 'ran')))
  }
  for (const name of ['__proto__', 'constructor', 'other', 'toString'])
    t.match(found(await loadWith(dirWith(t, 'touch ran', routeWith(`exec:${name}/x`)))).join(), /WH305/, name)
})

t.test('while programs are not asked, nothing is said of the form of a secret', async (t) => {
  const dir = dirWith(t, 'touch ran', {
    a: { public_key: 'exec:p/key', verify: 'discord', prompt: 'p' },
    b: { secrets: ['exec:p/a', 'exec:p/b'], verify: 'svix', prompt: 'p' },
    c: { secret: 'exec:p/a', prompt: 'p' },
  })
  const { diagnostics } = await validate({ dataDir: dir, env: {}, self: 'headgate' }, { paths: [], asked: true })
  t.same(
    diagnostics.filter(({ severity }) => severity !== 'info').map(({ code, message }) => `${code} ${message}`),
    [],
  )
  t.notOk(existsSync(join(dir, 'ran')))
})

t.test('providers that cannot work', async (t) => {
  const problemsOf = async (provider: object) => found(await loadWith(dirWith(t, '', {}, provider))).join()
  t.match(await problemsOf({ command: ['op', '{id}'] }), /WH105.*no absolute path/)
  t.match(await problemsOf({ command: ['/bin/echo'] }), /WH105.*no word of the command has \{id\}/)
  t.match(await problemsOf({ max_age_seconds: 60 }), /WH105.*every secret would become too old/)
  t.match(await problemsOf({ env: ['$X'] }), /WH105/)
  const dir = dirWith(t, '', {})
  writeFileSync(join(dir, 'config.yaml'), 'secrets: { providers: { __proto__: { command: [/bin/echo, "{id}"] } } }\n')
  t.match(found(await loadWith(dir)).join(), /WH108 "__proto__" cannot be a name here/)
})

t.test('a running gateway: refresh, overlap, a program that fails, and secrets that become too old', async (t) => {
  const dir = dirWith(t, 'cat "$(dirname "$0")/vault"', routeWith('exec:p/pr'), {
    refresh_seconds: 100,
    max_age_seconds: 250,
    overlap_seconds: 50,
  })
  const vault = join(dir, 'vault')
  writeFileSync(vault, 'the first secret')
  const clock = fakeClock()
  const lines: { readonly [key: string]: unknown }[] = []
  const log = createLog({
    level: 'info',
    format: 'json',
    write: (line: string) => void lines.push(JSON.parse(line)),
    redact: (text: string) => text,
  })
  const learned: string[] = []
  let timersSet = 0
  const counted: Clock = {
    ...clock,
    after(ms, then) {
      timersSet++
      return clock.after(ms, then)
    },
  }
  const secrets = new KeptSecrets({ clock: counted, log, learn: (values) => learned.push(...values), random: () => 1 })
  const load = (): Loaded => loadConfig({ dataDir: dir, env: { PATH: process.env.PATH }, provided: secrets.provided() })
  await secrets.ask(load().config)
  const prepared = await prepareGateway(load().config, {
    log,
    secrets,
    async read(_known, signal, use) {
      await secrets.ask(load().config, signal)
      return use(readingOf(load()))
    },
  })
  const gateway = await prepared.start()
  t.teardown(() => gateway.stop(0))
  let count = 0
  const post = async (key: string): Promise<number> => {
    const headers = {
      'X-GitHub-Event': 'push',
      'X-GitHub-Delivery': `d${count++}`,
      'X-Hub-Signature-256': `sha256=${createHmac('sha256', key).update('{}').digest('hex')}`,
    }
    return (await fetch(`${gateway.url}/webhooks/pr`, { method: 'POST', body: '{}', headers })).status
  }
  const reloads = (): number => lines.filter(({ msg }) => String(msg).startsWith('configuration reloaded')).length
  const views = () => secrets.views()
  /** Waits until the next timer is set, too: a clock that is advanced earlier passes the time for which it will be set. */
  const pass = async (ms: number, isSeen = () => true): Promise<void> => {
    const before = timersSet
    clock.advance(ms)
    await until(() => timersSet > before && isSeen())
  }
  t.same([await post('the first secret'), await post('exec:p/pr')], [202, 401])

  const before = views()[0]?.read_at
  await pass(100_000, () => views()[0]?.read_at !== before)
  t.equal(reloads(), 0, 'an equal secret is no reason to reload')

  writeFileSync(vault, 'the second secret')
  await pass(100_000, () => reloads() === 1)
  t.same([await post('the first secret'), await post('the second secret')], [202, 202], 'both verify')
  await pass(50_000, () => reloads() === 2)
  t.same([await post('the first secret'), await post('the second secret')], [401, 202], 'the overlap is over')
  t.same(learned.includes('the second secret'), true)

  writeFileSync(vault, '')
  await pass(50_000, () => views()[0]?.problem !== undefined)
  t.equal(await post('the second secret'), 202, 'the last good secret stays')
  await pass(151_000)
  t.equal(await post('the second secret'), 503)
  t.match((await gateway.operations.status()).refused, { keys_unavailable: 1 })
  t.match(
    lines.filter(({ reason }) => /max_age_seconds is 250/.test(String(reason))),
    { length: 1 },
  )
  t.equal(lines.filter(({ msg }) => String(msg).startsWith('no newer secret')).length, 1)

  writeFileSync(vault, 'the third secret')
  await pass(100_000, () => reloads() === 3)
  t.same([await post('the third secret')], [202])
})
