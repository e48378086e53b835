/** `webhook subscribe`: what it stores, what it prints, and what it refuses. */

import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { fakeCli } from '../fakes/cli.ts'
import { keys, openHeadgate } from '../fakes/terminal.ts'

const store = 'webhook_subscriptions.json'
const subscribe = ['webhook', 'subscribe'] as const
const multiplexed = { 'config.yaml': 'gateway: { multiplex_profiles: true }\n', 'profiles/office/config.yaml': '' }

t.test('a new record has the fields of the contract, in their order', async (t) => {
  const cli = fakeCli(t)
  const { code, out } = await cli.run(
    ...subscribe,
    '  My Hook ',
    '--prompt',
    'Hi {name}',
    '--events',
    'push,issues',
    '--events',
    'pull_request',
  )
  t.equal(code, 0)
  const { secret, created_at, ...rest } = cli.entry('my-hook')
  t.same(rest, {
    description: '',
    events: ['push', 'issues', 'pull_request'],
    prompt: 'Hi {name}',
    skills: [],
    deliver: 'log',
    profile: 'default',
  })
  t.same(Object.keys(cli.entry('my-hook')), ['description', 'events', 'secret', 'prompt', 'skills', 'deliver', 'profile', 'created_at'])
  t.match(secret, /^[\w-]{43}$/)
  t.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  t.match(out, 'created  my-hook')
  t.match(out, 'http://127.0.0.1:8644/webhooks/my-hook')
  t.match(out, `secret   ${secret}`)
  t.match(out, 'headgate webhook test my-hook')
})

t.test('the printed curl line carries a signature over time and body', async (t) => {
  const cli = fakeCli(t)
  const { out } = await cli.run(...subscribe, 'a', '--json', '--events', 'push')
  const { secret, curl } = JSON.parse(out).data
  // A curl that prints its arguments stands in for the real one.
  const printed = execFileSync('bash', ['-c', `curl() { printf '%s\\n' "$@"; }; ${curl}`], { encoding: 'utf8' })
  const time = /X-Webhook-Timestamp: (\d+)/.exec(printed)?.[1]
  const body = printed.trimEnd().split('\n').at(-1)
  t.match(printed, 'X-GitHub-Event: push')
  t.match(printed, `X-Webhook-Signature-V2: ${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`)
})

t.test('the printed curl line has the method and the kind of body that the route takes', async (t) => {
  const cli = fakeCli(t)
  const curlOf = async (yaml: string): Promise<string> => {
    cli.write('route.yaml', yaml)
    const { out } = await cli.run(...subscribe, 'a', '--replace', '--from', `@${cli.file('route.yaml')}`, '--json')
    const { secret, curl } = JSON.parse(out).data
    const printed = execFileSync('bash', ['-c', `curl() { printf '%s\\n' "$@"; }; ${curl}`], { encoding: 'utf8' })
    const time = /X-Webhook-Timestamp: (\d+)/.exec(printed)?.[1]
    const [, body = ''] = /^-d\n([\s\S]*)\n$/m.exec(printed) ?? []
    t.match(printed, `X-Webhook-Signature-V2: ${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`, yaml)
    return printed
  }
  const get = await curlOf('methods: [GET]\nprompt: x')
  t.match(get, /^-sS\nhttp:\S+\/a\?hello=world\n/)
  t.notMatch(get, /^-d$|^-X$|Content-Type/m)
  t.match(
    await curlOf('methods: [PUT]\nbody: text\nprompt: x'),
    /^-sS\n-X\nPUT\n[\s\S]*Content-Type: text\/plain[\s\S]*\n-d\nhello world\n$/,
  )
  t.match(await curlOf('body: csv\nprompt: x'), /text\/csv[\s\S]*\n-d\nhello\nworld\n$/)
  t.match(await curlOf('body: form\nprompt: x'), /x-www-form-urlencoded[\s\S]*\n-d\nhello=world\n$/)
  t.match(await curlOf('body: none\nprompt: x'), /\/a\?hello=world\n[\s\S]*\n-d\n\n$/)
})

t.test('the address is the public one where the gateway has one; curl posts to where it listens', async (t) => {
  const cli = fakeCli(t, {
    'config.yaml': 'platforms: { webhook: { enabled: true, extra: { public_url: "https://hooks.example.com/in/" } } }\n',
  })
  const { url, curl } = JSON.parse((await cli.run(...subscribe, 'a', '--json')).out).data
  t.equal(url, 'https://hooks.example.com/in/webhooks/a')
  t.match(curl, ' http://127.0.0.1:8644/webhooks/a ')
})

