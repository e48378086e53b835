/** The built command as a process: exit codes, file modes, commands at once, a kill in the middle. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { newFolder } from '../fakes/folder.ts'
import { works } from '../fakes/process.ts'
import { command, readOnly, startGateway } from '../fakes/process-gateway.ts'
import { closedOrigin } from '../fakes/sink.ts'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const store = 'webhook_subscriptions.json'
const noMount = !works('unshare', '-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt') && 'needs the right to mount'

if (!existsSync(main)) throw new Error('dist/main.js is not there: npm run build')

type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

/** Starts the command over a data directory; it is killed with its test if it should still run. */
const start = (t: Test, dir: string, ...argv: string[]): { child: ChildProcess; ended: Promise<Ended> } => {
  const { HOME = '', PATH = '' } = process.env
  const env = { HOME, PATH, HEADGATE_HOME: dir, WEBHOOK_ENABLED: 'true' }
  // The test runner puts a loader into the environment of every child, which takes longer than the command.
  const child = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, main, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk
  })
  return { child, ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, ...said }))) }
}

const run = (t: Test, dir: string, ...argv: string[]): Promise<Ended> => start(t, dir, ...argv).ended
const modeOf = (path: string): number => statSync(path).mode & 0o777
const entries = (dir: string): { [name: string]: { [key: string]: unknown } } => JSON.parse(readFileSync(join(dir, store), 'utf8'))

t.test('exit codes', async (t) => {
  const dir = newFolder(t, { [store]: '{"a":{"secret":"x"}}', bad: { [store]: '{' } })
  const cases: [code: number, dir: string, argv: string[]][] = [
    [0, dir, []],
    [0, dir, ['webhook', 'list', '--all']],
    [1, dir, ['webhook', 'subscribe', 'b', '--deliver', 'telegrm']],
    [2, dir, ['webhok', 'list']],
    [2, dir, ['webhook', 'subscribe', 'b', '--toolsets', 'x']],
    [4, dir, ['webhook', 'test', 'a', '--url', `${await closedOrigin()}/`]],
    [5, dir, ['webhook', 'remove', 'nope']],
    [6, join(dir, 'bad'), ['webhook', 'subscribe', 'b']],
  ]
  for (const [code, folder, argv] of cases) t.equal((await run(t, folder, ...argv)).code, code, argv.join(' '))
})

t.test('a body on standard input is read as bytes', async (t) => {
  const dir = newFolder(t, { [store]: '{"a":{"secret":"hush-hush-1234"}}' })
  const body = Buffer.from('{"a":"\xff\xfe"}', 'latin1')
  const signature = createHmac('sha256', 'hush-hush-1234').update(body).digest('hex')
  const argv = [main, 'webhook', 'verify', 'a', '--body', '@-', '--header', `x-hub-signature-256: sha256=${signature}`]
  const { PATH = '' } = process.env
  const { status, stdout } = spawnSync(process.execPath, argv, { input: body, env: { PATH, HEADGATE_HOME: dir, WEBHOOK_ENABLED: 'true' } })
  t.match(String(stdout), /^a takes it: github, secret 1\n/)
  t.equal(status, 0)
})

t.test('a Node that is too old is told so before anything is loaded, whatever the command', async (t) => {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const needed = engines.node.replace('>=', '').replace(/\.0$/, '')
  const [entry = ''] = readFileSync(main, 'utf8').split('import(')
  t.same(entry.match(/from '[^']+'/g), ["from 'module'"], 'nothing is imported before the check')
  const cases: [found: string, ...argv: string[]][] = [
    ['18.20.8', 'gateway', 'setup', '--yes'],
    ['20.19.9', '--version'],
    ['20.20.0', '--version'],
    ['21.0.0', '--version'],
  ]
  for (const [found, ...argv] of cases) {
    const pretend = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${found}'})`
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', pretend, main, ...argv], {
      encoding: 'utf8',
      env: { HEADGATE_HOME: newFolder(t) },
    })
    const old = found === '18.20.8' || found === '20.19.9'
    t.equal(stderr, old ? `headgate needs Node ${needed} or later, this is ${found}\n` : '', found)
    t.match({ status, stdout }, old ? { status: 1, stdout: /^$/ } : { status: 0, stdout: /./ })
  }
})

t.test('a plugin with a schema is loaded, and its schema compiled', async (t) => {
  const plugin = `export const target = { name: 'acme-chat', send() {} }
export const schema = { settings: { properties: { url: { pattern: '^https?:' } } } }`
  const config = 'plugins: [./p.mjs]\nplatforms: { acme-chat: { url: nowhere } }\n'
  const ended = await run(t, newFolder(t, { 'config.yaml': config, 'p.mjs': plugin }), 'validate', '--format', 'concise')
  t.match(ended, {
    code: 1,
    out: /config\.yaml:2:32: WH105 error: url: the value \(not shown\) is not of the right form \(stops the start\)\n$/,
    err: '',
  })
})

