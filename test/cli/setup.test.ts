/** `gateway setup`: the wizard in a real terminal, its plain lines for screen readers, and the same by options. */

import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseEnv } from 'node:util'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { defaultAgentOf } from '../../src/parts/named-agents.ts'
import { presets } from '../../src/parts/schemes/index.ts'
import { targets } from '../../src/parts/targets/index.ts'
import { hasProgram } from '../../src/process/find-program.ts'
import { setupProviders } from '../../src/setup/providers.ts'
import { splitWords, wordsText } from '../../src/setup/words.ts'
import { writeSetup } from '../../src/setup/write-setup.ts'
import { type FakeCli, fakeCli } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'
import { isGone } from '../fakes/process.ts'
import { command } from '../fakes/process-gateway.ts'
import { closedOrigin, json, sink } from '../fakes/sink.ts'
import { type FakeTerminal, keys, openHeadgate, type TerminalOptions } from '../fakes/terminal.ts'
import { until } from '../fakes/wait.ts'

const none = (t: Test, files: { [name: string]: string } = {}): FakeCli => fakeCli(t, files, {})
const setup = (cli: FakeCli, ...args: string[]) => cli.run('gateway', 'setup', '--yes', ...args)
const untouched = (t: Test, cli: FakeCli): void => {
  for (const name of ['.env', 'config.yaml', 'headgate.schema.json']) t.notOk(existsSync(cli.file(name)), `${name} is not written`)
}

t.test('options say all: a route, an agent with its key, a target with its token; secrets only in .env', async (t) => {
  const cli = none(t, { key: 'sk-the-key-of-the-api\n', token: '12345:the-token-of-the-bot\n' })
  const { code, out, err } = await setup(
    cli,
    ...['--route', 'gitlab=reviews', '--runner', 'openai', '--model', 'small-1', '--api-key-file', cli.file('key')],
    ...['--target', 'telegram', '--target-secret-file', `token=${cli.file('token')}`, '--target-setting', 'home_channel=-100123'],
  )
  t.same({ code, err }, { code: 0, err: '' })
  t.match(
    out,
    /sender {3}GitLab.*\/webhooks\/reviews[\s\S]*webhook secret reviews --reveal[\s\S]*gateway run[\s\S]*webhook test reviews --sample/,
  )
  t.match(parseEnv(cli.read('.env')), { OPENAI_API_KEY: 'sk-the-key-of-the-api', TELEGRAM_BOT_TOKEN: '12345:the-token-of-the-bot' })
  for (const secret of ['sk-the-key', '12345']) for (const text of [out, cli.read('config.yaml')]) t.notMatch(text, secret)
  t.match(await cli.run('validate'), { code: 0, out: /0 errors, 0 warnings in 1 route/ })
  const { config } = loadConfig({ dataDir: cli.dir, env: {} })
  t.match(defaultAgentOf(config), { runner: 'openai', model: 'small-1', baseUrl: undefined })
  t.match(config.routes.get('reviews')?.spec, { events: ['merge_request'], verify: 'gitlab', deliver: 'telegram' })
  t.match(config.profiles.get('default')?.platforms, { telegram: { home_channel: '-100123' } })
  t.equal(cli.read('config.yaml').split('\n')[0], '# yaml-language-server: $schema=./headgate.schema.json')
})

