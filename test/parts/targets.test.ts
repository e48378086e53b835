import { createHash, createHmac } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import t, { type Test } from 'tap'
import type { JsonObject } from '../../src/core/json.ts'
import { printable } from '../../src/core/text.ts'
import { createKeep } from '../../src/parts/targets/delivery/keep.ts'
import { targets, targetsByName } from '../../src/parts/targets/index.ts'
import type { Outgoing, Sent, TargetKit } from '../../src/parts/targets/target.ts'
import { adopt } from '../fakes/adopt.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { ownComments } from '../fakes/own-comments.ts'
import { soon } from '../fakes/process.ts'
import { closedOrigin, sink } from '../fakes/sink.ts'

const keep = createKeep(adopt)

const clock = fakeClock(1_700_000_000_500)
const kit = (more: Partial<TargetKit> = {}): TargetKit => ({
  settings: {},
  env: { PATH: process.env.PATH },
  log: () => {},
  clock,
  keep,
  mark: ownComments.mark,
  ...more,
})

const outgoing = (target: string, extra: JsonObject, more: Partial<Outgoing> = {}): Outgoing => ({
  text: 'hello',
  profile: 'default',
  route: 'r',
  deliveryId: 'd1',
  delivery: { target, extra },
  position: 0,
  budgetMs: 20_000,
  ...more,
})

const send = async (target: string, extra: JsonObject, more: Partial<Outgoing> = {}, with_: TargetKit = kit()): Promise<Sent> => {
  const part = targetsByName.get(target)
  if (!part) throw new Error(`no target ${target}`)
  return part.send(outgoing(target, extra, more), with_)
}

const reported = (target: string, extra: JsonObject): string[] => {
  const found: string[] = []
  targetsByName.get(target)?.check?.(extra, (code, path) => found.push(`${code} ${path.join('.')}`))
  return found
}

t.test('the registry names every target once', async (t) => {
  const [first, ...others] = targets.map(({ name }) => name)
  t.equal(first, 'log')
  t.same(others, [...others].sort())
  t.equal(targetsByName.size, targets.length)
})

t.test('log hands the text to the log', async (t) => {
  const lines: string[] = []
  t.match(await send('log', {}, {}, kit({ log: ({ text }) => lines.push(text) })), { ok: true })
  t.same(lines, ['hello'])
})

// ---- github_comment

const where = { repo: 'octo-org/octo.repo', pr_number: '42' }

/** A stand-in for `gh`, first on the PATH; what it writes to `$OUT` can be read afterwards. */
const fakeGh = (t: Test, line: string) => {
  const out = newFolder(t, { bin: {} })
  const gh = join(out, 'bin', 'gh')
  writeFileSync(gh, `#!/bin/sh\nOUT=${out}\n${line}\n`)
  chmodSync(gh, 0o755)
  return { env: { PATH: `${join(out, 'bin')}:${process.env.PATH}` }, read: (name: string) => readFileSync(join(out, name), 'utf8'), out }
}

/** What stands before a script that says how posting ends: the look for an earlier comment finds none. */
const nothingYet = 'test "$2" = graphql && exit 0'
const recording = `${nothingYet}; printf "%s\\n" "$@" > $OUT/argv; cat > $OUT/stdin; env > $OUT/env; echo '{"id":7,"html_url":"https://x/7"}'`
const mark = /\n\n<!-- headgate:[0-9a-f]{40} -->$/
const bodyOf = (sent: string): string => JSON.parse(sent).body

t.test('github_comment: the text goes to stdin, a checked path to argv, and only what gh needs to its environment', async (t) => {
  const gh = fakeGh(t, recording)
  const env = { ...gh.env, GH_TOKEN: 'tok', GH_DEBUG: 'api', GH_REPO: 'evil/x', WEBHOOK_SECRET: 'canary', OPENAI_API_KEY: 'canary' }
  t.same(await send('github_comment', where, { text: '--help "$(id)" \ud800' }, kit({ env })), { ok: true, detail: 'https://x/7' })
  t.equal(gh.read('argv'), 'api\n--method\nPOST\nrepos/octo-org/octo.repo/issues/42/comments\n--input\n-\n')
  t.match(bodyOf(gh.read('stdin')), mark)
  t.equal(bodyOf(gh.read('stdin')).replace(mark, ''), '--help "$(id)" \ufffd')
  t.match(gh.read('env'), /^GH_TOKEN=tok$/m)
  t.match(gh.read('env'), /^GH_PROMPT_DISABLED=1$/m)
  t.notMatch(gh.read('env'), /canary|GH_DEBUG|GH_REPO/)
  t.match(await send('github_comment', { ...where, pr_number: 43 }, {}, kit({ env })), { ok: true }, 'a number may be one')
  t.match(gh.read('argv'), /issues\/43\/comments/)
})

