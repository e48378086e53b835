/**
 * Every command keeps the same promises: exit codes and JSON envelopes. And what `doctor`, `paths`, `webhook edit` and `secret` promise
 * besides.
 */

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { commandPath, leafCommands } from '../../src/cli/help/suggest.ts'
import { grammarOnly } from '../../src/cli/program.ts'
import { notesOf } from '../../src/cli/shell/cli-command.ts'
import { type FakeCli, fakeCli, type Result } from '../fakes/cli.ts'
import { startGateway } from '../fakes/gateway.ts'
import { fakeOperations, serveOperations, status } from '../fakes/operations.ts'
import { closedOrigin, sink } from '../fakes/sink.ts'

const config = (port: number): string => `platforms:
  webhook:
    enabled: true
    extra:
      port: ${port}
      routes:
        cfg: { prompt: p, secret: abcabcabcabcabcabc }
jobs:
  nightly: { schedule: '@daily', prompt: p }
alerts: [{ deliver: log }]
`
const stored = {
  a: {
    description: '',
    events: [],
    secret: 'the-stored-secret-of-a',
    prompt: 'p',
    skills: [],
    deliver: 'log',
    profile: 'default',
    session: { key: '{route}' },
  },
}
const files = (port = 0): { [name: string]: string } => ({
  'config.yaml': config(port),
  'webhook_subscriptions.json': JSON.stringify(stored),
  'cron_jobs.json': '{"j":{"name":"j","schedule":"@daily","prompt":"p"}}',
  'lists.json': '{"known":{"values":["ann"]}}',
})

const leaves = leafCommands(grammarOnly())

/** What each command is tried with, and the exit code that it must give. */
type Row = {
  /** 0; without a gateway, unless it says `up`. */
  readonly ok?: string
  readonly up?: string
  /** It goes on until it is ended, and prints one document a line. Tested where it is at home. */
  readonly goesOn?: true
  /** Succeeds only where a target is down, which test/e2e/crash.test.ts shows. */
  readonly needsOutage?: true
  /** It needs the log of a sender, as test/app/catch-up.test.ts has it. */
  readonly needsLog?: true
  /** 1; without a gateway, unless it says `up`. */
  readonly no?: string
  readonly upNo?: string
  /** 2, besides an unknown option. */
  readonly usage?: string
  /** 4: a gateway is needed, and none runs. */
  readonly away?: string
  /** 5; without a gateway, unless it says `up`. */
  readonly missing?: string
  readonly upMissing?: string
  /** 6, with a corrupt file of subscriptions and of jobs. */
  readonly corrupt?: string
  /** 78 */
  readonly refused?: string
}

