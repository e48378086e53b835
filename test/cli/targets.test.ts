/** `targets`: which are connected, and a real test message to one, with no gateway running. */

import { chmodSync } from 'node:fs'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { targets } from '../../src/parts/targets/index.ts'
import { type FakeCli, fakeCli } from '../fakes/cli.ts'
import { startDouble } from '../fakes/platforms/double.ts'
import { telegram } from '../fakes/platforms/telegram.ts'
import { json, sink } from '../fakes/sink.ts'

type Row = { readonly name: string; readonly state: string; readonly missing: readonly string[]; readonly has_home_channel: boolean }

const rows = async (cli: FakeCli, ...argv: string[]): Promise<{ readonly [name: string]: Row }> => {
  const { code, out } = await cli.run('targets', 'list', '--json', ...argv)
  t.equal(code, 0)
  const { kind, data } = JSON.parse(out)
  t.equal(kind, 'targets.list')
  return Object.fromEntries((data.targets as Row[]).map((row) => [row.name, row]))
}

t.test('list: every target, with what it lacks, by the settings of the profile', async (t) => {
  const config = {
    gateway: { multiplex_profiles: true },
    platforms: {
      telegram: { token: '${TOKEN}', home_channel: '-1' },
      homeassistant: { enabled: false },
      teams: { webhook_url: 'ftp://x' },
      discord: { webhook_url: 'https://discord.com/webhooks/123456789012345678/canary' },
      email: { address: 'me@example.org', smtp_host: 'mail.example.org', smtp_port: 'canary' },
    },
  }
  const cli = fakeCli(
    t,
    { 'config.yaml': stringify(config), '.env': 'TOKEN=canary-token\n', 'profiles/other/config.yaml': '' },
    { PATH: '' },
  )
  const found = await rows(cli)
  t.same(
    Object.keys(found),
    targets.map(({ name }) => name),
  )
  t.match(found, {
    log: { state: 'ready', missing: [], has_home_channel: false },
    http: { state: 'ready' },
    telegram: { state: 'connected', missing: [], has_home_channel: true },
    homeassistant: { state: 'off' },
    teams: { state: 'missing', missing: ['webhook_url as a web address'] },
    discord: { state: 'missing', missing: ['webhook_url as the address of a webhook'] },
    email: { state: 'missing', missing: ['smtp_port as a port from 1 to 65535'] },
    whatsapp: { state: 'missing', missing: [/\w/] },
    github_comment: { state: 'missing', missing: ['gh on the PATH'] },
  })
  t.match(await rows(cli, '--profile', 'other'), { telegram: { state: 'missing', missing: ['token'], has_home_channel: false } })
  t.match(await cli.run('targets', 'list', '--profile', 'none'), { code: 5 })
  const { out, err } = await cli.run('targets', 'list')
  t.match(out, /^telegram +connected +home channel$/m)
  t.match(out, /^github_comment +missing: gh on the PATH +-$/m)
  t.notMatch(out + err, 'canary')
})

t.test('list: each way that would connect a target, with its names in the environment; targets alone lists', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': 'platforms: { slack: { token: x } }\n' }, { PATH: '' })
  const { out } = await cli.run('targets', 'list')
  t.match(out, /^discord +missing: token +- +token \(DISCORD_BOT_TOKEN\); or webhook_url \(DISCORD_WEBHOOK_URL\)$/m)
  t.match(out, /^sms .*; or api_key \(VONAGE_API_KEY\), api_secret \(VONAGE_API_SECRET\), from \(VONAGE_FROM\)$/m)
  t.match(out, /^slack +connected +-$/m)
  const found = await rows(cli)
  t.match(found, { slack: { ways: ['token (SLACK_BOT_TOKEN)', 'webhook_url (SLACK_WEBHOOK_URL)'] }, log: { ways: [] }, http: { ways: [] } })
  t.equal((await cli.run('targets')).out, out)
  t.match(await cli.run('targets', '--json', '--profile', 'none'), { code: 5 })
  t.match(await cli.run('targets', 'lst'), { code: 2, err: /unknown command 'lst'[\s\S]*did you mean "list"/ })
  t.match(await cli.run('targets', '--help'), { code: 0, out: /test \[options\] \[name\]/ })
})

