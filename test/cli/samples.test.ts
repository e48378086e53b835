/** `samples list|show|add`: what comes with the program is what senders post, and what is added holds nothing that must not be passed on. */

import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import t from 'tap'
import { secretCovers } from '../../src/datadir/mask-lines/find-secrets.ts'
import { guessedSecrets } from '../../src/datadir/mask-lines/guess-secrets.ts'
import { builtInSamples, readSample } from '../../src/dryrun/samples/gallery.ts'
import { scrub } from '../../src/dryrun/samples/scrub.ts'
import { schemes } from '../../src/parts/schemes/index.ts'
import { fakeCli, runAt } from '../fakes/cli.ts'
import { secret, startGateway } from '../fakes/gateway.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const samples = builtInSamples()
const token = ['ghp', 'a1B2'.repeat(9)].join('_')

t.test('every sample fits its schema, is named by its file, and is of a real size', async (t) => {
  t.ok(samples.length >= 40)
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false })
  ajv.addVocabulary(['markdownDescription', 'patternErrorMessage'])
  const check = ajv.compile(JSON.parse(readFileSync(join(root, 'schema/sample.schema.json'), 'utf8')))
  t.same(
    JSON.parse((await fakeCli(t).run('schema', 'print', 'sample')).out),
    JSON.parse(readFileSync(join(root, 'schema/sample.schema.json'), 'utf8')),
  )
  for (const known of samples) {
    const file = JSON.parse(readFileSync(known.file, 'utf8'))
    t.ok(check(file), `${known.name}: ${JSON.stringify(check.errors)}`)
    t.equal(file.provider, known.name.split('/')[0], known.name)
    t.match(file.description, /^[A-Z].*\.$/, known.name)
    t.ok(file.event.length > 0 && Buffer.byteLength(readSample(known).body) > 100, known.name)
  }
  const files = readdirSync(join(root, 'samples'), { recursive: true }).map(String)
  t.same(
    files
      .filter((file) => file.includes('/'))
      .map((file) => file.replace(/\.json$/, ''))
      .sort(),
    samples.map(({ name }) => name).sort(),
    'no file is passed over',
  )
})

t.test('no sample holds a secret, by any of our guesses, or the address of anybody', async (t) => {
  const shownAs = (text: string) => [...(secretCovers(text) ?? []), ...guessedSecrets(text)].map(({ from, to }) => text.slice(from, to))
  t.strictSame(shownAs('{"token":"x1"}'), ['"x1"', '"x1"'], 'a secret is found')
  for (const known of samples) {
    const sample = readSample(known)
    t.same(scrub(sample, []).replaced, [], known.name)
    const body = sample.body.startsWith('{') ? sample.body : JSON.stringify(Object.fromEntries(new URLSearchParams(sample.body)))
    const found = shownAs(body).filter((text) => !['"***"', 'null', '""', 'true', 'false'].includes(text))
    t.same(
      // An address of the API that only sounds like a secret, by the name of its key.
      found.filter((text) => text.startsWith('"') && !/^"https:\/\/api\.github\.com\/[\w/]*\/access_tokens"$/.test(text)),
      [],
      known.name,
    )
  }
})

t.test('a route with the scheme of its sender takes each of these, and reads their event', async (t) => {
  const names = ['github', 'gitlab', 'linear', 'standard_webhooks', 'svix']
  const routes = Object.fromEntries(names.map((verify) => [verify.replace('_', '-'), { secret, verify, prompt: 'x' }]))
  const { url, dir } = await startGateway(t, { routes })
  const cli = fakeCli(t, { 'config.yaml': readFileSync(join(dir, 'config.yaml'), 'utf8') })
  const providers = { github: 'github', gitea: 'github', gitlab: 'gitlab', linear: 'linear', standard: 'standard-webhooks', clerk: 'svix' }
  let posted = 0
  for (const [provider, route] of Object.entries(providers)) {
    for (const { name, file } of samples.filter((each) => each.name.startsWith(`${provider}/`))) {
      const at = `${url}/webhooks/${route}`
      const { out, err } = await cli.run('webhook', 'test', route, '--url', at, '--sample', name, '--json')
      const { event } = JSON.parse(readFileSync(file, 'utf8'))
      const scheme = route.replace('-', '_')
      // A ping asks whether somebody is there: it is answered, and starts nothing.
      const response = name === 'github/ping' ? { status: 200, body: { status: 'handshake' } } : { status: 202, body: { event } }
      t.match(JSON.parse(out), { ok: true, data: { request: { scheme }, response } }, `${name} ${err}`)
      posted++
    }
  }
  t.ok(posted > 25)
})