const rows: { readonly [command: string]: Row } = {
  'gateway setup': { ok: 'gateway setup --yes', usage: 'gateway setup --port 70000' },
  'gateway run': { goesOn: true, refused: 'gateway run --config FOLDER/bad.yaml' },
  'gateway reload': { up: 'gateway reload', away: 'gateway reload' },
  'gateway status': { up: 'gateway status', away: 'gateway status' },
  'gateway backlog': { up: 'gateway backlog', away: 'gateway backlog' },
  'gateway health': { up: 'gateway health', away: 'gateway health' },
  'gateway stop': { goesOn: true, away: 'gateway stop', usage: 'gateway stop --timeout 0' },
  'gateway unit': { ok: 'gateway unit' },
  'webhook subscribe': {
    ok: 'webhook subscribe b',
    no: 'webhook subscribe b --deliver telegrm',
    usage: 'webhook subscribe !',
    corrupt: 'webhook subscribe b',
  },
  new: { ok: 'new fresh --from {"secret":"q7Zr1mVt0xKc8LwYb3NeUj5HsDf2GaPo"}', no: 'new other --deliver telegrm', usage: 'new !' },
  'config show': { ok: 'config show', refused: 'config show --data-dir FOLDER/unreadable' },
  'config diff': {
    up: 'config diff',
    no: 'config diff --against FOLDER/other',
    away: 'config diff',
    usage: 'config diff --against FOLDER/none',
    refused: 'config diff --against FOLDER/unreadable',
  },
  'webhook list': { ok: 'webhook list --all', corrupt: 'webhook list' },
  'webhook show': { ok: 'webhook show a', missing: 'webhook show nope', corrupt: 'webhook show a' },
  'webhook edit': { ok: 'webhook edit a', missing: 'webhook edit nope', corrupt: 'webhook edit a' },
  'webhook secret': { ok: 'webhook secret a', no: 'webhook secret cfg --rotate', missing: 'webhook secret nope' },
  'webhook remove': { ok: 'webhook remove a --yes', missing: 'webhook remove nope', corrupt: 'webhook remove a --yes' },
  'webhook enable': { ok: 'webhook enable a', missing: 'webhook enable nope', corrupt: 'webhook enable a' },
  'webhook disable': { ok: 'webhook disable a', missing: 'webhook disable nope', corrupt: 'webhook disable a' },
  'webhook pause': { ok: 'webhook pause a', missing: 'webhook pause nope', corrupt: 'webhook pause a' },
  'webhook resume': { ok: 'webhook resume a', missing: 'webhook resume nope', corrupt: 'webhook resume a' },
  'webhook test': {
    up: 'webhook test a',
    upNo: 'webhook test a --scheme bad',
    away: 'webhook test a',
    missing: 'webhook test nope',
  },
  'webhook trace': { ok: 'webhook trace a --payload {}', missing: 'webhook trace nope --payload {}' },
  'webhook tail': { goesOn: true, away: 'webhook tail' },
  'webhook verify': { no: 'webhook verify a --body {}', missing: 'webhook verify nope --body {}', ok: 'webhook verify open --body {}' },
  console: { goesOn: true, usage: 'console --port 70000' },
  'events list': { ok: 'events list', usage: 'events list --limit 0' },
  'events show': { up: 'events show EVENT', missing: 'events show nope' },
  'events retry': { up: 'events retry --dead', upNo: 'events retry EVENT', missing: 'events retry nope', away: 'events retry --dead' },
  'events cancel': { up: 'events cancel WAITING', upNo: 'events cancel EVENT', missing: 'events cancel nope', usage: 'events cancel' },
  'events replay': { up: 'events replay EVENT', missing: 'events replay nope', usage: 'events replay --edit' },
  'events export': { up: 'events export EVENT', missing: 'events export nope' },
  'events catch-up': { needsLog: true, upMissing: 'events catch-up', away: 'events catch-up', usage: 'events catch-up --since never' },
  'events erase': { up: 'events erase EVENT --yes', missing: 'events erase nope --yes', usage: 'events erase' },
  'cron list': { ok: 'cron list', corrupt: 'cron list' },
  'cron show': { ok: 'cron show j', missing: 'cron show nope', corrupt: 'cron show j' },
  'cron create': {
    ok: 'cron create k --schedule @daily --prompt p',
    no: 'cron create k --schedule @daily --prompt p --deliver telegrm',
    corrupt: 'cron create k --schedule @daily --prompt p',
  },
  'cron run': { up: 'cron run nightly', away: 'cron run j', missing: 'cron run nope' },
  'cron pause': { ok: 'cron pause j', missing: 'cron pause nope' },
  'cron resume': { ok: 'cron resume j', missing: 'cron resume nope' },
  'cron remove': { ok: 'cron remove j', missing: 'cron remove nope', corrupt: 'cron remove j' },
  'sessions list': { up: 'sessions list', away: 'sessions list', usage: 'sessions list --limit 0' },
  'sessions show': { up: 'sessions show a a', upMissing: 'sessions show a b', away: 'sessions show a a', usage: 'sessions show a' },
  'storage move': { ok: 'storage move --to postgres --dry-run', usage: 'storage move --to memory', refused: 'storage move --to postgres' },
  'relay run': { goesOn: true, refused: 'relay run' },
  'relay status': { goesOn: true, away: 'relay status --data-dir FOLDER/relay', refused: 'relay status' },
  'relay validate': { ok: 'relay validate --data-dir FOLDER/relay', refused: 'relay validate' },
  backup: { ok: 'backup FOLDER/copies', usage: 'backup a b' },
  restore: { goesOn: true, no: 'restore FOLDER/none.tar.gz' },
  'alerts list': { ok: 'alerts list' },
  'alerts test': { up: 'alerts test --yes', away: 'alerts test --yes', usage: 'alerts test zero --yes' },
  'agents list': { ok: 'agents list' },
  'agents test': { ok: 'agents test', missing: 'agents test nope' },
  'lists show': { ok: 'lists show', missing: 'lists show nope' },
  'lists add': { ok: 'lists add people ann', usage: 'lists add ../x ann' },
  'lists remove': { ok: 'lists remove known ann', usage: 'lists remove known', missing: 'lists remove nope ann' },
  'alerts silence': { up: 'alerts silence all --for 2h', away: 'alerts silence all', usage: 'alerts silence nothing' },
  'targets list': { ok: 'targets list' },
  'targets reset': { needsOutage: true, upMissing: 'targets reset http', away: 'targets reset http', usage: 'targets reset' },
  'targets test': { ok: 'targets test log --yes', no: 'targets test telegram --yes', missing: 'targets test nope --yes' },
  'samples list': { ok: 'samples list', missing: 'samples list nope' },
  'samples show': { ok: 'samples show github/push', missing: 'samples show nope' },
  'samples add': { ok: 'samples add mine/one @FOLDER/sample.json', usage: 'samples add mine/one @FOLDER/none.json' },
  validate: { ok: 'validate FOLDER/config.yaml', no: 'validate FOLDER/bad.yaml', usage: 'validate FOLDER/none.yaml' },
  test: { ok: 'test FOLDER/tested.yaml -t good', no: 'test FOLDER/tested.yaml', usage: 'test FOLDER/none.yaml' },
  explain: { ok: 'explain WH101', missing: 'explain WH999' },
  'import adnanh': { ok: 'import adnanh FOLDER/hooks.json', no: 'import adnanh FOLDER/odd.json', usage: 'import adnanh FOLDER/none.json' },
  'import hermes': { ok: 'import hermes FOLDER/config.yaml', usage: 'import hermes FOLDER/none.yaml' },
  'export asyncapi': { ok: 'export asyncapi', missing: 'export asyncapi nope' },
  'schema install': { ok: 'schema install' },
  'schema learn': { ok: 'schema learn cfg --sample github/push', missing: 'schema learn cfg' },
  'schema print': { ok: 'schema print', usage: 'schema print nope' },
  doctor: { ok: 'doctor', no: 'doctor --data-dir FOLDER/corrupt' },
  edit: { goesOn: true, usage: 'edit a' },
  paths: { ok: 'paths' },
  upgrade: { goesOn: true, usage: 'upgrade' },
  completion: { ok: 'completion bash', usage: 'completion csh' },
  version: { ok: 'version' },
  help: { ok: 'help', missing: 'help nope' },
}

