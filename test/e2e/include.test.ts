/** A configuration in several files: what is included, what is refused, and what a running gateway makes of a change. */

import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { createEditorService } from '../../src/edit/create-service.ts'
import { draftOf } from '../../src/edit/draft/route-draft.ts'
import { gatewayAt } from '../../src/http/control/client.ts'
import { fakeCli } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'
import { command, dataDir, type ProcessGateway, startGateway } from '../fakes/process-gateway.ts'

const key = 'It is a secret to everybody'
const routesFile = (...names: string[]): string => `routes:\n${names.map((name) => `  ${name}: { prompt: ${name} }\n`).join('')}`

/** A data directory whose config.yaml has the route `own` and includes these paths. */
const parts = (t: Test, include: readonly string[], files: { readonly [name: string]: string } = {}): string => {
  const dir = dataDir(t, { routes: { own: { prompt: 'own' } }, config: { include } })
  for (const [name, text] of Object.entries(files)) put(join(dir, name), text)
  return dir
}

const put = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

type Finding = {
  readonly code: string
  readonly message: string
  readonly file: string
  readonly range: { readonly start: object }
  readonly route: string | null
}

const check = (dir: string, ...args: string[]) => {
  const { status, stdout } = command({ dir }, 'validate', ...args, '--format', 'json')
  const { diagnostics, summary } = JSON.parse(stdout).data
  const found = (diagnostics as Finding[]).map((each) => ({ ...each, file: resolve(each.file) }))
  return { status, found, codes: found.map(({ code }) => code), summary }
}

const shown = (dir: string, ...args: string[]) => JSON.parse(command({ dir }, 'config', 'show', '--json', ...args).stdout).data.config
const routesOf = (dir: string): string[] => Object.keys(shown(dir).platforms.webhook.extra.routes)

t.test('routes come in the order of the paths, files of a pattern by name; each file once; odd names never', async (t) => {
  const dir = parts(t, ['z.yaml', './routes.d/*.yaml', 'routes.d/b.yaml', '*'], {
    'z.yaml': routesFile('z'),
    'routes.d/b.yaml': routesFile('b'),
    'routes.d/a.yaml': routesFile('a'),
    'routes.d/.hidden.yaml': routesFile('hidden'),
    'routes.d/a.yaml~': routesFile('backup'),
    'routes.d/#a.yaml#': routesFile('autosave'),
    'routes.d/.#a.yaml': routesFile('lock'),
    'routes.d/a.webhook-test.yaml': 'tests: []\n',
    'routes.d/folder.yaml/c.yaml': routesFile('c'),
    'notes.txt': 'routes: { txt: {} }',
  })
  t.same(routesOf(dir), ['own', 'z', 'a', 'b'])
  t.same(
    check(dir).codes.filter((code) => code !== 'WH303' && code !== 'WH506'),
    [],
  )
})

t.test('what cannot be read is an error at its place, and the gateway does not start with it', async (t) => {
  const dir = parts(t, ['fifo.yaml', 'folder', 'loop.yaml', 'none.yaml', '../../etc/passwd', '/etc/passwd', 'a/*/b.yaml', 'nothing/*.yaml'])
  execFileSync('mkfifo', [join(dir, 'fifo.yaml')])
  mkdirSync(join(dir, 'folder'))
  symlinkSync('loop.yaml', join(dir, 'loop.yaml'))
  const { found, status } = check(dir)
  t.equal(status, 1)
  const messages = found
    .filter(({ code }) => /WH003|WH105|WH012/.test(code))
    .map(({ code, message }) => `${code} ${message.replace(`${dir}/`, '')}`)
  t.match(messages.sort(), [
    /^WH003 cannot read loop.yaml: ELOOP/,
    /^WH003 fifo.yaml is no regular file/,
    /^WH003 folder is a folder/,
    /^WH003 none.yaml does not exist/,
    /^WH012 nothing\/\*\.yaml finds no file/,
    /^WH105 include\[4\]: .*not of the right form/,
    /^WH105 include\[5\]: .*not of the right form/,
    /^WH105 include\[6\]: .*not of the right form/,
  ])
  t.notMatch(JSON.stringify(found), 'root:')
  const start = command({ dir }, 'gateway', 'run')
  t.equal(start.status, 78)
  t.match(start.stderr, 'fifo.yaml is no regular file')
})