t.test('http, and comments of a code host, are set in the route that is made with them', async (t) => {
  const receiver = await sink(t, (response) => json(response, 200, {}))
  const cli = none(t, { secret: 'whsec_bG9uZyBlbm91Z2ggZm9yIGEgc2VjcmV0\n' })
  const delivery = (route: string) => {
    const { deliver, deliver_extra } = loadConfig({ dataDir: cli.dir, env: {} }).config.routes.get(route)?.spec ?? {}
    return { deliver, deliver_extra }
  }
  const addressed = ['--target', 'http', '--target-setting', `url=${receiver.origin}/hook`]
  const signed = [...addressed, '--target-secret-file', `secret=${cli.file('secret')}`]
  t.match(await setup(cli, '--port', '0', '--route', 'github=a', '--target', 'github_comment'), { code: 0 })
  t.match(
    await setup(cli, '--route', 'gitlab=b', '--target', 'gitlab_comment', '--target-setting', 'token=x'),
    { code: 2 },
    'a secret is a file',
  )
  t.match(await setup(cli, '--route', 'gitea=c', ...signed, '--test-target'), { code: 0, err: /HTTP 200/ })
  t.match(receiver.seen, [{ url: '/hook', headers: { 'webhook-signature': /^v1,/ } }])
  t.match(await setup(cli, '--route', 'linear=d', '--target', 'http', '--target-setting', `url=${receiver.origin}/{data.id}`), { code: 0 })
  const { filters } = loadConfig({ dataDir: cli.dir, env: {} }).config.routes.get('a')?.spec ?? {}
  t.same(filters, [{ field: 'action', in: ['opened', 'reopened'] }], 'what else happens to a pull request gets no comment')
  t.same(delivery('a'), { deliver: 'github_comment', deliver_extra: { repo: '{repository.full_name}', pr_number: '{number}' } })
  const secret = 'whsec_bG9uZyBlbm91Z2ggZm9yIGEgc2VjcmV0'
  t.same(delivery('c'), { deliver: 'http', deliver_extra: { url: `${receiver.origin}/hook`, secret } })
  t.notMatch(cli.read('config.yaml'), secret)
  t.same(delivery('d').deliver_extra, { url: `${receiver.origin}/{data.id}` })
  const found = await cli.run('validate', '--no-env')
  t.match(found, { code: 0, out: /^0 errors/m })
  const warnings = [...found.out.matchAll(/warning\[(WH\d+)\]/g)].map(([, code]) => code)
  t.same(warnings, hasProgram('gh', process.env.PATH ?? '') ? [] : ['WH709'], 'only a missing gh is warned of')
  t.match(await setup(cli, '--route', 'gitea=e', '--target', 'http', '--target-setting', 'url=https://{x}/'), {
    code: 2,
    err: /fixed host/,
  })
  t.match(await setup(cli, '--route', 'gitea=e', '--target', 'http'), { code: 2, err: /target-setting url/ })
  t.match(await setup(cli, '--route', 'linear=e', '--target', 'github_comment'), { code: 2, err: /none of the choices/ })
  t.match(await setup(cli, ...addressed), { code: 2, err: /none of the choices/ })
})

t.test('again with the same: no change, and the secret stays', async (t) => {
  const cli = none(t)
  const args = ['--port', '0', '--route', 'github']
  t.match(await setup(cli, ...args), { code: 0 })
  const before = ['.env', 'config.yaml'].map(cli.read)
  t.match(await setup(cli, '--port', '0'), { code: 0, out: /^no change\n/ })
  t.same(['.env', 'config.yaml'].map(cli.read), before)
  t.match(await setup(cli, ...args), { code: 0 })
  t.match(cli.read('config.yaml'), /github-pull-requests-2:/, 'the same sender again is a route more')
})

const commented = `# of the office
platforms:
  webhook:
    enabled: true   # since spring
    extra:
      host: 127.0.0.1   # the proxy is beside it
      port: 0
      secret: 'a secret of thirty characters!'
      routes:
        # keep this one
        mine: { prompt: "hello {name}" }

agent: { runner: echo }  # for now
`

t.test('a config.yaml with comments is changed where it must be, and nowhere else', async (t) => {
  const cli = none(t, { 'config.yaml': commented })
  t.match(await setup(cli, '--host', 'localhost', '--route', 'github', '--runner', 'command', '--command', "sh -c 'cat; echo ok'"), {
    code: 0,
    out: /wrote .*config\.yaml/,
    err: '',
  })
  const after = cli.read('config.yaml')
  const isNew = (line: string): boolean => !commented.split('\n').includes(line)
  t.match(after.split('\n').filter(isNew)[0], 'host: localhost   # the proxy is beside it')
  t.same(
    commented.split('\n').filter((line) => !after.split('\n').includes(line)),
    ['      host: 127.0.0.1   # the proxy is beside it', 'agent: { runner: echo }  # for now'],
  )
  t.match(after, '# for now')
  t.same(parseEnv(cli.read('.env')), { WEBHOOK_ENABLED: 'true' }, 'port and secret are set in the file already')
  const { config, diagnostics } = loadConfig({ dataDir: cli.dir, env: {} })
  t.same(diagnostics, [])
  t.match(config, { host: 'localhost', port: 0 })
  t.match(defaultAgentOf(config), { runner: 'command', command: ['sh', '-c', 'cat; echo ok'] })
  t.same([...config.routes.keys()], ['mine', 'github-pull-requests'])
})

