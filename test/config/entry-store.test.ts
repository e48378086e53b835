/** The write side of the files that commands change: atomic, private, one at a time, and never over what it cannot read. */

import { execFile } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { subscriptionNameOf } from '../../src/config/subscriptions.ts'
import { readEntries, updateEntries } from '../../src/config/writing/entry-store.ts'
import { exit, Fault } from '../../src/core/fault.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { jsonErrorPlace } from '../../src/core/json-error.ts'
import { EntryCopies } from '../../src/datadir/entries/entry-copies.ts'
import { newFolder } from '../fakes/folder.ts'

const put = (name: string, entry: Json) => (entries: JsonObject) => ({ entries: { ...entries, [name]: entry }, result: undefined })
const modeOf = (path: string): number => statSync(path).mode & 0o777
const faultOf = async (work: () => unknown): Promise<Fault> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

t.test('creates file and folder for their owner only, and keeps one backup', async (t) => {
  const dir = join(newFolder(t), 'new')
  const file = join(dir, 'webhook_subscriptions.json')
  const before = process.umask(0)
  t.teardown(() => process.umask(before))
  await updateEntries(file, put('a', { prompt: 'one' }))
  t.notOk(existsSync(`${file}.bak`), 'nothing to back up yet')
  await updateEntries(file, put('b', { prompt: 'two' }))
  t.same(JSON.parse(readFileSync(file, 'utf8')), { a: { prompt: 'one' }, b: { prompt: 'two' } })
  t.same(JSON.parse(readFileSync(`${file}.bak`, 'utf8')), { a: { prompt: 'one' } })
  t.equal(modeOf(dir), 0o700)
  t.equal(modeOf(file), 0o600)
  t.equal(modeOf(`${file}.bak`), 0o600)
  t.same(readdirSync(dir).sort(), ['webhook_subscriptions.json', 'webhook_subscriptions.json.bak'], 'no lock and no temporary file stays')
})

t.test('a file that is open to others is closed by the next write', async (t) => {
  const file = join(newFolder(t, { 'f.json': '{}' }), 'f.json')
  chmodSync(file, 0o666)
  await updateEntries(file, put('a', {}))
  t.equal(modeOf(file), 0o600)
})

t.test('keeps hand-written fields and the order of keys', async (t) => {
  const file = join(
    newFolder(t, { 'f.json': '{"z":{"x-note":"mine","toolsets":["t"],"prompt":"p"},"__proto__":{"a":1},"b":{}}' }),
    'f.json',
  )
  await updateEntries(file, (entries) => ({ entries: { ...entries, z: { ...(entries.z as JsonObject), prompt: 'q' } }, result: undefined }))
  t.equal(
    JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))),
    '{"z":{"x-note":"mine","toolsets":["t"],"prompt":"q"},"__proto__":{"a":1},"b":{}}',
  )
})

t.test('an update without entries writes nothing', async (t) => {
  const file = join(newFolder(t), 'f.json')
  t.equal(await updateEntries(file, () => ({ result: 7 })), 7)
  t.notOk(existsSync(file))
})

t.test('updates at once are applied one after the other', async (t) => {
  const file = join(newFolder(t), 'f.json')
  await Promise.all(Array.from({ length: 20 }, (_, i) => updateEntries(file, put(`s${i}`, {}))))
  t.equal(Object.keys(readEntries(file)).length, 20)
})

t.test('an update over a stale view is made again over the current entries', async (t) => {
  const file = join(newFolder(t, { 'f.json': '{"removed":{},"kept":{}}' }), 'f.json')
  let calls = 0
  await updateEntries(file, (entries) => {
    // Somebody without the lock removes an entry after it was read.
    if (calls++ === 0) writeFileSync(file, '{"kept":{}}')
    return { entries: { ...entries, added: {} }, result: undefined }
  })
  t.equal(calls, 2)
  t.same(Object.keys(readEntries(file)), ['kept', 'added'], 'what was removed stays removed')
})

t.test('gives up, writing nothing, when the file changes every time', async (t) => {
  const file = join(newFolder(t, { 'f.json': '{}' }), 'f.json')
  let calls = 0
  const fault = await faultOf(() =>
    updateEntries(file, () => {
      writeFileSync(file, `{"theirs":${++calls}}`)
      return { entries: { mine: {} }, result: undefined }
    }),
  )
  t.equal(fault.exitCode, exit.conflict)
  t.same(readEntries(file), { theirs: calls })
})