/** Files that the lines name. */
const around = (port: number): { [name: string]: string } => ({
  'config.yaml': config(port).replace('        cfg', '        open: { secret: INSECURE_NO_AUTH }\n        cfg'),
  'sample.json': '{"a":1}',
  'bad.yaml': 'platforms: { webhook: { enabled: true, extra: { port: 0, routes: { r: { prompt: 5 } } } } }\n',
  'tested.yaml': `${config(0)}`.replace(
    'secret: abcabcabcabcabcabc }',
    `secret: abcabcabcabcabcabc, tests: [
          { name: good, send: { payload: {} }, expect: { status: 202 } }, { name: bad, send: { payload: {} }, expect: { status: 200 } }] }`,
  ),
  'hooks.json': JSON.stringify([
    {
      id: 'h',
      'trigger-rule': {
        match: { type: 'payload-hmac-sha256', secret: 'a-secret-of-mine', parameter: { source: 'header', name: 'X-Hub-Signature-256' } },
      },
    },
  ]),
  'odd.json': '[{"id":"h","execute-command":"/bin/true"}]',
  'corrupt/webhook_subscriptions.json': '{',
  'other/config.yaml': 'jobs: {}\n',
  'relay/relay.yaml': 'gateways: { home: { keys: [a-key-of-the-gateway], routes: { "*": {} } } }\n',
  'unreadable/config.yaml': 'platforms: {',
})

type Where = { readonly cli: FakeCli; readonly url?: string; readonly event?: string; readonly waiting?: string }

const runLine = ({ cli, url = '', event = '', waiting = '' }: Where, line: string): Promise<Result> => {
  const words = line
    .split(' ')
    .map((word) => word.replace('FOLDER', cli.dir).replace('URL', url).replace('EVENT', event).replace('WAITING', waiting))
  return cli.runWith({ edit: async () => {} }, ...words, '--json')
}

/** One document on stdout, and nothing else there. */
const isEnvelope = (t: Test, { code, out }: Result, line: string): void => {
  const document = JSON.parse(out)
  t.match(document, { v: 1, kind: String, ok: code === 0 }, line)
  t.equal(out.trimEnd().split('\n').length, 1, `${line}: one line`)
  if (document.kind === 'error') t.match(document.error, { code: String, message: /./ }, line)
  else t.ok('data' in document && Array.isArray(document.warnings), `${line}: data and warnings`)
}

/** The texts of all files of a data directory that people and commands change, by their names. */
const filesOf = (dir: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('state') && statSync(join(dir, name)).isFile())
      .map((name) => [name, readFileSync(join(dir, name), 'latin1')]),
  )

/** The number of lines in the audit. */
const auditLines = (dir: string): number => {
  const file = join(dir, 'state', 'audit.jsonl')
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').length : 0
}

t.test('exit codes and envelopes of every command; the audit has each that changes a file', async (t) => {
  t.same(Object.keys(rows).sort(), leaves.map(commandPath).sort(), 'each command has a row')
  const [, port = ''] = /:(\d+)$/.exec(await closedOrigin()) ?? []
  for (const [path, row] of Object.entries(rows)) {
    t.ok(row.ok ?? row.up ?? row.goesOn ?? row.needsOutage ?? row.needsLog, `${path}: a way to succeed`)
    const cases: [line: string | undefined, code: number][] = [
      [row.ok, 0],
      [row.no, 1],
      [`${path} --no-such-option`, 2],
      [row.usage, 2],
      [row.away, 4],
      [row.missing, 5],
      [row.refused, 78],
    ]
    const cli = fakeCli(t, { ...files(), ...around(Number(port)) })
    const check = async (line: string, code: number): Promise<void> => {
      const [files, lines] = [filesOf(cli.dir), auditLines(cli.dir)]
      const result = await runLine({ cli }, line)
      const hasChanged = [...filesOf(cli.dir)].some(([name, text]) => files.get(name) !== text)
      if (hasChanged) t.ok(auditLines(cli.dir) > lines, `${line}: the audit has it`)
      t.equal(result.code, code, `${line}: ${result.err}${result.out}`)
      isEnvelope(t, result, line)
    }
    for (const [line, code] of cases) if (line !== undefined) await check(line, code)
    for (const name of ['webhook_subscriptions.json', 'cron_jobs.json']) cli.write(name, '{')
    if (row.corrupt !== undefined) await check(row.corrupt, 6)
  }
})

t.test('exit codes and envelopes of the commands that ask a gateway', async (t) => {
  const later = '        later: { prompt: p, secret: abcabcabcabcabcabc, delay_seconds: 3600 }\n        cfg'
  const routes = config(0).replace('        cfg', later)
  const cli = fakeCli(t, { ...files(), 'config.yaml': `${routes}storage: { kind: memory }\n` })
  const gateway = await startGateway(t, { dir: cli.dir })
  const sent = await runLine({ cli, url: gateway.url }, 'webhook test a')
  const delayed = await runLine({ cli, url: gateway.url }, 'webhook test later')
  const [event, waiting] = [sent, delayed].map(({ out }) => JSON.parse(out).data.event_id as string)
  const where = { cli, url: gateway.url, event: event ?? '', waiting: waiting ?? '' }
  for (const { up, upNo, upMissing } of Object.values(rows)) {
    for (const [line, code] of [
      [up, 0],
      [upNo, 1],
      [upMissing, 5],
    ] as const) {
      if (line === undefined) continue
      const result = await runLine(where, line)
      t.equal(result.code, code, `${line}: ${result.err}${result.out}`)
      isEnvelope(t, result, line)
    }
  }
})