t.test('another runner: address and key of the one before do not stay', async (t) => {
  const agent = 'agent: { runner: openai, model: m, base_url: "http://old.example/v1", api_key: sk-the-old-key } # mine\n'
  const cli = none(t, { 'config.yaml': agent, key: 'sk-the-new-key' })
  const args = ['--runner', 'anthropic', '--model', 'n', '--api-key-file', cli.file('key')]
  t.match(await setup(cli, '--port', '0', ...args), { code: 0 })
  const { config } = loadConfig({ dataDir: cli.dir, env: {} })
  t.match(defaultAgentOf(config), { runner: 'anthropic', model: 'n', baseUrl: 'https://api.anthropic.com/v1', apiKey: 'sk-the-new-key' })
  t.match(cli.read('config.yaml'), /# mine$/m)
  t.notMatch(cli.read('config.yaml'), /sk-/)
})

t.test('an API that is not the own one of the runner: the file says that it gets the key', async (t) => {
  const cli = none(t, { key: 'sk-the-key-of-the-proxy' })
  const args = ['--port', '0', '--runner', 'openai', '--model', 'm', '--base-url', 'https://proxy.example/v1']
  t.match(await setup(cli, ...args, '--api-key-file', cli.file('key')), { code: 0 })
  const { config, diagnostics } = loadConfig({ dataDir: cli.dir, env: {} })
  t.same(diagnostics, [])
  t.match(cli.read('config.yaml'), 'api_key: ${OPENAI_API_KEY}')
  t.equal(defaultAgentOf(config).apiKey, 'sk-the-key-of-the-proxy')
  t.match(await setup(cli, ...args), { code: 0 }, 'the key is known the next time')
  const other = none(t, { '.env': 'OPENAI_API_KEY=sk-the-key-of-openai\n' })
  t.match(await setup(other, ...args), { code: 2, err: /--api-key-file/ }, 'the key of OpenAI is not taken for it')
})

t.test('what an edit cannot do without harm is left to the user, with the lines to write; the rest is done', async (t) => {
  const shared = 'x-agent: &a { runner: echo }\nagent: *a\nplatforms: { webhook: { extra: { host: 127.0.0.1, port: 0 } } }\n'
  const cli = none(t, { 'config.yaml': shared })
  const { code, err } = await setup(cli, '--runner', 'command', '--command', 'cat', '--host', 'localhost')
  t.equal(code, 0)
  t.match(err, /not_changed\].*set agent\.runner by hand \(.+\)\n {2}agent:.*runner: command/)
  t.match(cli.read('config.yaml'), 'host: localhost')
  t.match(cli.read('config.yaml'), 'x-agent: &a { runner: echo }\nagent: *a\n')
  const { data } = JSON.parse((await setup(cli, '--runner', 'command', '--command', 'cat', '--json')).out)
  t.same(data.by_hand, ['agent:\n  runner: command\n', 'agent:\n  command:\n    - cat\n'])
})

t.test('--json with --yes: the envelope; without --yes, or with --start: exit 2', async (t) => {
  const cli = none(t)
  const { code, out } = await setup(cli, '--json', '--port', '0')
  t.equal(code, 0)
  const { kind, data } = JSON.parse(out)
  t.match(
    { kind, data },
    { kind: 'gateway.setup', data: { port: 0, secret: 'generated', config_written: true, changed: ['env', 'config', 'schema'] } },
  )
  t.match(await cli.run('gateway', 'setup', '--json'), { code: 2, out: /--yes/ })
  t.match(await setup(cli, '--json', '--start'), { code: 2, out: /--start/ })
})

t.test('without a terminal and without --yes: exit 2, the options are named', async (t) => {
  const cli = none(t)
  for (const more of [[], ['--screen-reader'], ['--route', 'github']])
    t.match(await cli.run('gateway', 'setup', ...more), {
      code: 2,
      err: /nobody is at the terminal[\s\S]*--yes .*--port.*--secret-file.*--route/,
    })
  const terminal = { input: process.stdin, output: process.stderr }
  t.match(await cli.runWith({ terminal }, 'gateway', 'setup', '--no-input'), { code: 2, err: /--yes/ })
  untouched(t, cli)
})

