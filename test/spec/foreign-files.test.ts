/** No door shows what stands in a file that it was led to and that is none of its kind: a `.env`, a key, a file behind a stranger's link. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { fakeCli } from '../fakes/cli.ts'
import { spawnGateway } from '../fakes/process-gateway.ts'

/** Files of other kinds, each with the word `canary` in all that must not be shown. */
const shapes: { readonly [shape: string]: string } = {
  'lines of variables': 'SECRET_A=canary-one\nTOKEN=canary-two\n',
  'exports with a colon': 'export TOKEN="canary"\ncanary_key: canary-three\n',
  'a text': 'canary is all of it\n',
  'a map': 'canary_key: canary-value\nother:\n  - canary-item\n',
  'a list': '- canary-one\n- canary_two: canary-three\n',
  JSON: '{"canary_key": "canary-value", "type": "canary", "b": ["canary-item", 1]}',
  'broken JSON': '{"canary_key": "canary-value", canary_bad',
  'a key': '-----BEGIN PRIVATE KEY-----\ncanaryMIIEvQIBADANBg\n-----END PRIVATE KEY-----\n',
}

const secret = 'a secret of a route that is long'
const own = { secret, prompt: 'got {a}', deliver: 'log' }
const config = (route: object, top: object = {}): string =>
  stringify({
    ...top,
    platforms: { webhook: { enabled: true, extra: { port: 0, secret: 'a global secret of all', routes: { r: { ...own, ...route } } } } },
  })
const trace = ['webhook', 'trace', 'r', '--payload', '{"a":1}', '--scheme', 'none']
const subscribe = ['webhook', 'subscribe', 's', '--dry-run']

/** `isOwn`: the file of this name is the program's own, so a copy is none of another kind. `at`: links in the data directory that lead to the file. `FILE` in a command is its path. */
type Door = {
  readonly isOwn?: true
  readonly config?: string
  readonly at?: readonly string[]
  readonly commands: readonly (readonly string[])[]
  /** Whether a gateway serves all the same. */
  readonly serves?: true
}

const doors: { readonly [door: string]: Door } = {
  'a sample': {
    at: ['samples/x/y.json', 'samples/github/push.json'],
    commands: [
      ['validate', '--sample', 'x/y'],
      ['samples', 'list'],
      ['samples', 'show', 'x/y'],
      ['webhook', 'test', 'r', '--sample', 'x/y'],
      ['webhook', 'trace', 'r', '--sample', 'x/y', '--scheme', 'none'],
      ['new', 'z', '--like', 'x/y', '--dry-run'],
      ['new', 'z', '--like', 'github/push', '--dry-run'],
      ['doctor'],
    ],
  },
  'a file of tests': { at: ['x.webhook-test.yaml', 'tests/y.webhook-test.yaml'], commands: [['validate'], ['test'], ['test', 'FILE']] },
  'a body of a test': {
    config: config({ tests: [{ name: 'a', send: { body_file: 'x.txt' }, expect: { outcome: 'accepted' } }] }),
    at: ['x.txt', 'tests/x.txt'],
    commands: [['validate'], ['test']],
  },
  'a schema of payloads': { config: config({ payload_schema: 'schemas/x.json' }), at: ['schemas/x.json'], commands: [['validate'], trace] },
  'a list': {
    config: config({ filters: [{ field: 'a', in_file: 'lists/x.txt' }] }),
    at: ['lists/x.txt', 'x.txt'],
    commands: [['validate'], trace],
  },
  'a skill': { config: config({ skills: ['x'] }), at: ['skills/x/SKILL.md'], commands: [['validate'], trace, ['doctor']] },
  'a script': { config: config({ script: 'x.sh' }), at: ['scripts/x.sh'], commands: [['validate'], ['doctor']] },
  'a plugin': {
    config: config({}, { plugins: ['plugins/x.mjs'] }),
    at: ['plugins/x.mjs'],
    commands: [['validate'], ['webhook', 'list'], ['doctor']],
  },
  'an included file': {
    config: config({}, { include: ['routes.d/*.yaml'] }),
    at: ['routes.d/x.yaml'],
    commands: [['validate'], ['webhook', 'list']],
  },
  'an included file of an allowed folder': {
    config: config({}, { include: ['routes.d/*.yaml'], include_links_to: ['ALLOWED'] }),
    at: ['routes.d/x.yaml'],
    commands: [['validate'], ['webhook', 'list']],
  },
  subscriptions: {
    isOwn: true,
    at: ['webhook_subscriptions.json', 'cron_jobs.json'],
    commands: [['validate'], ['webhook', 'list'], ['cron', 'list']],
  },
  'a relay': {
    at: ['relay.yaml'],
    commands: [['relay', 'validate'], ['relay', 'run'], ['relay', 'run', '--json'], ['relay', 'status'], ['doctor']],
  },
  'a profile': { at: ['profiles/a/config.yaml'], commands: [['validate'], ['doctor'], ['webhook', 'list']] },
  certificates: {
    config: config({}, { tls: { cert: 'cert.pem', key: 'key.pem' } }),
    at: ['cert.pem', 'key.pem'],
    commands: [['validate'], ['doctor']],
  },
  'whatever a start refuses': {
    config: config(
      { payload_schema: 'schemas/x.json', filters: [{ field: 'a', in_file: 'lists/x.txt' }], script: 'x.sh' },
      {
        ...{ include: ['routes.d/*.yaml'], plugins: ['plugins/x.mjs'] },
        ...{ tls: { cert: 'cert.pem', key: 'key.pem' }, gateway: { multiplex_profiles: true } },
      },
    ),
    at: [
      'schemas/x.json',
      'lists/x.txt',
      'scripts/x.sh',
      'routes.d/x.yaml',
      'plugins/x.mjs',
      'cert.pem',
      'key.pem',
      'profiles/a/config.yaml',
    ],
    commands: [
      ['gateway', 'run'],
      ['gateway', 'run', '--json'],
      ['gateway', 'run', '--log-format', 'json'],
    ],
  },
  'whatever a start goes on without': {
    isOwn: true,
    serves: true,
    config: config({ skills: ['x'] }),
    at: [
      ...['skills/x/SKILL.md', 'samples/x/y.json', 'x.webhook-test.yaml'],
      ...['webhook_subscriptions.json', 'cron_jobs.json', 'relay.yaml'],
    ],
    commands: [],
  },
  'a backup': {
    commands: [
      ['restore', 'FILE'],
      ['restore', 'FILE', '--dry-run'],
    ],
  },
  'an import': {
    commands: [
      ['import', 'adnanh', 'FILE'],
      ['import', 'hermes', 'FILE'],
    ],
  },
  'a named file': {
    commands: [
      ['validate', 'FILE'],
      ['validate', '--config', 'FILE'],
      ['validate', '--baseline', 'FILE'],
      ['validate', '--sample', 'FILE'],
      ['webhook', 'trace', 'r', '--payload', '@FILE', '--scheme', 'none'],
      ['webhook', 'test', 'r', '--payload', '@FILE'],
      ['webhook', 'verify', 'r', '--body', '@FILE', '--header', '@FILE'],
      ['webhook', 'verify', 'r', '--header', '@FILE'],
      [...subscribe, '--from', '@FILE'],
      [...subscribe, '--filter', '@FILE'],
      [...subscribe, '--secret-file', 'FILE'],
      ['new', 'z', '--from', '@FILE', '--dry-run'],
      ['new', 'z', '--filter', '@FILE', '--dry-run'],
      ['erase', '--from', '@FILE'],
    ],
  },
}