t.test('list: github_comment is ready where gh can be run', async (t) => {
  const cli = fakeCli(t, { 'bin/gh': '#!/bin/sh\n', 'config.yaml': '{}' })
  const list = async (): Promise<string> =>
    (await cli.runWith({ env: { HEADGATE_HOME: cli.dir, PATH: `/none:${cli.file('bin')}` } }, 'targets', 'list')).out
  t.match(await list(), /^github_comment +missing/m, 'not executable')
  chmodSync(cli.file('bin/gh'), 0o755)
  t.match(await list(), /^github_comment +ready/m)
})

t.test('list: a plugin that cannot be loaded is a warning, the others are listed', async (t) => {
  const config = 'plugins: [./gone.mjs, ./p.mjs]\nplatforms: { acme-chat: { token: x } }\n'
  const plugin = "export const target = { name: 'acme-chat', send() {}, needs: [['token']] }"
  const { code, out, err } = await fakeCli(t, { 'config.yaml': config, 'p.mjs': plugin }).run('targets', 'list')
  t.match({ code, err }, { code: 0, err: /^warning\[WH710\] .*gone\.mjs/ })
  t.match(out, /^acme-chat +connected/m)
})

/** A command line whose telegram is a double. */
const withTelegram = async (t: Test, wrong = false) => {
  const double = await startDouble(t, telegram)
  const settings = wrong ? telegram.wrong?.(double.origin) : telegram.settings(double.origin)
  const config = stringify({ platforms: { telegram: { ...settings, home_channel: telegram.chat } } })
  return { double, cli: fakeCli(t, { 'config.yaml': config, 'text.txt': 'from a file' }) }
}

t.test('test: sends to the home channel or to --to, and says what came back', async (t) => {
  const { cli, double } = await withTelegram(t)
  t.match(await cli.run('targets', 'test', 'telegram', '--yes'), { code: 0, out: /^sent +telegram: to -100123\n$/, err: '' })
  const { out } = await cli.run(
    ...[
      'targets',
      'test',
      'telegram',
      '--yes',
      '--json',
      '--to',
      '-100123',
      '--extra',
      'thread_id=77',
      '--text',
      `@${cli.file('text.txt')}`,
    ],
  )
  t.match(JSON.parse(out), {
    kind: 'targets.test',
    ok: true,
    data: { target: 'telegram', profile: 'default', sent: true, detail: 'to -100123' },
  })
  t.match(double.accepted, [{ text: /headgate/ }, { text: 'from a file', thread: '77' }])
  t.match(await cli.run('targets', 'test', 'telegram', '-y', '--to', '-100999'), { code: 1, out: /^failed +telegram: .*chat not found/ })
  t.equal(double.accepted.length, 2)
})

t.test('test: asks first; where nobody can be asked it needs --yes, and nothing is sent', async (t) => {
  const { cli, double } = await withTelegram(t)
  t.match(await cli.run('targets', 'test', 'telegram'), { code: 2, err: /--yes/ })
  const asked: string[] = []
  const answering = (answer: string) => ({
    ask: async (question: string) => {
      asked.push(question)
      return answer
    },
  })
  t.match(await cli.runWith(answering(''), 'targets', 'test', 'telegram'), { code: 130 })
  t.equal(double.seen.length, 0)
  t.match(await cli.runWith(answering('y'), 'targets', 'test', 'telegram'), { code: 0 })
  t.equal(double.accepted.length, 1)
  t.match(asked[0], /real message to telegram/)
})

