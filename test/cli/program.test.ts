/** The command line as a whole: help, mistakes, faults, colour, and `gateway setup`. */

import { readFileSync, statSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { parseEnv } from 'node:util'
import t from 'tap'
import { askOver, wantsColour } from '../../src/cli/shell/io.ts'
import { loadConfig } from '../../src/config/load.ts'
import { quoted } from '../../src/core/text.ts'
import { version } from '../../src/datadir/version.ts'
import { schema } from '../../src/generated/schema.ts'
import { fakeCli } from '../fakes/cli.ts'
import { works } from '../fakes/process.ts'

t.test('gateway unit: what systemd would expand is written so that it stays', async (t) => {
  const cli = fakeCli(t)
  const { code, out } = await cli.run('gateway', 'unit', '--data-dir', '/srv/a $b/50%')
  t.equal(code, 0)
  t.match(out, /^ExecStart=\S+ \S+ --data-dir "\/srv\/a \$\$b\/50%%" gateway run --log-format json$/m)
  t.match(out, /^WorkingDirectory=\/srv\/a \$b\/50%%$/m, 'a relative path of the agent is found')
  t.match(out, /^RestartPreventExitStatus=7 78$/m)
  t.match(out, /^Type=notify\nNotifyAccess=all$/m)
  t.match(out, /^TimeoutStopSec=45$/m, 'the time that runs get, and 15 seconds')
  if (!works('systemd-analyze', '--version')) return
  cli.write('headgate.service', out)
  t.ok(works('systemd-analyze', 'verify', cli.file('headgate.service')), 'systemd takes it')
})

t.test('gateway unit: each credential that the configuration reads is loaded, and none that a comment names', async (t) => {
  const secrets =
    'secrets: ["file:${CREDENTIALS_DIRECTORY}/webhook", credential:next@1]\n      # secret: file:${CREDENTIALS_DIRECTORY}/old\n'
  const cli = fakeCli(t, { 'config.yaml': `gateway: { drain_seconds: 600 }\nplatforms:\n  webhook:\n    extra:\n      ${secrets}` })
  const { out } = await cli.run('gateway', 'unit')
  t.same(out.match(/^LoadCredential=.*$/gm), ['LoadCredential=webhook:%E/credstore/webhook', 'LoadCredential=next@1:%E/credstore/next@1'])
  t.match(out, /^TimeoutStopSec=615$/m)
  cli.write('config.yaml', 'platforms: { webhook: { extra: { secret: "credential:a.b", routes: { r: { prompt: "a credential:x" } } } } }\n')
  t.same((await cli.run('gateway', 'unit')).out.match(/^LoadCredential=.*$/gm), ['LoadCredential=a.b:%E/credstore/a.b'])
})

t.test('gateway unit --strict --socket: narrow rights below /var/lib, and a socket with an address', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': 'platforms: { webhook: { extra: { host: "::1", port: 8650 } } }\n' })
  const strict = await cli.run('gateway', 'unit', '--strict', '--data-dir', '/var/lib/head/gate')
  t.match(strict, { code: 0, out: /^DynamicUser=yes\nStateDirectory=head\/gate$/m })
  const named = await cli.run('gateway', 'unit', '--strict', '--user', 'hooks', '--data-dir', '/var/lib/head/gate')
  t.match(named, { code: 0, out: /^User=hooks\nStateDirectory=head\/gate$/m, err: /the user hooks must exist$/m })
  t.notMatch(named.out, /DynamicUser/)
  t.match(
    (await cli.run('gateway', 'unit', '--user', 'hooks', '--data-dir', '/srv/h')).out,
    /^User=hooks\n\n\[Install\]\nWantedBy=multi-user\.target$/m,
  )
  for (const user of ['a b', '-x', 'a\nExecStartPre=/bin/sh', '1000', '', '%u'])
    t.match(await cli.run('gateway', 'unit', '--user', user), { code: 2, out: '', err: /--user is no name of a user/ }, user)
  t.match(await cli.run('gateway', 'unit', '--strict'), { code: 2, err: /needs a data directory below \/var\/lib/ })
  const socket = await cli.run('gateway', 'unit', '--socket')
  t.match(socket, { code: 0, out: /^\[Socket\]\nListenStream=\[::1\]:8650$/m })
  for (const extra of ['{ port: 0 }', '{ host: example.com }']) {
    cli.write('config.yaml', `platforms: { webhook: { extra: ${extra} } }\n`)
    t.match(await cli.run('gateway', 'unit', '--socket'), { code: 1, err: /systemd cannot hold the port: / }, extra)
  }
  if (!works('systemd-analyze', 'security', '--offline=true', '--version')) {
    t.comment('no systemd-analyze (Debian: systemd), so the unit is not judged')
    return
  }
  cli.write('named.service', named.out)
  t.ok(works('systemd-analyze', 'security', '--offline=true', '--threshold=15', cli.file('named.service')), 'and so has a named user')
  cli.write('headgate.service', strict.out)
  cli.write('headgate.socket', socket.out)
  const files = [cli.file('headgate.service'), cli.file('headgate.socket')]
  t.ok(works('systemd-analyze', 'verify', ...files), 'systemd takes both')
  t.ok(works('systemd-analyze', 'security', '--offline=true', '--threshold=15', files[0] ?? ''), 'an exposure of at most 1.5')
})