t.test('github_comment: an earlier comment is looked for by the mark of its delivery, also by that of an older version', async (t) => {
  const gh = fakeGh(t, `test "$2" = graphql && { printf %s "$4" > $OUT/filter; exit 0; }; cat > $OUT/stdin; echo '{"id":7}'`)
  const lookedFor = (): RegExp => new RegExp(/\.body \| test\("(.*)"\)/.exec(gh.read('filter'))?.[1] ?? 'no filter')
  await send('github_comment', where, {}, kit({ env: gh.env }))
  const posted = bodyOf(gh.read('stdin'))
  const digest = createHash('sha256')
    .update(JSON.stringify(['default', 'r', '', 'd1', 0, 'octo-org/octo.repo#42']))
    .digest('hex')
  const former = `hello\n\n<!-- headgate:${digest.slice(0, 40)} -->`
  await send('github_comment', where, { text: 'another text' }, kit({ env: gh.env }))
  t.not(bodyOf(gh.read('stdin')).slice(-60), posted.slice(-60), 'the mark is made for its text')
  for (const body of [posted, former]) t.match(body, lookedFor(), 'the same delivery')
  for (const body of [`${posted} and more`, posted.replace(/-->$/, '')]) t.notMatch(body, lookedFor(), body)
  await send('github_comment', where, { deliveryId: 'd2' }, kit({ env: gh.env }))
  for (const body of [posted, former]) t.notMatch(body, lookedFor(), 'another delivery')
})

t.test('github_comment: the environment beats settings of the platform; a host of its own takes its own token', async (t) => {
  const gh = fakeGh(t, recording)
  const env = { ...gh.env, GH_TOKEN: 'from-env' }
  await send('github_comment', where, {}, kit({ env, settings: { token: 'set' } }))
  t.match(gh.read('env'), /^GH_TOKEN=from-env$/m)
  await send('github_comment', where, {}, kit({ env: { ...gh.env, GITHUB_TOKEN: 'from-env' }, settings: { token: 'set' } }))
  t.notMatch(gh.read('env'), /=set$/m)
  await send('github_comment', where, {}, kit({ env: gh.env, settings: { token: 'set' } }))
  t.match(gh.read('env'), /^GH_TOKEN=set$/m)
  await send('github_comment', where, {}, kit({ env: { ...env, GH_HOST: 'other.example' }, settings: { host: 'git.corp.example' } }))
  t.match(gh.read('env'), /^GH_HOST=other\.example$/m)
  await send('github_comment', where, {}, kit({ env, settings: { token: 'set', host: 'git.corp.example' } }))
  t.match(gh.read('env'), /^GH_ENTERPRISE_TOKEN=set$/m)
  t.match(gh.read('env'), /^GH_HOST=git\.corp\.example$/m)
  t.match(gh.read('env'), /^GH_TOKEN=from-env$/m)
})

t.test('github_comment: a profile, whose environment is its own file, has the PATH of the process and not its home', async (t) => {
  const gh = fakeGh(t, recording)
  const { PATH } = process.env
  t.teardown(() => {
    process.env.PATH = PATH
    delete process.env.GH_CANARY_TOKEN
  })
  process.env.PATH = gh.env.PATH
  process.env.GH_CANARY_TOKEN = 'canary'
  t.match(await send('github_comment', where, {}, kit({ env: {}, settings: { token: 'its own' } })), { ok: true })
  t.match(gh.read('env'), /^GH_TOKEN=its own$/m)
  t.match(gh.read('env'), /^HOME=\/nonexistent$/m)
  t.notMatch(gh.read('env'), /canary/)
  t.match(await send('github_comment', where, {}, kit({ env: { HOME: '/its/home' } })), { ok: true })
  t.match(gh.read('env'), /^HOME=\/its\/home$/m)
})

