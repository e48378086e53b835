/** The commands that say what happens, and why not: webhook verify, webhook tail, events list --follow, the lines of gateway run. */

import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { createRequestLines } from '../../src/cli/gateway/request-lines.ts'
import type { TrafficLine } from '../../src/generated/control.ts'
import { fakeCli, going } from '../fakes/cli.ts'
import { fakeClock } from '../fakes/clock.ts'
import { secret as sharedSecret, startGateway } from '../fakes/gateway.ts'
import { tell } from '../fakes/tell.ts'
import { until } from '../fakes/wait.ts'

const secret = 'hush-hush-1234'
const hmac = (text: string, key = secret): string => createHmac('sha256', key).update(text).digest('hex')
const github = (digest: string): string => `X-Hub-Signature-256: sha256=${digest}`

const routes = (text: string): string =>
  `platforms:\n  webhook:\n    enabled: true\n    extra:\n      secret: ${secret}\n      routes:\n${text}`

t.test('verify: what the route would take, and each cause of a refusal told apart', async (t) => {
  const config = routes(
    '        a: {}\n        pinned: { verify: v2 }\n        padded: { secret: "hush-hush-1234\\n" }\n        open: { secret: INSECURE_NO_AUTH }\n',
  )
  const cli = fakeCli(t, { 'config.yaml': config, body: '{"a": 1}' }, {})
  const verify = (name: string, ...flags: string[]) => cli.run('webhook', 'verify', name, '--body', `@${cli.file('body')}`, ...flags)
  const body = '{"a": 1}'
  t.match(await verify('a', '--header', github(hmac(body))), { code: 0, out: /^a takes it: github, secret 1\n/ })
  t.match(await verify('open'), { code: 0, out: /^open takes it: it verifies nothing/ })
  const now = Math.floor(Date.now() / 1000)
  const old = now - 412
  const v2 = (at: number): string[] => [
    '--header',
    `X-Webhook-Timestamp: ${at}`,
    '--header',
    `X-Webhook-Signature-V2: ${hmac(`${at}.${body}`)}`,
  ]
  const cases: [route: string, header: string[], why: RegExp][] = [
    ['a', ['--header', 'X-Acme-Signature: abc'], /no header of a known scheme; seen: x-acme-signature\n/],
    ['a', ['--header', github('00')], /x-hub-signature-256 is not "sha256=" and 64 hex digits/],
    ['a', ['--header', github(hmac(body, 'another'))], /github: no secret of the route gives this signature\n/],
    ['a', ['--header', github(hmac(body, `${secret}\n`))], /with a line feed after the secret/],
    ['padded', ['--header', github(hmac(body))], /without the blanks or line feed around the route's secret/],
    ['padded', ['--header', `X-Gitlab-Token: ${secret}`], /gitlab: the token is not the secret; it holds without the blanks/],
    ['a', ['--header', github(hmac('{"a":1}'))], /the same JSON written otherwise/],
    ['a', ['--header', github(hmac(`${body}\n`))], /with or without a line feed at its end/],
    ['a', v2(old), /v2: x-webhook-timestamp is 41\d s old, and 300 s are allowed; its signature holds for the time/],
    ['a', v2(now + 900), /\d+ s in the future/],
    [
      'pinned',
      ['--header', github(hmac(body))],
      /no header of a listed scheme; .*it holds as github, which the route's "verify" does not list/,
    ],
    ['a', [...v2(now), '--header', github(hmac('x'))], /github: no secret .*; it holds as v2, which is not asked beside it/],
  ]
  for (const [route, header, why] of cases) t.match(await verify(route, ...header), { code: 1, out: why }, String(why))
  t.match(await verify('pinned', ...v2(old), '--at', String(old)), { code: 0 })
  const { data, ok } = JSON.parse((await verify('a', '--header', github('00'), '--json')).out)
  t.match({ ok, data }, { ok: false, data: { route: 'a', accepted: false, decides: 'github', why: /hex digits/ } })
  t.notMatch(JSON.stringify(data), secret)
})

t.test('verify: bytes as they are, headers from a file, and a body that nests without end', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': routes('        a: {}\n') }, {})
  const bytes = Buffer.from([0x22, 0xff, 0x22])
  writeFileSync(cli.file('bytes'), bytes)
  const digest = createHmac('sha256', secret).update(bytes).digest('hex')
  cli.write('headers', `POST /webhooks/a HTTP/1.1\r\nHost: x\r\nx-hub-signature-256: sha256=${digest}\r\n`)
  t.match(await cli.run('webhook', 'verify', 'a', '--body', `@${cli.file('bytes')}`, '--header', `@${cli.file('headers')}`), { code: 0 })
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
  t.match(await cli.run('webhook', 'verify', 'a', '--body', deep, '--header', github(hmac('x'))), {
    code: 1,
    out: /no secret of the route/,
  })
  t.match(await cli.run('webhook', 'verify', 'b', '--body', '{}'), { code: 5, err: /no route "b"/ })
  t.match(await cli.run('webhook', 'verify', 'a'), { code: 2, err: /--body is needed/ })
  t.match(await cli.run('webhook', 'verify', 'a', '--body', '{}', '--header', 'nonsense'), { code: 2, err: /is not a header/ })
})

const watched = async (t: Test) => {
  const extra = { port: 0, secret: sharedSecret, routes: { r: { prompt: 'P', filters: [{ field: 'n', not_equals: 9 }] }, other: {} } }
  const config = { platforms: { webhook: { enabled: true, extra } }, storage: { kind: 'memory' } }
  const cli = fakeCli(t, { 'config.yaml': JSON.stringify(config) }, {})
  return { gateway: await startGateway(t, { level: 'info', dir: cli.dir }), cli }
}