t.test('test: what is not connected is said before anybody is asked', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': 'platforms: { slack: { enabled: false } }\n' }, { PATH: '' })
  const ask = async () => t.fail('asked')
  const io = { ask: ask as () => Promise<never>, stdin: ask as () => Promise<never> }
  const test = (target: string, ...more: string[]) => cli.runWith(io, 'targets', 'test', target, '--text', '@-', ...more)
  const discord = await test('discord', '--to', '123456789012345678')
  t.match(discord, {
    code: 1,
    out: /^failed +discord: not connected: set platforms\.discord\.token; .* token \(DISCORD_BOT_TOKEN\); or webhook_url \(DISCORD_WEBHOOK_URL\)$/m,
  })
  t.match(await test('slack'), { code: 1, out: /switched off/ })
  t.match(await test('github_comment', '--extra', 'repo=a/b', '--extra', 'pr_number=1'), { code: 1, out: /gh is not installed/ })
  t.match(await cli.run('targets', 'test', 'discord'), { code: 1, out: /not connected/ }, 'nor is --yes wanted first')
})

t.test('test: a failure is exit 1, and quotes no secret', async (t) => {
  const { cli } = await withTelegram(t, true)
  const plain = await cli.run('targets', 'test', 'telegram', '--yes')
  t.match(plain, { code: 1, out: /^failed +telegram: .*Unauthorized/ })
  const { code, out } = await cli.run('targets', 'test', 'telegram', '--yes', '--json')
  t.match({ code, ...JSON.parse(out) }, { code: 1, ok: false, data: { sent: false, error: /Unauthorized/, repeatable: false } })
  t.notMatch(plain.out + plain.err + out, 'canary')
  const echo =
    "export const target = { name: 'acme-echo', send: async (_, { settings }) => ({ ok: true, detail: `with ${settings.token}` }) }"
  const config = 'plugins: [./p.mjs]\nplatforms: { acme-echo: { token: canary-token } }\n'
  t.match(await fakeCli(t, { 'config.yaml': config, 'p.mjs': echo }).run('targets', 'test', 'acme-echo', '--yes'), {
    code: 0,
    out: /with \*\*\*/,
  })
})

t.test('test: nothing is sent while a reference in the settings cannot be resolved', async (t) => {
  const receiver = await sink(t, (response) => json(response, 200, { ok: true, result: {} }))
  const settings = `{ token: "\${GONE}", api_base: "${receiver.origin}", home_channel: "-1" }`
  const cli = fakeCli(t, { 'config.yaml': `platforms: { telegram: ${settings}, slack: { token: "\${OTHER}" } }\n` })
  t.match(await cli.run('targets', 'test', 'telegram', '-y'), { code: 1, err: /WH305[\s\S]*GONE[\s\S]*nothing was sent/ })
  t.same(receiver.seen, [])
  t.match(await cli.run('targets', 'test', 'log', '-y'), { code: 0 })
})

t.test('test: what a route could not deliver to is refused before anybody is asked', async (t) => {
  const receiver = await sink(t, (response) => json(response, 200, {}))
  const cli = fakeCli(t, { 'config.yaml': 'platforms: { telegram: { enabled: false } }\n' })
  t.match(await cli.run('targets', 'test', 'telegrm', '-y'), { code: 5, err: /did you mean "telegram"/ })
  t.match(await cli.run('targets', 'test', 'http'), { code: 1, err: /WH705[\s\S]*nothing was sent/ })
  t.match(await cli.run('targets', 'test', 'http', '-y', '--extra', 'url=ftp://x'), { code: 1, err: /WH707/ })
  t.match(await cli.run('targets', 'test', 'http', '-y', '--extra', 'nonsense'), { code: 2, err: /--extra nonsense/ })
  t.match(await cli.run('targets', 'test', 'telegram', '-y'), { code: 1, out: /switched off/ })
  const extra = ['--extra', `url=${receiver.origin}/x`, '--extra', 'secret=whsec_c2VjcmV0']
  t.match(await cli.run('targets', 'test', 'http', '-y', ...extra), { code: 0, out: /HTTP 200/ })
  t.match(receiver.seen, [{ headers: { 'webhook-signature': /^v1,/ } }], 'a secret that is never stored counts')
  t.match(await cli.run('targets', 'test', 'log', '-y', '--text', 'hello'), { code: 0, err: 'log: hello\n' })
})

