/** What the documents show is true: their YAML serves, their commands exist, and the first steps print what they say. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { isScalar, parse, parseDocument, visit } from 'yaml'
import { validate } from '../../src/check/validate/validate.ts'
import { actions } from '../../src/edit/actions.ts'
import { presets } from '../../src/parts/schemes/index.ts'
import { targets } from '../../src/parts/targets/index.ts'
import { readRelay } from '../../src/relay/front/relay-settings.ts'
import { keyVariable } from '../../tools/senders.ts'
import { node } from '../../tools/ship/targets.ts'
import { createAuthority, type Issued } from '../fakes/certificate.ts'
import { fakeCli, runAt } from '../fakes/cli.ts'
import { examples, recipes } from '../fakes/examples.ts'
import { newFolder } from '../fakes/folder.ts'
import { closedOrigin } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const main = join(root, 'dist/main.js')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const markdown = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file))
const documents = [...markdown('.'), ...markdown('bench'), ...(existsSync(join(root, 'docs')) ? markdown('docs') : [])]
const env = {
  WEBHOOK_SECRET: 'b0e6f2a94c7d41d8',
  GH_TOKEN: 'a-long-token-of-a-code-host',
  GITLAB_TOKEN: 'a-long-token-of-another-code-host',
  GITEA_TOKEN: 'a-long-token-of-a-third-code-host',
  INVENTORY_TOKEN: 'a-long-token-of-an-inventory',
  DIRECTORY_TOKEN: 'a-long-token-of-a-directory',
  ANTHROPIC_API_KEY: 'key',
  OPENAI_API_KEY: 'key',
}
/** Every setting that a target may have in the environment: credentials never stand in a document. */
const credentials = Object.fromEntries(
  targets.flatMap(({ settings = [], forms = {} }) =>
    settings.flatMap(({ key, env: names }) =>
      names.map((name) => [name, forms[key]?.example ?? (/url|base/.test(key) ? 'https://example.org/a' : 'a1')]),
    ),
  ),
)

/** The keys of senders, by the names that the examples give them; in hex, which is base64 too. */
const signingKeys = Object.fromEntries(presets.map((preset) => [keyVariable(preset), '5f1c0d7a93e84b26a7d0c95e1f3b8642d9e7']))

/** A value for each secret that a text names as `${NAME}`. */
const secretsOf = (text: string): { readonly [name: string]: string } =>
  Object.fromEntries([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [name, '5f1c0d7a93e84b26a7d0c95e1f3b8642d9e7']))

/** A PATH with the programs that documents name. */
const programs = (t: Test): string => {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const name of ['gh', 'my-agent', 'claude', 'python3', 'bash']) writeFileSync(join(folder, name), '', { mode: 0o700 })
  return folder
}

type Block = { readonly file: string; readonly line: number; readonly text: string }

/** The fenced blocks of a language. */
const blocksOf = (file: string, language: string): Block[] => {
  const text = read(file)
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\b.*\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(({ 1: block = '', index }) => ({
    file,
    line: text.slice(0, index).split('\n').length + 1,
    text: block,
  }))
}