t.test('options that do not do: exit 2, what and why; nothing is written', async (t) => {
  const cli = none(t, { short: 'abc', empty: '\n', blank: 'a b', feed: 'a\nB=1', next: 'a\u0085B=1' })
  const cases: [args: string[], err: RegExp][] = [
    [['--port', '99999'], /port from 0 to 65535/],
    [['--host', 'two words'], /--host: "two words" is no address/],
    [['--host', ''], /--host: /],
    [['--route', 'githbu'], /--route: "githbu" is none of the choices\n {2}did you mean github/],
    [['--route', 'github=no/slash'], /--route: /],
    [['--runner', 'opnai'], /did you mean openai/],
    [['--runner', 'openai', '--api-key-file', cli.file('short')], /no answer: pass --model/],
    [['--runner', 'openai', '--model', 'm'], /no answer: pass --api-key-file/],
    [['--runner', 'openai', '--base-url', 'ftp://x'], /--base-url: .*http/],
    [['--runner', 'command', '--command', "sh 'x"], /a quote in it does not end/],
    [['--model', 'm'], /--model has no meaning/],
    [['--send-first'], /--send-first has no meaning/],
    [['--target', 'telegram'], /pass --target-secret-file token=<file>/],
    [['--target', 'telegram', '--target-setting', 'token'], /write key=value/],
    [['--target', 'telegram', '--target-setting', 'token=canary'], /: it is a secret\n {2}pass --target-secret-file token=<file>\n$/],
    [['--target', 'telegram', '--target-secret-file', `tokn=${cli.file('short')}`], /token=<file>/],
    [['--target', 'telegram', '--target-secret-file', `token=${cli.file('empty')}`], /is empty/],
    [['--target', 'telegram', '--target-secret-file', `token=${cli.file('blank')}`], /would not read it alike/],
    [['--target', 'telegram', '--target-secret-file', `token=${cli.file('feed')}`], /would not read it alike/],
    [['--target', 'telegram', '--target-secret-file', `token=${cli.file('next')}`], /would not read it alike/],
  ]
  for (const [args, err] of cases) t.match(await setup(cli, ...args), { code: 2, out: '', err }, args.join(' '))
  untouched(t, cli)
})

t.test('what is weak is warned of, and taken from options', async (t) => {
  const cli = none(t, { short: 'abc' })
  t.match(await setup(cli, '--secret-file', cli.file('short')), { code: 0, err: /--secret-file: the secret has only 3 characters/ })
  t.match(await setup(cli, '--host', '0.0.0.0'), { code: 0, err: /other machines reach 0\.0\.0\.0/ })
  const held = await sink(t, (response) => json(response, 200, {}))
  t.match(await setup(cli, '--port', new URL(held.origin).port), { code: 0, err: /another program listens on port/ })
  t.match(await cli.runWith({ env: { HEADGATE_HOME: cli.dir, WEBHOOK_PORT: '1' } }, 'gateway', 'setup', '--yes', '--port', '0'), {
    code: 0,
    err: /overruled\].*WEBHOOK_PORT/,
  })
})