t.test('a command ends though a plugin holds something open', async (t) => {
  const plugin = "setInterval(() => {}, 60_000)\nexport const target = { name: 'acme-open', send: () => ({ ok: true }) }"
  const dir = newFolder(t, { 'config.yaml': 'plugins: [./p.mjs]\n', 'p.mjs': plugin })
  t.match(await run(t, dir, 'validate'), { code: 0 })
  t.match(await run(t, dir, 'targets', 'test', 'acme-open', '--yes'), { code: 0, out: 'sent     acme-open\n' })
  t.match(await run(t, dir, 'targets', 'test', 'acme-none', '--yes'), { code: 5 })
})

t.test('who reads slowly gets all of a long output, and who stops reading holds nobody up', async (t) => {
  const { out } = await run(t, newFolder(t), 'schema', 'print')
  const { child, ended } = start(t, newFolder(t), 'schema', 'print')
  child.stdout?.pause()
  await sleep(1_000)
  child.stdout?.resume()
  t.equal((await ended).out.length, out.length)
  const gone = start(t, newFolder(t), 'schema', 'print')
  gone.child.stdout?.destroy()
  t.equal((await gone.ended).code, 0)
})

t.test('a gateway ends though nobody reads its log any more', async (t) => {
  const route = '{ prompt: p, secret: INSECURE_NO_AUTH, deliver: log }'
  const config = `platforms: { webhook: { enabled: true, extra: { port: 0, rate_limit: 10000, routes: { r: ${route} } } } }\n`
  const { child, ended } = start(t, newFolder(t, { 'config.yaml': config }), 'gateway', 'run')
  const url = await new Promise<string>((resolve) => {
    child.stdout?.on('data', (chunk) => {
      const [found] = /http:\S+/.exec(String(chunk)) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  child.stdout?.pause()
  const post = async (): Promise<string> => (await fetch(`${url}/webhooks/r`, { method: 'POST', body: '{}' })).text()
  for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 50 }, post))
  child.kill('SIGTERM')
  await new Promise((resolve) => child.on('exit', resolve))
  t.equal(child.exitCode, 0)
  child.stdout?.resume()
  await ended
})

t.test('files are 0600 and folders 0700 whatever the umask', async (t) => {
  const dir = join(newFolder(t), 'data')
  const before = process.umask(0)
  t.teardown(() => process.umask(before))
  t.equal((await run(t, dir, 'gateway', 'setup', '--yes')).code, 0)
  t.equal((await run(t, dir, 'webhook', 'subscribe', 'a')).code, 0)
  t.equal((await run(t, dir, 'webhook', 'subscribe', 'b')).code, 0)
  t.equal(modeOf(dir), 0o700)
  for (const name of ['.env', 'config.yaml', store, `${store}.bak`]) t.equal(modeOf(join(dir, name)), 0o600, name)
})

t.test('a start takes the rights of others to the secrets of all profiles', async (t) => {
  const files = { '.env': 'A=b\n', 'cron_jobs.json': '{}' }
  const config = 'platforms: { webhook: { enabled: true, extra: { port: 0, secret: hush-hush-1234 } } }\n'
  const dir = newFolder(t, { ...files, 'config.yaml': config, profiles: { served: { 'config.yaml': '' }, unserved: files, file: 'x' } })
  const secrets = Object.keys(files).flatMap((name) => [join(dir, name), join(dir, 'profiles/unserved', name)])
  for (const file of secrets) chmodSync(file, 0o644)
  const gateway = await startGateway(t, dir)
  t.same(new Set(gateway.lines.filter(({ msg }) => msg.startsWith('a file with secrets')).map(({ file }) => file)), new Set(secrets))
  for (const file of secrets) t.equal(modeOf(file), 0o600, file)
})

t.test('twenty subscribes at once: none is lost', async (t) => {
  const dir = newFolder(t)
  const names = Array.from({ length: 20 }, (_, i) => `s${i}`)
  const ended = await Promise.all(names.map((name) => run(t, dir, 'webhook', 'subscribe', name)))
  t.same(
    ended.map(({ code }) => code),
    names.map(() => 0),
  )
  t.same(Object.keys(entries(dir)).sort(), [...names].sort())
  t.equal((await run(t, dir, 'webhook', 'list')).out.trimEnd().split('\n').length, 20)
  t.notOk(existsSync(join(dir, `${store}.lock`)))
})

t.test('what is removed or disabled stays so beside updates of others and of itself', async (t) => {
  const dir = newFolder(t)
  for (let round = 0; round < 3; round++) {
    const stored = { gone: { secret: 'x' }, other: { secret: 'y' }, off: { secret: 'z' } }
    writeFileSync(join(dir, store), JSON.stringify(stored))
    const ended = await Promise.all([
      run(t, dir, 'webhook', 'subscribe', 'other', '--description', `round ${round}`),
      run(t, dir, 'webhook', 'remove', 'gone'),
      run(t, dir, 'webhook', 'disable', 'off'),
      run(t, dir, 'webhook', 'subscribe', 'off', '--prompt', `round ${round}`),
    ])
    t.same(
      ended.map(({ code }) => code),
      [0, 0, 0, 0],
      `round ${round}`,
    )
    t.match(entries(dir), { other: { description: `round ${round}` }, off: { enabled: false, prompt: `round ${round}` } })
    t.notOk('gone' in entries(dir), 'removed')
  }
})

t.test('killed in the middle: the file is whole, and the next command takes over the lock', async (t) => {
  const dir = newFolder(t)
  const lock = join(dir, `${store}.lock`)
  t.equal((await run(t, dir, 'webhook', 'subscribe', 'first')).code, 0)
  for (let round = 0; round < 3; round++) {
    rmSync(lock, { recursive: true, force: true })
    const { child, ended } = start(t, dir, 'webhook', 'subscribe', `k${round}`)
    while (!existsSync(lock) && child.exitCode === null) await new Promise(setImmediate)
    child.kill('SIGKILL')
    await ended
    t.ok('first' in entries(dir), `round ${round}: it parses, and nothing is lost`)
  }
  t.equal((await run(t, dir, 'webhook', 'subscribe', 'last')).code, 0)
  t.match(entries(dir), { first: {}, last: {} })
})

t.test('a reader that goes away ends the command quietly', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`r${i}`, { secret: 'x', description: 'd'.repeat(100) }]))
  const dir = newFolder(t, { [store]: JSON.stringify(many) })
  const { child, ended } = start(t, dir, 'webhook', 'list', '--json')
  child.stdout?.once('data', () => child.stdout?.destroy())
  const { code, err } = await ended
  t.same({ code, err }, { code: 0, err: '' })
})

