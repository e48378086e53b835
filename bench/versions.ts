/**
 * `npm run bench:versions -- REVISION`: builds packages of an earlier revision and of this tree, and starts each on the data directory that
 * the other one has left. Needs git and the packages of this tree; it takes some two minutes.
 */

import { execFileSync, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const secret = 'It is a secret to everybody'
const config = `platforms: { webhook: { enabled: true, extra: { port: 0, secret: '${secret}', routes: { work: { prompt: p, retry: { max_attempts: 2 } } } } } }
agent: { runner: command, command: [sh, -c, 'case $HEADGATE_DELIVERY_ID in *fails*) exit 1;; *slow*) sleep 5;; esac; echo done'] }
`

/** Builds and packs a tree, and returns the path of the program in the unpacked package. */
const packed = (tree: string, into: string): string => {
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { cwd: tree, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  run('npm', 'run', '-s', 'build')
  mkdirSync(into)
  const [{ filename }] = JSON.parse(run('npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', into))
  execFileSync('tar', ['-xzf', join(into, filename), '-C', into])
  symlinkSync(join(root, 'node_modules'), join(into, 'node_modules'))
  return join(into, 'package', 'dist', 'main.js')
}

type Run = { readonly exit: number | null; readonly said: string; readonly delivered: readonly string[] }

/** Starts a gateway, posts these events, waits until the log has `deliveries` texts, and stops the gateway. */
const lived = async (program: string, dir: string, ids: readonly string[], deliveries: number): Promise<Run> => {
  const child = spawn(process.execPath, [program, '--data-dir', dir, 'gateway', 'run'], { env: { PATH: process.env.PATH, HOME: dir } })
  let said = ''
  const delivered = (): string[] =>
    said.split('\n').flatMap((line) => (line.includes('"msg":"delivered"') ? [String(JSON.parse(line).delivery_id)] : []))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let isEnded = false
  void ended.then(() => {
    isEnded = true
  })
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk
    })
  const until = async (isTrue: () => boolean): Promise<void> => {
    for (let i = 0; i < 400 && !isEnded && !isTrue(); i++) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await until(() => said.includes('headgate is listening on '))
  const url = /http:\S+?(?=["\s])/.exec(said)?.[0]
  for (const id of isEnded ? [] : ids) {
    const signature = `sha256=${createHmac('sha256', secret).update('{}').digest('hex')}`
    const headers = { 'X-GitHub-Delivery': id, 'X-Hub-Signature-256': signature }
    await fetch(`${url}/webhooks/work`, { method: 'POST', body: '{}', headers })
  }
  await until(() => delivered().length >= deliveries)
  child.kill('SIGKILL')
  return { exit: await ended, said, delivered: delivered() }
}

const revision = process.argv[2]
if (revision === undefined) throw new Error('name a revision: npm run bench:versions -- REVISION')
const folder = mkdtempSync(join(tmpdir(), 'headgate-versions-'))
const tree = join(folder, 'tree')
execFileSync('git', ['worktree', 'add', '--detach', tree, revision], { cwd: root, stdio: 'ignore' })
try {
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  const [before, now] = [packed(tree, join(folder, 'before')), packed(root, join(folder, 'now'))]
  const dir = join(folder, 'data')
  mkdirSync(dir)
  writeFileSync(join(dir, 'config.yaml'), config, { mode: 0o600 })
  const say = (what: string, { exit, said, delivered }: Run): void =>
    console.log(`${what}: exit ${exit}, delivered ${delivered.join(' ')}\n${delivered.length > 0 ? '' : said.replaceAll(/^/gm, '  ')}`)
  say(`${revision} alone`, await lived(before, dir, ['one', 'fails', 'slow'], 1))
  say('this tree after it (slow was broken off)', await lived(now, dir, ['two', 'slow'], 2))
  console.log(`state: ${readdirSync(join(dir, 'state')).join(' ')}`)
  say(`${revision} after this tree`, await lived(before, dir, ['three'], 1))
  const state = join(dir, 'state')
  const copy = readdirSync(state).find((name) => name.includes('.before-v'))
  if (copy !== undefined && existsSync(join(state, copy))) {
    for (const ending of ['', '-wal']) rmSync(join(state, `headgate.db${ending}`), { force: true })
    execFileSync('mv', [join(state, copy), join(state, 'headgate.db')])
    say(`${revision} with the copy from before`, await lived(before, dir, ['four'], 1))
  }
} finally {
  execFileSync('git', ['worktree', 'remove', '--force', tree], { cwd: root })
  rmSync(folder, { recursive: true, force: true })
}
