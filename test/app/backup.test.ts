/**
 * `backup` and `restore`: a copy that is taken under load loses nothing that was acknowledged before, and a restore changes nothing until
 * it has checked the whole backup.
 */

import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import Database from 'libsql'
import { packTar, type TarEntry } from 'modern-tar'
import t, { type Test } from 'tap'
import { runAt } from '../fakes/cli.ts'
import { command, dataDir, linesIn, spawnGateway, startGateway } from '../fakes/process-gateway.ts'
import { until } from '../fakes/wait.ts'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const execute = promisify(execFile)
const subscription = {
  secret: 'the-stored-secret-of-a',
  prompt: 'p',
  deliver: 'log',
  profile: 'default',
  created_at: '2026-01-01T00:00:00Z',
}

const called = {
  ...subscription,
  secret: '${TOKEN}',
  deliver: 'http',
  deliver_extra: { url: 'http://127.0.0.1:9/in?access_token=an-access' },
}
const address = 'http://127.0.0.1:9/in?access_token=an-access&sig=a-signature&n=1'

/** A data directory whose gateway had one event, and two backups of it: with its configuration, and without. */
const original = async (t: Test) => {
  const dir = dataDir(t, {
    routes: { work: { prompt: 'p {x}' }, calls: { prompt: 'p', deliver: 'http', deliver_extra: { url: address } } },
    files: { 'webhook_subscriptions.json': JSON.stringify({ a: subscription, called }), '.env': 'TOKEN=in-clear\n' },
  })
  const gateway = await startGateway(t, dir)
  t.equal((await gateway.post('work', 'one', { body: '{"x":"payload"}' })).status, 202)
  await gateway.line(({ msg }) => msg === 'delivered')
  t.equal((await gateway.post('calls', 'two')).status, 202, 'a run that waits for its target')
  const [file, withConfig] = [join(dir, 'copy.tar.gz'), join(dir, 'all.tar.gz')]
  t.match(await runAt(dir, ['backup', file]), { code: 0, out: /wrote .*copy\.tar\.gz: \d+ files/ })
  t.match(await runAt(dir, ['backup', withConfig, '--with-config']), { code: 0 })
  gateway.kill('SIGTERM')
  await gateway.ended
  return { dir, file, withConfig }
}

const filesOf = (dir: string): string[] => readdirSync(dir, { recursive: true }).map(String).sort()

/** The events that a stopped gateway's store has, by the delivery ids of their runs. */
const storedIn = (dir: string): Set<string> => {
  const db = new Database(join(dir, 'state', 'headgate.db'))
  const rows = db.prepare('select run from runs').raw().all() as [string][]
  db.close()
  return new Set(rows.map(([run]) => JSON.parse(run).deliveryId as string))
}

t.test('a backup under load has every event that was acknowledged before it began: done, waiting or dead', async (t) => {
  const agent = 'case "$HEADGATE_DELIVERY_ID" in *7) exit 1;; esac; sleep 0.02; echo done'
  const dir = dataDir(t, { routes: { work: { prompt: 'p {x}', retry: { max_attempts: 1 } } }, agent })
  const gateway = await startGateway(t, dir)
  const acknowledged: string[] = []
  let isOver = false
  const body = JSON.stringify({ x: 'x'.repeat(2_000) })
  const sender = async (name: number): Promise<void> => {
    for (let i = 0; !isOver; i++) {
      const id = `${name}-${i}`
      if ((await gateway.post('work', id, { body })).status === 202) acknowledged.push(id)
    }
  }
  const senders = [1, 2, 3, 4].map(sender)
  await until(() => acknowledged.length > 300)
  // A backup that is killed leaves a whole file with its name or none, and its hold on the store does not disturb the next backup.
  const killed = Array.from({ length: 8 }, (_, i) => join(dir, `killed-${i}.tar.gz`))
  for (const file of killed) {
    const backup = execute(process.execPath, [main, '--data-dir', dir, 'backup', file], {
      timeout: 150 + Math.floor(Math.random() * 350),
      killSignal: 'SIGKILL',
    })
    const isDone = await backup.then(
      () => true,
      () => false,
    )
    if (existsSync(file))
      t.match(await runAt(join(dir, 'fresh'), ['restore', file, '--dry-run']), { code: 0 }, 'a file that is there is whole')
    else t.notOk(isDone, file)
  }
  const before = [...acknowledged]
  const file = join(dir, 'copy.tar.gz')
  await execute(process.execPath, [main, '--data-dir', dir, 'backup', file])
  isOver = true
  await Promise.all(senders)
  t.ok(acknowledged.length > before.length, 'events were accepted meanwhile')
  gateway.kill('SIGKILL')
  await gateway.ended

  const fresh = join(dir, 'fresh')
  t.match(await runAt(fresh, ['restore', file]), { code: 0 })
  const stored = storedIn(fresh)
  const ended = new Set<string>()
  for (const name of readdirSync(join(fresh, 'state/events')).filter((name) => name.endsWith('.jsonl')))
    for (const line of linesIn(fresh, `state/events/${name}`)) {
      const { kind, delivery_id: id } = JSON.parse(line)
      if (kind === 'ended') ended.add(id)
    }
  t.ok(stored.size > 0 && ended.size > 0)
  t.strictSame(
    before.filter((id) => !stored.has(id) && !ended.has(id)),
    [],
    'none is lost',
  )
  t.equal(statSync(file).mode & 0o777, 0o600)
})