t.test('an included file has routes and nothing else: no include, no settings, no empty text, no key twice', async (t) => {
  const dir = parts(t, ['*.yaml'], {
    'a.yaml': 'include: [b.yaml]\nroutes: {}\n',
    'b.yaml': '',
    'c.yaml': 'routes:\n  c: { prompt: x }\n  c: { prompt: y }\n',
    'd.yaml': 'routes:\n  d: { prompt: "x }\n',
    'e.yaml': 'routes:\n  e:\n    promt: x\n',
    'f.yaml': '- routes\n',
    'g.yaml': 'routes:\n',
  })
  const found = check(dir).found.filter(({ file }) => !file.endsWith('config.yaml'))
  t.match(
    found
      .filter(({ code }) => code !== 'WH303')
      .map(({ file, code, range, route }) => [file.slice(dir.length + 1), code, route, range.start]),
    [
      ['a.yaml', 'WH101', null, { line: 1, column: 1 }],
      ['b.yaml', 'WH104', null, {}],
      ['c.yaml', 'WH002', null, { line: 3, column: 3 }],
      ['d.yaml', 'WH001', 'd', { line: 2 }],
      ['e.yaml', 'WH101', 'e', { line: 3, column: 5 }],
      ['f.yaml', 'WH013', null, { line: 1, column: 1 }],
      ['g.yaml', 'WH102', null, {}],
    ],
  )
})

t.test('a config.yaml with only a word of other programs at its top gets the place where that belongs', async (t) => {
  for (const [word, place] of [
    ['webhook', /platforms: \{ webhook/],
    ['routes', /platforms\.webhook\.extra\.routes/],
    ['port', /platforms\.webhook\.extra/],
  ] as const) {
    const dir = newFolder(t, { 'config.yaml': `${word}:\n  a: { prompt: x }\n` })
    t.match(check(dir).found, [{ code: 'WH101', range: { start: { line: 1, column: 1 } }, help: place }], word)
  }
  t.match(check(newFolder(t, { 'config.yaml': 'webhook: {}\nservices: canary\n' })).found, [{ code: 'WH013' }])
})

/** Texts that are no map of routes, each with the canary, as a `.env`, a key and other files have them. */
const foreign = [
  'DB_PASSWORD=canary\nTOKEN=canary\n',
  'canary: canary\ncanary_two: x\n',
  '- canary\n',
  'routes: canary\n',
  'routes: { canary: canary }\n',
  'canary: canary: canary\n',
  '-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n',
  '{ "type": "service_account", "private_key": "canary", "canary": 1 }\n',
  'canary: "canary\n',
  '!canary canary\n',
  '"canary\n',
]

const formats = ['pretty', 'concise', 'json', 'jsonl', 'github', 'gitlab', 'sarif', 'junit', 'tap']

t.test('a file that is not what it should be is named, with a place, and nothing of it is shown in any report', async (t) => {
  const dir = parts(t, ['routes.d/*.yaml'], Object.fromEntries(foreign.map((text, i) => [`routes.d/x${i}.yaml`, text])))
  const found = check(dir).found.filter(({ file }) => dirname(file) === join(dir, 'routes.d'))
  t.equal(found.length, foreign.length)
  t.match(
    found,
    foreign.map(() => ({ code: /^WH0(?:01|13)$/, range: { start: { line: Number, column: Number } } })),
  )
  for (const format of formats) t.notMatch(command({ dir }, 'validate', '--format', format).stdout, 'canary', format)
  const { status, stdout, stderr } = command({ dir }, 'gateway', 'run')
  t.match({ status, stderr }, { status: 78, stderr: 'x1.yaml' })
  t.notMatch(stdout + stderr, 'canary')
  for (const text of foreign.filter((each) => !each.startsWith('routes'))) {
    const cli = fakeCli(t, { 'config.yaml': text, 'relay.yaml': text, 'a.webhook-test.yaml': text })
    for (const words of ['validate', 'test', 'relay validate', 'config show']) {
      const { code, out, err } = await cli.run(...words.split(' '))
      t.not(code, 0, words)
      t.notMatch(out + err, 'canary', `${words}: ${text}`)
    }
  }
})

t.test('a list, a sample, a snapshot and a payload that are not JSON are named with line and column, and not quoted', async (t) => {
  const dir = parts(t, ['r.yaml'], {
    'r.yaml': 'routes:\n  listed: { prompt: p, filters: [{ field: a, in_file: list.json }] }\n',
    'list.json': '[\n  canary-canary\n]',
    'samples/canary/push.json': '{ "canary": "canary" }',
    'samples/canary/open.json': '\n canary',
    'payload.json': '{\n canary',
    'a.webhook-test.yaml':
      'tests:\n  - { name: one, route: own, send: { file: payload.json }, expect: { outcome: accepted } }\n  - { name: two, route: own, send: { sample: canary/push }, expect: { prompt: { snapshot: true } } }\n',
    'a.webhook-test.snap.json': '{ "canary',
  })
  t.match(check(dir).found.find(({ code }) => code === 'WH407')?.message, /not JSON \(line 2, column 3\)/)
  const said = [
    ['validate'],
    ['test'],
    ['samples', 'show', 'canary/push'],
    ['samples', 'show', 'canary/open'],
    ['validate', '--sample', 'canary'],
  ].map((words) => command({ dir }, ...words))
  t.match(said[3], { stderr: /line 2, column 2/ })
  for (const { stdout, stderr } of said) t.notMatch((stdout + stderr).replaceAll(/(?:canary|samples\/canary)\/\w+(\.json)?/g, ''), /canary/)
})

t.test('a link out of the folder is refused, whether its file exists or not, unless include_links_to names the folder', async (t) => {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'headgate-outside-')))
  t.teardown(() => rmSync(outside, { recursive: true }))
  put(join(outside, 'led.yaml'), routesFile('led'))
  const dir = parts(t, ['routes.d/*.yaml', 'gone.yaml', 'folder/*.yaml'], { 'routes.d/own.yaml': routesFile('inside') })
  symlinkSync(join(outside, 'led.yaml'), join(dir, 'routes.d/a.yaml'))
  symlinkSync(join(outside, 'none.yaml'), join(dir, 'gone.yaml'))
  symlinkSync(outside, join(dir, 'folder'))
  symlinkSync('own.yaml', join(dir, 'routes.d/twin.yaml'))
  const { found } = check(dir)
  t.match(
    found.filter(({ code }) => code === 'WH014').map(({ message }) => message.replaceAll(`${dir}/`, '')),
    [/^routes.d\/a.yaml is a link to no file/, /^gone.yaml is a link to no file/, /^folder is a link to no folder/],
  )
  t.notMatch(JSON.stringify(found), 'led')
  t.equal(command({ dir }, 'gateway', 'run').status, 78)
  const config = join(dir, 'config.yaml')
  rmSync(join(dir, 'gone.yaml'))
  put(join(dir, 'gone.yaml'), routesFile('back'))
  appendFileSync(config, `include_links_to: [${outside}]\n`)
  t.same(routesOf(dir), ['own', 'led', 'inside', 'back'])
})

