import { randomUUID } from 'node:crypto'
import t from 'tap'
import { type Post, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'
import { deliveries, delivery } from '../fakes/webhooks.ts'

const opened = delivery('pull_request', 'opened')
const loneSurrogate = /\p{Cs}/u

t.test('Template rules', async (t) => {
  const receiver = await sink(t, (response) => json(response, 200, {}))
  const url = `${receiver.origin}/in/{number}?to={user.login}&x={nothing}`
  const gateway = await startGateway(t, {
    routes: {
      whole: {},
      real: {
        prompt:
          'PR #{number} "{pull_request.title}" in {repository.full_name} by {pull_request.user.login}: {pull_request.draft} {pull_request.merged_at}',
      },
      nested: { prompt: '{a}|{b}' },
      raw: { prompt: 'before {__raw__} after {number}' },
      missing: { prompt: '{nope} {a.b.c} {a.0} { a } {} {a' },
      around: { prompt: '{event_type} {route} {delivery_id}' },
      lists: { prompt: '{commits.0.id} {commits.1} {commits.01} {commits.length}' },
      values: { prompt: '{a} {b} {c} {d} {e} {f}' },
      wide: { prompt: '{title} {é.語}' },
      hostile: { prompt: '{__proto__} {constructor.name} {title.length} {toString} {title}' },
      expression: { prompt: '{= $uppercase(title) & "!" } {= event } {= $sum(commits.n) } {= nothing } {title}' },
      extra: {
        deliver: 'http',
        deliver_extra: { url: url.replace('&x={nothing}', ''), headers: { 'X-Title': 't: {title}', 'X-Count': 3, 'X-On': true } },
        prompt: '{title}',
      },
      unfilled: { deliver: 'http', deliver_only: true, deliver_extra: { url }, prompt: '{title}' },
    },
  })
  const prompt = promptOf(gateway)

  t.test('{a.b.c}: the value at that path, of a real event', async (t) => {
    const { number, pull_request: pr, repository } = opened
    t.equal(await prompt('real', opened), `PR #${number} "${pr.title}" in ${repository.full_name} by ${pr.user.login}: false null`)
  })

  t.test('no prompt: the whole payload as indented JSON, cut at 4000 characters: every real event', async (t) => {
    t.ok(deliveries.length > 300)
    const texts = await Promise.all(deliveries.map(({ payload }) => prompt('whole', payload)))
    for (const [i, { event, payload }] of deliveries.entries())
      if (texts[i] !== JSON.stringify(payload, null, 2).slice(0, 4000)) t.fail(event, { got: texts[i], payload })
  })

  t.test('{__raw__}: the same, mixed with other placeholders', async (t) => {
    t.equal(await prompt('raw', opened), `before ${JSON.stringify(opened, null, 2).slice(0, 4000)} after ${opened.number}`)
  })

  t.test('a missing key stays as it is written', async (t) => {
    t.equal(await prompt('missing', { a: { b: 'text' } }), '{nope} {a.b.c} {a.0} { a } {} {a')
  })

  t.test('a nested value is JSON, cut at 2000 characters', async (t) => {
    const { repository, sender } = opened
    t.equal(
      await prompt('nested', { a: repository, b: sender }),
      `${JSON.stringify(repository).slice(0, 2000)}|${JSON.stringify(sender).slice(0, 2000)}`,
    )
    t.ok(JSON.stringify(repository).length > 2000)
  })

  t.test('a cut never splits a surrogate pair', async (t) => {
    for (const shift of [0, 1]) {
      const text = await prompt('nested', { a: [`${'x'.repeat(shift)}${'\u{1f600}'.repeat(3000)}`], b: '|' })
      t.notMatch(text, loneSurrogate)
      t.ok(text.length >= 2000 && text.length <= 2002)
      t.notMatch(await prompt('whole', JSON.stringify(`${'x'.repeat(shift)}${'\u{1f600}'.repeat(3000)}`)), loneSurrogate)
    }
  })

  t.test('{event_type}, {route}, {delivery_id} resolve; a payload key of that name wins', async (t) => {
    t.match(await prompt('around', {}, { 'X-GitHub-Event': 'push' }), /^push around [0-9a-f-]{36}$/)
    t.equal(await prompt('around', { event_type: 'mine', route: 1, delivery_id: null }, { 'X-GitHub-Event': 'push' }), 'mine 1 null')
  })

  t.test('list indexes work', async (t) => {
    t.equal(await prompt('lists', { commits: [{ id: 'a' }, 'b'] }), 'a b {commits.01} {commits.length}')
  })

  t.test('numbers, true, false and null print as JSON; numbers keep the digits that came', async (t) => {
    t.equal(
      await prompt('values', '{"a":9007199254740993,"b":1.50,"c":true,"d":null,"e":1e400,"f":"1"}'),
      '9007199254740993 1.50 true null 1e400 1',
    )
  })

  t.test('characters past ASCII stay what they are, few or many; a bad escape before one is no JSON', async (t) => {
    for (const title of ['é', '\u{1f600} a 語', 'é'.repeat(3_000), 'aé'.repeat(300), '\\é', '\\\\"é', 'é\\u00e9'])
      t.equal(await prompt('wide', { title, é: { 語: title } }), `${title} ${title}`, title.slice(0, 20))
    for (const body of ['{"title":"\\é"}', '{"title":"\\\\\\é"}', '{é:1}', '{"title":é}'])
      t.equal((await gateway.post('whole', { body })).status, 400, body)
    t.equal(await prompt('wide', '\ufeff{"title":"é","é":{"語":1}}'), 'é 1')
  })

  t.test('a character past ASCII is the same wherever it stands in a long body', async (t) => {
    for (const character of ['é', '語', '😀']) {
      // One of these places is just before, in and just behind each border of the blocks in which a body is decoded.
      for (let before = 1000; before < 1030; before++) {
        const title = `${'x'.repeat(before)}${character}${'y'.repeat(1000)}${character}`
        t.equal(await prompt('wide', { title, é: { 語: 'z' } }), `${title} z`, `${character} behind ${before} characters`)
      }
    }
  })

  t.test('own properties only, one pass, no replacement patterns', async (t) => {
    const rest = '{__proto__} {constructor.name} {title.length} {toString} '
    for (const title of ['{__raw__}', '{title} {title}', '$& $1 $$ $`', '{= 1+1 }', '\u202e{route}'])
      t.equal(await prompt('hostile', { title }), rest + title)
  })

  t.test('{= expression } is JSONata; one without a result is empty', async (t) => {
    const text = await prompt('expression', { title: 'fix', commits: [{ n: 1 }, { n: 2 }] }, { 'X-GitHub-Event': 'push' })
    t.equal(text, 'FIX! push 3  fix')
  })

  t.test('deliver_extra: texts are templates, others pass as they are, nested maps are walked', async (t) => {
    await gateway.post('extra', { body: { title: 'Fix', number: 7, user: { login: 'ann' } } })
    const seen = await until(() => receiver.seen.at(-1))
    t.equal(seen.url, '/in/7?to=ann')
    t.match(seen.headers, { 'x-title': 't: Fix', 'x-count': '3', 'x-on': 'true' })
    t.match(JSON.parse(seen.body), { route: 'extra', text: 'Fix' })
  })

  t.test('a target is never given a placeholder that the payload does not fill', async (t) => {
    const before = receiver.seen.length
    const answer = await gateway.post('unfilled', { body: { title: 'x', number: 7, user: { login: 'ann' } } })
    t.equal(answer.status, 502)
    t.equal(receiver.seen.length, before)
  })
})

t.test('a call without its $, or a key in brackets, stops the start', async (t) => {
  await t.rejects(
    startGateway(t, { routes: { r: { prompt: '{= uppercase(title) }' } } }),
    /WH503.*uppercase\(…\) calls no function: write \$uppercase/,
  )
  await t.rejects(startGateway(t, { routes: { r: { filters: [{ jsonata: 'exist(payload.x)' }] } } }), /WH412.*exist\(…\).*\$exists/)
  await t.rejects(startGateway(t, { routes: { r: { prompt: "{= payload['a']['b'].c }" } } }), /WH503.*\["a"\] is a condition.*write \.`a`/)
  await t.rejects(
    startGateway(t, { routes: { r: { filters: [{ jsonata: 'headers["x-github-event"] = "push"' }] } } }),
    /WH412.*write \.`x-github-event`/,
  )
  const gateway = await startGateway(t, { routes: { r: { prompt: '{= {"f": function($x) { $x + 1 }}.f(1) }' } } })
  t.equal(await promptOf(gateway)('r', { title: 1 }), '2')
})

/** What the `log` target wrote for a signed post to a route. */
const promptOf =
  (gateway: TestGateway) =>
  async (route: string, body: unknown, headers: Post['headers'] = {}): Promise<string> => {
    const id = randomUUID()
    const { status } = await gateway.post(route, { body, headers: { ...headers, 'X-Request-ID': id } })
    if (status !== 202) throw new Error(`${route} answered ${status}`)
    return String((await gateway.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === id)).text)
  }