t.test('a backup, and what becomes of it', async (t) => {
  const { dir, file, withConfig } = await original(t)

  t.test('a restored gateway does what waits, and shows what was', async (t) => {
    const fresh = join(dir, 'fresh')
    t.match(await runAt(fresh, ['restore', withConfig, '--dry-run']), { code: 0, out: /can be restored/ })
    t.notOk(existsSync(fresh), 'nothing is made')
    t.match(await runAt(fresh, ['restore', withConfig]), { code: 0, out: /restored the backup of 2/ })
    for (const name of ['config.yaml', '.env', 'webhook_subscriptions.json'])
      t.equal(readFileSync(join(fresh, name), 'utf8'), readFileSync(join(dir, name), 'utf8'), name)
    mkdirSync(join(fresh, 'state/restoring/files'), { recursive: true })
    const refused = await spawnGateway(t, fresh).ended
    t.match(refused, { code: 6, err: /a restore of .* has not ended[\s\S]*repeat it: headgate restore/ }, 'broken off')
    t.match(await runAt(fresh, ['restore', withConfig]), { code: 0 }, 'and repeated, without --force')
    const gateway = await startGateway(t, fresh)
    t.match(command(gateway, 'events', 'list', '--json'), { status: 0, stdout: /"delivery_id":\s*"one"/ })
    t.match((await gateway.post('work', 'one')).json, { status: 'duplicate' }, 'delivery ids are known')
    t.match(await runAt(fresh, ['restore', file, '--force']), { code: 6, err: /a gateway works with this data directory/ })
  })

  t.test('without --with-config no secret and no configuration is in it', async (t) => {
    const fresh = join(dir, 'masked')
    const bytes = gunzipSync(readFileSync(file)).toString('latin1')
    for (const secret of ['in-clear', subscription.secret, 'It is a secret to everybody', 'an-access', 'a-signature'])
      t.notOk(bytes.includes(secret), secret)
    t.match(await runAt(fresh, ['restore', file]), { code: 0, err: /subscriptions need new secrets/ })
    t.notOk(existsSync(join(fresh, 'config.yaml')))
    const env = { HEADGATE_HOME: fresh, WEBHOOK_ENABLED: 'true' }
    const { out, err } = await runAt(fresh, ['validate'], { env })
    t.match(out + err, /cannot resolve \$\{SECRET_LEFT_OUT_OF_BACKUP\}/)
    t.match(await runAt(fresh, ['webhook', 'secret', 'a', '--rotate'], { env }), { code: 0 })
  })

  t.test('nothing is replaced unless it is asked for, and then it is moved aside', async (t) => {
    const before = readFileSync(file)
    t.match(await runAt(dir, ['backup', file]), { code: 6, err: /is there already: nothing was written/ })
    t.ok(before.equals(readFileSync(file)))
    t.match(await runAt(dir, ['backup', file, '--force']), { code: 0 }, 'without a gateway too')
    t.match(await runAt(dir, ['restore', file]), { code: 6, err: /has \S+ and \d+ more files already: nothing was changed/ })
    t.match(await runAt(dir, ['restore', file, '--force']), { code: 0, err: /what was there before is in .*before-restore-/ })
    const [aside = ''] = filesOf(dir).filter((name) => name.startsWith('before-restore-'))
    t.match(
      filesOf(join(dir, aside)).filter((name) => !name.includes('events/')),
      ['state', 'state/audit.jsonl', 'state/events', 'state/headgate.db', 'webhook_subscriptions.json'],
    )
    mkdirSync(join(dir, 'copies'))
    t.match(await runAt(dir, ['backup', join(dir, 'copies')]), { code: 0, out: /copies\/headgate-\d{8}T\d{6}Z\.tar\.gz/ })
    t.match(await runAt(dir, ['backup', join(dir, 'none', 'x')]), { code: 1, err: /cannot write .*none\/x/ })
    t.strictSame(
      filesOf(dir).filter((name) => name.endsWith('.part')),
      [],
    )
  })

  t.test('a backup that was cut off, edited or made up is refused, and changes nothing', async (t) => {
    const fresh = join(dir, 'refusing')
    for (const [name, [bytes, why]] of Object.entries(await oddBackups(readFileSync(file)))) {
      const path = join(dir, 'odd.tar.gz')
      writeFileSync(path, bytes)
      const { code, err } = await runAt(fresh, ['restore', path])
      t.ok(code === 1 || code === 78, `${name}: exit ${code}`)
      t.match(err, why, name)
      t.notOk(existsSync(fresh), name)
      t.match(await runAt(fresh, ['restore', path, '--dry-run']), { err: why })
      t.notOk(existsSync(fresh), name)
    }
  })

  t.test('a full disk leaves no file, and the gateway as it was', async (t) => {
    const small = join(dir, 'small')
    mkdirSync(small)
    writeFileSync(join(dir, 'large.bin'), randomBytes(100_000))
    const script = 'mount -t tmpfs -o size=8k tmpfs "$0" && "$@"; code=$?; ls -A "$0"; exit $code'
    const argv = [
      '-m',
      'sh',
      '-c',
      script,
      small,
      process.execPath,
      main,
      '--data-dir',
      dir,
      'backup',
      join(small, 'copy'),
      '--with-config',
    ]
    const full = await execute('unshare', argv).catch((error: unknown) => error as { code: number; stdout: string; stderr: string })
    t.match(full, { code: 1, stdout: '', stderr: /cannot write .*copy: no space is left/ })
    const swollen = join(dir, 'swollen.tar.gz')
    writeFileSync(swollen, gzipSync(await packTar([{ header: { name: 'config.yaml', size: 9_800_000 }, body: '#'.repeat(9_800_000) }])))
    const unpacking = [
      '-m',
      'sh',
      '-c',
      script.replace('8k', '10M'),
      small,
      process.execPath,
      main,
      '--data-dir',
      small,
      'restore',
      swollen,
    ]
    const refused = await execute('unshare', unpacking).catch((error: unknown) => error as { code: number; stderr: string })
    t.match(refused, { code: 1, stderr: /takes more than nine tenths of the free space/ })
  })

  t.test('a damaged database is not backed up, and the backup from before stays', async (t) => {
    truncateSync(join(dir, 'state/headgate.db'), 8192)
    t.match(await runAt(dir, ['backup', file, '--force']), { code: 6, err: /cannot be read/ })
    t.match(await runAt(join(dir, 'checked'), ['restore', file, '--dry-run']), { code: 0 })
    t.notOk(existsSync(join(dir, 'checked')), 'a check makes no folder')
  })
})