t.test('every flag has its field', async (t) => {
  const cli = fakeCli(t, {
    'scripts/f.py': 'print(1)',
    'p.txt': 'From a file {x}',
    'f.yaml': '- { field: a, exists: true }\n- field: b\n  in: [1, 2]\n',
  })
  const flags = [
    ['--prompt', `@${cli.file('p.txt')}`],
    [
      '--deliver',
      'hosta_comment',
      '--deliver-extra',
      'repo={r}',
      '--deliver-extra',
      'pr_number={n}',
      '--deliver-extra',
      'x=a=b',
      '--deliver-chat-id',
      '-100',
    ],
    ['--description', 'mine', '--script', 'f.py', '--deliver-only'],
    ['--filter', '{"field":"action","equals":"opened"}', '--filter', `@${cli.file('f.yaml')}`],
  ].flat()
  const { code, err } = await cli.run(...subscribe, 'a', ...flags)
  t.equal(code, 0, err)
  t.match(cli.entry('a'), {
    prompt: 'From a file {x}',
    deliver: 'hosta_comment',
    deliver_extra: { repo: '{r}', pr_number: '{n}', x: 'a=b', chat_id: '-100' },
    description: 'mine',
    script: 'f.py',
    deliver_only: true,
    filters: [
      { field: 'action', equals: 'opened' },
      { field: 'a', exists: true },
      { field: 'b', in: [1, 2] },
    ],
  })
})

t.test('text from standard input, and text that begins with @', async (t) => {
  const cli = fakeCli(t)
  await cli.runWith({ stdin: async () => 'piped' }, ...subscribe, 'a', '--prompt', '@-')
  await cli.run(...subscribe, 'b', '--prompt', '@@here look')
  t.same([cli.entry('a').prompt, cli.entry('b').prompt], ['piped', '@here look'])
  t.match(await cli.run(...subscribe, 'c', '--prompt', '@nowhere.txt'), { code: 2, err: /nowhere\.txt.*\n.*@@/ })
})

t.test('the same command twice: no change, same secret', async (t) => {
  const cli = fakeCli(t)
  await cli.run(...subscribe, 'a', '--prompt', 'x')
  const before = cli.read(store)
  const second = await cli.run(...subscribe, 'a', '--prompt', 'x')
  t.match(second, { code: 0, out: /no change: a/ })
  t.equal(cli.read(store), before)
})

t.test('an existing record is merged: only what is given changes', async (t) => {
  const cli = fakeCli(t)
  await cli.run(...subscribe, 'a', '--prompt', 'x', '--deliver', 'http', '--deliver-extra', 'url=https://example.com/', '--deliver-only')
  const stored = { a: { 'x-note': 'by hand', ...cli.entry('a'), enabled: false } }
  cli.write(store, JSON.stringify(stored))
  const { code, out } = await cli.run(...subscribe, 'a', '--description', 'new', '--deliver-extra', 'more=1')
  t.equal(code, 0)
  t.match(out, 'updated  a (description, deliver_extra)')
  const { updated_at, ...after } = cli.entry('a')
  t.match(updated_at, /Z$/)
  t.same(after, { ...stored.a, description: 'new', deliver_extra: { url: 'https://example.com/', more: '1' } })
  t.same(Object.keys(after)[0], 'x-note', 'key order is kept')
  await cli.run(...subscribe, 'a', '--no-deliver-only')
  t.notOk('deliver_only' in cli.entry('a'))
})

t.test('--replace starts clean, but does not switch a disabled route on', async (t) => {
  const cli = fakeCli(t)
  await cli.run(...subscribe, 'a', '--prompt', 'x', '--description', 'd')
  const { secret } = cli.entry('a')
  await cli.run('webhook', 'disable', 'a')
  const { err } = await cli.run(...subscribe, 'a', '--replace', '--prompt', 'y')
  t.match(err, 'ITS SECRET IS NEW')
  t.match(cli.entry('a'), { prompt: 'y', description: '', enabled: false })
  t.not(cli.entry('a').secret, secret)
})