t.test('gateway run --json: a refusal is one document, too', async (t) => {
  const off = fakeCli(t, { 'config.yaml': '' }, {})
  const disabled = await off.run('gateway', 'run', '--json')
  isEnvelope(t, disabled, 'disabled')
  t.match(
    { code: disabled.code, ...JSON.parse(disabled.out) },
    { code: 7, error: { code: 'adapter_disabled', hint: /gateway setup --yes/ } },
  )
  const wrong = fakeCli(
    t,
    { 'config.yaml': 'platforms: { webhook: { enabled: true, extra: { routes: { r: { prompt: 5 }, s: { events: 1 } } } } }\n' },
    {},
  )
  const refused = await wrong.run('gateway', 'run', '--json')
  isEnvelope(t, refused, 'refused')
  t.match({ code: refused.code, ...JSON.parse(refused.out) }, { code: 78, error: { code: 'WH102', message: /prompt: .*; events: / } })
})

t.test('the help of every command has its options, those of all commands, and examples that exist', async (t) => {
  const cli = fakeCli(t)
  for (const command of leaves) {
    const path = commandPath(command)
    for (const line of notesOf(command).examples) if (line.startsWith(path.split(' ')[0] ?? '')) t.ok(line.startsWith(path), line)
  }
  for (const path of leaves.map(commandPath)) {
    const { code, out } = await cli.run(...path.split(' '), '--help')
    t.equal(code, 0)
    t.match(out, /^Usage: headgate [\s\S]*--data-dir[\s\S]*--jsonata[\s\S]*\nExamples:\n {2}\$ /, path)
    t.equal((await cli.run('help', ...path.split(' '))).out, out, `help ${path}`)
  }
  const { data } = JSON.parse((await cli.run('help', '--json')).out)
  const webhook = data.commands.find(({ name }: { name: string }) => name === 'webhook')
  const list = webhook.commands.find(({ name }: { name: string }) => name === 'list')
  t.match(list, { path: 'webhook list', aliases: ['ls'], options: [{ long: '--all', value: 'none' }, { long: '--wide' }] })
  const completion = data.commands.find(({ name }: { name: string }) => name === 'completion')
  t.match(completion.arguments, [{ name: 'shell', required: true, choices: ['bash', 'zsh', 'fish'] }])
  t.match(data.options, [{ long: '--data-dir', value: 'required', value_name: 'folder' }])
})

type Seen = { readonly name: string; readonly result: string; readonly message: string; readonly fix: string | null }
const examined = async (cli: FakeCli, env: { [name: string]: string } = {}): Promise<{ code: number; seen: (name: string) => Seen[] }> => {
  const { code, out } = await cli.runWith({ env: { HEADGATE_HOME: cli.dir, ...env } }, 'doctor', '--json')
  const { checks } = JSON.parse(out).data as { checks: Seen[] }
  return { code, seen: (name) => checks.filter((check) => check.name === name) }
}

t.test('doctor: all is well; each line that is not has a fix', async (t) => {
  const cli = fakeCli(t, files())
  for (const name of Object.keys(files())) chmodSync(cli.file(name), 0o600)
  chmodSync(cli.dir, 0o700)
  const { code, out } = await cli.run('doctor')
  t.equal(code, 0)
  t.match(out, /^ok {4}node /m)
  t.match(out, /^warn {2}agent .*stand-in.*\n {6}fix: /m)
  t.match(out, / 0 failed\n$/)
  chmodSync(cli.dir, 0o755)
  chmodSync(cli.file('config.yaml'), 0o644)
  const open = await examined(cli)
  t.match(open.seen('data directory'), [{ result: 'warn', fix: /^chmod 700 / }])
  t.match(open.seen('modes'), [{ result: 'warn', message: /config\.yaml is open to others \(0644\)/, fix: /^chmod 600 / }])
})

t.test('doctor: a port that another program has', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const { code, seen } = await examined(fakeCli(t, files(port)))
  t.equal(code, 1)
  t.match(seen('port'), [{ result: 'fail', message: `another program listens on port ${port}`, fix: /ss -ltnp/ }])
})

t.test('doctor: our own gateway has the port, and is asked about its store', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': `${config(0)}storage: { kind: memory }\n` })
  const gateway = await startGateway(t, { dir: cli.dir })
  const { out } = await cli.run('doctor', '--json')
  const { checks } = JSON.parse(out).data as { checks: Seen[] }
  t.match(
    checks.find(({ name }) => name === 'port'),
    { result: 'ok', message: `our gateway listens on ${gateway.url} (process ${process.pid})` },
  )
  t.match(
    checks.find(({ name }) => name === 'store'),
    { result: 'ok', message: /asked through the gateway: 0 runs wait/ },
  )
  t.match(
    checks.find(({ name }) => name === 'running gateway'),
    { result: 'ok', message: 'it is ready, and no target is down' },
  )
})

t.test('doctor: the running gateway is not ready, has targets that are down, and alerts that fire', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': config(0) })
  const told = { ...status, not_ready: 'the store does not answer: no space', targets_down: 2, alerts: ['dead_run:ci'] }
  await serveOperations(t, cli.dir, fakeOperations({ status: async () => told }))
  const { code, out } = await cli.run('doctor')
  t.equal(code, 1)
  t.match(out, /^fail +running gateway +it takes no events: the store does not answer: no space/m)
  t.match(out, /^warn +running gateway +2 targets are down, and their runs wait/m)
  t.match(out, /^warn +running gateway +these alerts fire: dead_run:ci/m)
})