t.test('--test-agent: one prompt; an agent that fails is told of in words, exit 1, and nothing is written', async (t) => {
  const cli = none(t, { key: 'sk-a-key-that-is-refused' })
  const command = (line: string) => setup(cli, '--port', '0', '--runner', 'command', '--command', line, '--test-agent')
  t.match(await command("sh -c 'exit 3'"), { code: 1, err: /the agent does not answer: the agent command: .*3/ })
  t.match(await command('/nowhere/agent'), { code: 1, err: /the agent does not answer/ })
  const api = await sink(t, (response) => json(response, 401, { error: { code: 'invalid_api_key', message: 'sk-a-key' } }))
  const model = ['--runner', 'openai', '--model', 'm', '--base-url', `${api.origin}/v1`, '--api-key-file', cli.file('key'), '--test-agent']
  const refused = await setup(cli, ...model)
  t.match(refused, { code: 1, err: /the model's API answered HTTP 401 \(invalid_api_key\)/ })
  t.notMatch(refused.err, 'sk-a')
  t.equal(api.seen.length, 1)
  untouched(t, cli)
  t.match(await command("sh -c 'cat >/dev/null; echo ready'"), { code: 0, err: /the agent answers: ready/ })
})

t.test('a relative command is found again: in the data directory as it stands, from elsewhere by its whole path', async (t) => {
  const script = '#!/bin/sh\ncat >/dev/null; echo ready\n'
  const cli = none(t, { agent: script, 'sub/config.yaml': '{}\n' })
  chmodSync(cli.file('agent'), 0o755)
  const command = (line: string) => setup(cli, '--port', '0', '--runner', 'command', '--command', line, '--test-agent')
  t.match(await command('./agent --now'), { code: 0, err: /the agent answers: ready/ })
  t.match(cli.read('config.yaml'), 'command:\n    - ./agent\n    - --now\n')
  const before = cli.read('config.yaml')
  t.match(await setup(cli, '--command', './agent --now'), { code: 0, out: /^no change/ })
  t.equal(cli.read('config.yaml'), before)
  t.match(await cli.run('doctor'), { out: new RegExp(`^ok +agent +command ${cli.file('agent')}$`, 'm') })
  const other = relative(process.cwd(), cli.file('agent'))
  const inSub = ['--data-dir', cli.file('sub'), 'gateway', 'setup', '--yes', '--port', '0', '--runner', 'command', '--command', other]
  t.match(await cli.run(...inSub, '--test-agent'), { code: 0, err: /the agent answers: ready/ })
  t.match(cli.read('sub/config.yaml'), `"${cli.file('agent')}"`)
  t.match(await setup(cli, '--command', './nowhere'), { code: 0, err: /\.\/nowhere is not there/ })
})

t.test('--test-target: a real message by the settings that are about to be written', async (t) => {
  const cli = none(t, { token: 'the-token-of-the-bot' })
  const chat = await sink(t, (response) => json(response, 201, { id: 'p1' }))
  const args = (url: string) => [
    ...['--port', '0', '--target', 'mattermost', '--target-setting', `url=${url}`, '--target-secret-file', `token=${cli.file('token')}`],
    ...['--target-setting', `home_channel=${'c'.repeat(26)}`, '--test-target'],
  ]
  const failed = await setup(cli, ...args(await closedOrigin()))
  t.match(failed, { code: 1, err: /not sent: / })
  untouched(t, cli)
  const sent = await setup(cli, ...args(chat.origin))
  t.match(sent, { code: 0, err: /sent/ }, sent.err)
  t.match(chat.seen.map(({ body }) => body).join('\n'), 'This is a test message from headgate.')
})

t.test('all files or none: when one cannot be written, those before it are as they were', async (t) => {
  const cli = none(t, { old: 'before' })
  const change = (name: string, before: string | undefined) => ({ name: 'env', file: cli.file(name), before, after: 'after' }) as const
  const unwritable = { ...change('old', undefined), file: '/proc/headgate-setup' }
  await t.rejects(writeSetup({ changes: [change('old', 'before'), change('new', undefined), unwritable] }), /cannot write/)
  t.equal(cli.read('old'), 'before')
  t.notOk(existsSync(cli.file('new')))
  await t.rejects(writeSetup({ changes: [change('new', undefined), change('old', 'something else')] }), /has changed meanwhile/)
  t.notOk(existsSync(cli.file('new')))
})

/** Keys of nobody, as docs/senders.md shows them. */
const sendgridKey =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKmxoi4MgGf3sK9KiQYL8/bzRTle9WOU//P6hYpoaPJAhuwtDANQnGfCPUoM8wm4TGh6Ipryl2LdK1/E7Jg/uoA=='
const publicKeys: { readonly [name: string]: string } = {
  discord: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  sendgrid: sendgridKey,
  sendgrid_inbound: sendgridKey,
}

t.test('files that are read-only are kept by every command, and by the wizard before it asks', async (t) => {
  const cli = none(t, { 'hooks.yaml': '- { id: x, execute-command: /bin/true }\n' })
  t.match(await setup(cli), { code: 0 })
  t.match(await cli.run('webhook', 'subscribe', 'a', '--prompt', 'p'), { code: 0 })
  cli.write('config.yaml', cli.read('config.yaml').replace('enabled: true', 'enabledd: true'))
  const names = ['config.yaml', '.env', 'webhook_subscriptions.json']
  const before = names.map(cli.read)
  for (const name of names) chmodSync(cli.file(name), 0o444)
  const refused = { code: 6, err: /may not be written \(mode 0444\): it is kept as it is\n {2}.*chmod u\+w / }
  for (const argv of [
    ['gateway', 'setup', '--yes', '--port', '9000'],
    ['gateway', 'setup', '--yes', '--route', 'github'],
    ['validate', '--fix'],
    ['schema', 'install', '--jetbrains'],
    ['import', 'adnanh', cli.file('hooks.yaml'), '--into'],
    ['import', 'adnanh', cli.file('hooks.yaml'), '--out', cli.file('config.yaml'), '--force'],
    ['webhook', 'disable', 'a'],
    ['webhook', 'remove', 'a', '--yes'],
  ])
    t.match(await cli.run(...argv), refused, argv.join(' '))
  t.same(names.map(cli.read), before)
  t.notOk(existsSync(cli.file('webhook_subscriptions.json.bak')))
  t.match(await setup(cli), { code: 0, out: /^no change/ })
  const { terminal } = openWizard(t, { home: cli.dir })
  t.equal(await terminal.exited, 6)
  t.match(terminal.text(), /config\.yaml may not be written/)
})

t.test('every sender: its route starts, and its sample comes through', async (t) => {
  t.ok(
    presets.every(({ name }) => setupProviders.some((each) => each.name === name)),
    'each preset is offered',
  )
  for (const { name, route, sample, key } of setupProviders) {
    const cli = none(t, { secret: `whsec_${Buffer.from('a secret of thirty characters!').toString('base64')}` })
    const secret = key === 'theirs' ? ['--route-secret-file', cli.file('secret')] : []
    const theirs = key === 'public' ? ['--route-public-key', publicKeys[name] ?? ''] : secret
    t.match(await setup(cli, '--port', '0', '--route', name, ...theirs), { code: 0, err: '' }, name)
    // What is weak about a sender's own scheme is said, and nothing else.
    const weak = presets.find((preset) => preset.name === name)?.notes?.filter(({ code }) => code !== 'WH315').length ?? 0
    const { code, out: said } = await cli.run('validate')
    t.match({ code, said }, { code: 0, said: new RegExp(`0 errors, ${weak} warnings? in 1 route`) }, name)
    const { out } = await cli.run('webhook', 'trace', route, '--sample', sample, '--json')
    t.match(JSON.parse(out).data, { outcome: 'accepted', unresolved: [] }, name)
  }
  for (const given of [[], ['--route-public-key', '']]) {
    t.match(await setup(none(t), '--port', '0', '--route', 'discord', ...given), { code: 2, err: /route-public-key/ })
  }
})

t.test('a sender that makes its key: without it the route is made, but off, and setup says what to do', async (t) => {
  const cli = none(t)
  const { code, out } = await setup(cli, '--port', '0', '--route', 'stripe=pay')
  t.equal(code, 0)
  t.match(out, /^off {6}until the key is here: the signing secret of the destination/m)
  t.match(
    out,
    /put STRIPE_SIGNING_SECRET=<the key> into .*\.env,\n.*write secret: \$\{STRIPE_SIGNING_SECRET\} in the place of enabled: false/,
  )
  const route = () => loadConfig({ dataDir: cli.dir, env: {} }).config.routes.get('pay')?.spec
  t.match(route(), { verify: 'stripe', enabled: false })
  t.match(await cli.run('validate'), { code: 0, out: /0 errors, 0 warnings in 1 route/ })
  cli.write('.env', `${cli.read('.env')}STRIPE_SIGNING_SECRET=whsec_0123456789abcdefghij\n`)
  cli.write('config.yaml', cli.read('config.yaml').replace('enabled: false', 'secret: ${STRIPE_SIGNING_SECRET}'))
  t.match(await cli.run('webhook', 'trace', 'pay', '--sample', 'stripe/checkout.session.completed'), { code: 0 })
  t.match(
    await setup(cli, '--route', 'jira=j'),
    { code: 0, out: /^secret {3}headgate webhook secret j --reveal$/m },
    'one that is chosen is ours',
  )
})

t.test('every setting that a target needs and that is secret has a variable', (t) => {
  for (const { name, needs = [], settings = [] } of targets)
    for (const key of needs.flat()) {
      const setting = settings.find((each) => each.key === key)
      t.ok(!setting?.secret || setting.env.length > 0, `${name}.${key}`)
    }
  t.end()
})

t.test('a command line as words', (t) => {
  t.same(splitWords(`my-agent --print 'a b' "c \\"d\\"" e\\ f g'h'`), ['my-agent', '--print', 'a b', 'c "d"', 'e f', 'gh'])
  t.same([splitWords(`a 'b`), splitWords('a "b'), splitWords('a \\'), splitWords('  ')], [undefined, undefined, undefined, []])
  for (const words of [
    ['a', "it's"],
    ['', '$x', 'a b'],
  ])
    t.same(splitWords(wordsText(words)), words)
  t.end()
})

type Step = readonly [see: string, ...press: string[]]

/** All questions of a first run, answered with Enter but for the port: 0, because another program could take a port that was free before. */
const firstRun: readonly Step[] = [
  ['Enable the webhook adapter?', keys.enter],
  ['Which address should it listen on?', keys.enter],
  ['Which port should it listen on?', '0', keys.enter],
  ['Which secret should senders sign with', keys.enter],
  ['Who sends the first events?', keys.enter],
  ['What should the route be called?', keys.enter],
  ['Which agent should answer', keys.enter],
  ['Where should replies go', keys.enter],
  ['Start the gateway', keys.enter],
  ['Send it a first event', keys.enter],
  ['Write this?', keys.enter],
]

type Wizard = { readonly home: string; readonly terminal: FakeTerminal; readonly go: (...steps: readonly Step[]) => Promise<void> }

const openWizard = (
  t: Test,
  { home = join(newFolder(t), 'home'), args = [] as string[], ...options }: TerminalOptions & { home?: string; args?: string[] } = {},
): Wizard => {
  const terminal = openHeadgate(t, ['--data-dir', home, 'gateway', 'setup', ...args], { rows: 40, columns: 120, ...options })
  const isPlain = args.includes('--screen-reader') || options.env?.TERM === 'dumb'
  const go = async (...steps: readonly Step[]): Promise<void> => {
    for (const [text, ...press] of steps) {
      // The mark of the question that is asked now; earlier ones are still on the screen.
      await terminal.see(isPlain ? text : `◆  ${text}`)
      terminal.press(...press)
    }
  }
  return { home, terminal, go }
}

t.test('a first run with Enter: files, the gateway, and a first event that is delivered', async (t) => {
  const { home, terminal, go } = openWizard(t)
  await go(...firstRun)
  await terminal.see(/end +done -> log/)
  const shown = terminal.text()
  t.match(shown, /<-- 202 accepted[\s\S]*Review pull request #2 "Update the README with new information\."/)
  const { WEBHOOK_SECRET = '', ...env } = parseEnv(readFileSync(join(home, '.env'), 'utf8'))
  t.same(env, { WEBHOOK_ENABLED: 'true', WEBHOOK_PORT: '0' })
  t.notMatch(terminal.written(), WEBHOOK_SECRET)
  t.notMatch(shown, /Warning|undefined/)
  t.match(command({ dir: home }, 'gateway', 'reload'), { status: 0, stdout: /^reloaded / }, 'a gateway that the wizard started, too')
  terminal.press(keys.interrupt)
  t.equal(await terminal.exited, 0)

  const again = openWizard(t, { home })
  await again.go(['Enable', keys.enter], ['Which address', keys.enter], ['Which port', keys.enter])
  await again.terminal.see(/keep the one that is set \(fingerprint [0-9a-f]{8}\)/)
  again.terminal.press(keys.enter)
  await again.go(
    ['Who sends', keys.enter],
    ['Which agent', keys.enter],
    ['Where should', keys.enter],
    ['Start the', keys.right, keys.enter],
  )
  t.equal(await again.terminal.exited, 0)
  t.match(again.terminal.text(), /\nno change\n/)
  t.notMatch(again.terminal.written(), WEBHOOK_SECRET)
})

t.test('Ctrl-C, Ctrl-D in plain lines, and SIGTERM leave nothing behind: exit 130', async (t) => {
  const steps = firstRun
  const walk = async (count: number): Promise<void> => {
    const { home, terminal, go } = openWizard(t, { home: join(t.testdirName, `home-${count}`) })
    await go(...steps.slice(0, count), [steps[count]?.[0] ?? '', keys.interrupt])
    t.equal(await terminal.exited, 130, `at question ${count + 1}`)
    t.notOk(existsSync(home))
    t.match(terminal.text(), /cancelled/)
  }
  for (let at = 0; at < steps.length; at += 3) await Promise.all([at, at + 1, at + 2].filter((count) => steps[count]).map(walk))

  const plain = openWizard(t, { args: ['--screen-reader'] })
  await plain.go(['Enable', keys.enter], ['Which address', keys.endOfFile])
  t.equal(await plain.terminal.exited, 130)
  const signalled = openWizard(t)
  await signalled.go(['Enable', keys.enter], ['Which address'])
  signalled.terminal.kill('SIGTERM')
  t.equal(await signalled.terminal.exited, 130)
  for (const { home } of [plain, signalled]) t.notOk(existsSync(home))
})

t.test('an answer that does not do is asked for again', async (t) => {
  const { home, terminal, go } = openWizard(t)
  await go(['Enable', keys.enter], ['Which address', 'two words', keys.enter])
  await terminal.see('"two words" is no address')
  await go(['Which address', '127.0.0.1', keys.enter], ['Which port', '99999', keys.enter])
  await terminal.see(/65535/)
  await go(['Which port', '0', keys.enter], ['Which secret', keys.down, keys.enter])
  await go(['What is the secret?', 'abc', keys.enter])
  await terminal.see('the secret has only 3 characters')
  await go(['Take it all the same?', keys.enter], ['What is the secret?', 'abd', keys.enter], ['Take it all the same?', 'y'])
  await go(['Who sends', keys.interrupt])
  t.equal(await terminal.exited, 130)
  t.notMatch(terminal.written(), /ab[cd]/)
  t.notOk(existsSync(home))
})

t.test('an agent that fails can be changed, and one that is waited for is ended by Ctrl-C', async (t) => {
  const dir = newFolder(t)
  const home = join(dir, 'home')
  const known = ['--host', '127.0.0.1', '--port', '0', '--generate-secret', '--route', 'github=r', '--target', 'none', '--start']
  const { terminal, go } = openWizard(t, { home, args: [...known, '--send-first', '--runner', 'command', '--command', "sh -c 'exit 3'"] })
  const file = join(dir, 'pid')
  await go(['Enable', keys.enter], ['Try the agent now', keys.enter])
  await terminal.see('the agent does not answer: the agent command')
  await go(['Answer these questions again?', keys.enter], ['Which agent should answer', keys.up, keys.enter])
  await go(['Which program is it', `sh -c 'echo $$ > ${file}; sleep 60'`, keys.enter], ['Try the agent now', keys.enter])
  const pid = await until(() => existsSync(file) && Number(readFileSync(file, 'utf8')))
  terminal.press('canary', keys.enter, keys.interrupt)
  t.equal(await terminal.exited, 130)
  t.notMatch(terminal.written(), 'canary', 'what is typed while nothing is asked may be a secret')
  t.ok(await isGone(pid))
  t.notOk(existsSync(home))
})

t.test('NO_COLOR takes the colours, TERM=dumb and --screen-reader all that is drawn', async (t) => {
  const colourless = openWizard(t, { env: { NO_COLOR: '1' } })
  await colourless.go(['Enable', keys.enter], ['Which address', keys.interrupt])
  t.equal(await colourless.terminal.exited, 130)
  t.notMatch(colourless.terminal.written(), /\u001b\[[\d;]*m/)
  const dumb = openWizard(t, { env: { TERM: 'dumb' } })
  await dumb.go(['Enable the webhook adapter? 1 yes, 2 no', keys.interrupt])
  t.equal(await dumb.terminal.exited, 130)
})

t.test('in plain lines what is typed ahead answers, and is shown where it is no secret', async (t) => {
  const { terminal, go } = openWizard(t, { args: ['--screen-reader'], columns: 200, rows: 120 })
  const ahead = ['1', '127.0.0.2', '0', '2', 'canary-canary-canary-17', String(setupProviders.length + 1)].map(
    (line) => `${line}${keys.enter}`,
  )
  await go(['Enable the webhook adapter?', ...ahead], ['Which agent should answer', keys.interrupt])
  t.equal(await terminal.exited, 130)
  t.match(terminal.text(), /Enter for yes: 1\nWhich address should it listen on\? Enter for 127\.0\.0\.1\. 127\.0\.0\.2\n/)
  t.match(terminal.text(), /Type a number, or Enter for 1: 2\nWhat is the secret\? What you type is not shown: \n/)
  t.notMatch(terminal.written(), 'canary')

  const again = openWizard(t, { args: ['--screen-reader'], columns: 200, rows: 120 })
  await again.go(['Enable', keys.enter], ['Which address', `x${keys.backspace}127.0.0.3`, keys.enter], ['Which port', keys.interrupt])
  t.equal(await again.terminal.exited, 130)
  t.match(
    again.terminal.text(),
    /\nWhich address should it listen on\? Enter for 127\.0\.0\.1\. 127\.0\.0\.3\n/,
    'a backspace leaves the question',
  )
})

t.test('by screen reader: a sentence for each question, numbers for choices, nothing drawn', async (t) => {
  const { home, terminal, go } = openWizard(t, { args: ['--screen-reader'], columns: 200, rows: 120 })
  await go(
    ['Enable the webhook adapter? 1 yes, 2 no, Enter for yes: ', '1', keys.enter],
    ['Which address should it listen on? Enter for 127.0.0.1. ', keys.enter],
    ['Enter for 8644. ', '0', keys.enter],
    ['Type a number, or Enter for 1: ', '2', keys.enter],
    ['What you type is not shown: ', 'three words and a number 17'.replaceAll(' ', '-'), keys.enter],
    ['1. GitHub: pull requests', '99', keys.enter],
  )
  await terminal.see(/none of the choices\.[\s\S]*or Enter for 1:\s*$/)
  terminal.press('2', keys.enter)
  await go(
    ['Enter for gitlab-merge-requests. ', keys.enter],
    ['Which agent should answer', keys.enter],
    ['Where should replies go', keys.enter],
    ['Start the gateway', '2', keys.enter],
    ['Write this? 1 yes, 2 no', 'y', keys.enter],
  )
  t.equal(await terminal.exited, 0)
  t.match(terminal.text(), /3\. Gitea or Forgejo[\s\S]*wrote .*config\.yaml/)
  t.notMatch(terminal.written(), /three-words/)
  t.notMatch(terminal.text(), /[^\n\x20-\x7e…]/, 'no box characters')
  t.match(parseEnv(readFileSync(join(home, '.env'), 'utf8')), { WEBHOOK_SECRET: 'three-words-and-a-number-17' })
})