/** The modules that a document shows, each behind a paragraph that begins with its name. */
const modulesOf = (file: string): { readonly [name: string]: string } =>
  Object.fromEntries([...read(file).matchAll(/^`([\w-]+\.mjs)`[^`]*:\n\n```js\n([\s\S]*?)^```/gm)].map(([, name, text]) => [name, text]))

/** Texts that YAML cut: what follows ` #` is a comment, also where a `{key}` was meant. */
const cutTexts = (yaml: string): string[] => {
  const cut: string[] = []
  visit(parseDocument(yaml), (_, node) => {
    if (isScalar(node) && node.comment?.includes('{')) cut.push(`${node.value} #${node.comment}`)
  })
  return cut
}

/** The certificates that documents name, in the folder `tls`. */
const authority = createAuthority('an authority')
const [hooks, other] = ['hooks', 'other'].map((name) => authority.issue({ san: `DNS:${name}.example.org` })) as [Issued, Issued]
const tlsFiles = {
  'fullchain.pem': hooks.pem,
  'privkey.pem': hooks.key,
  'other.pem': other.pem,
  'other-key.pem': other.key,
  'clients.pem': authority.pem,
}

/** What signs in to the console. */
const ofConsole = {
  CONSOLE_PROXY_SECRET: 'a-long-secret-of-a-proxy',
  CONSOLE_OIDC_SECRET: 'a-long-secret-of-a-client',
  CONSOLE_ADA: `scrypt:15:8:3:${'s'.repeat(22)}:${'k'.repeat(43)}`,
}

/** What lets a gateway in at its relay. */
const ofRelay = { HOME_KEY: 'a-long-key-of-the-gateway-home', POLL_TOKEN: 'sk_poll_of_nobody.eu' }

t.test('every relay.yaml serves as it stands', async (t) => {
  const blocks = documents.flatMap((file) => blocksOf(file, 'yaml relay'))
  t.ok(blocks.length > 0)
  for (const { file, line, text } of blocks)
    t.same(readRelay(newFolder(t, { 'relay.yaml': text }), ofRelay).diagnostics, [], `${file}:${line}`)
})

t.test('every block of tests passes with the configuration of its document', async (t) => {
  const blocks = documents.flatMap((file) => blocksOf(file, 'yaml tests'))
  t.ok(blocks.length >= 2)
  for (const { file, line, text } of blocks) {
    const named = /^ +route: (.+)$/m.exec(text)?.[1] ?? ''
    const config = blocksOf(file, 'ya?ml(?! tests)').find((block) => block.text.includes(`${named}:`))?.text ?? ''
    const dir = newFolder(t, { 'config.yaml': config, 'page.webhook-test.yaml': text })
    const cli = await runAt(dir, ['test'], { env: { ...env, HEADGATE_HOME: dir, WEBHOOK_ENABLED: 'true' } })
    t.equal(cli.code, 0, `${file}:${line}: ${cli.out}${cli.err}`)
  }
})

/** The file of the lists that a configuration asks (`in_list`). */
const listsOf = (text: string): string =>
  JSON.stringify(Object.fromEntries([...text.matchAll(/in_list: \{ store: (\w+)/g)].map(([, name]) => [name, { values: [] }])))

t.test('every YAML block serves as it stands', async (t) => {
  t.same(cutTexts('a: PR #{number}'), ['PR #{number}'], 'a cut text is found')
  // Files of tests are run by test/cli/route-tests.test.ts. Files of routes are included by the other blocks of their document.
  const blocks = documents.flatMap((file) => blocksOf(file, 'ya?ml(?! tests| routes| relay)'))
  const included = (file: string) => Object.fromEntries(blocksOf(file, 'yaml routes').map(({ text }, i) => [`${i}.yaml`, text]))
  const whole = {
    ...env,
    METRICS_TOKEN: 'a-long-token-of-metrics',
    ...ofRelay,
    ...ofConsole,
    ...credentials,
    ...signingKeys,
    PATH: programs(t),
  }
  t.ok(blocks.some(({ file }) => file === 'README.md'))
  for (const { file, line, text } of blocks) {
    const files = {
      'config.yaml': text,
      'routes.d': included(file),
      'lists.json': listsOf(text),
      schemas: { 'pull_request.json': '{}' },
      ...modulesOf(file),
      ...(/^tls:/m.test(text) ? { tls: tlsFiles } : {}),
    }
    // A block may be a part of a file only: its adapter is enabled elsewhere.
    const workspace = { dataDir: newFolder(t, files), env: { ...whole, WEBHOOK_ENABLED: 'true' }, self: 'headgate' }
    for (const key of ['privkey', 'other-key']) if (files.tls) chmodSync(join(workspace.dataDir, 'tls', `${key}.pem`), 0o600)
    const { diagnostics } = await validate(workspace, { paths: [], asked: false })
    t.same(
      diagnostics.filter(({ severity }) => severity !== 'info').map(({ code, message }) => `${code} ${message}`),
      [],
      `${file}:${line}`,
    )
    t.same(cutTexts(text), [], `${file}:${line}: no text is cut`)
  }
})

t.test('every example validates clean', async (t) => {
  const inFolders = ['replicas/config', 'compose/config', 'compose/postgres'].map((name) => `examples/${name}.yaml`)
  const { runWith } = fakeCli(t)
  const whole = { ...env, METRICS_TOKEN: 'a-long-token-of-metrics', ...credentials, PATH: programs(t) }
  for (const name of [...examples, ...inFolders]) {
    const { code, out, err } = await runWith(
      { env: { ...secretsOf(read(name)), ...whole } },
      'validate',
      join(root, name),
      '--data-dir',
      join(root, 'examples'),
    )
    t.same({ code, err }, { code: 0, err: '' }, name)
    t.match(out, /^0 errors, 0 warnings in [1-9]/m, `${name}: ${out}`)
    t.same(cutTexts(read(name)), [], `${name}: no text is cut`)
  }
})

t.test('the tests of every recipe pass, and docs/recipes.md has each with its first line', async (t) => {
  const cli = fakeCli(t)
  for (const name of recipes) {
    const env = { ...secretsOf(read(name)), ...credentials, PATH: programs(t) }
    const { code, out } = await cli.runWith({ env }, 'test', join(root, name))
    t.equal(code, 0, `${name}: ${out}`)
  }
  const told = read('docs/recipes.md').match(/^- \[[\w-]+\]\(.*\): .*$/gm) ?? []
  const known = recipes.map((name) => `- [${basename(name, '.yaml')}](../${name}): ${read(name).split('\n', 1)[0]?.slice(2)}`)
  t.same([...told].sort(), known.sort())
})

type Service = {
  readonly image: string
  readonly profiles?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: readonly string[] | { readonly [name: string]: unknown }
}

t.test('what the compose files name is there', (t) => {
  for (const folder of ['compose', 'observability', 'replicas']) {
    const file = join('examples', folder, 'compose.yaml')
    const { services, volumes = {} }: { services: { [name: string]: Service }; volumes?: object } = parse(read(file), { merge: true })
    for (const [name, { image, volumes: mounts = [], depends_on: needed = [] }] of Object.entries(services)) {
      t.match(image, /^headgate$|:[\w.-]+$/, `${file}: ${name} has a version`)
      for (const from of mounts.map((mount) => mount.split(':')[0] ?? ''))
        t.ok(from.startsWith('.') ? existsSync(join(root, 'examples', folder, from)) : from in volumes, `${file}: ${name} mounts ${from}`)
      for (const other of Array.isArray(needed) ? needed : Object.keys(needed)) t.ok(other in services, `${file}: ${name} needs ${other}`)
    }
  }
  const { services } = parse(read('examples/compose/compose.yaml'))
  const profiles = Object.entries<Service>(services).map(([name, service]) => [name, service.profiles ?? []])
  t.same(Object.fromEntries(profiles), {
    gateway: [],
    caddy: ['tls'],
    database: ['postgres'],
    prometheus: ['prometheus', 'grafana'],
    grafana: ['grafana'],
  })
  t.match(services.gateway, { read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'], build: { target: 'headgate' } })
  t.match(read('Dockerfile'), /^FROM scratch AS headgate$/m)
  t.ok(read('Dockerfile').includes(`/node:${node.version}-`), 'the Node of the other packages')
  const { ipv4_address: proxy } = services.caddy.networks.inside
  for (const name of ['config', 'postgres'])
    t.same(parse(read(`examples/compose/${name}.yaml`)).platforms.webhook.trust_proxy, [proxy], `${name}.yaml trusts Caddy alone`)
  t.end()
})

t.test('the documents are checked as anybody can check theirs', async (t) => {
  const cli = fakeCli(t)
  const { code, out } = await cli.run('validate', '--no-env', '--no-refs', ...documents.map((file) => join(root, file)))
  t.equal(code, 0, out)
  t.match(out, /^0 errors, .* in [4-9]\d* routes \(\d+ files\)/m)
})

t.test('every link leads somewhere', async (t) => {
  const links = documents.flatMap((file) => [...read(file).matchAll(/\]\(([^)#:]+)\)/g)].map(([, to]) => ({ file, to: to as string })))
  t.ok(links.length > 0)
  for (const { file, to } of links) t.ok(existsSync(join(root, dirname(file), to)), `${file}: ${to}`)
})

t.test('every source file that a document names is there', (t) => {
  const named = documents.flatMap((file) =>
    [...read(file).matchAll(/`((?:src|schema|tools|test)\/[\w./-]+\/?)`/g)].map(([, path]) => ({ file, path: path as string })),
  )
  t.ok(named.length > 50)
  for (const { file, path } of named) t.ok(existsSync(join(root, path)), `${file}: ${path}`)
  t.end()
})

type Citation = { readonly file: string; readonly rule: string }

/** The rules that a text cites, as `Group number`; a citation in another form is given as it stands. */
const rulesIn = (text: string): readonly string[] =>
  [...text.matchAll(/rules: ([A-Z][a-z]+(?:[- ][a-z]+)*) (\d+(?:(?:, | to )\d+)*)|rules: [A-Z].{0,30}/g)].flatMap(
    ([whole, group, numbers = '']) => (group ? numbers.split(/, | to /).map((number) => `${group} ${number}`) : whole),
  )

/** The places below a folder that cite a rule. */
const citationsIn = (folder: string): readonly Citation[] =>
  (readdirSync(join(root, folder), { recursive: true }) as string[])
    .filter((file) => /\.(?:ts|mjs|md)$/.test(file) && !file.includes('node_modules'))
    .flatMap((file) => rulesIn(read(join(folder, file))).map((rule) => ({ file: join(folder, file), rule })))

t.test('the floors of docs/architecture.md are those that the lint holds', async (t) => {
  const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
    readonly forbidden: readonly { readonly name: string; readonly comment?: string }[]
  }
  const held = forbidden
    .filter(({ name }) => name.startsWith('floor-'))
    .map(({ comment = '' }) => comment.replace(' may not look up', '').split(', ').sort())
  const told: string[][] = []
  for (const [, floor, folder = ''] of read('docs/architecture.md').matchAll(/^\| (\d*) ?\| `(src\/[^`]+)` \|/gm)) {
    if (floor) told.push([folder])
    else told.at(-1)?.push(folder)
  }
  t.strictSame(
    told.map((folders) => folders.sort()),
    [...held, ['src/main.ts']],
  )
})

t.test('every rule that is cited is in docs/rules.md', async (t) => {
  const groups = read('docs/rules.md').split(/^## /m).slice(1)
  const rules = groups.flatMap((group) => {
    const [title = ''] = group.split('\n', 1)
    const numbers = [...group.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
    t.same(
      numbers,
      numbers.map((_, i) => i + 1),
      `${title}: numbered without a gap`,
    )
    return numbers.map((number) => `${title} ${number}`)
  })
  const cited = ['src', 'test', 'tools', 'bench', 'docs'].flatMap(citationsIn)
  t.ok(cited.length > 80)
  t.same(
    cited.filter(({ rule }) => !rules.includes(rule)),
    [],
  )
})

t.test('every npm script that is named is there', async (t) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: { [name: string]: string } }
  const named = documents.flatMap((file) => [...read(file).matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name as string))
  t.ok(named.length > 0)
  t.same(
    named.filter((name) => !(name in scripts)),
    [],
  )
})

/** Words of a shell line up to its comment, quotes taken off. */
const wordsOf = (line: string): string[] => {
  const words = line.match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? []
  const end = words.findIndex((word) => word.startsWith('#') || word === '&')
  return (end < 0 ? words : words.slice(0, end)).map((word) => word.replace(/^(['"])(.*)\1$/s, '$2'))
}

type Grammar = { readonly usage: string; readonly options: ReadonlyMap<string, boolean> }

/** Options of a help text, and whether they take a value. */
const grammarOf = (help: string): Grammar => ({
  usage: /^Usage: (.*)$/m.exec(help)?.[1] ?? '',
  options: new Map([...help.matchAll(/^ +(?:-\w, )?(--[\w-]+)( [<[])?/gm)].map(([, name, value]) => [name as string, value !== undefined])),
})

/** What the grammar of the program has against a command line; nothing when it fits. */
const objection = async (words: readonly string[], help: (...argv: string[]) => Promise<string>): Promise<string | undefined> => {
  const firstOption = words.findIndex((word) => word.startsWith('-'))
  const { usage, options } = grammarOf(await help(...words.slice(0, firstOption < 0 ? words.length : firstOption), '--help'))
  const all = new Map([...grammarOf(await help('--help')).options, ...options])
  const plain: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string
    if (!word.startsWith('-')) plain.push(word)
    else if (!all.has(word.split('=')[0] as string)) return `no option ${word}`
    else if (all.get(word)) i++
  }
  const [, command = '', after = ''] = /^headgate ?((?:[a-z]+(?:-[a-z]+)* ?)*)(.*)$/.exec(usage) ?? []
  const path = command.trim().split(' ').filter(Boolean)
  const given = plain.slice(path.length)
  if (after.includes('[command]') && given.length > 0) return `no command ${given.join(' ')}`
  if (plain.slice(0, path.length).join(' ') !== path.join(' ')) return `not the command ${path.join(' ')}`
  const takes = after.replace('[options]', '').match(/[<[][^>\]]+[>\]]/g) ?? []
  const least = takes.filter((name) => name.startsWith('<')).length
  const most = after.includes('...') ? Number.POSITIVE_INFINITY : takes.length
  return given.length < least || given.length > most ? `arguments: ${usage}` : undefined
}

t.test('every command line fits the grammar of the program', async (t) => {
  const cli = fakeCli(t)
  const help = async (...argv: string[]): Promise<string> => {
    const { out, err } = await cli.run(...argv)
    return out || err
  }
  t.equal(await objection(['webhook', 'nope'], help), 'no command nope')
  t.equal(await objection(['webhook', 'list', '--nope'], help), 'no option --nope')
  t.match(await objection(['webhook', 'show'], help), 'arguments')
  const lines = documents.flatMap((file) => [
    ...blocksOf(file, 'sh').flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('headgate '))),
    ...[...read(file).matchAll(/`(headgate [^`\n]+)`/g)].map(([, line]) => line as string),
  ])
  const workflows = readdirSync(join(root, 'examples/ci')).map((file) => read(join('examples/ci', file)))
  const inWorkflows = workflows.flatMap((text) => [...text.matchAll(/- (?:run: )?(headgate .*)$/gm)].map(([, line]) => line as string))
  t.equal(inWorkflows.length, workflows.length)
  t.ok(lines.length > 5)
  for (const line of [...lines, ...inWorkflows]) t.equal(await objection(wordsOf(line).slice(1), help), undefined, line)
})

t.test('the demo prints what the README shows, and names the next step', (t) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import=tsx', 'tools/demo.ts'], { cwd: root, encoding: 'utf8' })
  t.same({ status, stderr }, { status: 0, stderr: '' })
  const withoutPort = (text: string): string => text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
  const [steps = '', end = ''] = stdout.split('\n\n')
  t.equal(withoutPort(`${steps}\n`), withoutPort(blocksOf('README.md', 'text demo')[0]?.text ?? ''))
  const [, next = ''] = /^Then, for yourself:\n\n```sh\n(.*?) +#/m.exec(read('README.md')) ?? []
  t.ok(next)
  t.match(end, new RegExp(`: ${next}\n$`))
  t.end()
})

type Shell = { readonly said: () => string; readonly run: (line: string) => Promise<number> }

/** A shell that is given one line after the other, as by hand. */
const openShell = (t: Test, env: { readonly [name: string]: string }): Shell => {
  const child: ChildProcess = spawn('sh', [], { env, stdio: 'pipe', detached: true })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      out += chunk
    })
  const ended = new Promise((resolve) => child.once('close', resolve))
  t.teardown(async () => {
    // The shell and what it started are one group.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await ended
  })
  let count = 0
  return {
    said: () => out,
    run: async (line) => {
      const mark = `ended-${++count}-`
      child.stdin?.write(`${line}\necho ${mark}$?-\n`)
      return Number(await until(() => new RegExp(`${mark}(\\d+)-`).exec(out)?.[1]))
    },
  }
}

t.test('"Try it" does what it says', async (t) => {
  if (!existsSync(main)) throw new Error('dist/main.js is not there: npm run build')
  const block = blocksOf('README.md', 'sh').find(({ text }) => text.includes('gateway setup'))?.text ?? ''
  const [build, ...lines] = block.trimEnd().split('\n')
  t.match(build, /^npm run build && npm link +# makes the checkout's command `headgate`$/, 'stands for the command on the PATH')
  t.ok(lines.length >= 4)

  const home = newFolder(t, { bin: {} })
  const command = join(home, 'bin/headgate')
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
  chmodSync(command, 0o755)
  const { port } = new URL(await closedOrigin())
  const shell = openShell(t, { HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH}`, WEBHOOK_PORT: port })
  for (const line of lines) {
    t.equal(await shell.run(line), 0, `${line}\n${shell.said()}`)
    const promised = /&\s+# (.*)/.exec(line)?.[1]?.replace('8644', port)
    if (promised) await until(() => shell.said().includes(promised))
  }

  const files = join(home, '.headgate')
  t.match(readFileSync(join(files, '.env'), 'utf8'), /^WEBHOOK_PORT=8644$[\s\S]*^WEBHOOK_SECRET=\S{32,}$/m)
  const schema = /^# yaml-language-server: \$schema=(.*)/.exec(readFileSync(join(files, 'config.yaml'), 'utf8'))?.[1] ?? ''
  t.ok(existsSync(join(files, schema)), `the editor finds ${schema}`)

  const told = read('README.md').slice(read('README.md').indexOf(block) + block.length)
  const [answer = '', text = ''] = [...told.matchAll(/`([^`\n]+)`/g)].map(([, said]) => said as string)
  t.match(answer, /^<-- 202/)
  t.match(shell.said(), answer, 'the answer')
  t.match(text, 'Ada')
  await until(() => shell.said().includes(`"text":"${text}"`))
  t.equal(await shell.run('kill $! && wait $!'), 0, 'the gateway stops cleanly')
})

t.test('the keys in docs/terminal-editor.md are those of the editor', (t) => {
  const rows = read('docs/terminal-editor.md').match(/^\| `\S+`.* \| `\w+` \|$/gm) ?? []
  const known = Object.entries(actions).map(
    ([name, { keys, title }]) => `| ${keys.map((key) => `\`${key}\``).join(' ')} | ${title} | \`${name}\` |`,
  )
  t.same(rows, known)
  t.end()
})