t.test('a supplied secret is stored and not echoed', async (t) => {
  const cli = fakeCli(t, { secret: 'from-the-file\n' })
  const given = await cli.run(...subscribe, 'a', '--secret', 'hunter2-hunter2')
  t.notMatch(given.out + given.err, 'hunter2-hunter2')
  t.match(given.out, '$SECRET')
  await cli.run(...subscribe, 'b', '--secret-file', cli.file('secret'))
  await cli.runWith({ stdin: async () => 'from-stdin\n' }, ...subscribe, 'c', '--secret-stdin')
  t.same(
    ['a', 'b', 'c'].map((name) => cli.entry(name).secret),
    ['hunter2-hunter2', 'from-the-file', 'from-stdin'],
  )
  t.match(await cli.run(...subscribe, 'd', '--secret', 'x', '--secret-stdin'), { code: 2 })
  t.match(await cli.run(...subscribe, 'd', '--secret', ' '), { code: 2 })
  t.match(await cli.run(...subscribe, 'd', '--secret', 'whsec_'), { code: 2, err: /nothing follows "whsec_"/ })
  t.match(
    await cli.runWith({ env: { HEADGATE_HOME: cli.dir, WEBHOOK_ENABLED: '1', S: 'whsec_' } }, ...subscribe, 'd', '--secret', '${S}'),
    {
      code: 1,
      err: /WH309/,
    },
  )
})

t.test('--rotate makes a new secret, and says so', async (t) => {
  const cli = fakeCli(t)
  await cli.run(...subscribe, 'a')
  const { secret } = cli.entry('a')
  const { out, err } = await cli.run(...subscribe, 'a', '--rotate')
  t.not(cli.entry('a').secret, secret)
  t.match(out, String(cli.entry('a').secret))
  t.match(err, 'ITS SECRET IS NEW')
})

t.test('a key that the sender makes is never invented: it is given, or asked for, or nothing is saved', async (t) => {
  const cli = fakeCli(t, { key: 'whsec_a-key-that-stripe-has-made\n' })
  const stripe = [...subscribe, 'pay', '--from', 'stripe']
  const refused = await cli.run(...stripe)
  t.match(refused, { code: 2, out: '', err: /nothing was saved: Stripe makes its key itself/ })
  for (const said of ['http://127.0.0.1:8644/webhooks/pay', 'the signing secret of the destination', 'webhook subscribe pay --secret-file'])
    t.match(refused.err, said)
  t.notOk(existsSync(cli.file(store)))
  for (const sender of ['aws_sns', 'whatsapp', 'notion', 'linear', 'slack']) {
    const route = sender === 'linear' ? ['--from', '@linear.yaml'] : ['--from', sender]
    if (sender === 'linear') cli.write('linear.yaml', 'verify: linear\n')
    const argv = [...subscribe, 'a', ...route.map((text) => text.replace('@', `@${cli.dir}/`))]
    t.match(await cli.run(...argv), { code: 2, err: /makes its key itself/ }, sender)
  }
  t.match(await cli.run(...stripe, '--dry-run', '--print', 'url'), { code: 0, out: 'http://127.0.0.1:8644/webhooks/pay\n' })
  t.match(await cli.run(...stripe, '--json'), { code: 2, out: /"code":"sender_key"/ })
  t.match(await cli.run(...stripe, '--secret-file', cli.file('key')), { code: 0, out: /secret {3}\(as given\)/ })
  t.match(cli.entry('pay'), { verify: 'stripe', secret: 'whsec_a-key-that-stripe-has-made' })
  t.match(await cli.run(...subscribe, 'pay', '--prompt', 'p'), { code: 0, out: /secret {3}\(unchanged\)/ }, 'an update asks for nothing')
  t.match(await cli.run(...subscribe, 'pay', '--rotate'), { code: 2, err: /makes its key itself/ })
  t.match(await cli.run('webhook', 'secret', 'pay', '--rotate'), { code: 2, err: /webhook subscribe pay --secret-file/ })
  t.equal(cli.entry('pay').secret, 'whsec_a-key-that-stripe-has-made')
  t.match(
    await cli.run(...subscribe, 'own', '--from', 'jira'),
    { code: 0, out: /secret {3}[\w-]{43}\n/ },
    'one that is chosen is made here',
  )

  const typed: string[] = []
  const answering = (answer: string) => ({
    askSecret: async (question: string) => {
      typed.push(question)
      return answer
    },
  })
  t.match(await cli.runWith(answering(''), ...subscribe, 'talk', '--from', 'slack'), { code: 2, err: /nothing was saved/ })
  const talk = await cli.runWith(answering(' the-signing-secret-of-the-app '), ...subscribe, 'talk', '--from', 'slack')
  t.match(talk, { code: 0, err: /Slack makes its key itself[\s\S]*webhooks\/talk[\s\S]*the Signing Secret of the app/ })
  t.equal(cli.entry('talk').secret, 'the-signing-secret-of-the-app')
  t.notMatch(talk.out + talk.err + typed.join(), 'the-signing-secret-of-the-app')
  const discord = await cli.run(...subscribe, 'chat', '--from', 'discord')
  t.match(discord, { code: 2, err: /the Public Key of the application[\s\S]*--from @route\.yaml/ })
  const publicKey = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
  t.match(await cli.runWith(answering(publicKey), ...subscribe, 'chat', '--from', 'discord'), { code: 0 })
  t.equal(cli.entry('chat').public_key, publicKey)
})