t.test('upgrade --check asks the registry that npm is told of, and installs nothing', async (t) => {
  if (!works('npm', '--version')) return t.comment('no npm')
  const asked: (string | undefined)[] = []
  let latest = '0.0.9'
  const registry = createServer(({ url }, response) => {
    asked.push(url)
    response.end(
      JSON.stringify({ name: 'headgate', 'dist-tags': { latest }, versions: { [latest]: { name: 'headgate', version: latest } } }),
    )
  })
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
  t.teardown(() => registry.close())
  const cli = fakeCli(t)
  const { port } = registry.address() as AddressInfo
  const env = {
    PATH: process.env.PATH,
    HOME: cli.dir,
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: cli.file('cache'),
  }
  const check = (...more: string[]) => cli.runWith({ env }, 'upgrade', '--check', ...more)
  t.same(await check(), { code: 0, out: `${version} is the latest (published: 0.0.9)\n`, err: '' })
  latest = '10.2.0'
  const newer = await check('--json')
  t.equal(newer.code, 1)
  t.match(JSON.parse(newer.out), { kind: 'upgrade.check', data: { current: version, latest: '10.2.0', newer: true } })
  latest = '\u001b[31m'
  t.match(await check(), { code: 1, out: '', err: /^error: npm does not say which version is the latest: [^\u001b]*$/ })
  t.same([...new Set(asked)], ['/headgate'])
  t.match(await cli.run('upgrade'), { code: 2, err: /headgate does not replace itself.*\n.*npm install -g headgate@latest/ })
})

t.test('a word that is none of those to choose from, and a file that is not there, are said in plain words', async (t) => {
  const cli = fakeCli(t)
  t.match(await cli.run('completion', 'bsh'), {
    code: 2,
    err: 'error: <shell>: "bsh" is none of bash, zsh, fish\n  did you mean "bash" or "zsh"?\n',
  })
  t.match(await cli.run('paths', '--color', 'alway'), { code: 2, err: 'error: --color <when>: "alway" is none of auto, always, never\n' })
  const missing = await cli.run('webhook', 'subscribe', 'a', '--prompt', '@nope')
  t.match(missing, { code: 2, err: 'error: --prompt: cannot read nope: there is no such file\n  write @@ for' })
  const { code, err } = await cli.run('webhook', 'subscribe', 'a', '--secret-file', '/')
  t.same({ code, err }, { code: 2, err: 'error: --secret-file: cannot read /: it is a folder\n' })
})

t.test('alone it prints four commands to begin with', async (t) => {
  const cli = fakeCli(t)
  const { code, out, err } = await cli.run()
  t.same({ code, err }, { code: 0, err: '' })
  t.equal(out.split('\n').filter((line) => line.startsWith('  headgate ')).length, 4)
})

t.test('Ctrl-C and Ctrl-D at a question cancel the command', async (t) => {
  for (const [key, expected] of [
    ['\u0003', { code: 130, err: /cancelled/ }],
    ['\u0004', { code: 130, err: /cancelled/ }],
    ['n\r', { code: 130, err: /nothing was sent/ }],
    ['y\r', { code: 0 }],
  ] as const) {
    const input = Object.assign(new PassThrough(), { isTTY: true })
    const output = Object.assign(new PassThrough(), { isTTY: true })
    output.once('data', () => input.write(key))
    t.match(await fakeCli(t).runWith({ ask: askOver(input, output) }, 'targets', 'test', 'log'), expected, JSON.stringify(key))
  }
})