/** Backups that must be refused, each with what is said of it. */
const oddBackups = async (whole: Buffer): Promise<{ readonly [name: string]: readonly [Buffer, RegExp] }> => {
  const tar = gunzipSync(whole)
  const entry = (name: string, body = 'x') => ({ header: { name, size: body.length }, body })
  const manifest = (more: object) => entry('headgate-backup.json', JSON.stringify({ at: '', store: 'sqlite', files: [], ...more }))
  const packed = async (...entries: TarEntry[]) => gzipSync(await packTar(entries))
  const link: TarEntry = { header: { name: 'config.yaml', size: 0, type: 'symlink', linkname: '/etc/passwd' } }
  const edited = Buffer.from(tar)
  edited.write('payLoad', edited.indexOf('payload'))
  const digested = { name: 'config.yaml', bytes: 1, sha256: createHash('sha256').update('x').digest('hex') }
  const listed = [{ name: 'config.yaml', bytes: 1, sha256: '' }]
  return {
    'cut off': [whole.subarray(0, whole.length / 2), /unexpected end of file/],
    'cut off in front of the list': [gzipSync(tar.subarray(0, tar.indexOf('headgate-backup.json'))), /truncated/],
    'without a list': [await packed(entry('config.yaml')), /it is cut off/],
    edited: [gzipSync(edited), /state\/\S+ was changed/],
    'no archive': [Buffer.from('hello'), /incorrect header/],
    'a way out': [await packed(entry('../../evil')), /"\.\.\/\.\.\/evil", which no backup has/],
    'a path from the root': [await packed(entry('/tmp/evil')), /which no backup has/],
    'a file of the gateway': [await packed(entry('state/gateway.sock')), /which no backup has/],
    'a link': [await packed(link), /"config\.yaml", which no backup has/],
    'one file twice': [await packed(entry('config.yaml'), entry('config.yaml')), /twice/],
    'a file without a digest': [await packed(entry('config.yaml'), manifest({ headgate_backup: 1 })), /files that its list does not have/],
    'a file less': [await packed(manifest({ headgate_backup: 1, files: listed })), /config\.yaml is missing/],
    'a list that names a file twice': [
      await packed(entry('config.yaml'), entry('.env'), manifest({ headgate_backup: 1, files: [digested, digested] })),
      /list names a file twice/,
    ],
    'of a later version': [await packed(manifest({ headgate_backup: 2, made_by: '9.0.0' })), /a later version \(9\.0\.0\) made the backup/],
  }
}