t.test('doctor: what stands in the place of the database', async (t) => {
  const head = (owner: number): Buffer => {
    const bytes = Buffer.alloc(200)
    bytes.write('SQLite format 3\0', 'latin1')
    bytes.writeUInt32BE(owner, 68)
    return bytes
  }
  const database = 'state/headgate.db'
  const cases: readonly (readonly [files: { readonly [path: string]: Buffer }, mode: number, result: string, message: RegExp])[] = [
    [{ [`${database}/a`]: head(0) }, 0o700, 'fail', /is no regular file/],
    [{ [database]: Buffer.of(), [`${database}-wal`]: head(0) }, 0o600, 'fail', /is empty, but its log is not/],
    [{ [database]: Buffer.of() }, 0o600, 'ok', /an empty database/],
    [{ [database]: head(1) }, 0o600, 'fail', /belongs to another program/],
    [{ [database]: head(0) }, 0o644, 'warn', /is open to others/],
    [{ [database]: head(0) }, 0o600, 'ok', /^sqlite, 1 KiB/],
  ]
  for (const [parts, mode, result, message] of cases) {
    const cli = fakeCli(t, files())
    for (const [path, bytes] of Object.entries(parts)) {
      mkdirSync(dirname(cli.file(path)), { recursive: true })
      writeFileSync(cli.file(path), bytes)
    }
    chmodSync(cli.file(database), mode)
    t.match((await examined(cli)).seen('store'), [{ result, message }])
  }
})

t.test('doctor: files that are no store, corrupt or from the future', async (t) => {
  const cli = fakeCli(t, { ...files(), 'webhook_subscriptions.json': '{', 'state/headgate.db': 'x'.repeat(200) })
  const future = Date.now() / 1000 + 3_600
  utimesSync(cli.file('config.yaml'), future, future)
  const { code, seen } = await examined(cli)
  t.equal(code, 1)
  t.match(seen('store'), [{ result: 'fail', message: /is no database/ }])
  t.match(seen('subscriptions'), [{ result: 'fail', fix: /mend it by hand/ }])
  t.match(seen('clock'), [{ result: 'warn', message: /from now/ }])
  const nowhere = fakeCli(t)
  t.match(
    (await nowhere.run('doctor', '--data-dir', nowhere.file('none'))).out,
    /is not there yet\n {6}fix: headgate --data-dir .* gateway setup/,
  )
})

t.test('doctor: what is only told of the agent fails nothing', async (t) => {
  const agent = async (settings: string, env = {}): Promise<Seen[]> => {
    const { seen } = await examined(fakeCli(t, { 'config.yaml': `${config(0)}agent: ${settings}\n` }), {
      PATH: process.env.PATH ?? '',
      ...env,
    })
    return seen('agent')
  }
  t.match(await agent('{ runner: command, command: [sh, "{prompt}"] }'), [{ result: 'warn', message: /option/, fix: /write "--"/ }])
  const local = '{ runner: openai, model: m, base_url: "http://127.0.0.1:1/v1" }'
  t.match(await agent(local, { OPENAI_API_KEY: 'k' }), [{ result: 'ok', message: 'openai, model m' }])
})

t.test('doctor: programs and targets that routes use, and only those', async (t) => {
  const routes = `
        s: { prompt: p, secret: abcabcabcabcabcabc, script: x.sh }
        g: { prompt: p, secret: abcabcabcabcabcabcd, deliver: github_comment, deliver_extra: { repo: a/b, pr_number: '1' } }
        c: { prompt: p, secret: abcabcabcabcabcabce, deliver: telegram }
agent: { runner: command, command: [no-such-agent] }
`
  const cli = fakeCli(t, { 'config.yaml': config(0).replace(/\n {8}cfg.*\njobs:[\s\S]*/, routes), 'scripts/x.sh': 'true\n' })
  const folder = cli.file('bin')
  mkdirSync(folder)
  const none = await examined(cli, { PATH: folder })
  t.equal(none.code, 1)
  t.match(none.seen('bash'), [{ result: 'fail', message: /route s/, fix: 'install bash' }])
  t.same(none.seen('python3'), [])
  t.match(none.seen('agent'), [{ result: 'fail', message: /no-such-agent/ }])
  t.match(none.seen('target github_comment'), [{ result: 'fail', message: /gh on the PATH/ }])
  t.match(none.seen('target telegram'), [{ result: 'fail', message: /not connected/, fix: /TELEGRAM_BOT_TOKEN/ }])
  for (const program of ['bash', 'sh', 'no-such-agent']) symlinkSync('/bin/sh', join(folder, program))
  writeFileSync(join(folder, 'gh'), '#!/bin/sh\necho no oauth token >&2\nexit 1\n', { mode: 0o755 })
  const more = await examined(cli, { PATH: folder, TELEGRAM_BOT_TOKEN: '1:x', TELEGRAM_HOME_CHANNEL: '1' })
  t.match(
    [more.seen('bash'), more.seen('agent'), more.seen('target telegram')],
    [[{ result: 'ok' }], [{ result: 'ok' }], [{ result: 'ok' }]],
  )
  t.match(more.seen('gh for target github_comment'), [{ result: 'fail', fix: /gh auth login/ }])
  writeFileSync(join(folder, 'gh'), '#!/bin/sh\necho gho_abc\n', { mode: 0o755 })
  const { out } = await cli.runWith({ env: { HEADGATE_HOME: cli.dir, PATH: folder } }, 'doctor')
  t.match(out, /^ok {4}gh for target github_comment +logged in/m)
  t.notMatch(out, 'gho_abc')
})