t.test('--help lists every command, --version the version of the package', async (t) => {
  const cli = fakeCli(t)
  const { code, out } = await cli.run('--help')
  t.equal(code, 0)
  for (const name of ['gateway', 'webhook', 'validate', 'schema']) t.match(out, new RegExp(`^ {2}${name}`, 'm'))
  const webhook = await cli.run('webhook', '--help')
  for (const { out } of [await cli.run('events', '--help'), await cli.run('gateway', '--help'), webhook])
    t.match(out, /^Usage: .*\n\n.*\n\nCommands:\n[\s\S]*\n\nOptions:\n[\s\S]*\n\nGlobal Options:\n/, 'the commands of a group stand first')
  for (const name of ['subscribe', 'list', 'show', 'remove', 'enable', 'disable', 'test'])
    t.match(webhook.out, new RegExp(`^ {2}${name}`, 'm'))
  t.match(await cli.run('webhook', 'subscribe', '--help'), { code: 0, out: /--route-profile/ })
  t.match(await cli.run('--version'), { code: 0, out: `${version}\n` })
  t.equal(version, JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version)
})

t.test('mistakes in the command line: what was meant, exit 2', async (t) => {
  const cli = fakeCli(t)
  t.match(await cli.run('webhok', 'list'), { code: 2, out: '', err: /unknown command 'webhok'\n {2}did you mean "webhook"\?/ })
  t.match(await cli.run('webhook', 'lst'), { code: 2, err: /did you mean "list"/ })
  t.match(await cli.run('webhook', 'list', '--al'), { code: 2, err: /did you mean "--all"/ })
  t.match(await cli.run('webhook', 'remove'), { code: 2, err: /missing required argument 'name'/ })
  t.match(await cli.run('webhook', 'remove', 'a', 'b'), { code: 2 })
  t.match(await cli.run('webhook'), { code: 2, err: /subscribe/ })
  t.match(await cli.run('gateway', 'run', '--port', '70000'), { code: 2, err: /port from 0 to 65535/ })
  t.match(await cli.run('gateway', 'run', '--log-level', 'loud'), { code: 2, err: /debug, info, warn, error/ })
  t.match(await cli.run('validate', '--format', 'xml'), { code: 2 })
  t.match(JSON.parse((await cli.run('webhok', '--json')).out), {
    v: 1,
    kind: 'error',
    ok: false,
    error: { code: 'usage', suggest: ['webhook'] },
  })
})

t.test('what was meant is found by more than spelling', async (t) => {
  const cli = fakeCli(t)
  const cases: [line: string, suggest: string[]][] = [
    ['webhook lsit', ['list']],
    ['webhook sub', ['subscribe']],
    ['subscribe', ['webhook subscribe']],
    ['subscrbe', ['webhook subscribe']],
    ['replay x', ['events replay']],
    ['webhook delete', ['remove']],
    ['logs', ['events list']],
    ['start', ['gateway run', 'cron run', 'webhook enable']],
    ['targets lst', ['list']],
    ['webhook list --Wide', ['--wide']],
    ['webhook subscribe a --deliver_only', ['--deliver-only']],
    ['webhook subscribe a --desc x', ['--description']],
    ['webhook show a --jso', ['--json', '--jsonata']],
    ['webhook show a --data_dir=x', ['--data-dir']],
    ['xyzzy', []],
  ]
  for (const [line, suggest] of cases) {
    const { code, out } = await cli.run('--json', ...line.split(' '))
    t.equal(code, 2, line)
    t.same(JSON.parse(out).error.suggest ?? [], suggest, line)
  }
  t.match(JSON.parse((await cli.run('webhook', '--json')).out), { error: { code: 'usage', hint: 'headgate webhook --help' } })
})

t.test('ls and rm are second names', async (t) => {
  const cli = fakeCli(t, { 'webhook_subscriptions.json': '{"a":{"secret":"x"}}' })
  t.same(await cli.run('webhook', 'ls'), await cli.run('webhook', 'list'))
  t.same(await cli.run('targets', 'ls'), await cli.run('targets', 'list'))
  t.match(await cli.run('-y', 'webhook', 'rm', 'a'), { code: 0, out: /removed {2}a/ })
})