t.test('a route in two files: both places are named, neither is served', async (t) => {
  const dir = parts(t, ['*.yaml'], { 'a.yaml': routesFile('x', 'twin'), 'b.yaml': routesFile('twin', 'own') })
  const twins = check(dir).found.filter(({ code }) => code === 'WH002')
  t.match(twins, [
    { file: join(dir, 'b.yaml'), range: { start: { line: 2, column: 3 } }, route: 'twin', message: `${join(dir, 'a.yaml')}:3:3` },
    { file: join(dir, 'b.yaml'), range: { start: { line: 3, column: 3 } }, route: 'own', message: /config\.yaml:\d+:9/ },
  ])
  t.equal(command({ dir }, 'gateway', 'run').status, 78)
  t.equal(command({ dir }, 'config', 'show').status, 78)
})

t.test('1,000 files are read, 1,001 are not', async (t) => {
  const dir = parts(t, ['many/*.yaml'])
  for (let i = 0; i < 1_000; i++) put(join(dir, 'many', `${i}.yaml`), routesFile(`r${i}`))
  t.equal(routesOf(dir).length, 1_001)
  put(join(dir, 'many', 'more.yaml'), routesFile('more'))
  t.match(command({ dir }, 'config', 'show'), { status: 78, stderr: /more than 1000 files are included/ })
})