t.test('a disk that takes no lock is said at once, and is no lock that somebody holds', async (t) => {
  // The file has a name of an allowed length, its lock has not.
  const file = join(newFolder(t), 'f'.repeat(253))
  t.match(await faultOf(() => updateEntries(file, put('a', {}))), { code: 'cannot_write', exitCode: exit.no, message: /ENAMETOOLONG/ })
})

t.test('a path through a file names the path', async (t) => {
  const file = join(newFolder(t, { data: 'a file' }), 'data', 'f.json')
  const fault = await faultOf(() => updateEntries(file, put('a', {})))
  t.match(fault, { code: 'cannot_write', exitCode: exit.no, hint: /check the path .*data$/ })
  t.equal(fault.message, `cannot write ${file}: a part of its path is not a folder`)
})

t.test('takes over the lock of an owner that died', async (t) => {
  const file = join(newFolder(t), 'f.json')
  mkdirSync(`${file}.lock`)
  const old = Date.now() / 1000 - 60
  utimesSync(`${file}.lock`, old, old)
  await updateEntries(file, put('a', {}))
  t.same(readEntries(file), { a: {} })
})

t.test('a lock that another process took over meanwhile is noticed before anything is written, and is not removed', async (t) => {
  const file = join(newFolder(t, { 'f.json': '{"theirs":{}}' }), 'f.json')
  const fault = await faultOf(() =>
    updateEntries(file, (entries) => {
      rmdirSync(`${file}.lock`)
      mkdirSync(`${file}.lock`)
      return { entries: { ...entries, mine: {} }, result: undefined }
    }),
  )
  t.equal(fault.code, 'conflict')
  t.same(readEntries(file), { theirs: {} })
  t.ok(existsSync(`${file}.lock`), 'the lock of the other process stays')
})

t.test('updates of several processes at once are applied one after the other, also after one that was killed', async (t) => {
  const file = join(newFolder(t, { 'f.json': '{}' }), 'f.json')
  const source = `
    import { updateEntries } from './src/config/writing/entry-store.ts'
    const [file, name] = process.argv.slice(1)
    for (let i = 0; i < 10; i++) {
      await updateEntries(file, (entries) => {
        if (name === 'killed' && i === 3) process.kill(process.pid, 'SIGKILL')
        return { entries: { ...entries, [name + i]: {} }, result: undefined }
      })
    }`
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const update = (name: string) =>
    promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', source, file, name], { cwd: root })
  await t.rejects(update('killed'))
  const aMinuteAgo = Date.now() / 1_000 - 60
  utimesSync(`${file}.lock`, aMinuteAgo, aMinuteAgo)
  await Promise.all([update('a'), update('b')])
  const names = Object.keys(readEntries(file))
  t.equal(names.filter((name) => /^[ab]/.test(name)).length, 20, 'none is lost')
  t.equal(names.filter((name) => name.startsWith('killed')).length, 3)
})

t.test('a file keeps its owner where root writes it', { skip: process.getuid?.() !== 0 && 'needs root' }, async (t) => {
  const file = join(newFolder(t, { 'f.json': '{}' }), 'f.json')
  chownSync(file, 4_321, 4_322)
  await updateEntries(file, put('a', {}))
  t.match(statSync(file), { uid: 4_321, gid: 4_322 })
  t.equal(modeOf(file), 0o600)
})

t.test('a corrupt file is never overwritten, and the message says where', async (t) => {
  const bad: [title: string, text: string, place: RegExp][] = [
    ['half-written', '{"a": {"secret": "hunter2-hunter2",\n  "events": [', /at 2:14$/],
    ['stray character', '{\n  "a": {"secret": "hunter2-hunter2" x}\n}', /at 2:37$/],
    ['empty', '', /at 1:1$/],
    ['byte order mark', '\ufeff{}', /at 1:1: it begins with a byte order mark$/],
    ['NUL', '{}\u0000', /at 1:3$/],
    ['a list', '[]', /not a JSON object/],
    ['a text', '"a"', /not a JSON object/],
    ['twins', '{"a": {},\n "a": {}}', /twice at 2:2$/],
  ]
  for (const [title, text, place] of bad) {
    const file = join(newFolder(t, { 'f.json': text }), 'f.json')
    const fault = await faultOf(() => updateEntries(file, put('b', {})))
    t.match({ title, ...fault, message: fault.message }, { title, exitCode: exit.conflict, code: 'corrupt_store', message: place })
    t.notMatch(fault.message, /hunter2/, `${title}: no secret in the message`)
    t.equal(readFileSync(file, 'utf8'), text, `${title}: untouched`)
    t.notOk(existsSync(`${file}.bak`), `${title}: the backup is not rotated`)
  }
})