/** Writes the file out of the data directory, and the links to it or copies of it. */
const place = (t: Test, { config: text = config({}), at = [] }: Door, content: string, isCopied = false) => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-foreign-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'file.yaml')
  writeFileSync(file, content)
  const cli = fakeCli(t, { 'config.yaml': text.replace('ALLOWED', folder) }, {})
  for (const link of at) {
    mkdirSync(dirname(cli.file(link)), { recursive: true })
    if (isCopied) writeFileSync(cli.file(link), content)
    else symlinkSync(file, cli.file(link))
  }
  return { cli, file }
}

for (const [name, door] of Object.entries(doors))
  t.test(`${name} that is another file is named, and not shown`, async (t) => {
    for (const [shape, content, isCopied] of Object.entries(shapes).flatMap(([shape, content]) => [
      [shape, content, false] as const,
      ...(door.at && !door.isOwn ? [[`a copy of ${shape}`, content, true] as const] : []),
    ]))
      await t.test(shape, async (t) => {
        const { cli, file } = place(t, door, content, isCopied)
        for (const argv of door.commands) {
          const { code, out, err } = await cli.run(...argv.map((word) => word.replace('FILE', file)))
          const said = `${out}${err}`
          t.notMatch(said, /canary/i, `${argv.join(' ')} exits ${code}`)
        }
        if (!door.serves) return
        const gateway = spawnGateway(t, cli.dir, { args: ['--log-level', 'debug'] })
        await gateway.listening
        t.match(await gateway.post('r', 'an-id', { key: secret, body: '{"a":1}' }), { status: /^20[02]$/ })
        gateway.kill('SIGTERM')
        const { out, err } = await gateway.ended
        t.notMatch(out + err, /canary/i, 'a gateway that serves')
      })
  })

t.test('a link out of the folder is refused among samples and tests, whatever it leads to', async (t) => {
  const sample = '{"headers":{"content-type":"application/json"},"body":{"a":"canary"}}'
  const asSample = place(t, { at: ['samples/x/y.json'], commands: [] }, sample)
  const refused = /its file is a link to no file in /
  for (const argv of [
    ['samples', 'show', 'x/y'],
    ['webhook', 'trace', 'r', '--sample', 'x/y', '--scheme', 'none'],
    ['validate', '--sample', 'x/y'],
    ['validate', '--sample', asSample.cli.file('samples/x')],
  ]) {
    const { out, err } = await asSample.cli.run(...argv)
    t.match(`${out}${err}`, refused, argv.join(' '))
    t.notMatch(`${out}${err}`, 'canary', argv.join(' '))
  }
  const named = await asSample.cli.run('webhook', 'trace', 'r', '--sample', asSample.file, '--scheme', 'none')
  t.notMatch(`${named.out}${named.err}`, refused, 'but a file may be named itself')
  const tests = stringify({ tests: [{ name: 'canary', route: 'r', send: { payload: { a: 1 } }, expect: { outcome: 'accepted' } }] })
  const asTests = place(t, { at: ['x.webhook-test.yaml'], commands: [] }, tests)
  for (const argv of [['validate'], ['test']]) {
    const { code, out, err } = await asTests.cli.run(...argv)
    t.match(`${out}${err}`, /x\.webhook-test\.yaml is a link to no file in /, argv.join(' '))
    t.not(code, 0)
    t.notMatch(`${out}${err}`, 'canary', argv.join(' '))
  }
})

t.test('include_links_to that nothing includes by is told', async (t) => {
  const { cli } = place(t, { config: config({}, { include_links_to: ['ALLOWED'] }), commands: [] }, '')
  t.match(await cli.run('validate'), { out: /WH210\] "include_links_to" has no effect without "?include/ })
})
