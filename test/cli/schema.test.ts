/** `schema`: what is printed, and what is installed for editors without anything else being changed. */

import { chmodSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { JsonObject } from '../../src/core/json.ts'
import { fakeCli } from '../fakes/cli.ts'
import { startLanguageServer } from '../fakes/language-server.ts'

const bundle = JSON.parse(readFileSync(fileURLToPath(new URL('../../schema/headgate.schema.json', import.meta.url)), 'utf8')) as JsonObject
const line = '# yaml-language-server: $schema=./headgate.schema.json'
const config = 'platforms:   # mine\n  webhook: { enabled: true }\n'

t.test('print gives the schema of each kind of file', async (t) => {
  const cli = fakeCli(t)
  const printed = async (...which: string[]): Promise<JsonObject> =>
    JSON.parse((await cli.run('schema', 'print', ...which)).out) as JsonObject
  t.same(await printed(), bundle)
  t.same(await printed('config'), bundle)
  t.match(await printed('subscriptions'), { $ref: '#/definitions/Subscriptions', definitions: bundle.definitions })
  t.match(await printed('jobs'), { $ref: '#/definitions/CronJobs' })
  t.match(await printed('tests'), { $ref: '#/definitions/RouteTests' })
  t.match(await printed('sample'), { title: 'SampleFile' })
  t.match(await printed('config', '--json'), { v: 1, kind: 'schema.print', ok: true, data: bundle })
  t.match(await printed('routes'), { $ref: '#/definitions/RoutesFile' })
  t.match(await cli.run('schema', 'print', 'route'), { code: 2 })
})

const first: { readonly [title: string]: readonly [before: string, after: string] } = {
  'no modeline': [config, `${line}\n${config}`],
  'a comment first': [`# note\n${config}`, `${line}\n# note\n${config}`],
  'another schema': [`# note\n\n# yaml-language-server: $schema=/old/place.json  \n${config}`, `# note\n\n${line}  \n${config}`],
  'spelled otherwise': [`#yaml-language-server:$schema=x\n${config}`, `${line}\n${config}`],
  'line ends of Windows': [config.replaceAll('\n', '\r\n'), `${line}\r\n${config.replaceAll('\n', '\r\n')}`],
  'both with line ends of Windows': [`# yaml-language-server: $schema=x\r\na: 1\r\n`, `${line}\r\na: 1\r\n`],
  'a byte order mark': [`\ufeff${config}`, `\ufeff${line}\n${config}`],
  'one that stands too late to count': [`a: 1\n# yaml-language-server: $schema=x\n`, `${line}\na: 1\n# yaml-language-server: $schema=x\n`],
  'a $ pattern': [`# yaml-language-server: $schema=$&\n`, `${line}\n`],
  'an empty file': ['', `${line}\n`],
}

t.test('the modeline is spliced in: all else stays, byte for byte, and a second time changes nothing', async (t) => {
  for (const [title, [before, after]] of Object.entries(first))
    await t.test(title, async (t) => {
      const cli = fakeCli(t, { 'config.yaml': before })
      const { code, out } = await cli.run('schema', 'install')
      t.equal(code, 0)
      t.match(out, /^wrote {4}.*headgate\.schema\.json\nchanged {2}.*config\.yaml\n$/)
      t.equal(cli.read('config.yaml'), after)
      t.same(JSON.parse(cli.read('headgate.schema.json')), bundle)
      t.match(await cli.run('schema', 'install', '--modeline'), { code: 0, out: /^kept .*\nkept .*\n$/ })
      t.equal(cli.read('config.yaml'), after)
    })
})

t.test('other editors, other forms; the mode of the file stays', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': `# $schema: old.json\n${config}` })
  chmodSync(cli.file('config.yaml'), 0o640)
  t.match(await cli.run('schema', 'install', '--jetbrains', '--json'), {
    out: JSON.stringify({
      v: 1,
      kind: 'schema.install',
      ok: true,
      data: {
        files: [
          { file: cli.file('headgate.schema.json'), did: 'wrote' },
          { file: cli.file('config.yaml'), did: 'changed' },
        ],
      },
      warnings: [],
    }),
  })
  t.equal(cli.read('config.yaml'), `# $schema: ./headgate.schema.json\n${config}`)
  t.equal(statSync(cli.file('config.yaml')).mode & 0o777, 0o640)
  t.match(await cli.run('schema', 'install', '--modeline', '--jetbrains'), { code: 0 })
  t.equal(cli.read('config.yaml'), `${line}\n# $schema: ./headgate.schema.json\n${config}`)
})

t.test('what must not be touched is not, and then nothing is written at all', async (t) => {
  const none = fakeCli(t)
  t.match(await none.run('schema', 'install'), { code: 5, err: /there is no .*config\.yaml[\s\S]*gateway setup --yes/ })
  t.throws(() => none.read('headgate.schema.json'))

  const linked = fakeCli(t, { 'elsewhere.yaml': config })
  symlinkSync(linked.file('elsewhere.yaml'), linked.file('config.yaml'))
  t.match(await linked.run('schema', 'install'), { code: 6, err: /symbolic link/ })
  t.throws(() => linked.read('headgate.schema.json'))

  const odd = ['{ "a": 1', '[]', '{ "yaml.schemas": [] }', '{ "json.schemas": {} }', '{ "a": 1 } x']
  for (const text of odd) {
    const cli = fakeCli(t, { 'config.yaml': config, '.vscode/settings.json': text })
    t.match(
      await cli.run('schema', 'install', '--modeline', '--vscode'),
      { code: 6, err: /settings\.json cannot be changed: .*\n.*docs\/editor\.md/ },
      text,
    )
    t.equal(cli.read('.vscode/settings.json'), text)
    t.equal(cli.read('config.yaml'), config)
    t.throws(() => cli.read('headgate.schema.json'), text)
  }
})