t.test('a key that is typed at a terminal is not shown', async (t) => {
  const cli = fakeCli(t)
  const env = { HEADGATE_HOME: cli.dir, WEBHOOK_ENABLED: 'true' }
  const terminal = openHeadgate(t, [...subscribe, 'pay', '--from', 'stripe'], { env, columns: 120 })
  await terminal.see('The key, which is not shown')
  terminal.press('whsec_typed', keys.backspace, 'd-by-hand-and-long', keys.enter)
  t.equal(await terminal.exited, 0)
  t.notMatch(terminal.written(), /typ/)
  t.equal(cli.entry('pay').secret, 'whsec_typed-by-hand-and-long')
  const left = openHeadgate(t, [...subscribe, 'other', '--from', 'stripe'], { env })
  await left.see('The key')
  left.press('abc', keys.interrupt)
  t.equal(await left.exited, 130)
})

t.test('a new secret ends a list of old ones', async (t) => {
  const cli = fakeCli(t, { [store]: '{"a":{"secrets":["old-secret-1","old-secret-2"],"prompt":"x"}}' })
  await cli.run(...subscribe, 'a', '--rotate')
  t.notOk('secrets' in cli.entry('a'))
})

t.test('re-binding to another profile makes a new secret and warns', async (t) => {
  const cli = fakeCli(t, multiplexed)
  await cli.run(...subscribe, 'a', '--secret', 'operator-chosen')
  const { code, out, err } = await cli.run(...subscribe, 'a', '--route-profile', 'office')
  t.equal(code, 0)
  t.not(cli.entry('a').secret, 'operator-chosen')
  t.match(out, String(cli.entry('a').secret))
  t.match(out, 'http://127.0.0.1:8644/p/office/webhooks/a')
  t.match(err, /profile "office".*ITS SECRET IS NEW/)
  const { secret } = cli.entry('a')
  await cli.run(...subscribe, 'a', '--route-profile', 'office')
  t.equal(cli.entry('a').secret, secret, 'the same profile again is no re-binding')
})

t.test('re-binding with the old secret is refused', async (t) => {
  const cli = fakeCli(t, multiplexed)
  await cli.run(...subscribe, 'a', '--secret', 'operator-chosen')
  const before = cli.read(store)
  t.match(await cli.run(...subscribe, 'a', '--route-profile', 'office', '--secret', 'operator-chosen'), {
    code: 1,
    err: /cannot keep its secret/,
  })
  t.equal(cli.read(store), before)
  t.match(await cli.run(...subscribe, 'a', '--route-profile', 'office', '--secret', 'another-one-12'), { code: 0 })
})

t.test('--route-profile default is the default profile, said aloud', async (t) => {
  const cli = fakeCli(t)
  const { out } = await cli.run(...subscribe, 'a', '--route-profile', 'default')
  t.equal(cli.entry('a').profile, 'default')
  t.match(out, 'http://127.0.0.1:8644/webhooks/a')
})

t.test('a profile that nothing serves: warned of without multiplexing, refused with it', async (t) => {
  const off = fakeCli(t)
  t.match(await off.run(...subscribe, 'a', '--route-profile', 'office'), { code: 0, err: /WH213/ })
})