t.test('the message about a corrupt file names the backup when there is one', async (t) => {
  const file = join(newFolder(t, { 'f.json': '{', 'f.json.bak': '{}' }), 'f.json')
  t.match((await faultOf(() => readEntries(file))).hint, /f\.json\.bak/)
})

t.test('a file past every limit is refused unread', async (t) => {
  const file = join(newFolder(t, { 'f.json': `{"a":"${'x'.repeat(16_777_300)}"}` }), 'f.json')
  t.match(await faultOf(() => readEntries(file)), { code: 'corrupt_store' })
})

t.test('a link, a folder or a backup that is a link is not followed', async (t) => {
  const dir = newFolder(t, { target: '{"mine":1}', 'f.json': '{}' })
  symlinkSync('target', join(dir, 'link.json'))
  t.match(await faultOf(() => updateEntries(join(dir, 'link.json'), put('a', {}))), { code: 'odd_file', exitCode: exit.conflict })
  t.match(await faultOf(() => readEntries(join(dir, 'link.json'))), { code: 'odd_file' })
  mkdirSync(join(dir, 'folder.json'))
  t.match(await faultOf(() => readEntries(join(dir, 'folder.json'))), { code: 'odd_file' })
  symlinkSync('target', join(dir, 'f.json.bak'))
  t.match(await faultOf(() => updateEntries(join(dir, 'f.json'), put('a', {}))), { code: 'odd_file' })
  t.equal(readFileSync(join(dir, 'target'), 'utf8'), '{"mine":1}')
  t.ok(lstatSync(join(dir, 'link.json')).isSymbolicLink())
})

t.test('names are trimmed, lower-cased and hyphenated, and the rest is refused', async (t) => {
  t.equal(subscriptionNameOf('  My Hook  '), 'my-hook')
  for (const bad of ['', '__proto__', '-a', '.a', 'a/b', 'ä', 'a\nb', 'x'.repeat(65), '\u001b[2J']) {
    t.match(await faultOf(() => subscriptionNameOf(bad)), { exitCode: exit.usage }, JSON.stringify(bad))
  }
})

t.test('the place of a JSON mistake', (t) => {
  t.same(jsonErrorPlace('{"a":}'), { line: 1, column: 6 })
  t.same(jsonErrorPlace('{"a":1,}'), { line: 1, column: 8 })
  t.same(jsonErrorPlace('{\n\n  a: 1}'), { line: 3, column: 3 })
  t.same(jsonErrorPlace('{"a":"b'), { line: 1, column: 8 })
  t.same(jsonErrorPlace('{} {}'), { line: 1, column: 4 })
  t.same(jsonErrorPlace('{"a":trux}'), { line: 1, column: 9 })
  t.end()
})

t.test('a copy that is made while it is compared, and then deleted, is written again', async (t) => {
  const entryFile = { name: 'subscriptions', file: join(newFolder(t), 'webhook_subscriptions.json') }
  const shared = { revision: 'WZTJNPc3u6-pOzhTK-XVx3qTan7fbj6c0huuvP4hXw8', text: '{ "a": { "prompt": "one" } }\n' }
  let isMade = false
  const copies = new EntryCopies({
    entryRevisions: async () => new Map([[entryFile.name, shared.revision]]),
    readEntries: async () => {
      if (!isMade) writeFileSync(entryFile.file, shared.text)
      isMade = true
      return shared
    },
    replaceEntries: async () => false,
  })
  t.same(await copies.refresh([entryFile]), [], 'another process made the copy')
  rmSync(entryFile.file)
  t.match(await copies.refresh([entryFile]), [{ result: { kind: 'copied' } }])
  t.equal(readFileSync(entryFile.file, 'utf8'), shared.text)
})