t.test('VS Code: settings are merged, their comments kept', async (t) => {
  const before = `// mine
{
    "editor.tabSize": 4, // four
    "yaml.schemas": {
        /* theirs */
        "https://example.org/a.json": "a.yaml",
    },
    "json.schemas": [
        { "fileMatch": ["/x.json"], "url": "./x.schema.json" }, // x
    ],
}
`
  const cli = fakeCli(t, { 'config.yaml': config, '.vscode/settings.json': before })
  t.match(await cli.run('schema', 'install', '--vscode'), { code: 0, out: /changed {2}.*settings\.json/ })
  const after = cli.read('.vscode/settings.json')
  for (const kept of ['// mine', '"editor.tabSize": 4, // four', '/* theirs */', '"https://example.org/a.json": "a.yaml"', '// x'])
    t.match(after, kept)
  t.match(after, '"./headgate.schema.json"')
  t.equal(cli.read('config.yaml'), config, 'no modeline was asked for')
  t.match(await cli.run('schema', 'install', '--vscode'), { code: 0, out: /^(kept .*\n){7}$/ })
  t.equal(cli.read('.vscode/settings.json'), after, 'once')

  const fresh = fakeCli(t, { 'config.yaml': config })
  t.match(await fresh.run('schema', 'install', '--vscode'), { code: 0, out: /wrote {4}.*settings\.json/ })
  t.same(JSON.parse(fresh.read('.vscode/settings.json')), {
    'yaml.schemas': {
      './headgate.schema.json': ['/config.yaml', '/profiles/*/config.yaml'],
      './.vscode/headgate.routes.schema.json': ['/routes.d/*.yaml'],
      './.vscode/headgate.tests.schema.json': ['*.webhook-test.yaml', '*.webhook-test.yml'],
    },
    'json.schemas': [
      { fileMatch: ['/webhook_subscriptions.json'], url: './.vscode/headgate.subscriptions.schema.json' },
      { fileMatch: ['/cron_jobs.json', '/profiles/*/cron_jobs.json'], url: './.vscode/headgate.jobs.schema.json' },
      { fileMatch: ['/samples/*/*.json'], url: './.vscode/headgate.sample.schema.json' },
    ],
  })

  const partly = fakeCli(t, { '.vscode/settings.json': '{ "yaml.schemas": { "./headgate.schema.json": "conf/*.yaml" } }' })
  t.match(await partly.run('schema', 'install', '--vscode'), { code: 0 })
  t.match(JSON.parse(partly.read('.vscode/settings.json')), {
    'yaml.schemas': { './headgate.schema.json': ['conf/*.yaml', '/config.yaml', '/profiles/*/config.yaml'] },
  })
})

t.test('an editor finds them: the bundle by the modeline, the others through it', async (t) => {
  const routes = 'routes:\n  a: { prompt: x }\n'
  const files = { 'parts/a.yaml': routes, 'parts/b.json': '{"routes":{}}', 'c.yaml': routes }
  const cli = fakeCli(t, { 'config.yaml': `include: [./parts/*, c.yaml, none.yaml]\n${config}`, ...files })
  t.match(await cli.run('schema', 'install', '--modeline', '--vscode'), { code: 0 })
  const part = '# yaml-language-server: $schema=../headgate.schema.json#/definitions/RoutesFile'
  t.equal(cli.read('parts/a.yaml'), `${part}\n${routes}`)
  t.equal(cli.read('c.yaml'), `${part.replace('..', '.')}\n${routes}`)
  t.equal(cli.read('parts/b.json'), files['parts/b.json'])
  const settings = JSON.parse(cli.read('.vscode/settings.json'))
  t.same(settings['yaml.schemas']['./.vscode/headgate.routes.schema.json'], ['/parts/*', '/c.yaml', '/none.yaml'])
  const editor = await startLanguageServer(t, '', cli.dir)
  const kinds: readonly (readonly [schema: string, bad: string, good: string])[] = [
    ['./headgate.schema.json', 'agent: { runnr: echo }', 'agent: { runner: echo }'],
    ['./headgate.schema.json#/definitions/RoutesFile', 'routes: { a: { promt: x } }', routes],
    ['./.vscode/headgate.routes.schema.json', '{ routes: {}, include: [] }', routes],
    ['./.vscode/headgate.subscriptions.schema.json', 'a: { delivr: log }', 'a: { deliver: log, created_at: x }'],
    ['./.vscode/headgate.jobs.schema.json', 'a: { schedul: x, schedule: x }', 'a: { schedule: x }'],
    ['./.vscode/headgate.tests.schema.json', '{ tests: [], rotes: x }', '{ tests: [], routes: ../config.yaml }'],
    ['./.vscode/headgate.sample.schema.json', '{ headers: {}, bod: 1, body: 1 }', '{ headers: {}, body: 1 }'],
  ]
  for (const [schema, bad, good] of kinds) {
    const heading = `# yaml-language-server: $schema=${schema}\n`
    t.match(await editor.problems(heading + bad), [{ message: /is not allowed/ }], schema)
    t.same(await editor.problems(heading + good), [], schema)
  }
  t.same(await editor.problems(cli.read('config.yaml')), [])
  const offered = await editor.complete(`${part.replace('..', '.')}\nroutes:\n  a:\n    deliver: telegram\n    deliver_extra:\n      ▮`)
  t.ok(
    offered.some(({ label }) => label === 'message_thread_id'),
    'the keys of a route are offered in an included file',
  )
  t.match(await editor.problems(`# $schema: ./headgate.schema.json\nagent: { runnr: echo }`), [{ message: /runnr/ }], 'the other form')
})