t.test('every sample is taken by a route that takes all schemes, in the scheme its headers show', async (t) => {
  const { url, dir } = await startGateway(t, { routes: { any: { secret, prompt: 'x' } } })
  for (const { name } of samples) {
    const known = samples.find((each) => each.name === name)
    const headers = Object.fromEntries(
      Object.entries(known ? readSample(known).headers : {}).map(([key, value]) => [key.toLowerCase(), value]),
    )
    const scheme = schemes.find(({ shows }) => shows(headers))?.name ?? 'v2'
    const { out, err } = await runAt(dir, ['webhook', 'test', 'any', '--url', `${url}/webhooks/any`, '--sample', name, '--json'])
    const outcome = name === 'github/ping' ? 'handshake' : 'accepted'
    t.match(JSON.parse(out), { ok: true, data: { request: { scheme }, outcome } }, `${name} ${err}`)
  }
})

t.test('list: one a line, by provider; the nearest of a mistyped one', async (t) => {
  const cli = fakeCli(t)
  const all = (await cli.run('samples', 'list')).out.trimEnd().split('\n')
  t.equal(all.length, samples.length)
  t.match(
    all.find((line) => line.startsWith('gitlab/push ')),
    /^gitlab\/push +Push Hook +\d+ +built-in {2}Commits were pushed/,
  )
  const { out } = await cli.run('samples', 'list', 'code-host-a', '--json')
  const { kind, data } = JSON.parse(out)
  t.equal(kind, 'samples.list')
  t.ok(data.samples.length > 10 && data.samples.every((each: { provider: string }) => each.provider === 'github'))
  t.match(await cli.run('samples', 'list', 'gitlb'), { code: 5, err: /did you mean "gitlab"/ })
})

