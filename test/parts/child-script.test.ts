import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createSlots } from '../../src/core/turns/slots.ts'
import { baseEnv, type ChildJob, envValue, failureOf, runChild } from '../../src/process/child.ts'
import type { ScriptJob } from '../../src/process/script.ts'
import { checkScript, runScript } from '../../src/process/script.ts'
import { newFolder } from '../fakes/folder.ts'
import { isGone, isRunning, soon } from '../fakes/process.ts'

const env = baseEnv(process.env)
const sh = (line: string, more: Partial<ChildJob> = {}) => runChild({ argv: ['sh', '-c', line], env, timeoutMs: 20_000, ...more })

const scripts = (t: Test, files: { readonly [name: string]: string }): string => {
  const folder = join(newFolder(t, { scripts: {} }), 'scripts')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const job = (path: string, more: Partial<ScriptJob> = {}): ScriptJob => ({ path, input: '{}', timeoutMs: 20_000, env: {}, ...more })

t.test('a child gets its argv as it is, its stdin, its folder and only the environment given', async (t) => {
  const folder = newFolder(t, {})
  const echoed = await runChild({ argv: ['printf', '%s|', '$HOME', '-n', '; ls'], env })
  t.match(echoed, { kind: 'exited', code: 0, stdout: '$HOME|-n|; ls|' })
  t.match(await sh('cat; pwd -P; env | grep -c CANARY', { stdin: 'in\n', cwd: folder, env: { PATH: env.PATH, CANARY: '1' } }), {
    kind: 'exited',
    stdout: /^in\n\/.*\n1\n$/,
  })
  t.match(await sh('env', { env: { ONLY: 'x', GONE: undefined } }), { stdout: /^(?!.*(GONE|HOME)).*ONLY=x/s })
})

t.test('the base environment is an allow-list', async (t) => {
  const from = { PATH: '/bin', HOME: '/h', WEBHOOK_SECRET: 'canary', GH_TOKEN: 'canary', BASH_ENV: '/evil', LD_PRELOAD: '/evil' }
  t.notMatch(JSON.stringify(baseEnv(from)), /canary|evil/)
  t.match(baseEnv(from), { PATH: '/bin', HOME: '/h' })
  t.equal(envValue(`a\0b${'x'.repeat(5000)}`).length, 1024)
})

t.test('exit code, stderr and signals are told apart', async (t) => {
  t.match(await sh('echo bad >&2; exit 3'), { kind: 'exited', code: 3, stderr: 'bad\n' })
  t.same(await sh('kill -TERM $$'), { kind: 'killed', signal: 'SIGTERM' })
  t.equal(failureOf(await sh('printf "one\\ntw\\033[31mo\\n" >&2; exit 3')), 'exit code 3: tw\\u{1b}[31mo')
  t.equal(failureOf(await sh('exit 0')), undefined)
})

t.test('what cannot be started is an answer, and does not quote what was refused', async (t) => {
  t.match(await runChild({ argv: ['no-such-program-here'], env }), { kind: 'failed', notFound: true })
  t.match(await runChild({ argv: ['sh', 'can\0ary'], env }), { kind: 'failed', why: /^(?!.*ary)/s, notFound: false })
  t.match(await runChild({ argv: ['sh'], env: { SECRET: 'can\0ary' } }), { kind: 'failed', why: /^(?!.*ary)/s })
  t.match(await runChild({ argv: ['sh', '-c', 'x'.repeat(200_000)], env }), { kind: 'failed', why: /E2BIG/ })
  t.match(await runChild({ argv: [], env }), { kind: 'failed' })
})

t.test('a time-out kills, a trap does not help', async (t) => {
  t.same(await sh("trap '' TERM; sleep 600; sleep 600", { timeoutMs: 100 }), { kind: 'timeout' })
})

/** A line of shell that starts something in a session of its own, with its process ids in a file; goes on once they are there. */
const detached = (file: string, count = 1, how = 'setsid'): string =>
  `for i in $(seq ${count}); do ${how} sh -c 'echo $$ >> ${file}; exec sleep 600' >&- 2>&- <&- & done; ` +
  `while [ "$(cat ${file} 2>&- | wc -l)" -lt ${count} ]; do sleep 0.01; done`
const pidsIn = (file: string): number[] => readFileSync(file, 'utf8').trim().split('\n').map(Number)

t.test('what left the group is ended with the child, however that ends', async (t) => {
  const folder = newFolder(t, {})
  const ways: readonly [name: string, line: string, options: Partial<ChildJob>, result: object][] = [
    ['success', '', {}, { kind: 'exited', code: 0 }],
    ['failure', '; exit 3', {}, { kind: 'exited', code: 3 }],
    ['flood', '; yes', {}, { kind: 'flood' }],
    ['time-out', '; sleep 600', { timeoutMs: 2000 }, { kind: 'timeout' }],
  ]
  for (const [name, line, options, result] of ways) {
    const file = join(folder, name)
    t.match(await sh(detached(file, 3) + line, options), result)
    for (const pid of pidsIn(file)) t.ok(await isGone(pid), `${name}: ${pid}`)
  }
})

t.test('a child that left the group and holds stdout keeps nobody waiting, and ends', async (t) => {
  const file = join(newFolder(t, {}), 'pid')
  t.match(await sh(`${detached(file).replace('>&- 2>&- <&-', '')}; echo done`), { kind: 'exited', code: 0, stdout: 'done\n' })
  for (const pid of pidsIn(file)) t.ok(await isGone(pid))
})

t.test('what belongs to a child that still runs is left alone; so is what gave its mark away', async (t) => {
  const folder = newFolder(t, {})
  const [mine, other, free] = ['mine', 'other', 'free'].map((name) => join(folder, name)) as [string, string, string]
  const stop = new AbortController()
  const longer = sh(`${detached(other)}; echo started > ${folder}/started; sleep 600`, { signal: stop.signal })
  while (!existsSync(join(folder, 'started'))) await soon()
  await sh(`${detached(mine)}; ${detached(free, 1, 'env -u HEADGATE_CHILD setsid')}`)
  for (const pid of pidsIn(mine)) t.ok(await isGone(pid), 'it has ended')
  for (const pid of [...pidsIn(other), ...pidsIn(free)]) t.ok(isRunning(pid), 'it runs')
  stop.abort()
  t.same(await longer, { kind: 'aborted' })
  for (const pid of pidsIn(other)) t.ok(await isGone(pid), 'it has ended with its child')
  for (const pid of pidsIn(free)) process.kill(pid, 'SIGKILL')
})

t.test('a flood is cut off, on stdout by a kill, on stderr by keeping the end', async (t) => {
  t.same(await sh('yes'), { kind: 'flood' })
  t.same(await sh('printf 12345', { maxStdoutBytes: 4 }), { kind: 'flood' })
  t.match(await sh('printf 1234', { maxStdoutBytes: 4 }), { kind: 'exited', stdout: '1234' })
  const noisy = await sh('head -c 3000000 /dev/zero >&2; echo >&2; echo end >&2; exit 1')
  t.equal(noisy.kind === 'exited' ? noisy.stderr.length : 0, 16 * 1024)
  t.match(failureOf(noisy), /end$/)
})

t.test('a program need not read its stdin, and broken text is no crash', async (t) => {
  t.match(await sh('exit 0', { stdin: 'x'.repeat(1_000_000) }), { kind: 'exited', code: 0 })
  t.match(await sh("printf '\\377a'"), { kind: 'exited', stdout: '\ufffda' })
  t.match(await sh('exec 0<&-; echo ok', { stdin: 'x'.repeat(1_000_000) }), { kind: 'exited', stdout: 'ok\n' })
})

t.test('an abort ends a running child with all that it started, and one that is not started yet', async (t) => {
  const folder = newFolder(t, {})
  const stop = new AbortController()
  const running = sh(`trap '' TERM; sleep 600 & echo $! > ${folder}/new; mv ${folder}/new ${folder}/pid; wait`, { signal: stop.signal })
  while (!existsSync(join(folder, 'pid'))) await soon()
  stop.abort()
  t.same(await running, { kind: 'aborted' })
  t.ok(await isGone(Number(readFileSync(join(folder, 'pid'), 'utf8'))), 'its child is gone too')
  t.same(await sh(`touch ${folder}/ran`, { signal: stop.signal }), { kind: 'aborted' })
  t.notOk(existsSync(join(folder, 'ran')))
})

t.test('a script reads the payload and writes the answer, by bash or by Python', async (t) => {
  const folder = scripts(t, {
    'a.sh': '[[ -n $BASH_VERSION ]] && echo "$HEADGATE_EVENT $(cat)"',
    'b.bash': 'printf %s "$PWD"',
    'c.py': 'import json, sys\nprint(json.load(sys.stdin)["n"] + 1)',
    'no-extension': 'print("python")',
  })
  t.same(await runScript(folder, job('a.sh', { env: { HEADGATE_EVENT: 'pu\0sh' } })), { ok: true, output: 'push {}\n' })
  t.same(await runScript(folder, job('b.bash')), { ok: true, output: folder })
  t.same(await runScript(folder, job('c.py', { input: '{"n":1}' })), { ok: true, output: '2\n' })
  t.same(await runScript(folder, job('no-extension')), { ok: true, output: 'python\n' })
  t.same(await runScript(folder, job(join(folder, 'a.sh'))), { ok: true, output: ' {}\n' }, 'an absolute path inside is inside')
})

t.test('a script sees no secret of the gateway', async (t) => {
  const folder = scripts(t, { 'env.sh': 'env' })
  const result = await runScript(folder, job('env.sh'), { ...process.env, WEBHOOK_SECRET: 'canary', OPENAI_API_KEY: 'canary' })
  t.match(result, { ok: true, output: /PATH=/ })
  t.notMatch(result, { output: /canary/ })
})

t.test('a script outside its folder does not run: by path, by link, by link of a folder', async (t) => {
  const folder = scripts(t, { 'ok.sh': 'echo ok' })
  const evil = join(folder, '..', 'evil.sh')
  const marker = join(folder, '..', 'ran')
  writeFileSync(evil, `touch ${marker}`)
  mkdirSync(join(folder, '..', 'scripts-too'))
  writeFileSync(join(folder, '..', 'scripts-too', 'x.sh'), `touch ${marker}`)
  symlinkSync(evil, join(folder, 'link.sh'))
  symlinkSync('..', join(folder, 'up'))
  symlinkSync('ok.sh', join(folder, 'inner.sh'))
  const outside = ['../evil.sh', evil, 'link.sh', 'up/evil.sh', '../scripts-too/x.sh', '', '.', '..', '/etc/passwd', '../../../etc/passwd']
  for (const path of outside) {
    t.match(checkScript(folder, path), { code: 'WH602', message: /outside/ }, path)
    t.match(await runScript(folder, job(path)), { ok: false, why: /outside/ }, path)
  }
  t.notOk(existsSync(marker))
  t.match(await runScript(folder, job('inner.sh')), { ok: true, output: 'ok\n' }, 'a link that stays inside is fine')
})

t.test('a script that is missing or not to be trusted is told at load and refused at run', async (t) => {
  const folder = scripts(t, { 'open.sh': 'echo ran', 'ok.sh': 'echo ok' })
  chmodSync(join(folder, 'open.sh'), 0o666)
  mkdirSync(join(folder, 'dir.sh'))
  mkdirSync(join(folder, 'shared'))
  writeFileSync(join(folder, 'shared', 'x.sh'), 'echo ran')
  chmodSync(join(folder, 'shared'), 0o777)
  for (const path of ['gone.sh', '~/x.sh', '$HOME/x.sh', 'a\0b', 'dir.sh', 'ok.sh/x', 'open.sh', 'shared/x.sh']) {
    t.match(checkScript(folder, path), { code: 'WH601' }, JSON.stringify(path))
    t.match(await runScript(folder, job(path)), { ok: false }, JSON.stringify(path))
  }
  t.equal(checkScript(folder, 'ok.sh'), undefined)
  t.match(checkScript(join(folder, 'nowhere'), 'ok.sh'), { code: 'WH601' })
  const linked = join(folder, '..', 'linked')
  symlinkSync(folder, linked)
  t.match(await runScript(linked, job('ok.sh')), { ok: true }, 'the folder itself may be a link')
})

t.test('time-out, non-zero exit and flood are answers with a reason', async (t) => {
  const folder = scripts(t, { 'hang.sh': 'sleep 600', 'no.sh': 'echo why >&2; exit 7', 'flood.sh': 'yes', 'deaf.sh': 'exit 0' })
  t.match(await runScript(folder, job('hang.sh', { timeoutMs: 200 })), { ok: false, why: /took too long/ })
  t.match(await runScript(folder, job('no.sh')), { ok: false, why: 'script "no.sh": exit code 7: why' })
  t.match(await runScript(folder, job('flood.sh')), { ok: false, why: /wrote too much/ })
  t.same(await runScript(folder, job('deaf.sh', { input: 'x'.repeat(1_000_000) })), { ok: true, output: '' })
  t.match(await runScript(folder, job('deaf.sh'), { PATH: '/nonexistent' }), { ok: false, why: /cannot start bash: ENOENT/ })
})

t.test('slots: so many at once, so many waiting, no room past both; an end makes room, also a failed one', async (t) => {
  const slots = createSlots(() => 2, 1)
  const ends: (() => void)[] = []
  let started = 0
  const work = () => {
    started++
    return new Promise<string>((done) => ends.push(() => done('done')))
  }
  const first = slots.run(work)
  const failing = slots.run(() => {
    started++
    return new Promise<string>((_, fail) => ends.push(() => fail(new Error('broken'))))
  })
  const third = slots.run(work)
  t.equal(await slots.run(work), undefined, 'no room')
  t.equal(started, 2)
  ends[1]?.()
  await t.rejects(failing, { message: 'broken' })
  t.equal(started, 3, 'the slot went to the one that waited')
  const fourth = slots.run(work)
  t.equal(started, 3)
  ends[0]?.()
  t.equal(await first, 'done')
  ends[2]?.()
  t.equal(await third, 'done')
  ends[3]?.()
  t.equal(await fourth, 'done')
  t.equal(started, 4)
  t.equal(await slots.run(async () => 'free'), 'free')
})