/** The code that a chunk of the bundle loads before it does anything. What is imported later is not in it. */
const codeOf = (entry: string | undefined): string => {
  const folder = fileURLToPath(new URL('../../dist/', import.meta.url))
  const loaded = new Set<string>()
  const follow = (file: string): void => {
    if (loaded.has(file)) return
    loaded.add(file)
    for (const [, next] of readFileSync(join(folder, file), 'utf8').matchAll(/\b(?:import|from) ?"\.\/([\w.-]+)";/g)) follow(next as string)
  }
  follow(entry ?? 'none')
  return [...loaded].map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
}

t.test('help and completion load the grammar alone', (t) => {
  // main.js looks at the version of Node, and only then loads the program.
  const help = codeOf(/import\("\.\/(start-[\w-]+\.js)"\)/.exec(readFileSync(main, 'utf8'))?.[1])
  const completion = codeOf(/import\("\.\/(complete-[\w-]+\.js)"\)/.exec(help)?.[1])
  for (const code of [help, completion]) {
    t.match(code, 'node_modules/commander', 'the marks of packages are there to be found')
    for (const name of ['fastify', 'yaml', 'js-yaml', 'pino', 're2js', 'nodemailer']) t.notOk(code.includes(`node_modules/${name}/`), name)
    t.notOk(code.includes('src/generated/'), 'neither schema nor validators')
  }
  t.end()
})