t.test('doctor --online: asks each host of a target once, without a token, a path or a text; else it asks nobody', async (t) => {
  const receiver = await sink(t, (response) => response.writeHead(405).end())
  const gone = await sink(t, () => {})
  const closed = await closedOrigin()
  const hook = `${receiver.origin}/services/a-secret-token-of-a-hook`
  const cli = fakeCli(t, {
    'config.yaml': `${config(0).replace(
      /\n {8}cfg.*\njobs:[\s\S]*/,
      `
        a: { prompt: p, secret: abcabcabcabcabcabc, deliver: http, deliver_extra: { url: "${receiver.origin}/{x}", secret: canary-secret-1 } }
        b: { prompt: p, secret: abcabcabcabcabcabcd, deliver: [slack, log] }
        c: { prompt: p, secret: abcabcabcabcabcabce, deliver: http, deliver_extra: { url: "${closed}/x" } }
        d: { prompt: p, secret: abcabcabcabcabcabcf, deliver: http, deliver_extra: { url: "http://{x}/" } }
`,
    )}  slack: { webhook_url: "${hook}" }\n  discord: { webhook_url: "${gone.origin}/unused" }\n`,
  })
  t.notMatch((await cli.run('doctor')).out, /^ok +online/m)
  t.same(receiver.seen, [])
  const { code, out } = await cli.run('doctor', '--online')
  t.equal(code, 1)
  t.match(out, /^ok {4}online +2 of 2 hosts were asked: HEAD \/, at most 5 s each, with no token and no text$/m)
  t.match(out, new RegExp(`^ok {4}target http, target slack +${receiver.origin} answered HTTP 405$`, 'm'))
  t.match(out, new RegExp(`^fail {2}target http +${closed}: no connection \\(ECONNREFUSED\\)\n {6}fix: check the address`, 'm'))
  t.match(receiver.seen, [{ method: 'HEAD', url: '/', body: '' }])
  t.equal(receiver.seen.length, 1)
  t.notMatch(out + JSON.stringify(receiver.seen), /canary|a-secret-token/)
  t.same(gone.seen, [], 'a target that nobody uses is not asked')
  t.match((await fakeCli(t, files()).run('doctor', '--online')).out, /^ok {4}online +no route, job or alert .* nothing was asked$/m)
})

t.test('webhook secret: a fingerprint, the secret only when asked, a new one', async (t) => {
  const cli = fakeCli(t, files())
  const shown = await cli.run('webhook', 'secret', 'a')
  t.match(shown, { code: 0, out: /^[0-9a-f]{8} {2}route\n$/ })
  t.equal((await cli.run('webhook', 'secret', 'a', '--reveal')).out, 'the-stored-secret-of-a\n')
  t.match(await cli.run('webhook', 'secret', 'a', '--reveal', '--rotate'), { code: 2 })
  const { out, err } = await cli.run('webhook', 'secret', 'a', '--rotate')
  t.match(out, /^[\w-]{43}\n$/)
  t.match(err, /ITS SECRET IS NEW/)
  t.equal(cli.entry('a').secret, out.trim())
  t.match(await cli.run('webhook', 'secret', 'cfg', '--rotate'), { code: 1, err: /config\.yaml:7:/ })
})

const drafts = (cli: FakeCli): string[] => (existsSync(cli.file('.drafts')) ? readdirSync(cli.file('.drafts')) : [])

/** An editor that changes the text of the draft. Each call takes the next change; after the last one the test fails. */
const editing = (...changes: ((text: string) => string)[]) => {
  const seen: string[] = []
  const edit = async (file: string): Promise<void> => {
    const change = changes[seen.length]
    if (!change) throw new Error('no more changes')
    seen.push(readFileSync(file, 'utf8'))
    writeFileSync(file, change(seen.at(-1) ?? ''))
  }
  return { edit, seen }
}

t.test('webhook edit: secrets are hidden and kept, what changed is saved', async (t) => {
  const cli = fakeCli(t, files())
  t.match(await cli.run('webhook', 'edit', 'a'), { code: 2, err: /terminal/ })
  const { edit, seen } = editing((text) => text.replace('prompt: p', 'prompt: better'))
  t.match(await cli.runWith({ edit }, 'webhook', 'edit', 'a'), { code: 0, out: 'updated  a (prompt)\n' })
  t.notMatch(seen[0], 'the-stored-secret')
  t.match(cli.entry('a'), { prompt: 'better', secret: 'the-stored-secret-of-a', updated_at: /Z$/ })
  t.same(drafts(cli), [])
  const same = editing((text) => text)
  t.match(await cli.runWith(same, 'webhook', 'edit', 'a'), { code: 0, out: 'no change: a\n' })
  const other = editing((text) => text.replace(/secret: .*/, 'secret: another-secret-of-mine'))
  t.match(await cli.runWith(other, 'webhook', 'edit', 'a'), { code: 0, out: 'updated  a (secret)\n' })
  t.equal(cli.entry('a').secret, 'another-secret-of-mine')
  t.match(await cli.runWith(same, 'webhook', 'edit', 'nope'), { code: 5 })
})

