/** The commands that say what happens, and why not: webhook verify, webhook tail, events list --follow, the lines of gateway run. */

import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { fakeCli } from '../fakes/cli.ts'

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