t.test('github_comment: what is not a repository and a number is never handed to gh', async (t) => {
  const gh = fakeGh(t, recording)
  const repos = [
    '--help',
    '-R evil/x',
    '-x/y',
    'a',
    'a/b/c',
    'a/..',
    'a/.',
    '../x',
    'a/b?x=1',
    'a/b\n',
    'a/b\0',
    'a /b',
    '{repo}',
    '',
    'a%2f/b',
  ]
  for (const repo of repos)
    t.match(await send('github_comment', { ...where, repo }, {}, kit({ env: gh.env })), { repeatable: false }, printable(repo, 99))
  const numbers = ['--help', '1 --body-file /etc/passwd', '1e3', '0x1', '0', '-1', '1/2', '12345678901', '{number}', '', '1\n', '١']
  for (const pr_number of [...numbers, 1.5, -1, 1e21, true, null, [1], {}]) {
    t.match(await send('github_comment', { ...where, pr_number }, {}, kit({ env: gh.env })), { repeatable: false }, String(pr_number))
  }
  t.match(await send('github_comment', {}, {}, kit({ env: gh.env })), { repeatable: false })
  t.match(await send('github_comment', where, { text: ' \n' }, kit({ env: gh.env })), { repeatable: false, why: 'the text is empty' })
  t.notOk(existsSync(join(gh.out, 'argv')), 'gh never ran')
})

t.test('github_comment: a long text is cut with a mark and no broken character', async (t) => {
  const gh = fakeGh(t, recording)
  t.match(await send('github_comment', where, { text: `a${'😀'.repeat(100_000)}` }, kit({ env: gh.env })), { ok: true })
  const body = bodyOf(gh.read('stdin'))
  t.ok(body.length <= 65_536 && body.length > 65_000)
  t.match(body.replace(mark, ''), /😀\n\n\[cut: .*\]$/u)
  t.notMatch(body, /\ufffd/)
  const room = 65_536 - (mark.exec(body)?.[0].length ?? 0)
  await send('github_comment', where, { text: 'x'.repeat(room) }, kit({ env: gh.env }))
  t.equal(bodyOf(gh.read('stdin')).replace(mark, ''), 'x'.repeat(room), 'what fits is not cut')
})