t.test('--jsonata: what an expression makes of the data', async (t) => {
  const cli = fakeCli(t, { 'webhook_subscriptions.json': '{"a":{"secret":"x"},"b":{"secret":"y"}}' })
  t.same(await cli.run('webhook', 'list', '--jsonata', 'routes.name'), { code: 0, out: '["a","b"]\n', err: '' })
  t.same(await cli.run('--jsonata', 'routes[0].name', 'webhook', 'list'), { code: 0, out: 'a\n', err: '' })
  t.same(await cli.run('webhook', 'list', '--jsonata', 'nothing'), { code: 0, out: '', err: '' })
  t.match(await cli.run('webhook', 'remove', 'a', '--jsonata', '('), { code: 2, out: /"--jsonata: / })
  t.match(await cli.run('webhook', 'list', '--jsonata', '$error("no")'), { code: 2 })
  t.match(JSON.parse((await cli.run('webhook', 'show', 'c', '--jsonata', 'name')).out), { kind: 'error', error: { code: 'not_found' } })
  t.ok(cli.entry('a'), 'a bad expression is found before anything is done')
})

t.test('-v, --no-input, -y and --color', async (t) => {
  const cli = fakeCli(t, { 'webhook_subscriptions.json': '{"a":{"secret":"x"},"b":{"secret":"y"}}' })
  t.match(await cli.run('-v', 'webhook', 'list'), { code: 0, err: `data directory: ${cli.dir}\n` })
  const ask = async (): Promise<string> => t.fail('asked') as unknown as string
  t.match(await cli.runWith({ ask }, 'targets', 'test', 'log', '--no-input'), { code: 2, err: /--yes/ })
  t.match(await cli.runWith({ ask }, '-y', 'targets', 'test', 'log'), { code: 0 })
  t.match(await cli.runWith({ ask }, 'webhook', 'remove', 'b', '-y'), { code: 0 })
  t.match(await cli.runWith({ colour: true }, 'webhok', '--color', 'never'), { err: /^error: / })
  t.match(await cli.run('webhok', '--color=always'), { err: /^\u001b\[31;1merror:/ })
})

t.test('version says the version, with --json of Node too', async (t) => {
  const cli = fakeCli(t)
  t.match(await cli.run('version'), { code: 0, out: `${version}\n` })
  t.match(JSON.parse((await cli.run('version', '--json')).out), { kind: 'version', data: { version, node: process.versions.node } })
  t.match(await cli.run('help', 'webhook', 'lst'), { code: 5, err: /did you mean "list"/ })
})

t.test('global options stand before or after the command', async (t) => {
  const cli = fakeCli(t, { 'webhook_subscriptions.json': '{"a":{"secret":"x"}}' }, { HEADGATE_HOME: '/nowhere' })
  const after = await cli.run('webhook', 'list', '--json', '--data-dir', cli.dir)
  const before = await cli.run('--data-dir', cli.dir, '--json', 'webhook', 'list')
  t.same(after, before)
  t.equal(JSON.parse(after.out).data.routes.length, 1)
})

t.test('the data directory: option, then HEADGATE_HOME, then the home folder', async (t) => {
  const cli = fakeCli(t, {
    '.headgate/webhook_subscriptions.json': '{"h":{"secret":"x"}}',
    'webhook_subscriptions.json': '{"e":{"secret":"x"}}',
  })
  t.match((await cli.run('webhook', 'list')).out, /^e /)
  t.match((await cli.runWith({ env: { HOME: cli.dir } }, 'webhook', 'list')).out, /^h /)
})

t.test('anything unforeseen ends as one line and exit 3; the stack only when asked for', async (t) => {
  const cli = fakeCli(t)
  const broken = {
    stdout: () => {
      throw new TypeError('boom\nand more')
    },
  }
  t.same(await cli.runWith(broken, 'schema', 'print'), { code: 3, out: '', err: 'error: boom\n' })
  t.match(await cli.runWith({ ...broken, env: { HEADGATE_DEBUG: '1' } }, 'schema', 'print'), { code: 3, err: /TypeError: boom[\s\S]* at / })
})

t.test('colour obeys the environment', (t) => {
  const cases: [env: { [name: string]: string }, tty: boolean, colour: boolean][] = [
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ CLICOLOR_FORCE: '1' }, false, true],
    [{ CLICOLOR: '0' }, true, false],
    [{ TERM: 'dumb' }, true, false],
  ]
  for (const [env, tty, colour] of cases) t.equal(wantsColour(env, tty), colour, JSON.stringify([env, tty]))
  t.end()
})

t.test('a word for the shell', (t) => {
  t.same(['abc', 'a b', "it's", '', '$x'].map(quoted), ['abc', "'a b'", "'it'\\''s'", "''", "'$x'"])
  t.end()
})

t.test('setup --yes: an adapter that is enabled, with a secret of its own', async (t) => {
  const cli = fakeCli(t, {}, {})
  const { code, out } = await cli.run('gateway', 'setup', '--yes', '--port', '9001', '--host', '127.0.0.2')
  t.equal(code, 0)
  const env = parseEnv(cli.read('.env'))
  t.match(env, { WEBHOOK_ENABLED: 'true', WEBHOOK_PORT: '9001', WEBHOOK_SECRET: /^[\w-]{43}$/ })
  t.notMatch(out, String(env.WEBHOOK_SECRET))
  t.equal(cli.read('config.yaml').split('\n')[0], '# yaml-language-server: $schema=./headgate.schema.json')
  t.match(JSON.parse(cli.read('headgate.schema.json')), { $id: schema.$id })
  for (const name of ['.env', 'config.yaml']) t.equal(statSync(cli.file(name)).mode & 0o777, 0o600, name)
  const { config, diagnostics } = loadConfig({ dataDir: cli.dir, env: {} })
  t.same(diagnostics, [])
  t.match(config, { enabled: true, port: 9001, host: '127.0.0.2', globalSecret: String(env.WEBHOOK_SECRET) })
  t.match(await cli.run('validate'), { code: 0, out: /0 errors, 0 warnings/ })
  t.match(out, /headgate webhook subscribe[\s\S]*headgate gateway run/)
})

t.test('setup again keeps secret, port, other lines and what is in config.yaml', async (t) => {
  const mine = '# mine\nexport FOO="a b"\nWEBHOOK_PORT=7000\nWEBHOOK_SECRET=\'keep me\'\nWEBHOOK_ENABLED=false\nBAR=1'
  const cli = fakeCli(t, { '.env': mine, 'config.yaml': '# my config\n' }, {})
  const { code, err } = await cli.run('gateway', 'setup', '--yes', '--host', '0.0.0.0')
  t.equal(code, 0)
  t.equal(cli.read('.env'), `${mine.replace('ENABLED=false', 'ENABLED=true')}\n`)
  t.equal(cli.read('config.yaml'), '# my config\nplatforms:\n  webhook:\n    extra:\n      host: 0.0.0.0\n')
  t.match(err, /other machines reach 0\.0\.0\.0/)
  await cli.run('gateway', 'setup', '--yes', '--generate-secret')
  t.match(parseEnv(cli.read('.env')), { FOO: 'a b', BAR: '1', WEBHOOK_PORT: '7000', WEBHOOK_SECRET: /^[\w-]{43}$/ })
})

t.test('setup: a secret from a file reads back as it was', async (t) => {
  for (const secret of ['simple', 'p#ssw0rd=+/', '#x', 'a!b?[c]{d,e}*^', 'größe']) {
    const cli = fakeCli(t, { secret: `${secret}\n` }, {})
    t.match(await cli.run('gateway', 'setup', '--yes', '--secret-file', cli.file('secret')), { code: 0 })
    t.match(cli.read('.env'), `\nWEBHOOK_SECRET=${secret}\n`, 'without quotes: docker would keep them')
    t.equal(loadConfig({ dataDir: cli.dir, env: {} }).config.globalSecret, secret)
  }
  for (const secret of ['a #b', 'a b', '$x', `quote's`, '"', '`', 'a\\b', '~', 'a;b', 'a\nb', 'a ']) {
    const cli = fakeCli(t, { secret: `${secret}\n`, '.env': 'WEBHOOK_SECRET=whsec_\n' }, {})
    t.match(
      await cli.run('gateway', 'setup', '--yes', '--secret-file', cli.file('secret')),
      { code: 2, err: /would not read it alike/ },
      secret,
    )
    t.equal(cli.read('.env'), 'WEBHOOK_SECRET=whsec_\n')
  }
  const cli = fakeCli(t, { secret: 'x', bare: 'whsec_' }, {})
  t.match(await cli.run('gateway', 'setup', '--yes', '--secret-file', cli.file('bare')), { code: 2, err: /nothing follows/ })
  t.match(await cli.run('gateway', 'setup', '--yes', '--secret-file', cli.file('secret'), '--generate-secret'), { code: 2 })
  t.match(await cli.run('gateway', 'setup', '--yes', '--secret-file', cli.file('nope')), { code: 2, err: /--secret-file/ })
})

t.test('setup: a link in place of .env is not written through', async (t) => {
  const cli = fakeCli(t, { elsewhere: 'FOO=1\n' }, {})
  symlinkSync('elsewhere', cli.file('.env'))
  t.match(await cli.run('gateway', 'setup', '--yes'), { code: 6, err: /symbolic link/ })
  t.equal(cli.read('elsewhere'), 'FOO=1\n')
})
