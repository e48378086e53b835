/** What `npm pack` packs: everything that its documents and licences name, little else, and it works once installed. */

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import Ajv from 'ajv'
import t from 'tap'
import { newFolder } from '../fakes/folder.ts'
import { startGateway } from '../fakes/process-gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const unreachable = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED/

/** Runs a program to its end, without the options of the test runner and of the npm that started it; `out` and `err` are whole. */
const run = (argv: readonly string[], cwd: string, more: { readonly [name: string]: string } = {}) => {
  const { HOME = '', PATH = '' } = process.env
  const env = { HOME, PATH, ...more }
  const { status, stdout, stderr } = spawnSync('env', ['-u', 'NODE_OPTIONS', ...argv], { cwd, encoding: 'utf8', env })
  return { code: status, out: stdout, err: stderr }
}

type Packed = { readonly filename: string; readonly unpackedSize: number; readonly files: readonly { path: string; mode: number }[] }

const folder = newFolder(t, { 'package.json': '{"private":true}' })
const packing = run(['npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder], root)
if (packing.code !== 0) throw new Error(`npm pack: ${packing.err}`)
const { filename, files, unpackedSize } = JSON.parse(packing.out)[0] as Packed

t.test('the package has what its documents name, and nothing that only we need', (t) => {
  const paths = files.map(({ path }) => path)
  for (const path of [
    'LICENSE',
    'README.md',
    'dist/main.js',
    'dist/plugin.js',
    'dist/plugin.d.ts',
    'dist/sbom.cdx.json',
    'dist/third-party-notices.txt',
    'schema/headgate.schema.json',
  ])
    t.ok(paths.includes(path), path)
  t.same(
    paths.filter(
      (path) =>
        !/^(dist|docs|examples|samples)\/|^schema\/(headgate|sample)\.schema\.json$|^bench\/README\.md$|^[A-Z]+\.md$|^LICENSE$|^package\.json$/.test(
          path,
        ),
    ),
    [],
    'nothing else',
  )
  t.same(
    paths.filter((path) => path.endsWith('.map')),
    [],
  )
  t.ok(unpackedSize < 12_000_000, `${unpackedSize} bytes`)
  t.equal(files.find(({ path }) => path === 'dist/main.js')?.mode, 0o755)
  t.match(readFileSync(join(root, 'dist/main.js'), 'utf8'), /^#!\/usr\/bin\/env node\n/)

  const links = paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\]\(([^)#:]+)\)/g)].map(([, to]) => ({ file, to: to as string })),
    )
  t.ok(links.length > 5)
  for (const { file, to } of links) {
    const path = posix.join(posix.dirname(file), to)
    t.ok(
      paths.some((packed) => packed === path || packed.startsWith(`${path}/`)),
      `${file}: ${to} is packed`,
    )
  }
  t.end()
})

t.test('the licence of every package in the bundle is told', (t) => {
  const dist = join(root, 'dist')
  const notices = readFileSync(join(dist, 'third-party-notices.txt'), 'utf8')
  const code = readdirSync(dist)
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(dist, file), 'utf8'))
  const names = new Set(
    code.flatMap((text) =>
      [...text.matchAll(/\/\/! node_modules\/(?:.*node_modules\/)?((?:@[\w.-]+\/)?[\w.-]+)\//gm)].map(([, name]) => name),
    ),
  )
  t.ok(names.size > 20, `${names.size} packages`)
  for (const name of names) t.ok(notices.includes(`\n${name} `), `${name}`)
  t.notMatch(notices, '(UNLICENSED)')
  t.end()
})

t.test('the bill of materials names the packages of the notices, and those that npm installs beside the bundle', (t) => {
  const bom = JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8'))
  const components: { group?: string; name: string; version: string; scope?: string }[] = bom.components
  const inBill = components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`)
  const notices = readFileSync(join(root, 'dist/third-party-notices.txt'), 'utf8')
  const inNotices = [...notices.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+ \d\S*) \([^)]+\)$/gm)].map(([, name]) => name as string)
  const beside = inBill.filter((name) => !inNotices.includes(name))
  t.same(inBill.filter((name) => inNotices.includes(name)).sort(), [...new Set(inNotices)].sort())
  t.match(
    beside.filter((name) => !name.startsWith('@libsql/')),
    [/^@neon-rs\/load /, /^detect-libc /, /^jsonata /, /^libsql /, /^saxes /, /^xmlchars /],
  )
  const optional = components.filter(({ scope }) => scope === 'optional').map(({ group, name }) => `${group}/${name}`)
  t.ok(optional.includes('@libsql/linux-x64-gnu') && optional.includes('@libsql/linux-arm64-gnu'))
  t.ok(optional.every((name) => name.startsWith('@libsql/')))

  const schema = (name: string) =>
    JSON.parse(
      readFileSync(join(root, `test/foreign/node_modules/@cyclonedx/cyclonedx-library/res/schema/${name}.SNAPSHOT.schema.json`), 'utf8'),
    )
  const ajv = new Ajv.default({ strict: false, validateFormats: false })
  for (const name of ['spdx', 'jsf-0.82']) ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
  const validate = ajv.compile(schema('bom-1.6'))
  t.ok(validate(bom), ajv.errorsText(validate.errors))
  t.end()
})

t.test('a build in another folder and time zone packs the same bytes', (t) => {
  const copy = join(newFolder(t), 'a copy')
  mkdirSync(copy)
  const left = ['.git', '.tap', '.ship', 'dist', 'node_modules', 'test']
  for (const name of readdirSync(root)) if (!left.includes(name)) cpSync(join(root, name), join(copy, name), { recursive: true })
  // The packages are linked file by file: a link to their folder would lead the build back into this folder.
  const linking = run(['cp', '-al', join(root, 'node_modules'), copy], root)
  if (linking.code !== 0) return void t.pass('not built again', { skip: `cp makes no hard links: ${linking.err}` })
  const built = run(['sh', '-c', 'umask 077; npm run -s build && npm pack --ignore-scripts'], copy, {
    TZ: 'Pacific/Kiritimati',
    LANG: 'tr_TR',
  })
  if (!t.equal(built.code, 0, built.err)) return
  const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
  t.equal(hash(join(copy, filename)), hash(join(folder, filename)))
  t.end()
})

t.test('installed from its tarball, it sets itself up, takes a signed post and asks a model', async (t) => {
  const flags = ['--omit=dev', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1', '--fetch-retry-mintimeout=1000']
  const installed = run(['npm', 'install', ...flags, `./${filename}`], folder)
  const [unreached] = unreachable.exec(installed.err) ?? []
  if (installed.code !== 0 && unreached && !process.env.CI) return void t.pass('not installed', { skip: `no registry: ${unreached}` })
  if (!t.equal(installed.code, 0, unreached ? `npm cannot reach its registry: ${unreached}` : installed.err)) return
  t.notMatch(installed.err, /EBADENGINE|deprecated/)

  const home = join(folder, 'home')
  const headgate = (...args: string[]) => run([join(folder, 'node_modules/.bin/headgate'), ...args], folder, { HEADGATE_HOME: home })
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.same(headgate('--version'), { code: 0, out: `${version}\n`, err: '' })
  t.match(headgate('gateway', 'setup', '--yes'), { code: 0, err: '' })
  const model = await sink(t, (response) => json(response, 200, { choices: [{ message: { role: 'assistant', content: 'A reply.' } }] }))
  const agent = { runner: 'openai', model: 'm', base_url: `${model.origin}/v1` }
  appendFileSync(join(home, 'config.yaml'), `agent: ${JSON.stringify(agent)}\n`)
  t.match(headgate('webhook', 'subscribe', 'hello', '--prompt', '{= $uppercase(payload.name) }'), { code: 0, err: '' })
  t.match(headgate('validate'), { code: 0, out: /^0 errors, 0 warnings in 1 route/, err: '' })

  const program = join(folder, 'node_modules/headgate/dist/main.js')
  const gateway = await startGateway(t, home, { program, args: ['--port', '0'] })
  const url = `${await gateway.listening}/webhooks/hello`
  t.match(headgate('webhook', 'test', 'hello', '--payload', '{"name":"Ada"}', '--url', url), { code: 0, out: '<-- 202 accepted', err: '' })
  await gateway.line(({ text }) => text === 'A reply.')
  t.match(model.seen[0]?.body, '"ADA"')
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0, err: '' })
})

/** A plugin in TypeScript: the examples that the declarations of `headgate/plugin` have. */
const typedPlugin = (declarations: string): string => {
  const examples = [...declarations.matchAll(/^ \* @example\n((?: \*.*\n)+?) \*\//gm)].map(([, text = '']) =>
    text.replaceAll(/^ \* ?/gm, ''),
  )
  return [
    "import { createHmac, timingSafeEqual } from 'node:crypto'",
    "import { checkOperator, checkRunner, checkScheme, checkTarget, type OperatorPart, type RunnerPart, type Scheme, type TargetPart } from 'headgate/plugin'",
    ...examples.filter((text) => text.includes('export const ')),
    'export const problems = async () =>',
    '  (await Promise.all([checkTarget(target), checkScheme(scheme), checkOperator(operator), checkRunner(runner)])).flat()',
  ].join('\n')
}

t.test('a plugin in TypeScript compiles against its types, keeps the contract, and serves', async (t) => {
  const acme = await sink(t, (response) => response.end('A reply.'))
  const document = readFileSync(join(root, 'docs/plugins.md'), 'utf8')
  const documented = [...document.matchAll(/^`([\w-]+\.mjs)`[^`]*:\n\n```js\n([\s\S]*?)^```/gm)].map(([, name, text]) => [name, text])
  const suite = /```js\n(import assert [\s\S]*?)```/.exec(document)?.[1] ?? ''
  const compilerOptions = {
    target: 'ES2022',
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: [],
  }
  const route = { verify: 'acme-sign', filters: { field: 'title', 'acme-longer': 3 }, prompt: '{title}', deliver: 'acme-chat' }
  const config = {
    plugins: ['./acme.js'],
    agent: { runner: 'acme-agent', base_url: acme.origin },
    platforms: {
      'acme-chat': { url: `${acme.origin}/room` },
      webhook: { enabled: true, extra: { secret: 's3cret', routes: { triage: route } } },
    },
  }
  const home = newFolder(t, {
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['acme.ts'] }),
    'config.yaml': JSON.stringify(config),
    'suite.test.mjs': suite,
    ...Object.fromEntries(documented),
  })
  // Unpacked, not installed: this needs no registry, and finds what it depends on in a folder above.
  const installed = join(home, 'node_modules/headgate')
  mkdirSync(installed, { recursive: true })
  t.equal(run(['tar', '-xzf', join(folder, filename), '-C', installed, '--strip-components=1'], home).code, 0)
  const plugin = typedPlugin(readFileSync(join(installed, 'dist/plugin.d.ts'), 'utf8'))
  const compile = (text: string) => {
    writeFileSync(join(home, 'acme.ts'), text)
    return run([join(root, 'node_modules/.bin/tsc'), '-p', home], home)
  }
  t.match(compile(plugin.replace("name: 'acme-longer'", 'name: 7')), { code: 2, out: /Type 'number' is not assignable to type 'string'/ })
  t.same(compile(plugin), { code: 0, out: '', err: '' })
  const asked = "const { problems } = await import('./acme.js'); console.log(JSON.stringify(await problems()))"
  t.match(run([process.execPath, '--input-type=module', '-e', asked], home), { code: 0, out: '[]\n' })
  t.match(run([process.execPath, '--test', 'suite.test.mjs'], home), { code: 0, out: /pass 1/ })

  const program = join(installed, 'dist/main.js')
  const gateway = await startGateway(t, home, { program, args: ['--port', '0'] })
  const url = `${await gateway.listening}/webhooks/triage`
  const post = (title: string) =>
    run([process.execPath, program, 'webhook', 'test', 'triage', '--payload', JSON.stringify({ title }), '--url', url], home, {
      HEADGATE_HOME: home,
    })
  t.match(post('Disk'), { code: 0, out: /acme-sign [\s\S]*<-- 202 accepted/ })
  t.match(post('Dis'), { code: 1, out: /ignored \(filter\)/ })
  await until(() => acme.seen.length === 2)
  t.match(acme.seen, [
    { url: '/ask', body: 'Disk' },
    { url: '/room', body: 'A reply.' },
  ])
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0, err: '' })
})