t.test('validate takes one file as a part of the configuration, mends it, and sees its open secrets', async (t) => {
  const dir = parts(t, ['routes.d/*.yaml'], {
    'routes.d/a.yaml': 'routes:\n  a:\n    delivr: log\n    prompt: "{title}"\n    secret: 0f3c9d27b61e\n',
    'routes.d/b.yaml': 'routes: { b: { promt: x } }',
  })
  const file = join(dir, 'routes.d/a.yaml')
  chmodSync(file, 0o644)
  chmodSync(dir, 0o755)
  const { found, summary } = check(dir, file)
  t.same([...new Set(found.map((each) => each.file))], [file], 'the other file has mistakes of its own')
  t.match(
    found.map(({ code }) => code),
    ['WH101'],
  )
  t.equal(summary.files, 1)
  t.equal(command({ dir }, 'validate', file, '--fix').status, 0)
  t.match(readFileSync(file, 'utf8'), /deliver: log/)
  t.ok(check(dir, file).codes.every((code) => code === 'WH303'))
  t.equal(check(dir).found.find(({ code }) => code === 'WH101')?.route, 'b')
})

/** A volume of Kubernetes: `..data` is a link to the folder with the files, and is replaced as a whole. */
const swapVolume = (folder: string, version: string, text: string): void => {
  const links = join(folder, '..next')
  put(join(folder, version, 'a.yaml'), text)
  symlinkSync(version, links)
  renameSync(links, join(folder, '..data'))
  if (!existsSync(join(folder, 'a.yaml'))) symlinkSync('..data/a.yaml', join(folder, 'a.yaml'))
}

const reloaded = (gateway: ProcessGateway, name: string) =>
  gateway.line(
    ({ msg, added, changed }) => msg.includes('configuration reloaded') && [added, changed].some((names) => `${names}`.includes(name)),
  )

t.test('gateway run --watch: new files, swapped volumes, files outside behind a link; a half-written one is refused', async (t) => {
  const dir = parts(t, ['routes.d/*.yaml', 'volume/*.yaml'])
  const outside = join(dir, 'outside')
  mkdirSync(outside)
  symlinkSync(outside, join(dir, 'volume'))
  swapVolume(outside, '..v1', routesFile('v1'))
  const gateway = await startGateway(t, dir, { args: ['--watch', '--log-format', 'json'] })
  t.equal((await gateway.post('v1', 'v1')).status, 202)

  put(join(dir, 'routes.d/new.yaml'), routesFile('fresh'))
  await reloaded(gateway, 'fresh')
  t.equal((await gateway.post('fresh', 'f')).status, 202)

  swapVolume(outside, '..v2', routesFile('v2'))
  rmSync(join(outside, '..v1'), { recursive: true })
  await reloaded(gateway, 'v2')
  t.equal((await gateway.post('v1', 'v1-gone')).status, 404)

  writeFileSync(join(dir, 'routes.d/new.yaml'), 'routes:\n  fresh: { prompt: "half')
  await gateway.line(({ msg, reason }) => msg.includes('reload refused') || `${reason}`.includes('WH001'))
  t.equal((await gateway.post('fresh', 'f2')).status, 202, 'the last good configuration serves on')
  writeFileSync(join(dir, 'routes.d/new.yaml'), routesFile('fresh', 'whole'))
  await reloaded(gateway, 'whole')

  rmSync(join(dir, 'volume'))
  put(join(dir, 'other/a.yaml'), routesFile('led'))
  symlinkSync('other', join(dir, 'volume'))
  await reloaded(gateway, 'led')
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0 })
})

t.test('config diff: from what the gateway serves to the files, masked; exit 1 when they differ', async (t) => {
  const dir = parts(t, ['routes.d/*.yaml'], {
    'routes.d/a.yaml': `routes:\n  a: { prompt: old, secret: first-secret-of-a }\n  b: { prompt: b }\n`,
  })
  const gateway = await startGateway(t, dir)
  t.match(command(gateway, 'config', 'diff'), { status: 0, stdout: '' })
  put(join(dir, 'routes.d/b.yaml'), routesFile('b'))
  put(join(dir, 'routes.d/a.yaml'), `routes:\n  a: { prompt: new, secret: other-secret-of-a }\n`)
  const { status, stdout } = command(gateway, 'config', 'diff')
  t.equal(status, 1)
  t.match(stdout, /^-.*prompt: old$/m)
  t.match(stdout, /^\+.*prompt: new$/m)
  t.match(stdout, /^-.*secret: '\*\*\* \([0-9a-f]{8}\)'$/m)
  t.notMatch(stdout, 'secret-of-a')
  t.notMatch(stdout, /^[-+].*\bb:/m, 'a route that only moved does not differ')
  t.match(JSON.parse(command(gateway, 'gateway', 'status', '--json').stdout).data.changed_files.sort(), [
    join(dir, 'routes.d/*.yaml'),
    join(dir, 'routes.d/a.yaml'),
  ])
  t.equal(command(gateway, 'gateway', 'reload').status, 0)
  t.match(command(gateway, 'config', 'diff'), { status: 0, stdout: '' })
  put(join(dir, 'routes.d/a.yaml'), 'routes: {')
  t.match(command(gateway, 'config', 'diff'), { status: 1, stdout: /WH001[\s\S]*a reload would be refused/ })
})