t.test('test --route: a direct message, filled in from a sample, goes to each target of the route with its own settings', async (t) => {
  const receiver = await sink(t, (response) => json(response, 200, {}))
  const url = `${receiver.origin}/{repository.name}`
  const routes = {
    alert: {
      secret: 'a-long-enough-secret-of-a-test',
      events: ['pull_request'],
      filters: [{ field: 'action', equals: 'opened' }],
      prompt: 'PR {number} opened',
      deliver_only: true,
      deliver: [
        { target: 'http', deliver_extra: { url, secret: 'whsec_c2VjcmV0' } },
        { target: 'http', deliver_extra: { url: `${receiver.origin}/second` } },
      ],
    },
    asks: { secret: 'another-secret-of-a-test-route', prompt: 'Look at {number}', deliver: 'http', deliver_extra: { url } },
    open: { secret: 'a-third-secret-of-a-test-route', deliver: 'http', deliver_extra: { url: `${receiver.origin}/{none}` } },
    daily: { secret: 'a-fourth-secret-of-a-test-route', cron_job: 'nightly' },
  }
  const jobs = { nightly: { schedule: '0 6 * * *', prompt: 'x' } }
  const cli = fakeCli(t, { 'config.yaml': stringify({ platforms: { webhook: { enabled: true, extra: { routes } } }, jobs }) })
  const test = (...argv: string[]) => cli.run('targets', 'test', ...argv, '-y')
  const opened = ['--sample', 'github/pull_request.opened']
  const bodies = () =>
    receiver.seen.splice(0).map(({ url: path, body, headers }) => [path, JSON.parse(body).text, 'webhook-signature' in headers])

  t.match(await test('--route', 'alert', ...opened), { code: 0, out: /^(sent +http: .*HTTP 200.*\n){2}$/, err: '' })
  const [first, second] = bodies()
  t.match(first, ['/Hello-World', 'PR 2 opened', true], 'the secret that is never stored signs it')
  t.match(second, ['/second', 'PR 2 opened', false])
  t.match(await test('--route', 'asks', ...opened), { code: 0, err: /an agent writes the text of this route/ })
  t.match(bodies(), [['/Hello-World', 'This is a test message from headgate.', false]])
  t.match(await test('http', '--route', 'asks', ...opened, '--text', 'mine'), { code: 0 })
  t.match(bodies(), [['/Hello-World', 'mine', false]])
  const { data } = JSON.parse((await test('--route', 'alert', ...opened, '--json')).out)
  t.match(data, {
    route: 'alert',
    text: /^PR /,
    targets: [
      { target: 'http', sent: true },
      { target: 'http', sent: true },
    ],
  })
  bodies()

  const closed = await test('--route', 'alert', '--sample', 'github/pull_request.closed')
  t.match(closed, {
    code: 1,
    err: /nothing was sent: the route "alert" stops this event: ignored by filters, filters\[0\] action[\s\S]*webhook trace alert/,
  })
  t.match(await test('--route', 'open', ...opened), { code: 1, err: /deliver_extra: \{none\} has no value on this event/ })
  t.match(await test('--route', 'daily', ...opened), { code: 1, err: /starts the job "nightly"[\s\S]*cron run nightly/ })
  t.match(await test('slack', '--route', 'alert', ...opened), { code: 5, err: /does not deliver to slack/ })
  t.match(await test('--route', 'alrt', ...opened), { code: 5, err: /did you mean "alert"/ })
  t.match(await test('--route', 'alert', ...opened, '--to', '1'), { code: 2, err: /--to cannot be given here/ })
  t.match(await test('log', ...opened), { code: 2, err: /--sample cannot be given here/ })
  t.match(await test(), { code: 2, err: /which target/ })
  t.match(await cli.run('targets', 'test', '--route', 'alert', ...opened), { code: 2, err: /--yes/ })
  t.same(receiver.seen, [])
})