t.test('tail: each request with its reason, each attempt, and why a signature was refused', async (t) => {
  const { gateway, cli } = await watched(t)
  await gateway.post('r', { body: { n: 9 }, headers: { 'X-Request-ID': 'before' } })
  const all = going(cli, 'webhook', 'tail', '--since', '1h')
  const ignored = going(cli, 'webhook', 'tail', 'r', '--outcome', 'ignored', '--format', 'json')
  await until(() => all.said.err.includes('watching') && ignored.said.out.includes('"init"'))
  await gateway.post('r', { body: { n: 1 }, headers: { 'X-Request-ID': 'd-1', 'X-GitHub-Event': 'push' } })
  await gateway.post('other', { body: {} })
  await gateway.post('r', { body: { n: 9 }, headers: { 'X-Request-ID': 'd-2' } })
  await gateway.post('r', { sign: false, headers: { 'X-GitHub-Event': 'e\u009b2Jvil' } })
  await gateway.post('nowhere')
  const wanted = [
    /--> unknown {2}r {2}before {2}7 B\n\S+ {2}<-- 200 ignored:filters {2}[\d.]+ ms {2}event \w{8} {2}filters\[0\]/,
    /\d\d:\d\d:\d\d {2}--> push {2}r {2}d-1 {2}7 B\n\S+ {2}<-- 202 accepted {2}/,
    /==> done {2}log {2}attempt 1 {2}r {2}event \w{8}\n/,
    /--> e\\u\{9b\}2Jvil {2}r {2}- {2}2 B\n\S+ {2}<-- 401 bad_signature {2}.*no header of a known scheme; seen: none\n/,
    /--> unknown {2}nowhere|--> - {2}nowhere {2}- .*\n\S+ {2}<-- 404 unknown_route/,
  ]
  for (const line of wanted) await until(() => line.test(all.said.out))
  const lines = await until(() => ignored.said.out.trimEnd().split('\n').length === 3 && ignored.said.out.trimEnd().split('\n'))
  ignored.stop('cancelled')
  t.equal(await ignored.ended, 130)
  t.match(
    lines.map((line) => JSON.parse(line)),
    [{ type: 'init' }, { type: 'event', delivery_id: 'd-2', bytes: 7 }, { type: 'outcome', outcome: 'ignored', reason: /filters\[0\].*9/ }],
  )
  t.match(ignored.said.out, /"type":"end","reason":"cancelled"/)
  const broken = going(cli, 'webhook', 'tail')
  broken.stop('gone')
  t.equal(await broken.ended, 0, 'a broken pipe ends it quietly')
  t.match(await cli.run('webhook', 'tail', 'othr'), { code: 5, err: /no route "othr"[\s\S]*did you mean "other"/ })
  t.match(await cli.run('webhook', 'tail', '--outcome', 'ignord'), { code: 2, err: /did you mean "ignored"/ })
  await gateway.stop()
  t.equal(await all.ended, 4)
  t.match(all.said.err, /the gateway stopped\n {2}start it: headgate gateway run/)
  t.match(await cli.run('webhook', 'tail'), { code: 4, err: /start it: headgate gateway run/ })
})

t.test('events list --follow: each event as it comes, and again when its run ends', async (t) => {
  const { gateway, cli } = await watched(t)
  await gateway.post('r', { body: { n: 9 } })
  const rows = going(cli, 'events', 'list', '--follow', '--route', 'r')
  const json = going(cli, 'events', 'list', '--follow', '--json', '--state', 'done')
  await until(() => rows.said.out.includes('ignored:filters') && json.said.out.includes('"init"'))
  await gateway.post('r', { body: { n: 1 }, headers: { 'X-GitHub-Event': 'push' } })
  await gateway.post('other')
  await until(() => /push +accepted +waiting[\s\S]*push +accepted +done/.test(rows.said.out) && json.said.out.includes('"route":"other"'))
  t.notMatch(rows.said.out, /other/)
  rows.stop('cancelled')
  json.stop('cancelled')
  t.same([await rows.ended, await json.ended], [130, 130])
  const documents = json.said.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.match(documents, [{ type: 'init' }, { type: 'event', state: 'done' }, { type: 'event', state: 'done' }, { type: 'end' }])
  t.match(await cli.run('events', 'list', '--follow', '--cursor', 'x'), { code: 2 })
})

t.test('the lines of gateway run: one in and one out for a request, and never more than so many a second', (t) => {
  const clock = fakeClock()
  const shown: TrafficLine[] = []
  const skipped: number[] = []
  const lines = createRequestLines({
    clock,
    redact: (text) => text.replaceAll('hush', '***'),
    show: (line) => shown.push(line),
    skipped: (count) => skipped.push(count),
  })
  const outcome = { kind: 'refused', code: 'unknown_route', name: 'x', detail: 'hush' } as const
  const request = { outcome, stage: 'route' }
  const end = () =>
    tell(lines, { kind: 'request_ended', ended: request, route: undefined, headers: {}, remote: () => '127.0.0.1', ms: () => 1 })
  for (let i = 0; i < 70; i++) end()
  t.match(shown.slice(0, 2), [
    { type: 'event', route: 'x' },
    { type: 'outcome', status: 404, reason: '***' },
  ])
  t.equal(shown.length, 100)
  t.same(skipped, [])
  clock.advance(1_000)
  t.same(skipped, [20])
  end()
  t.equal(shown.length, 102)
  t.end()
})