t.test('config show --resolved has defaults and variables, and no secret', async (t) => {
  const dir = parts(t, ['a.yaml'], {
    'a.yaml': 'routes:\n  a: { prompt: x, deliver: telegram, secret: "${A_KEY}" }\n  b: { prompt: x, secret: "${B_KEY}" }\n',
    '.env': 'B_KEY=file:b1\nA_KEY=the-secret-of-a\nTELEGRAM_HOME_CHANNEL=7\n',
  })
  t.match(shown(dir).platforms.webhook.extra.routes.a, { secret: '${A_KEY}' })
  const resolved = shown(dir, '--resolved')
  t.match(resolved, { gateway: { drain_seconds: 30 }, platforms: { webhook: { enabled: true, extra: { host: '127.0.0.1', port: 0 } } } })
  t.match(resolved.platforms.webhook.extra.routes.a, { secret: /^\*\*\* \(/, deliver_mode: 'all' })
  t.notMatch(JSON.stringify(resolved), /the-secret-of-a|secret to everybody|file:b1/)
})

t.test('headgate test runs the tests of included routes', async (t) => {
  const spec = (name: string, status: number): string => `{ name: ${name}, send: { payload: {} }, expect: { status: ${status} } }`
  const dir = parts(t, ['*.yaml'], { 'a.yaml': `routes:\n  a:\n    prompt: x\n    tests: [${spec('good', 202)}, ${spec('bad', 200)}]\n` })
  for (const paths of [[], [dir], [join(dir, 'a.yaml')]]) t.match(command({ dir }, 'test', ...paths), { status: 1, stdout: /1 failed/ })
})

t.test('the editor reads and writes a route where it stands', async (t) => {
  const dir = parts(t, ['routes.d/*.yaml'], { 'routes.d/a.yaml': `# kept\nroutes:\n  a:\n    prompt: old # why\n    secret: ${key}\n` })
  const file = join(dir, 'routes.d/a.yaml')
  const config = readFileSync(join(dir, 'config.yaml'), 'utf8')
  const workspace = { dataDir: dir, env: {}, self: 'headgate' }
  const service = createEditorService(workspace, gatewayAt(workspace))
  const home = await service.home({})
  t.equal(home.rows.find(({ name }) => name === 'a')?.file, 'routes.d/a.yaml')
  t.notOk(home.rows[0]?.pause)
  writeFileSync(join(dir, 'paused_routes.json'), JSON.stringify({ a: { hold: true, paused_at: '2026-01-01T00:00:00Z' } }))
  t.match((await service.home({})).rows[0]?.pause, { isHold: true }, 'it says that the route is paused')
  const opened = await service.open({ name: 'a' })
  t.match(opened, { file, base: ['routes', 'a'] })
  const edits = [{ kind: 'set', path: ['prompt'], value: 'new' }] as const
  const draft = { ...draftOf(opened), past: [{ title: 'prompt', edits }], spec: { ...opened.written, prompt: 'new' } }
  const bad = { ...draft, past: [{ title: 'deliver', edits: [{ kind: 'set', path: ['deliver'], value: 'telegrm' }] as const }] }
  t.match((await service.plan({ draft: bad })).findings, [{ code: 'WH704', route: 'a', place: { file } }])
  t.match(await service.save({ draft, despiteErrors: false }), { ok: true, notices: ['saved a.yaml'] })
  t.equal(readFileSync(file, 'utf8'), `# kept\nroutes:\n  a:\n    prompt: new # why\n    secret: ${key}\n`)
  t.equal(readFileSync(join(dir, 'config.yaml'), 'utf8'), config)
  t.match(command({ dir }, 'new', 'a', '--prompt', 'x'), { status: 6, stderr: /there is a route "a" already/ })
  t.equal(command({ dir }, 'new', 'fresh', '--prompt', 'x').status, 0)
  t.match(readFileSync(join(dir, 'config.yaml'), 'utf8'), /fresh:/)
})