t.test('show: the body, or all of it; a name without its provider is found', async (t) => {
  const cli = fakeCli(t)
  t.match(JSON.parse((await cli.run('samples', 'show', 'code-host-b/push')).out), { object_kind: 'push' })
  t.match(JSON.parse((await cli.run('samples', 'show', 'gitlab/push', '--headers')).out), {
    headers: { 'X-Gitlab-Event': 'Push Hook' },
    body: { object_kind: 'push' },
  })
  t.match((await cli.run('samples', 'show', 'slack/slash_command')).out, /^token=\*\*\*&team_id=/)
  t.match(JSON.parse((await cli.run('samples', 'show', 'stripe/charge.refunded', '--json')).out), {
    kind: 'samples.show',
    data: { name: 'stripe/charge.refunded', source: 'built-in', event: 'charge.refunded', headers: { 'Stripe-Signature': '***' } },
  })
  t.match(await cli.run('samples', 'show', 'github/pull_request.opend'), { code: 5, err: /"github\/pull_request\.opened"/ })
  t.match(await cli.run('samples', 'show', 'pull_request.opened'), { code: 5, err: /"gitea\/pull_request\.opened" or "github/ })
  t.match(await cli.run('samples', 'show', '../../etc/passwd'), { code: 5, err: /no sample/ })
})

t.test('add: secrets, e-mail and IP addresses are taken out, and it is said where', async (t) => {
  const global = 'a-global-secret-of-ours'
  const stored = JSON.stringify({ a: { secret: 'secret-of-a-subscription' } })
  const cli = fakeCli(t, { 'webhook_subscriptions.json': stored }, { WEBHOOK_ENABLED: 'true', WEBHOOK_SECRET: global })
  const body = {
    n: '__n__',
    note: `see ${token} and xoxb-123456789012-abcdef, ${global}, secret-of-a-subscription`,
    auth: { access_token: 'short', tokens: ['one', 'two'], key: 'PROJ-1' },
    by: 'ada.l@corp.io, ADA.L@corp.io and bob@corp.io; docs@example.com stays',
    from: '10.1.2.3:80, 10.1.2.3, 10.9.9.9, 127.0.0.1 and 1.2.3.400',
    v6: 'fe80::1c2d: down, fe80::, ::1, std::vector, A::B and 12:30:45',
    end: 'It was 10.1.2.3.',
    message: '{ "secret": "inner" }',
    plain: '{ "a": 1 }',
    url: `https://bot:pa55word@git.corp.io/x?a=1&access_token=abc#f`,
    'eve@corp.io': '',
  }
  const headers = {
    Host: 'inner.corp',
    'Content-Type': 'application/json',
    Cookie: 'a=b',
    'X-Real-IP': '10.9.9.9',
    'X-Acme-Signature': 'f00',
  }
  const text = JSON.stringify({ event: 'thing', headers, body }).replace('"__n__"', '12345678901234567890')
  const { code, out, err } = await cli.runWith({ stdin: async () => text }, 'samples', 'add', 'Acme/Thing.made', '-')
  t.equal(code, 0, err)
  t.match(out, /^added {4}acme\/thing\.made\nfile {5}.*\nreplaced \d+ secrets, 4 e-mail addresses, \d IP addresses\n/)
  t.match(out, / {2}secret {2}Cookie\n/)
  t.match(out, / {2}secret {2}auth\.tokens\.1\n/)
  const file = cli.file('samples/acme/thing.made.json')
  t.equal(statSync(file).mode & 0o777, 0o600)
  const written = readFileSync(file, 'utf8')
  t.match(written, '"n": 12345678901234567890', 'digits stay')
  for (const gone of [
    token,
    'xoxb',
    global,
    'secret-of-a',
    'short',
    '"one"',
    '@corp',
    'Host',
    'pa55word',
    '=abc',
    '10.1.2.3',
    '10.9.9.9',
    'fe80',
    'f00',
    'a=b',
  ])
    t.notMatch(written, gone)
  t.match(JSON.parse(written), {
    provider: 'acme',
    event: 'thing',
    headers: { 'Content-Type': 'application/json', 'X-Acme-Signature': '***', 'X-Real-IP': /^192\.0\.2\.\d$/ },
    body: {
      note: 'see *** and ***, ***, ***',
      auth: { access_token: '***', tokens: ['***', '***'], key: 'PROJ-1' },
      by: 'person-1@example.com, person-1@example.com and person-2@example.com; docs@example.com stays',
      from: /^192\.0\.2\.(\d):80, 192\.0\.2\.\1, 192\.0\.2\.\d, 127\.0\.0\.1 and 1\.2\.3\.400$/,
      v6: '2001:db8::1: down, 2001:db8::2, ::1, std::vector, A::B and 12:30:45',
      end: /^It was 192\.0\.2\.\d\.$/,
      message: '{"secret":"***"}',
      plain: '{ "a": 1 }',
      url: 'https://***@git.corp.io/x?a=1&access_token=***#f',
      'person-3@example.com': '',
    },
  })
  t.match((await cli.run('samples', 'list', 'acme')).out, /^acme\/thing\.made +thing +\d+ +user /)
})

t.test('add: a form, a payload alone, and what an export wrote', async (t) => {
  const cli = fakeCli(t)
  const add = (name: string, text: string, ...more: string[]) =>
    cli.runWith({ stdin: async () => text }, 'samples', 'add', name, '-', ...more)
  const form = {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body_text: 'token=abc&text=a%40corp.io&payload=%7B%22secret%22%3A%22s%22%7D',
  }
  t.match(await add('acme/form', JSON.stringify(form)), { code: 0, out: /2 secrets, 1 e-mail address\n/ })
  t.same(Object.fromEntries(new URLSearchParams((await cli.run('samples', 'show', 'acme/form')).out.trim())), {
    token: '***',
    text: 'person-1@example.com',
    payload: '{"secret":"***"}',
  })
  t.match(await add('acme/bare', '{"type":"x", "headers": 1}'), { code: 0, err: /a payload alone/, out: /replaced nothing/ })
  t.match(JSON.parse((await cli.run('samples', 'show', 'acme/bare', '--headers')).out), {
    headers: { 'content-type': 'application/json' },
    body: { type: 'x' },
  })
  const shown = await cli.run('samples', 'show', 'shopify/orders_create', '--headers')
  t.match(await add('shopify/orders_create', shown.out), { code: 0, err: /hides the sample/, out: /replaced nothing/ })
  t.equal((await cli.run('samples', 'show', 'shopify/orders_create', '--headers')).out, shown.out, 'it comes back as it was')
  t.match(JSON.parse((await cli.run('samples', 'show', 'shopify/orders_create', '--json')).out), { data: { source: 'user' } })
})

t.test('add refuses: names with tricks, what is no sample, what is there, what is too large', async (t) => {
  const cli = fakeCli(t)
  const add = (name: string, text: string, ...more: string[]) =>
    cli.runWith({ stdin: async () => text }, 'samples', 'add', name, '-', ...more)
  for (const name of ['../x', 'a/../../x', '/etc/x', 'a', 'a/b/c', 'a/.x', '.a/x', 'a\\b/x', 'a/x\u0000', 'a/', `a/${'x'.repeat(65)}`])
    t.match(await add(name, '{}'), { code: 2, err: /cannot be a sample's name/ }, name)
  t.match(await add('a/b', '{"x":1}{"x":2}'), { code: 1, err: /not JSON \(line 1, column 8\)/ })
  t.match(await add('a/b', '{"headers":{},"body":1,"bodi":2}'), { code: 1, err: /unknown key "bodi"\n.*"body"/ })
  t.match(await add('a/b', '{"headers":{"a":1},"body":1}'), { code: 1, err: /headers\.a: must be text/ })
  t.match(await add('a/b', '{"headers":{},"body":1,"body_text":"x"}'), { code: 1 })
  t.match(await add('a/b', '{"headers":{},"body_base64":"/w=="}'), { code: 1, err: /no text/ })
  t.match(await add('a/b', JSON.stringify('x'.repeat(10 * 1024 * 1024))), { code: 1, err: /larger than 10 MiB/ })
  t.match(await cli.run('samples', 'add', 'a/b', 'file.json'), { code: 2, err: /write @file\.json/ })
  t.throws(() => statSync(cli.file('samples')), 'nothing was written')
  t.match(await add('a/b', '{}'), { code: 0 })
  t.match(await add('a/b', '{"n":2}'), { code: 6, err: /--replace/ })
  t.match(await add('a/b', '{"n":2}', '--replace'), { code: 0 })
  t.match((await cli.run('samples', 'show', 'a/b')).out, '"n": 2')
  writeFileSync(cli.file('target'), 'mine')
  symlinkSync(cli.file('target'), cli.file('samples/a/link.json'))
  t.match(await add('a/link', '{}', '--replace'), { code: 6, err: /symbolic link/ })
  t.equal(cli.read('target'), 'mine')
})

t.test('a file of the user that does not hold is listed with its mistake, and nothing else is lost', async (t) => {
  const cli = fakeCli(t, {
    'samples/acme/bad.json': '{"headers":{},"body":\n',
    'samples/acme/good.json': '{"headers":{},"body":1}',
    'samples/README': 'x',
  })
  mkdirSync(cli.file('samples/acme/Not A Name.json'))
  mkdirSync(cli.file('samples/acme/folder.json'))
  const { code, out } = await cli.run('samples', 'list', 'acme')
  t.equal(code, 0)
  t.match(out, /^acme\/bad .* not usable: .*line 2, column 1\)\nacme\/folder .* its file is no regular one\nacme\/good .*\n$/)
  t.match(await cli.run('samples', 'show', 'acme/bad'), { code: 1, err: /sample acme\/bad: not JSON/ })
})

t.test('webhook test refuses a header that cannot be sent, and leaves out those of a connection', async (t) => {
  const sample = (headers: object) => JSON.stringify({ headers, body: 1 })
  const cli = fakeCli(t, {
    'webhook_subscriptions.json': JSON.stringify({ a: { secret } }),
    'samples/acme/split.json': sample({ 'X-A': 'b\r\nX-C: d' }),
    'samples/acme/name.json': sample({ 'X A': 'b' }),
    'samples/acme/hop.json': sample({ Host: 'h', Upgrade: 'websocket', 'Transfer-Encoding': 'chunked', 'svix-id': 'x', 'X-Kept': 'yes' }),
  })
  const curl = (name: string) => cli.run('webhook', 'test', 'a', '--print-curl', '--sample', name)
  for (const name of ['acme/split', 'acme/name']) t.match(await curl(name), { code: 2, err: /cannot be sent/ }, name)
  const { out } = await curl('acme/hop')
  t.match(out, "-H 'X-Kept: yes'")
  t.match(out, /svix-signature/)
  t.notMatch(out, /Host|Upgrade|Transfer|svix-id: x/)
})

t.test('where a sender puts a secret itself, whatever it is called, nothing of it is kept', async (t) => {
  const described = { algorithm: 'token', signature: { body: 'acme.pass' } }
  const route = { verify: { algorithm: 'basic', signature: { header: 'X-Acme-Login' } }, secret: 'mine' }
  const config = { signature_schemes: { 'acme-pass': described }, platforms: { webhook: { enabled: true, routes: { a: route } } } }
  const posted = {
    headers: { 'X-Acme-Login': 'theirs-1', 'X-Acme-Other': 'kept' },
    body: { value: [{ clientState: 'theirs-2', id: 1 }], acme: { pass: 3333, n: 12345678901234567890n } },
  }
  const text = JSON.stringify(posted, (_key, value) => (typeof value === 'bigint' ? 'digits' : value)).replace(
    '"digits"',
    '12345678901234567890',
  )
  const cli = fakeCli(t, { 'config.yaml': JSON.stringify(config), 'posted.json': text })
  const { code, out } = await cli.run('samples', 'add', 'acme/own', `@${cli.file('posted.json')}`)
  t.equal(code, 0)
  t.match(out, /replaced 3 secrets[\s\S]*X-Acme-Login[\s\S]*value\.\*\.clientState[\s\S]*acme\.pass/)
  const kept = cli.read('samples/acme/own.json')
  t.notMatch(kept, /theirs|3333/)
  t.match(JSON.parse(kept), {
    headers: { 'X-Acme-Other': 'kept' },
    body: { value: [{ clientState: '***', id: 1 }], acme: { pass: '***' } },
  })
  t.match(kept, '12345678901234567890')
})

t.test('a scrubber of hostile texts ends', async (t) => {
  const pieces = ['//', 'a:', '@', 'a@a.', '1.', 'a:b', 'eyJ', 'ghp_', '-----BEGIN ', '=', '[', '{"a":', 'x@', '&token=', 'Bearer ', ':']
  for (const text of pieces.map((piece) => piece.repeat(60_000))) {
    t.type(scrub({ headers: { a: text }, body: text }, ['secret-secret']).sample.body, 'string')
  }
})

t.test('a name like that of a secret with a value that is none is kept; what lets in is not', (t) => {
  const kept = {
    access_tokens_url: 'https://api.github.com/app/installations/2/access_tokens',
    statuses_token_urls: 'https://example.com/tokens{/sha}',
    token_type: 'Bearer',
    tokenType: 'bot user',
    secret_updated_at: '2026-01-02T03:04:05Z',
    token_expires_at: '1767323045',
    cookie_count: '12',
  }
  const secrets = {
    webhook_url: 'https://example.com/in/abc',
    token_url: 'https://example.com/in/a1b2c3d4e5f6g7h8',
    reset_password_url: 'https://example.com/r/aB3dE9',
    secret_urls: 'x7Yk29',
    token_type: 'a1b2c3d4',
    secret_at: 'hunter2',
    secret_count: 'twelve',
    at_token: '2026-01-02',
  }
  const within = {
    token_url: 'https://ada:hunter2@example.com/tokens?token=hunter22',
    login_url: 'https://ada:hunter2@example.com/?access_token=hunter22',
  }
  const scrubbed = (body: object) => JSON.parse(scrub({ headers: {}, body: JSON.stringify(body) }, []).sample.body)
  t.same(scrubbed(kept), kept)
  t.same(new Set(Object.values(scrubbed(secrets))), new Set(['***']))
  t.match(scrubbed(within), {
    token_url: /^https:\/\/\*\*\*@example\.com\/tokens\?token=\*\*\*$/,
    login_url: /^https:\/\/\*\*\*@example\.com\/\?access_token=\*\*\*$/,
  })
  t.equal(scrub({ headers: {}, body: 'token_type=bot&token=bot' }, []).sample.body, 'token_type=bot&token=***')
  const other = (body: string): string => scrub({ headers: {}, body }, []).sample.body
  t.equal(
    other('<a token="t1"><x:password x="1"> <![CDATA[<p>]]></x:password><token>t2</token><id>1</id></a>'),
    '<a token="***"><x:password x="1"> ***</x:password><token>***</token><id>1</id></a>',
  )
  const part = (head: string, text: string): string => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`
  const mail = (token: string): string =>
    `${part('name="token"', token)}${part('name="id"', '1')}${part('name="token"; filename="a"', 'kept')}--b--`
  t.equal(other(mail('t1\r\n--t2')), mail('***'))
  t.end()
})