t.test('webhook edit: a secret in an address is hidden and kept, and an address that is changed beside it is refused', async (t) => {
  const cli = fakeCli(t, files())
  const url = 'http://127.0.0.1:1/in?token=the-token&n=1'
  t.match(await cli.run('webhook', 'subscribe', 'hooked', '--prompt', 'p', '--deliver', 'http', '--deliver-extra', `url=${url}`), {
    code: 0,
  })
  const { edit, seen } = editing((text) => text.replace('prompt: p', 'prompt: better'))
  t.match(await cli.runWith({ edit }, 'webhook', 'edit', 'hooked'), { code: 0, out: 'updated  hooked (prompt)\n' })
  t.match(seen[0], 'token=***&n=1')
  t.match(cli.entry('hooked'), { prompt: 'better', deliver_extra: { url } })
  const changed = { ...editing((text) => text.replace('n=1', 'n=2')), ask: async () => 'n' }
  t.match(await cli.runWith(changed, 'webhook', 'edit', 'hooked'), { err: /write the secret itself/ })
  t.match(cli.entry('hooked'), { deliver_extra: { url } })
})

t.test('webhook edit: two addresses that are shown alike are not mixed up', async (t) => {
  const to = (login: string) => ({ target: 'http', deliver_extra: { url: `https://${login}@example.com/in` } })
  const deliver_to = [to('a:one'), to('b:two')]
  const subscriptions = JSON.stringify({ hooked: { secret: 'hunter2-hunter2', prompt: 'p', deliver: deliver_to } })
  const cli = fakeCli(t, { ...files(), 'webhook_subscriptions.json': subscriptions })
  const shifted = { ...editing((text) => text.replace(/deliver:\n/, 'deliver:\n  - log\n')), ask: async () => 'n' }
  t.match(await cli.runWith(shifted, 'webhook', 'edit', 'hooked'), { err: /write the secret itself/ })
  t.match(cli.entry('hooked'), { deliver: deliver_to })
})

t.test('webhook edit: a mistake is edited again, or leaves the draft', async (t) => {
  const cli = fakeCli(t, files())
  const twice = editing(
    (text) => text.replace('deliver: log', 'deliver: telegrm'),
    (text) => text.replace('telegrm', 'log').replace('prompt: p', 'prompt: q'),
  )
  t.match(await cli.runWith({ ...twice, ask: async () => '' }, 'webhook', 'edit', 'a'), { code: 0, out: /updated/, err: /telegrm/ })
  t.equal(cli.entry('a').prompt, 'q')
  for (const [change, code] of [
    [(text: string) => `${text}prompt: [`, 1],
    [() => '', 1],
    [(text: string) => `${text}toolsets: [web]\n`, 1],
    [(text: string) => text.replace(/\(\w{8}\)/, '(00000000)'), 1],
    [(text: string) => `${text}no_such_key: 1\n`, 1],
  ] as const) {
    const result = await cli.runWith({ ...editing(change), ask: async () => 'n' }, 'webhook', 'edit', 'a')
    t.equal(result.code, code, result.err)
    const [, kept = ''] = /the draft is kept: (.*)\n/.exec(result.err) ?? []
    t.ok(existsSync(kept), result.err)
  }
  t.equal(drafts(cli).length, 5)
  t.match(cli.entry('a'), { prompt: 'q', secret: 'the-stored-secret-of-a' })
})

t.test('webhook edit: changed meanwhile is a conflict; the draft stays', async (t) => {
  const cli = fakeCli(t, files())
  const { edit } = editing((text) => {
    cli.write('webhook_subscriptions.json', JSON.stringify({ a: { ...stored.a, prompt: 'theirs' } }))
    return text.replace('prompt: p', 'prompt: mine')
  })
  t.match(await cli.runWith({ edit, ask: async () => 'y' }, 'webhook', 'edit', 'a'), {
    code: 6,
    err: /the draft is kept[\s\S]*meanwhile.*\n {2}- prompt: "p"\n {2}\+ prompt: "theirs"\n {2}look at it/,
  })
  t.equal(cli.entry('a').prompt, 'theirs')
  t.equal(drafts(cli).length, 1)
})

t.test('webhook edit: another profile makes another secret', async (t) => {
  const cli = fakeCli(t, { ...files(), 'config.yaml': `${config(0)}gateway: { multiplex_profiles: true }\n`, 'profiles/p/config.yaml': '' })
  const { edit } = editing((text) => text.replace('profile: default', 'profile: p'))
  const { code, out } = await cli.runWith({ edit }, 'webhook', 'edit', 'a')
  t.equal(code, 0)
  t.match(out, `secret   ${cli.entry('a').secret}\n`)
  t.not(cli.entry('a').secret, 'the-stored-secret-of-a')
})

t.test('webhook edit: a configured route opens config.yaml at its line, and is checked', async (t) => {
  const cli = fakeCli(t, files())
  const opened: unknown[] = []
  const edit = async (file: string, line?: number): Promise<void> => {
    opened.push([file, line])
    writeFileSync(file, cli.read('config.yaml').replace('prompt: p', 'promt: p'))
  }
  t.match(await cli.runWith({ edit }, 'webhook', 'edit', 'cfg'), { code: 1, out: /promt/ })
  t.same(opened, [[cli.file('config.yaml'), 7]])
})