t.test('github_comment: a repeat waits until what may be on its way has come, or as long as the host asks', async (t) => {
  const settle = { repeatable: true, retryAfterMs: 5_000 }
  const atOnce = { repeatable: true, retryAfterMs: undefined }
  const lasting = { repeatable: false, retryAfterMs: undefined }
  const cases: [string, object][] = [
    ['exit 4', { ...lasting, why: /not logged in/ }],
    ['echo "gh: Not Found (HTTP 404)" >&2; exit 1', { ...lasting, why: 'gh: Not Found (HTTP 404)' }],
    ['echo "gh: HTTP 422" >&2; exit 1', lasting],
    ['echo "gh: HTTP 408" >&2; exit 1', atOnce],
    ['printf "gh: Secondary rate limit (HTTP 403)\\nmore\\n" >&2; exit 1', { repeatable: true, retryAfterMs: 60_000 }],
    ['echo "gh: Forbidden (HTTP 403)" >&2; exit 1', lasting],
    ['echo "gh: Slow down (HTTP 429)" >&2; exit 1', { repeatable: true, retryAfterMs: 60_000 }],
    ['echo "gh: Server Error (HTTP 500)" >&2; exit 1', settle],
    ['echo "gh: HTTP 502" >&2; exit 1', settle],
    ['echo "error connecting to api.github.com" >&2; exit 1', atOnce],
    ['echo "Post \\"https://x\\": read: connection reset" >&2; exit 1', settle],
    ['exit 1', { ...settle, why: /without a reason/ }],
    ['exit 0', { ...settle, why: /no comment in the answer/ }],
    ['echo \'{"message":"ok"}\'', settle],
    ['echo \'"id"\'', settle],
    ['yes', { ...settle, why: 'gh: wrote too much' }],
    ['kill -9 $$', { ...settle, why: 'gh: killed by SIGKILL' }],
    ['printf "\\033[31m%05000d" 0 >&2; exit 1', { ...settle, why: /^\\u\{1b\}\[31m0+$/ }],
    ['echo "bad token canary-token" >&2; exit 1', { ...settle, why: 'bad token ***' }],
  ]
  for (const [line, expected] of cases) {
    const { env } = fakeGh(t, `${nothingYet}; ${line}`)
    const with_ = kit({ env: { ...env, GH_TOKEN: 'canary-token' } })
    t.match(await send('github_comment', where, { text: 'x'.repeat(200_000) }, with_), { ok: false, ...expected }, line)
  }
  const hanging = fakeGh(t, `${nothingYet}; sleep 600`)
  t.match(await send('github_comment', where, { budgetMs: 400 }, kit({ env: hanging.env })), { ...settle, why: 'gh: took too long' })
})

t.test('github_comment: where nobody can tell whether it is there already, nothing is posted', async (t) => {
  for (const line of ['exit 1', 'exit 4', 'echo "gh: API rate limit exceeded" >&2; exit 1', 'kill -9 $$', 'sleep 600']) {
    const repeatable = line !== 'exit 4'
    const gh = fakeGh(t, `test "$2" = graphql || touch $OUT/posted; ${line}`)
    t.match(await send('github_comment', where, { budgetMs: 300 }, kit({ env: gh.env })), { ok: false, repeatable }, line)
    t.notOk(existsSync(join(gh.out, 'posted')), line)
  }
  const late = fakeGh(t, 'test "$2" = graphql || touch $OUT/posted')
  const clock = fakeClock()
  const monotonic = (): number => {
    clock.advance(200)
    return clock.monotonic()
  }
  t.match(await send('github_comment', where, { budgetMs: 300 }, kit({ env: late.env, clock: { ...clock, monotonic } })), {
    repeatable: true,
    why: 'no time left',
  })
  t.notOk(existsSync(join(late.out, 'posted')))
})

t.test('github_comment: gh is looked for once, in absolute folders of the PATH, and again when it is gone', async (t) => {
  const root = newFolder(t, { first: {}, relative: {}, early: {}, folder: { gh: {} }, unexecutable: { gh: '' } })
  // Shell alone: no other program is on that PATH.
  const put = (folder: string): void => {
    const script = `#!/bin/sh\n: > ${root}/${folder}.ran\n${nothingYet}\necho '{"id":7}'\n`
    writeFileSync(join(root, folder, 'gh'), script, { mode: 0o755 })
  }
  const ran = (folder: string): boolean => existsSync(join(root, `${folder}.ran`))
  const trySend = (PATH: string): Promise<Sent> => send('github_comment', where, {}, kit({ env: { PATH } }))
  t.match(await send('github_comment', where, {}, kit({ env: { PATH: '' } })), { repeatable: true, why: /not installed/ })
  put('first')
  put('relative')
  const PATH = [
    '',
    '.',
    relative(process.cwd(), join(root, 'relative')),
    ...['folder', 'unexecutable', 'early', 'first'].map((name) => join(root, name)),
  ].join(delimiter)
  t.match(await trySend(PATH), { ok: true })
  put('early')
  t.match(await trySend(PATH), { ok: true })
  t.same(['first', 'relative', 'early'].map(ran), [true, false, false], 'one that comes earlier on the PATH later on changes nothing')
  rmSync(join(root, 'first', 'gh'))
  t.match(await trySend(PATH), { ok: false, repeatable: true, why: /not installed/ })
  t.match(await trySend(PATH), { ok: true })
  t.ok(ran('early'), 'another one takes its place')
})

/** What a host takes for a mention in the rendered text. */
const mentions = /(?<![A-Za-z0-9])@[\w.]/

t.test('comments: no line is a command, nobody is mentioned, and the rest stays as it was', async (t) => {
  const gh = fakeGh(t, recording)
  const said = async (text: string, settings: JsonObject = {}): Promise<string> => {
    t.match(await send('github_comment', where, { text }, kit({ env: gh.env, settings })), { ok: true })
    return bodyOf(gh.read('stdin')).replace(mark, '')
  }
  const orders = [
    '/approve',
    'a\n/merge now',
    'a\r/close',
    ' \t/hold',
    '> > /lgtm',
    '\u00a0/x',
    '\u200b/x',
    '\ufeff/x',
    '\u2028/x',
    '\0/x',
    '```\n/x\n```',
    '/évaluer',
  ]
  for (const text of orders) {
    t.equal(await said(text), text.replace('/', '/\u200b'), printable(text))
  }
  const calls = ['@octocat', 'hi @org/team!', '(@a)', '_@a_', 'x**@a**', '\\@a', '@@a', 'é@a', 'a @b@c', '`@a`', '@.hidden', '@_x']
  for (const text of calls) {
    t.notMatch(await said(text), mentions, text)
    t.equal((await said(text)).replaceAll('@\u200b', '@'), text)
  }
  for (const at of ['&#64;', '&#064;', '&#x40;', '&#X0040;', '&commat;']) t.equal(await said(`${at}octocat`), `${at}\u200boctocat`)
  t.equal(await said('@&#111;ctocat'), '@\u200b&#111;ctocat')
  const plain = 'mail me@example.org, see a/b, ./x, https://x/y, 1 / 2,\n// comment\n@ noon, 5@ and /\n/ 7'
  t.equal(await said(plain), plain)
  t.equal(await said('/approve @octocat', { mentions: true }), '/approve @octocat', 'mentions: true switches that off')
  const images = 'a! [b] ![x](https://evil.example/?q=1) ![y][z] <img src=x> <Picture> <b> <imgs>'
  t.equal(await said(images), 'a! [b] !\u200b[x](https://evil.example/?q=1) !\u200b[y][z] <\u200bimg src=x> <\u200bPicture> <b> <imgs>')
  t.equal(await said(images, { images: true }), images, 'images: true shows them')
  t.notMatch(await said('/approve @octocat', { mentions: 'false' }), /\/approve|@octocat/)
  const blanks = `${'\n'.repeat(20_000)}${' '.repeat(20_000)}${'&'.repeat(5_000)}${'@'.repeat(5_000)}x`
  t.ok((await said(blanks)).length > 0, 'in time that grows with the length alone')
})

t.test('github_comment: a literal that can never be right is told at load', async (t) => {
  t.same(reported('github_comment', where), [])
  t.same(reported('github_comment', { repo: '{repository.full_name}', pr_number: '{number}' }), [])
  t.same(reported('github_comment', { repo: 'acme/{repository.name}', pr_number: 7 }), [])
  t.same(reported('github_comment', { repo: 'acme', pr_number: '#7' }), ['WH707 repo', 'WH707 pr_number'])
  t.same(reported('github_comment', { repo: ['a/b'], pr_number: true }), ['WH707 repo', 'WH707 pr_number'])
})

// ---- http

t.test('http: the body, and Standard Webhooks headers that a receiver can verify', async (t) => {
  const { seen, origin } = await sink(t, (response) => response.writeHead(202).end('thanks'))
  const key = Buffer.from('0123456789abcdef01234567')
  const extra = { url: `${origin}/in?key=1`, secret: `whsec_${key.toString('base64')}`, headers: { 'X-Team': 'ops', 'User-Agent': 'me' } }
  t.same(await send('http', extra, { text: 'grüße 😀', deliveryId: 'id\u0000\n☃' }), { ok: true, detail: 'HTTP 202' })
  const [one] = seen
  t.match(one, { method: 'POST', url: '/in?key=1', headers: { 'content-type': 'application/json', 'x-team': 'ops', 'user-agent': 'me' } })
  t.same(JSON.parse(one?.body ?? ''), { route: 'r', delivery_id: 'id\u0000\n☃', text: 'grüße 😀' })
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = one?.headers ?? {}
  t.equal(at, '1700000000')
  t.equal(signature, `v1,${createHmac('sha256', key).update(`${id}.${at}.${one?.body}`).digest('base64')}`)

  await send('http', { url: origin, secret: 'plain text' })
  const raw = seen[1]
  const signed = `${raw?.headers['webhook-id']}.1700000000.${raw?.body}`
  t.equal(raw?.headers['webhook-signature'], `v1,${createHmac('sha256', 'plain text').update(signed).digest('base64')}`)
})

t.test('http: a repeat carries the same id, another event another one, whatever a sender chose as its own', async (t) => {
  const { seen, origin } = await sink(t, (response) => response.end())
  const same = { profile: 'a', route: 'b', deliveryId: 'c' }
  for (const who of [
    same,
    same,
    { ...same, deliveryId: 'd' },
    { profile: 'a', route: 'b/c', deliveryId: '' },
    { ...same, profile: 'a/b', route: '' },
    { ...same, position: 1 },
    { ...same, job: 'j' },
  ]) {
    await send('http', { url: origin }, who)
  }
  const ids = seen.map(({ headers }) => headers['webhook-id'])
  t.equal(ids[0], ids[1])
  t.equal(new Set(ids).size, 6)
  for (const id of ids) t.match(id, /^msg_[\w-]{32}$/)
  t.equal(seen[0]?.headers['webhook-signature'], undefined, 'no secret, no signature')
})

t.test('http: which answers may be repeated, and when', async (t) => {
  const cases: [number, { [name: string]: string }, object][] = [
    [200, {}, { ok: true }],
    [204, {}, { ok: true }],
    [400, {}, { ok: false, repeatable: false }],
    [401, { 'retry-after': '5' }, { ok: false, repeatable: false, retryAfterMs: undefined }],
    [404, {}, { ok: false, repeatable: false }],
    [408, {}, { ok: false, repeatable: true }],
    [410, {}, { ok: false, repeatable: false }],
    [425, {}, { ok: false, repeatable: true }],
    [429, { 'retry-after': '7' }, { ok: false, repeatable: true, retryAfterMs: 7000 }],
    [429, { 'retry-after': '9999999' }, { ok: false, repeatable: true, retryAfterMs: 3_600_000 }],
    [503, { 'retry-after': new Date(1_700_000_060_000).toUTCString() }, { ok: false, repeatable: true, retryAfterMs: 59_500 }],
    [503, { 'retry-after': 'soon' }, { ok: false, repeatable: true, retryAfterMs: undefined }],
    [500, {}, { ok: false, repeatable: true, retryAfterMs: undefined }],
  ]
  let next: [number, { [name: string]: string }] = [200, {}]
  const { origin } = await sink(t, (response) => response.writeHead(...next).end())
  for (const [status, headers, expected] of cases) {
    next = [status, headers]
    t.match(await send('http', { url: origin }, { budgetMs: 2_000 }), expected, `${status} ${headers['retry-after'] ?? ''}`)
  }
})

t.test('http: a redirect is a failure and is not followed', async (t) => {
  const elsewhere = await sink(t, (response) => response.end())
  for (const status of [301, 302, 303, 307, 308]) {
    const { origin } = await sink(t, (response) => response.writeHead(status, { location: elsewhere.origin }).end())
    t.match(await send('http', { url: origin }), { ok: false, repeatable: false, why: /redirect/ })
  }
  t.same(elsewhere.seen, [])
})

t.test('http: an answer that is slow, large or cut off after its status', async (t) => {
  const silent = await sink(t, () => {})
  t.match(await send('http', { url: silent.origin }, { budgetMs: 100 }), { ok: false, repeatable: true, why: /no answer in time/ })
  const dripping = await sink(t, (response) => response.writeHead(200).write('x'))
  t.match(await send('http', { url: dripping.origin }, { budgetMs: 100 }), { ok: true })
  let stopped = false
  let sentKb = 0
  const endless = await sink(t, (response) => {
    response.on('close', () => {
      stopped = true
    })
    const more = (): void => {
      sentKb += 64
      if (!stopped) response.write('x'.repeat(65_536), more)
    }
    more()
  })
  t.match(await send('http', { url: endless.origin }), { ok: true })
  while (!stopped) await soon()
  t.ok(sentKb < 32_768, 'what socket buffers hold, not all that comes')
  const broken = await sink(t, (response) => response.destroy())
  t.match(await send('http', { url: broken.origin }), { ok: false, repeatable: true, why: /UND_ERR_SOCKET/ })
})

t.test('http: a failure says where and why, and no part of the address that may be a key', async (t) => {
  const origin = await closedOrigin()
  const refused = await send('http', { url: `${origin}/canary?token=canary`, secret: 'canary', headers: { Authorization: 'canary' } })
  t.same(refused, { ok: false, why: `${new URL(origin).host}: no connection (ECONNREFUSED)`, repeatable: true })
  t.match(await send('http', { url: 'http://127.0.0.1:6000/' }), { ok: false, why: /127\.0\.0\.1:6000: .*take another port/ })
  const plain = await sink(t, (response) => response.writeHead(500).end('canary'))
  t.match(await send('http', { url: plain.origin.replace('http:', 'https:') }), { ok: false, repeatable: true, why: /\(\w*SSL\w*\)$/ })
  t.notMatch(await send('http', { url: `${plain.origin}/canary` }), { why: /canary/ })
})

t.test('http: an address or header that cannot be right is refused at load and never sent', async (t) => {
  const { seen, origin } = await sink(t, (response) => response.end())
  const host = new URL(origin).host
  const bad = [
    '',
    'nonsense',
    'file:///etc/passwd',
    `ftp://${host}/`,
    `http://user:pw@${host}/`,
    `http:${host}/`,
    `http:///${host}/`,
    `//${host}/`,
  ]
  const templated = [
    '{url}',
    'https://{host}/x',
    'https://x.{d}/',
    'https://x{path}',
    'https://{a}@x/',
    `http://${host}{path}`,
    'https://a\\{x}/',
  ]
  for (const url of [...bad, ...templated, 7, ['http://x/']]) {
    t.same(reported('http', { url, secret: 'key' }), ['WH707 url'], String(url))
    t.match(await send('http', { url }), { ok: false, repeatable: false }, String(url))
  }
  t.same(reported('http', { url: 'https://x/{path}?q={= $x }', secret: 'key' }), [])
  t.match(await send('http', { url: `${origin}/{missing.key}` }), { ok: false, repeatable: false, why: /placeholder/ })
  t.match(await send('http', {}), { ok: false, repeatable: false })
  const climbing = [
    '.',
    'x/%2E',
    '../../admin',
    '..\\..\\admin',
    '%2e%2E/x',
    '.%2e/x',
    '.\t./x',
    './x',
    '..',
    '..\u0001',
    '\n../?',
    'a/../b#c',
  ]
  for (const path of climbing) {
    t.same(reported('http', { url: `${origin}/in/${path}`, secret: 'key' }), ['WH707 url'], JSON.stringify(path))
    t.match(await send('http', { url: `${origin}/in/${path}` }), { ok: false, repeatable: false, why: /segment/ }, JSON.stringify(path))
  }
  const headers = [
    { Host: 'x' },
    { 'content-length': '1' },
    { 'Webhook-Id': 'x' },
    { 'a b': 'x' },
    { 'x\r\ny': 'z' },
    { a: 'x\r\nHost: y' },
  ]
  for (const one of [...headers, { a: '☃' }, { a: ['x'] }, { a: 'x'.repeat(9000) }, ['x'], 'x']) {
    t.same(reported('http', { url: origin, headers: one, secret: 'key' }), ['WH707 headers'], JSON.stringify(one).slice(0, 40))
    t.match(await send('http', { url: origin, headers: one }), { ok: false, repeatable: false }, JSON.stringify(one).slice(0, 40))
  }
  for (const secret of ['', ' ', 'whsec_', 'whsec_!!!!', 'whsec_A', 7, null]) {
    t.same(reported('http', { url: origin, secret }), ['WH707 secret'], String(secret))
    t.match(await send('http', { url: origin, secret }), { ok: false, repeatable: false }, String(secret))
  }
  t.same(seen, [])
  const kept = ['/a..b/...', '/.well-known/x', '//x', '/a%2F..', '/a?x=/../y', '/a#/../b', '?/..', '/é{/']
  for (const path of kept) t.match(await send('http', { url: origin + path }), { ok: true }, path)
  t.equal(seen.length, kept.length)
})