t.test('--skills: stored by name; one that is not there is warned of', async (t) => {
  const cli = fakeCli(t, { 'skills/review/SKILL.md': 'Read twice.' })
  t.match(await cli.run(...subscribe, 'a', '--skills', 'review,reviews'), {
    code: 0,
    err: /WH701.*there is no skill "reviews"/,
  })
  t.same(cli.entry('a').skills, ['review', 'reviews'])
  t.notMatch((await cli.run(...subscribe, 'a', '--skills', 'review')).err, /WH701/)
})

t.test('--mirror-to-session is stored, and stays until it is taken away', async (t) => {
  const cli = fakeCli(t)
  await cli.run(...subscribe, 'a', '--mirror-to-session')
  t.equal(cli.entry('a').mirror_to_session, true)
  await cli.run(...subscribe, 'a', '--prompt', 'other')
  t.equal(cli.entry('a').mirror_to_session, true)
  await cli.run(...subscribe, 'a', '--no-mirror-to-session')
  t.notOk('mirror_to_session' in cli.entry('a'))
  await cli.run(...subscribe, 'a', '--mirror-to-session')
  await cli.run(...subscribe, 'a', '--replace')
  t.notOk('mirror_to_session' in cli.entry('a'))
})

const refused: [title: string, flags: string[], code: number, says: RegExp][] = [
  ['a mistyped target', ['--deliver', 'telegrm'], 1, /WH704[\s\S]*did you mean "telegram"/],
  ['deliver_only without a target', ['--deliver-only'], 1, /WH202.*needs a real target/],
  ['a reference to no job', ['--cron-job', 'nightly'], 1, /WH217.*nightly/],
  ['a bad pattern', ['--filter', '{field: a, regex: "("}'], 1, /WH401/],
  ['a bad filter text', ['--filter', '{field: ['], 2, /--filter/],
  ['a filter in words', ['--filter', 'action equals opened'], 2, /not a condition[\s\S]*\{ field: action, equals: opened \}/],
  ['a missing script', ['--script', 'nope.py'], 1, /WH601/],
  ['a setting without a value', ['--deliver-extra', 'repo'], 2, /key=value/],
  ['toolsets', ['--toolsets', 'x'], 2, /unknown option '--toolsets'/],
  ['a mistyped option', ['--promt', 'x'], 2, /did you mean "--prompt"/],
]

for (const [title, flags, code, says] of refused) {
  t.test(`refused with nothing saved: ${title}`, async (t) => {
    const cli = fakeCli(t)
    t.match(await cli.run(...subscribe, 'a', ...flags), { code, err: says, out: /^$/ })
    t.notOk(existsSync(cli.file(store)))
  })
}

t.test('a refusal leaves the stored record as it was', async (t) => {
  const cli = fakeCli(t)
  await cli.run(...subscribe, 'a', '--prompt', 'x')
  const before = cli.read(store)
  t.match(await cli.run(...subscribe, 'a', '--deliver-only'), { code: 1 })
  t.equal(cli.read(store), before)
})

t.test('an adapter that is not enabled: exit 7, three ways, nothing written', async (t) => {
  const cli = fakeCli(t, {}, {})
  t.match(await cli.run(...subscribe, 'a'), {
    code: 7,
    err: /gateway setup --yes[\s\S]*WEBHOOK_ENABLED=true[\s\S]*platforms\.webhook\.enabled/,
  })
  t.notOk(existsSync(cli.file(store)))
  t.match(JSON.parse((await cli.run(...subscribe, 'a', '--json')).out), {
    v: 1,
    kind: 'error',
    ok: false,
    error: { code: 'adapter_disabled' },
  })
})

t.test('a configuration that cannot be read: its problem, not "not enabled"', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': 'platforms: {\n' }, {})
  t.match(await cli.run(...subscribe, 'a'), { code: 1, err: /WH001/ })
})

t.test('a subscription that a configured route hides is saved with a warning', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': 'platforms: { webhook: { routes: { a: { secret: abcdefgh } } } }\n' })
  const { code, err } = await cli.run(...subscribe, 'a')
  t.equal(code, 0)
  t.match(err, /WH211/)
  t.match(cli.entry('a'), { deliver: 'log' })
  t.match(JSON.parse((await cli.run(...subscribe, 'a', '--prompt', 'x', '--json')).out), {
    data: { shadowed: true },
    warnings: [{ code: 'WH211' }],
  })
})