t.test('completion: commands, options, choices and names', async (t) => {
  const cli = fakeCli(t, { ...files(), 'skills/review/SKILL.md': '', 'webhook_subscriptions.json': '{"a":{},"$(touch x)":{}}' })
  const words = async (...line: string[]): Promise<string[]> => {
    const { code, out, err } = await cli.run('__complete', '--', ...line)
    t.same({ code, err }, { code: 0, err: '' })
    return out
      .trimEnd()
      .split('\n')
      .map((each) => each.split('\t')[0] ?? '')
  }
  t.same(await words('webhook', 'l'), ['list'])
  t.same(await words('--json', '--data-dir', '/x', 'webhook', 'sho'), ['show'])
  t.same(await words('webhook', 'show', ''), ['a', 'cfg'], 'no name that a shell could run')
  t.same(await words('webhook', 'remove', ''), ['a'])
  t.same(await words('webhook', 'subscribe', 'b', '--skills', ''), ['review'])
  t.same(await words('webhook', 'show', '--data-dir', '/nowhere', ''), [''])
  t.same(await words('webhook', 'list', '--w'), ['--wide'])
  t.same(await words('webhook', 'list', '--js'), ['--json', '--jsonata'])
  t.same(await words('cron', 'show', ''), ['j', 'nightly'])
  t.same(await words('samples', 'show', 'github/push'), ['github/push'])
  t.ok((await words('webhook', 'test', 'a', '--sample', '')).includes('github/push'))
  t.ok((await words('webhook', 'subscribe', 'a', '--deliver', '')).includes('telegram'))
  t.same(await words('explain', 'WH101'), ['WH101'])
  t.same(await words('completion', ''), ['bash', 'zsh', 'fish'])
  t.same(await words('gateway', 'run', '--log-level', 'w'), ['warn'])
  t.same(await words('gateway', 'run', '--log-level=w'), ['--log-level=warn'])
  t.same(await words('gateway', 'run', '--log-level', '=', 'w'), ['warn'], 'as bash splits it')
  t.same(await words('validate', ''), [':files'])
  t.same(
    await words('validate', '--ignore', 'WH401,WH50'),
    ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((n) => `WH401,WH50${n}`),
  )
  t.same(await words('events', 'list', '--outcome=ignored,acc'), ['--outcome=ignored,accepted'])
  t.same(await words('events', 'list', '--state', 'd'), ['done', 'dead'])
  t.ok((await words('targets', 'reset', '')).includes('telegram'))
  t.same(await words('alerts', 'silence', 'd'), ['dead_run', 'delivery_failed'])
  t.same(await words('alerts', 'silence', 'al'), ['all'])
  t.same(await words('no', 'such', ''), [''])
  cli.write('config.yaml', 'a: [')
  t.same(await words('webhook', 'show', ''), ['a'], 'a broken file is no error')
})

t.test(
  'new: a route in config.yaml, made like a sample, with its target; comments stay, and nothing is written that would not be served',
  async (t) => {
    const before =
      '# mine\nplatforms:\n  webhook:\n    enabled: true\n    extra:\n      secret: ${S:-q7Zr1mVt0xKc8LwYb3NeUj5HsDf2GaPo} # of all\n'
    const cli = fakeCli(t, { 'config.yaml': before }, {})
    const target = [
      '--deliver',
      'github_comment',
      '--deliver-extra',
      'repo={repository.full_name}',
      '--deliver-extra',
      'pr_number={number}',
    ]
    const like = ['new', 'prs', '--like', 'github/pull_request.opened', ...target]
    t.match(await cli.run(...like, '--dry-run'), { code: 0, out: /would be written into .*: prs\n[\s\S]*\+ +deliver: github_comment/ })
    t.equal(cli.read('config.yaml'), before)
    t.match(await cli.run(...like), { code: 0, out: /^created {2}prs\n[\s\S]*saved config\.yaml\nurl +http:\S+\/webhooks\/prs\nnext / })
    const text = cli.read('config.yaml')
    t.ok(text.startsWith(before))
    t.match(parse(text).platforms.webhook.extra.routes.prs, {
      verify: 'github',
      events: ['pull_request'],
      prompt: /\{pull_request\.title\}/,
      deliver: 'github_comment',
      deliver_extra: { repo: '{repository.full_name}', pr_number: '{number}' },
    })
    t.match(await cli.run('validate'), { code: 0 })
    t.match(await cli.run('new', 'prs'), { code: 6, err: /there is a route "prs" already/ })
    t.match(await cli.run('new', '../x'), { code: 2, err: /cannot be a name/ })
    t.match(await cli.run('new', 'bad', '--deliver', 'telegrm'), { code: 1, err: /nothing was written: .*WH704/ })
    const missing = await cli.run('new', 'pay', '--like', 'stripe/charge.refunded')
    t.match(missing, {
      code: 1,
      err: /put the key of Stripe \(.*whsec_.*\) into \.env as STRIPE_SIGNING_SECRET, .* is http:\S+\/webhooks\/pay/,
    })
    cli.write('.env', 'STRIPE_SIGNING_SECRET=whsec_a-key-that-stripe-has-made\n')
    t.match(await cli.run('new', 'pay', '--from', 'stripe'), { code: 0, err: '' })
    t.match(parse(cli.read('config.yaml')).platforms.webhook.extra.routes.pay, { verify: 'stripe', secret: '${STRIPE_SIGNING_SECRET}' })
    t.match(
      await cli.run('new', 'second', '--from', 'stripe'),
      { code: 1, err: /as SECOND_SIGNING_SECRET/ },
      'each destination has its own',
    )
    t.equal(Object.keys(parse(cli.read('config.yaml')).platforms.webhook.extra.routes).join(), 'prs,pay')
  },
)