t.test('a gateway listens before it loads what its first requests do not need', (t) => {
  const folder = fileURLToPath(new URL('../../dist/', import.meta.url))
  const chunks = readdirSync(folder).filter((file) => /^open-doors-[\w-]+\.js$/.test(file))
  t.equal(chunks.length, 1)
  const code = codeOf(chunks[0])
  t.match(code, 'src/http/server.ts')
  t.notOk(code.includes('node_modules/fastify/'))
  t.match(code, /import\("\.\/fastify-/)
  t.end()
})

t.test('the editor loads what it draws with, and the rest of the program when it is asked for', (t) => {
  const start = codeOf(/import\("\.\/(start-[\w-]+\.js)"\)/.exec(readFileSync(main, 'utf8'))?.[1])
  const chunks = [...start.matchAll(/import\("\.\/(edit-[\w-]+\.js)"\)/g)].map(([, chunk]) => codeOf(chunk))
  const editors = chunks.filter((code) => code.includes('src/tui/edit.ts'))
  t.equal(editors.length, 1)
  t.notOk(start.includes('src/tui/'))
  t.notOk(editors[0]?.includes('node_modules/ink/'), 'Ink comes with the canvas')
  const canvas = codeOf(/import\("\.\/(canvas-[\w-]+\.js)"\)/.exec(editors[0] ?? '')?.[1])
  t.ok(canvas.includes('node_modules/ink/'))
  for (const name of ['js-yaml', 'yaml', 're2js', 'croner', 'fastify']) t.notOk(editors[0]?.includes(`node_modules/${name}/`), name)
  t.notOk(editors[0]?.includes('src/generated/validators'), 'nor the validators: the desk has them, in its thread')
  t.end()
})

t.test('a data directory on a read-only file system: each command says so at once', { skip: noMount }, (t) => {
  const dir = newFolder(t, { 'config.yaml': 'platforms: { webhook: { enabled: true, extra: { port: 0, secret: abcabcabcabcabcabc } } }' })
  const commands = [
    ['webhook', 'subscribe', 'a'],
    ['cron', 'create', 'a', '--schedule', '@daily', '--prompt', 'x'],
    ['gateway', 'setup', '--yes'],
    ['gateway', 'run'],
  ]
  for (const args of commands) {
    const { status, stderr } = readOnly(dir, ...args)
    t.equal(status, 1, args.join(' '))
    t.match(
      stderr,
      /^(?:warning\[audit\] .*: cannot write .*: .+\n)?error: cannot write .*: (the file system is read-only|its folder cannot be made)\n {2}\S/,
      args.join(' '),
    )
  }
  t.end()
})

t.test('commands see what a gateway serves from another file, and HEADGATE_CONFIG names that file without one', async (t) => {
  const dir = newFolder(t, { data: {}, etc: { 'hooks.yaml': '' } })
  const data = join(dir, 'data')
  const file = join(dir, 'etc', 'hooks.yaml')
  const served = (name: string): string =>
    stringify({
      platforms: {
        webhook: { enabled: true, extra: { port: 0, secret: 'a-shared-secret-of-16', routes: { [name]: { prompt: 'n {n}' } } } },
      },
    })
  writeFileSync(file, served('elsewhere'))
  const gateway = await startGateway(t, data, { args: ['--config', file] })
  const call = (...args: string[]) => command({ dir: data }, ...args)
  t.match(call('webhook', 'list', '--all'), { status: 0, stdout: /elsewhere/ })
  t.match(call('webhook', 'trace', 'elsewhere', '--payload', '{"n":1}'), { status: 0, stdout: /accepted/ })
  t.match(call('webhook', 'test', 'elsewhere', '--payload', '{"n":1}'), { status: 0, stdout: /202 accepted/ })
  t.match(call('validate'), { status: 0, stdout: /1 route/ })
  t.match(call('paths'), { status: 0, stdout: new RegExp(file) })
  t.match(call('config', 'diff'), { status: 0 })
  t.match(
    call('webhook', 'show', 'elsewhere'),
    { stdout: new RegExp(`url: ${await gateway.listening}/webhooks/elsewhere`) },
    'the port is that of the gateway',
  )
  t.match(call('webhook', 'subscribe', 'here', '--dry-run', '--print', 'url'), { stdout: `${await gateway.listening}/webhooks/here` })
  const typed = ['--data-dir', data, 'webhook', 'show', '']
  const offered = spawnSync(process.execPath, [main, '__complete', '--', ...typed], { encoding: 'utf8', env: { PATH: '' } })
  t.match(offered, { stdout: /^elsewhere\tin hooks\.yaml$/m }, 'completion')
  const other = join(dir, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'config.yaml'), served('another'))
  t.match(call('config', 'diff', '--against', other), { status: 1, stdout: /-.*another[\s\S]*\+.*elsewhere/ })
  t.match(call('backup', join(dir, 'copy.tar.gz'), '--with-config'), { status: 0, stderr: new RegExp(`has not ${file}`) })
  writeFileSync(file, served('renamed'))
  t.match(call('webhook', 'list', '--all'), { status: 0, stdout: /renamed/ }, 'a reload may take it over')
  gateway.kill('SIGTERM')
  await gateway.ended
  t.notMatch(call('webhook', 'list', '--all'), { stdout: /renamed/ }, 'no gateway says where its file is')
  const named = { env: { HEADGATE_CONFIG: file } }
  const listed = spawnSync(process.execPath, [main, '--data-dir', data, 'webhook', 'list', '--all'], {
    env: { PATH: '', ...named.env },
    encoding: 'utf8',
  })
  t.match(listed, { status: 0, stdout: /renamed/ })
  const again = await startGateway(t, data, named)
  t.ok(again.lines.some(({ msg }) => msg.endsWith('(1 route)')))
})