t.test('a corrupt store: exit 6, where, and the file untouched', async (t) => {
  const cli = fakeCli(t, { [store]: '{"a": {\n' })
  t.match(await cli.run(...subscribe, 'b'), { code: 6, err: /webhook_subscriptions\.json.* at 2:1/ })
  t.equal(cli.read(store), '{"a": {\n')
})

t.test('an entry that is no map is not overwritten unless told to', async (t) => {
  const cli = fakeCli(t, { [store]: '{"a": 5}' })
  t.match(await cli.run(...subscribe, 'a'), { code: 6, err: /--replace/ })
  t.match(await cli.run(...subscribe, 'a', '--replace'), { code: 0 })
})

t.test('--dry-run saves nothing and makes no secret', async (t) => {
  const cli = fakeCli(t)
  const { code, out } = await cli.run(...subscribe, 'a', '--prompt', 'x', '--dry-run')
  t.equal(code, 0)
  t.match(out, 'would be created: a')
  t.notMatch(out, /secret {3}/)
  t.notOk(existsSync(cli.file(store)))
  t.match(await cli.run(...subscribe, 'a', '--deliver-only', '--dry-run'), { code: 1 })
})

t.test('an update shows what changes, without secrets', async (t) => {
  const cli = fakeCli(t)
  await cli.run(...subscribe, 'a', '--prompt', 'x', '--deliver-extra', 'token=hush-hush')
  const more = ['--prompt', 'y', '--events', 'push', '--deliver-extra', 'token=hush-more']
  const dry = await cli.run(...subscribe, 'a', ...more, '--dry-run')
  const { out } = await cli.run(...subscribe, 'a', ...more)
  for (const said of [dry.out, out]) {
    t.match(said, /\n {2}- events: \[\]\n {2}\+ events: \["push"\]\n {2}- prompt: "x"\n {2}\+ prompt: "y"\n/)
    t.match(said, /\+ deliver_extra: \{"token":"\*\*\* \([0-9a-f]{8}\)"\}/)
    t.notMatch(said, 'hush')
  }
  t.notMatch((await cli.run('-q', ...subscribe, 'a', '--prompt', 'z')).out, 'prompt:')
  t.notMatch((await cli.run(...subscribe, 'a', '--rotate')).out, /[-+] secret: "(?!\*\*\*)/)
})

t.test('--print gives one value alone', async (t) => {
  const cli = fakeCli(t)
  t.equal((await cli.run(...subscribe, 'a', '--print', 'secret')).out, `${cli.entry('a').secret}\n`)
  t.equal((await cli.run(...subscribe, 'a', '--print', 'url')).out, 'http://127.0.0.1:8644/webhooks/a\n')
})

t.test('--print curl and --print yaml; --from takes the YAML back, and what is hidden in it stays', async (t) => {
  const cli = fakeCli(t)
  t.match((await cli.run(...subscribe, 'a', '--prompt', 'x', '--coalesce-key', '{ref}', '--print', 'curl')).out, /^b='.*curl -sS .*\n$/)
  t.match(cli.entry('a'), { coalesce: { key: '{ref}' } })
  await cli.run(...subscribe, 'a', '--from', '{"coalesce":{"window_seconds":60},"secret":"b0e6f2a94c7d41d8","deliver_extra":{"x":"1"}}')
  await cli.run(...subscribe, 'a', '--coalesce-key', '{after}')
  t.match(cli.entry('a'), { coalesce: { key: '{after}', window_seconds: 60 }, secret: 'b0e6f2a94c7d41d8', deliver_extra: { x: '1' } })
  const { out } = await cli.run(...subscribe, 'a', '--print', 'yaml')
  t.notMatch(out, 'b0e6f2a94c7d41d8')
  cli.write('a.yaml', out)
  const from = ['--from', `@${cli.file('a.yaml')}`]
  t.match(await cli.run(...subscribe, 'a', ...from), { code: 0, out: /^no change: a/ })
  t.match(await cli.run(...subscribe, 'b', ...from, '--prompt', 'y'), { code: 0, out: /^created/ })
  t.match(cli.entry('b'), { prompt: 'y', coalesce: { window_seconds: 60 } })
  t.notSame(cli.entry('b').secret, 'b0e6f2a94c7d41d8')
})

t.test('--like makes a route of a sample, or of what is recorded', async (t) => {
  const cli = fakeCli(t)
  t.match(await cli.run(...subscribe, 'a', '--like', 'github/issues.opened', '--deliver', 'log'), { code: 0 })
  t.match(cli.entry('a'), {
    events: ['issues'],
    verify: 'github',
    deliver: 'log',
    prompt: /^"issues" came\.\naction: \{action\}\n[\s\S]*\{issue\.title\}/,
  })
  t.match(await cli.run(...subscribe, 'b', '--like', 'bitbucket/pullrequest_created'), { code: 0 })
  t.match(
    cli.entry('b'),
    { events: ['pullrequest:created'], verify: 'bitbucket', prompt: /opened \{pullrequest\.title\}/ },
    "the sender's own",
  )
  t.match(await cli.run(...subscribe, 'c', '--like', 'github/isues.opened'), { code: 5, err: /no sample "github\/isues\.opened"/ })
  t.match(await cli.run(...subscribe, 'c', '--like', 'no-such-event'), { code: 5, err: /neither a sample nor an event "no-such-event"/ })
  t.match(await cli.run(...subscribe, 'c', '--like', 'github/push', '--from', 'github'), { code: 2, err: /give one of them/ })
  t.same([cli.entry('a').verify, cli.entry('c')], ['github', undefined])
})

t.test('--from refuses what no command sets, and what a server would not serve', async (t) => {
  const cli = fakeCli(t)
  const cases: [text: string, code: number, says: RegExp][] = [
    ['{"toolsets":["web"]}', 1, /no command sets toolsets/],
    ['{"secrets":["b0e6f2a94c7d41d8"]}', 1, /several secrets/],
    ['{"deliver_extra":{"token":"*** (0b6aa3c9)"}}', 1, /in the place of a secret/],
    ['{"promt":"x"}', 1, /unknown key "promt"/],
    ['{"secret":5}', 1, /secret is no text/],
    ['[1]', 2, /not a map/],
    ['route.yaml', 2, /a file with an @ before it/],
    ['@none.yaml', 2, /cannot read/],
    ['a: [', 2, /--from: /],
  ]
  for (const [text, code, says] of cases) t.match(await cli.run(...subscribe, 'a', '--from', text), { code, err: says, out: '' }, text)
  t.notOk(existsSync(cli.file(store)))
})

t.test('--json is one document with the agreed members', async (t) => {
  const cli = fakeCli(t)
  const { out, err } = await cli.run('--json', ...subscribe, 'a', '--prompt', 'x')
  const document = JSON.parse(out)
  t.match(document, { v: 1, kind: 'webhook.subscribe', ok: true, warnings: [] })
  t.match(document.data, { name: 'a', created: true, secret_generated: true, shadowed: false, secret: cli.entry('a').secret, curl: /^b=/ })
  t.same(err, '')
  const again = JSON.parse((await cli.run(...subscribe, 'a', '--json')).out)
  t.match(again.data, { created: false, changed: [], secret: null, secret_generated: false })
})

t.test('the address is one that a client can use', async (t: Test) => {
  const cases: [host: string, url: string][] = [
    ['0.0.0.0', 'http://127.0.0.1:9000/webhooks/a'],
    ['"::"', 'http://127.0.0.1:9000/webhooks/a'],
    ['"::1"', 'http://[::1]:9000/webhooks/a'],
    ['10.0.0.5', 'http://10.0.0.5:9000/webhooks/a'],
  ]
  for (const [host, url] of cases) {
    const cli = fakeCli(t, { 'config.yaml': `platforms: { webhook: { host: ${host}, port: 9000 } }\n` })
    t.equal((await cli.run(...subscribe, 'a', '--replace', '--print', 'url')).out, `${url}\n`)
  }
})

t.test('two terminals change the same route: no update is lost', async (t) => {
  const cli = fakeCli(t)
  await cli.run(...subscribe, 'a')
  await Promise.all([
    cli.run(...subscribe, 'a', '--prompt', 'p'),
    cli.run(...subscribe, 'a', '--description', 'd'),
    cli.run(...subscribe, 'a', '--events', 'push'),
  ])
  t.match(cli.entry('a'), { prompt: 'p', description: 'd', events: ['push'] })
})

t.test('no source of the command line can set toolsets', (t) => {
  for (const file of ['grammar', 'webhook/grammar', 'webhook/subscribe-options']) {
    const code = readFileSync(new URL(`../../src/cli/${file}.ts`, import.meta.url), 'utf8').replaceAll(/\/\*\*.*?\*\//gs, '')
    t.notMatch(code, /toolset/)
  }
  t.end()
})
