/** The console: who may reach it, what it shows, and that nothing a stranger wrote does anything in the browser. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { barScreens } from '../../src/generated/console-screens.ts'
import { chromiumPath, ofPage, openPage, type ProcessConsole, send, signIn, startBrowser, startConsole } from '../fakes/console.ts'
import { childrenOf } from '../fakes/postgres-process.ts'
import { isRunning } from '../fakes/process.ts'
import { command, dataDir, linesIn, startGateway } from '../fakes/process-gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'
import { AxeBuilder, type Page } from '../foreign/browser.ts'

const needsChromium = chromiumPath === undefined ? { skip: 'Chromium is not installed' } : {}

/** Text that a page must show as it is: markup, a direction override, a bell, and the end of a script. */
const hostile = '<img src=x onerror="document.title=1">\u202eabc\u0007</script><script>document.title=2</script>'

const routes = {
  hello: {
    events: ['push'],
    filters: [{ field: 'payload.action', equals: 'opened' }],
    prompt: 'Hello {name}',
    retry: { max_attempts: 1 },
    description: hostile,
  },
  broken: { prompt: 'x' },
}
const agent = 'case "$(cat)" in *fail*) exit 1;; *) echo done;; esac\n'
const jobs = { nightly: { schedule: '@daily', prompt: hostile } }
const folderOf = (t: Test): string => dataDir(t, { routes, agent, config: { jobs } })

const signedInPage = async (t: Test, { signInUrl }: ProcessConsole) => {
  const opened = await openPage(await (await startBrowser(t)).newContext())
  await opened.page.goto(signInUrl)
  await opened.page.getByRole('heading', { name: 'Live' }).waitFor()
  return opened
}

/** Returns the audit of a data directory once it has so many lines. The end of a bulk job is written after its last event was answered. */
const audited = (dir: string, count: number) =>
  until(() => {
    const lines = linesIn(dir, 'state/audit.jsonl')
    return lines.length >= count && lines.map((line) => JSON.parse(line))
  })

t.test('only a page of the console that shows both halves of a sign-in is answered', async (t) => {
  const served = await startConsole(t, folderOf(t))
  const { origin, signInUrl } = served
  const port = new URL(origin).port
  const all = await signIn(served)
  const { authorization, cookie, ...asPage } = all as { [name: string]: string } & { authorization: string; cookie: string }
  const status = async (headers: { [name: string]: string }, path = '/ask/overview') => (await send(origin, path, { headers })).status
  t.equal(await status(all), 200, 'both halves')
  t.equal(await status({ ...asPage, cookie }), 401, 'the cookie alone, which goes to every port of the machine')
  t.equal(await status({ ...asPage, authorization }), 401, 'the half of the page alone')
  t.equal(await status({ ...asPage, authorization, cookie: cookie.replace(/.$/, '_') }), 401, 'a wrong half')
  t.equal(await status({ ...all, host: `attacker.example:${port}` }), 421, 'a name that a stranger gave this machine')
  t.equal(await status({ ...all, host: `attacker.example:${port}`, origin: `http://attacker.example:${port}` }), 421)
  t.equal(await status({ ...all, origin: 'http://127.0.0.1:1' }), 403, 'a page of another port')
  t.equal(await status({ ...all, 'sec-fetch-site': 'same-site' }), 403)
  const { 'sec-fetch-site': _, ...withoutFetchSite } = all
  t.equal(await status(withoutFetchSite), 403, 'a program that is no browser, or a rebound name')
  t.equal(await status({ ...all, 'content-type': 'text/plain' }), 415, 'a form')
  t.equal(await status(all, '/ask/stop'), 404, 'a question that is not in the table')
  t.equal((await send(origin, '/ask/event', { headers: all, body: '{"id":"x","more":1}' })).status, 400, 'an unknown member')
  t.equal((await send(origin, '/ask/event', { headers: all, body: `{"id":"${'x'.repeat(70_000)}"}` })).status, 413)
  t.match(await send(origin, '/', { method: 'GET', headers: { host: 'attacker.example' } }), { status: 421 }, 'also no page')
  const page = await send(origin, '/', { method: 'GET' })
  t.match(page.headers, {
    'content-security-policy': /default-src 'none'; script-src 'self'.*frame-ancestors 'none'.*trusted-types 'none'/,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  })
  t.notMatch(page.headers, { 'access-control-allow-origin': /./ })
  const again = await send(origin, '/ask/signIn', { headers: asPage, body: JSON.stringify({ code: new URL(signInUrl).hash.slice(6) }) })
  t.match(again, { status: 401, text: /used already/ }, 'a code works once')
  const guesses = await Promise.all(
    Array.from({ length: 20 }, () => send(origin, '/ask/signIn', { headers: asPage, body: '{"code":"guess"}' })),
  )
  t.ok(
    guesses.some(({ status }) => status === 429),
    'guesses are slowed down',
  )
  const fresh = await startConsole(t, served.dir)
  const guessing = Array.from({ length: 30 }, () =>
    send(fresh.origin, '/ask/signIn', { headers: ofPage(fresh.origin), body: '{"code":"guess"}' }),
  )
  t.ok(await signIn(fresh), 'the guesses of others do not keep a right code out')
  await Promise.all(guessing)
  t.equal(
    await status({ ...all, cookie: `${cookie.split('=')[0]}=of-another-port; ${cookie}` }),
    200,
    'another port sets a cookie of the name',
  )
  await served.stop()
  const next = await startConsole(t, served.dir, Number(port))
  t.equal((await send(next.origin, '/ask/overview', { headers: all })).status, 401, 'a sign-in ends with its console')
  const renewed = await signIn(next)
  t.equal((await send(next.origin, '/ask/overview', { headers: renewed })).status, 200)
  t.match((await send(next.origin, '/ask/signOut', { headers: renewed })).headers['set-cookie'], [/Max-Age=0/])
  t.equal((await send(next.origin, '/ask/overview', { headers: renewed })).status, 401, 'and when the browser signs out')
})

t.test('other pages of this machine reach nothing', needsChromium, async (t) => {
  const served = await startConsole(t, folderOf(t))
  const { origin } = served
  const port = new URL(origin).port
  const other = createServer((_request, response) =>
    response
      .setHeader('content-type', 'text/html')
      .end(
        `<iframe src="${origin}/"></iframe><form method="post" action="${origin}/ask/reload" enctype="text/plain"><input name="{}"></form>`,
      ),
  )
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const browser = await startBrowser(t, 'rebound.test')
  const context = await browser.newContext()
  const { page } = await openPage(context)
  await page.goto(served.signInUrl)
  await page.getByRole('heading', { name: 'Live' }).waitFor()
  t.equal(new URL(page.url()).hash, '', 'the code is gone from the address')
  const second = await context.newPage()
  await second.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
  const asked = await second.evaluate(
    (url) =>
      fetch(url, { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body: '{}' }).then(
        String,
        String,
      ),
    `${origin}/ask/overview`,
  )
  t.match(asked, /Failed to fetch/, 'a page of another port gets no answer, although the cookie goes with its question')
  t.equal(await second.frameLocator('iframe').getByRole('heading').count(), 0, 'a page of another port cannot frame the console')
  await Promise.all([second.waitForNavigation(), second.evaluate('document.forms[0].submit()')])
  t.match(await second.textContent('body'), /only a page of the console may ask/, 'nor post a form')
  const third = await context.newPage()
  const rebound = await third.goto(`http://rebound.test:${port}/`)
  t.equal(rebound?.status(), 421, 'a rebound name is refused')
})

t.test('shows what arrives and what became of it; what strangers wrote is text', needsChromium, async (t) => {
  const gateway = await startGateway(t, folderOf(t))
  const post = (id: string, payload: object) => gateway.post('hello', id, { body: JSON.stringify(payload) })
  await post(`before ${hostile.replace(/[^ -~]/g, '')}`, { action: 'closed' })
  const served = await startConsole(t, gateway.dir)
  const { page, complaints } = await signedInPage(t, served)
  await page.getByText('ignored by filters').waitFor()
  const live = JSON.stringify({ action: 'opened', name: hostile, id: 0, [hostile]: { [hostile]: [hostile] } })
  await gateway.post('hello', 'live', { body: live.replace('"id":0', '"id":12345678901234567890') })
  await page.getByText('accepted').waitFor()
  await page.getByText('done').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await post('dead', { action: 'opened', name: 'fail' })
  await page.getByText('Paused, 1 new').waitFor()
  t.equal(await page.getByText('accepted').count(), 1, 'a paused list stands still')
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('dead').waitFor()

  await page.getByRole('link', { name: /accepted.*done/ }).click()
  await page.getByRole('heading', { name: 'Payload' }).waitFor()
  await page.locator('.tree').getByText('\\u{202e}abc\\u{7}').first().waitFor()
  await page.locator('.tree').getByText('12345678901234567890', { exact: true }).waitFor()
  await page.getByText('filters[0]').waitFor()
  t.match(await page.textContent('.stages'), /json pass.*filters pass/s)
  t.equal(await page.locator('img').count(), 0, 'markup of a payload is text')
  await page.getByText('Prompt').click()
  await page.getByRole('button', { name: 'As test of the route' }).click()
  await page.getByText(/added to .*hello\.webhook-test\.yaml/).waitFor()
  await page.getByRole('button', { name: 'As sample…' }).click()
  await page.getByLabel('Name of the sample').fill('my/push')
  await page.getByRole('button', { name: 'Save, without secrets' }).click()
  await page.getByText(/saved as .*my\/push\.json/).waitFor()
  await page.getByRole('button', { name: 'Replay…' }).click()
  await page.getByLabel('Payload', { exact: true }).fill('{"action":"closed"}')
  await page.getByRole('button', { name: 'Show what would happen' }).click()
  await page.getByText('It would be answered 200').waitFor()
  t.match(await page.getByLabel('difference to the recorded payload').textContent(), /- {3}"action": "opened",.*\+ {3}"action": "closed"/s)
  await page.getByLabel('Payload', { exact: true }).fill('{"action":"closed" }')
  t.equal(await page.getByText('It would be answered').count(), 0, 'what was said of another payload is not shown')
  await page.getByRole('button', { name: 'Show what would happen' }).click()
  await page.getByRole('button', { name: 'Replay it as a new event' }).click()
  await page.getByText('Replay of').waitFor()

  await page.getByRole('link', { name: 'Events', exact: true }).click()
  await page.getByLabel('State').selectOption('dead')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.waitForURL(/state=dead/)
  await page.locator('.event').filter({ hasText: 'dead' }).click()
  await page.getByRole('button', { name: 'Retry the dead run' }).click()
  const audit = await audited(gateway.dir, 9)
  t.match(audit, [
    { action: 'sign_in', on: { from: '127.0.0.1' }, result: 'done', by: /^browser [0-9a-f]{8}$/ },
    { action: 'add_test', result: 'begun' },
    { action: 'add_test', result: 'done' },
    { action: 'add_sample', on: { sample: 'my/push' }, result: 'begun' },
    { action: 'add_sample', result: 'done' },
    { action: 'replay', on: { edited: true }, result: 'begun', by: /^browser [0-9a-f]{8}$/ },
    { action: 'replay', result: 'done' },
    { action: 'retry', result: 'begun' },
    { action: 'retry', result: 'done' },
  ])

  await page.keyboard.press(keyOf('Events'))
  await page.getByRole('button', { name: 'Replay all that fit…' }).click()
  await page.getByText(/^4 of hello/).waitFor()
  await page.getByRole('button', { name: 'Replay 4 events now' }).click()
  await page.getByText('4 of 4 events replayed').waitFor()
  t.match((await audited(gateway.dir, 11)).slice(9), [
    { action: 'bulk_replay', on: { count: 4, sources: [{ source: 'hello', count: 4 }] }, result: 'begun' },
    { result: 'done', done: 4 },
  ])
  await page.keyboard.press(keyOf('Work'))
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Start now' }).click()
  await until(() => linesIn(gateway.dir, 'state/audit.jsonl').some((line) => line.includes('"start_job"') && line.includes('"done"')))

  await page.keyboard.press(keyOf('Routes'))
  await page.locator('.graph a').filter({ hasText: '4 ignored' }).click()
  await page.waitForURL(/route=hello&outcome=ignored%3Afilters/)

  await page.keyboard.press(keyOf('Charts'))
  await page.locator('.chart canvas').first().waitFor()
  await page.getByText('Events by their ending as a table').click()
  await page.getByRole('link', { name: '4', exact: true }).click()
  await page.waitForURL(/from=.*&until=.*&outcome=ignored/)
  await until(async () => (await page.locator('.event').count()) === 4)

  await page.keyboard.press('Control+k')
  await page.getByLabel('screen, route or event').fill('he')
  await page.getByRole('button', { name: 'events of hello' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Health' }).waitFor()

  t.equal(command({ dir: gateway.dir }, 'lists', 'add', 'people', 'ann').status, 0)
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    const names = await page.getByRole('navigation', { name: 'screens' }).getByRole('link').allTextContents()
    t.same(
      names,
      barScreens.map(({ name }) => name),
    )
    for (const name of names) await checkScreen(t, page, name, scheme)
  }
  gateway.kill('SIGTERM')
  await gateway.ended
  await page.getByRole('link', { name: 'Live', exact: true }).click()
  await page.getByText('Not watching').waitFor()
  await page.getByRole('link', { name: 'Events', exact: true }).click()
  await page.locator('.event').first().waitFor()
  t.equal(await page.title(), 'headgate', 'no script of a payload ran')
  t.same(complaints, [], 'the browser stopped nothing, and no script failed')
})

t.test('what waits in groups and lanes, targets that are tried, a reload that is shown first', needsChromium, async (t) => {
  // A budget of tokens needs a runner that counts them.
  let answerModel: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    answerModel = resolve
  })
  const reply = { choices: [{ message: { role: 'assistant', content: 'done' } }] }
  const model = await sink(t, (response) => void released.then(() => json(response, 200, reply)))
  const waiting = {
    grouped: { prompt: 'x', coalesce: { key: 'a', window_seconds: 3_600, max_wait_seconds: 3_600 } },
    slow: { prompt: 'wait', concurrency: { limit: 1 }, agent: { budget: { day_tokens: 1_000 } } },
  }
  const gateway = await startGateway(
    t,
    dataDir(t, {
      routes: waiting,
      config: {
        agent: { runner: 'openai', model: 'm', api_key: 'k', base_url: `${model.origin}/v1` },
        jobs: { nightly: { schedule: '@daily', prompt: 'x' } },
      },
    }),
  )
  const post = (route: string, id: string) => gateway.post(route, id, { body: '{"a":"one"}' })
  for (const [route, id] of [
    ['grouped', '1'],
    ['grouped', '2'],
    ['slow', '3'],
    ['slow', '4'],
    ['slow', '5'],
  ] as const)
    await post(route, id)
  const shown = command({ dir: gateway.dir }, 'gateway', 'backlog')
  t.match(shown.stdout, /^runs +3, 2 of them in lanes; the oldest was accepted 2.*\ngroups +1\n/)
  t.match(shown.stdout, /grouped +2 events +due .*\nlanes in which most runs wait\n +slow +2 wait +1 of 1 have begun +next /)
  t.match(shown.stdout, /budgets of the day\n +slow +0 of 1000 tokens +until .*T00:00:00/)
  const { page, complaints } = await signedInPage(t, await startConsole(t, gateway.dir))
  await page.keyboard.press(keyOf('Work'))
  await page.getByText('3, 2 of them in lanes').waitFor()
  const rowsOf = (title: string) => page.locator(`h2:text-is("${title}") + table tbody tr`).allTextContents()
  t.match(await rowsOf('Groups'), [/^grouped *2/])
  t.match(await rowsOf('Lanes'), [/^slow *21 of 1$/])
  t.match(await rowsOf('Budgets of the day'), [/^slow *0 of 1000/])
  await checkScreen(t, page, 'Work', 'light')
  await page.locator('h2:text-is("Lanes") + table a').click()
  await page.getByRole('heading', { name: 'Payload' }).waitFor()
  answerModel()

  await page.keyboard.press(keyOf('Targets'))
  await page.getByRole('button', { name: 'Test log…' }).click()
  await page.getByRole('button', { name: /^Send a real message/ }).click()
  await page.getByRole('status').filter({ hasText: 'sent' }).waitFor()
  await page.getByRole('button', { name: 'Test telegram…' }).click()
  await page.getByText(/^Nothing can be sent: .*telegram/i).waitFor()

  await page.keyboard.press(keyOf('Health'))
  const file = join(gateway.dir, 'config.yaml')
  // A connection that was kept may have been closed for idleness meanwhile.
  const postRenamed = () => post('renamed', '6').catch(() => post('renamed', '6'))
  writeFileSync(file, readFileSync(file, 'utf8').replace('grouped:', 'renamed:'))
  await page.getByRole('button', { name: 'Reload the files…' }).click()
  await page.getByText('A reload would take the files over.').waitFor()
  await page.getByText('Routes added: renamed').waitFor()
  t.match(command({ dir: gateway.dir }, 'gateway', 'reload', '--dry-run'), {
    status: 0,
    stdout: /^a reload would take the files over .*\nadded 1 route: renamed\nremoved 1 route: grouped\n$/,
  })
  t.equal((await postRenamed()).status, 404, 'nothing was taken over')
  await page.getByRole('button', { name: 'Reload now' }).click()
  await page.getByText('The gateway serves the files as they are now.').waitFor()
  t.equal((await postRenamed()).status, 202)
  t.match(
    linesIn(gateway.dir, 'state/audit.jsonl').map((line) => JSON.parse(line).action),
    ['sign_in', 'test_target', 'test_target', 'reload', 'reload'],
  )
  await page
    .getByText(await gateway.listening)
    .first()
    .waitFor()
  gateway.kill('SIGTERM')
  await gateway.ended
  await page.getByText('no gateway runs').waitFor()
  t.same(complaints, [])
})

t.test('values are added to a list and taken out, and a list at an address says how it is', needsChromium, async (t) => {
  const server = await sink(t, (response) => response.writeHead(500).end())
  const route = (in_list: object) => ({ prompt: 'x', filters: { field: 'by', in_list } })
  const asking = { kept: route({ store: 'people' }), fetched: route({ url: `${server.origin}/team?key=tok`, allow_private: true }) }
  const gateway = await startGateway(t, dataDir(t, { routes: asking }))
  const status = async (id: string) => (await gateway.post('kept', id, { body: '{"by":"ann"}' })).status
  t.equal(await status('1'), 503)
  const { page, complaints } = await signedInPage(t, await startConsole(t, gateway.dir))
  await page.keyboard.press(keyOf('Lists'))
  await page.getByText('No list is kept here.').waitFor()
  await page.getByText(/HTTP 500, \d+ times? since/).waitFor()
  await page.getByLabel('List', { exact: true }).fill('people')
  await page.getByLabel('Values, one a line').fill(`ann\n\n ${hostile.replace('\u0007', '')} `)
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('people: 2 values now').waitFor()
  t.equal(await status('2'), 202, 'it counts from the answer on')
  await page.getByRole('link', { name: 'people' }).click()
  await page.getByLabel('values').getByText('<img src=x').waitFor()
  await checkScreen(t, page, 'Lists', 'light')
  await page.getByRole('link', { name: 'people' }).click()
  await page.getByLabel('Find').fill('nn')
  await page.getByText('<img src=x').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Remove ann' }).click()
  await page.getByText('No value fits.').waitFor()
  t.equal(await status('3'), 200)
  await page.getByLabel('Values, one a line').fill('eve')
  await page.getByLabel('They stay').selectOption('for a day')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByLabel('Find').fill('eve')
  await page.getByText(/^eve until /).waitFor()
  await page.getByLabel('List', { exact: true }).fill('../x')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('"../x" is no name of a list').waitFor()
  t.notMatch(await page.content(), /key=tok/)
  t.match(
    linesIn(gateway.dir, 'state/audit.jsonl').flatMap((line) => {
      const { action, on, result } = JSON.parse(line)
      return action.endsWith('_list') && result !== 'begun' ? [[action, on]] : []
    }),
    [
      ['add_to_list', { name: 'people', values: ['ann', /^<img/] }],
      ['remove_from_list', { name: 'people', values: ['ann'] }],
      ['add_to_list', { name: 'people', values: ['eve'], for_minutes: 1440 }],
      ['add_to_list', { name: '../x', values: [] }],
    ],
  )
  t.equal(await page.title(), 'headgate')
  t.same(
    complaints.filter((each) => !/400/.test(each)),
    [],
  )
})

t.test('all pages of a browser share one stream, and none is kept busy by traffic or by a page that sleeps', needsChromium, async (t) => {
  const gateway = await startGateway(t, folderOf(t))
  const post = (id: string) => gateway.post('hello', id, { body: '{"action":"closed"}' })
  const served = await startConsole(t, gateway.dir)
  const { page: first, complaints } = await signedInPage(t, served)
  const streams: string[] = []
  const watchRequests = (page: Page, name: string): void => {
    page.on('request', (request) => void (request.url().endsWith('/ask/live') && streams.push(name)))
    page.on('requestfailed', (request) => void (request.url().endsWith('/ask/live') && streams.push(`${name} ends`)))
  }
  await first.getByText('Watching').waitFor()
  const second = await first.context().newPage()
  watchRequests(second, 'second')
  await second.goto(served.origin)
  await second.getByText('Watching').waitFor()
  await post('one')
  for (const page of [first, second]) await page.locator('.event').first().waitFor()
  t.same(streams, [], 'the second page gets the lines from the first page')
  await first.close()
  await until(() => streams.length > 0)
  await post('two')
  await second.locator('.event').nth(1).waitFor()
  t.same(streams, ['second'], 'the second page reads the stream once the first has gone')

  const devTools = await second.context().newCDPSession(second)
  await devTools.send('Page.setWebLifecycleState', { state: 'frozen' })
  for (let round = 0; round < 6; round++) await Promise.all(Array.from({ length: 250 }, (_, i) => post(`sleeping ${round} ${i}`)))
  await devTools.send('Page.setWebLifecycleState', { state: 'active' })
  await second.getByText(/lines came too fast and were read from the journal/).waitFor()
  await until(async () => (await second.locator('.event').count()) === 200)

  const becomes = (state: string) =>
    second.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    `)
  streams.length = 0
  await becomes('hidden')
  await until(() => streams.length === 1)
  await post('hidden')
  await becomes('visible')
  await until(() => streams.length === 2)
  t.same(streams, ['second ends', 'second'], 'a page that nobody sees does not watch')
  await second.getByText('Watching').waitFor()
  t.same(complaints, [])
})

/** Returns the key that opens a screen of the bar. */
const keyOf = (screen: (typeof barScreens)[number]['name']): string => String(1 + barScreens.findIndex(({ name }) => name === screen))

/** Opens a screen with the keyboard, and looks for what shuts people out. */
const checkScreen = async (t: Test, page: Page, name: string, scheme: string): Promise<void> => {
  const link = page.getByRole('link', { name, exact: true })
  await link.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  await page.locator('.event, .cards li, tbody tr, .chart').first().waitFor()
  t.equal(await page.locator('.failure').count(), 0, `${name} has all answers`)
  const { violations } = await new AxeBuilder({ page }).analyze()
  t.same(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    [],
    `${name}, ${scheme}`,
  )
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name} fits ${width} pixels`)
  }
}

t.test('a bulk job of more than a thousand events is stopped and goes on, and no event is replayed twice', async (t) => {
  const gateway = await startGateway(t, folderOf(t))
  const count = 1_100
  const body = JSON.stringify({ action: 'closed' })
  for (let from = 0; from < count; from += 50)
    await Promise.all(Array.from({ length: 50 }, (_, i) => gateway.post('hello', `many-${from + i}`, { body })))
  const served = await startConsole(t, gateway.dir)
  const headers = await signIn(served)
  const ask = async (name: string, question: object) =>
    JSON.parse((await send(served.origin, `/ask/${name}`, { headers, body: JSON.stringify(question) })).text)
  const job = async () => (await ask('bulkJobs', {})).jobs[0]
  /** Waits as long as the job gets on. */
  const ended = async () => {
    for (let done = -1; ; ) {
      const now = await until(async () => {
        const seen = await job()
        return (seen.endedAt !== null || seen.done > done) && seen
      })
      if (now.endedAt !== null) return now
      done = now.done
    }
  }
  const plan = await ask('bulkPlan', { action: 'replay', route: 'hello' })
  t.match(plan, { count, bySource: [{ source: 'hello', count }], leftOut: 0, isCut: false, first: { length: 10 } })
  await ask('bulkStart', { plan: plan.id })
  await until(async () => (await job()).done > 10)
  await ask('bulkStop', { job: plan.id })
  const stopped = await ended()
  t.match(stopped, { isStopped: true, canResume: true, failed: 0 })
  t.ok(stopped.done < count, `${stopped.done} were replayed`)
  t.match(await ask('bulkStart', { plan: plan.id }), { error: /too old, or was started already/ })
  await ask('bulkResume', { job: plan.id })
  t.match(await ended(), { done: count, failed: 0, isStopped: false, canResume: false })
  t.match(await ask('bulkResume', { job: plan.id }), { error: /nothing is left/ })
  const replayed = await until(() => {
    const folder = `${gateway.dir}/state/events`
    const lines = readdirSync(folder).flatMap((name) => (name.endsWith('.jsonl') ? linesIn(folder, name) : []))
    const of = lines.flatMap((line) => (JSON.parse(line) as { replay_of?: string }).replay_of ?? [])
    return of.length >= count && of
  })
  t.equal(replayed.length, count)
  t.equal(new Set(replayed).size, count, 'each once')
  t.match(await audited(gateway.dir, 7), [
    { action: 'sign_in' },
    { action: 'bulk_replay', on: { count }, result: 'begun' },
    { action: 'bulk_stop', result: 'begun' },
    { action: 'bulk_stop', result: 'done' },
    { action: 'bulk_replay', result: 'done', done: stopped.done, stopped: true },
    { action: 'bulk_replay', on: { count: count - stopped.done }, result: 'begun' },
    { action: 'bulk_replay', result: 'done', done: count - stopped.done, stopped: false },
  ])
})

t.test('a gateway runs the console beside itself, and the command asks it for an address', async (t) => {
  const dir = dataDir(t, { routes, agent, config: { console: { enabled: true, port: 0 } } })
  const gateway = await startGateway(t, dir)
  const { url } = await gateway.line(({ msg }) => msg === 'console')
  const address = () => command(gateway, '--json', 'console')
  const shown = await until(() => {
    const { status, stdout } = address()
    return status === 0 && stdout.startsWith('{"url"') && (JSON.parse(stdout).url as string)
  })
  t.equal(new URL(shown).origin, url)
  const code = new URL(shown).hash.replace('#code=', '')
  const signedIn = await send(String(url), '/ask/signIn', { headers: ofPage(String(url)), body: JSON.stringify({ code }) })
  t.equal(signedIn.status, 200)
  t.not(JSON.parse(address().stdout).url, shown, 'each address has a code of its own')
  const pid = (): number | undefined => childrenOf(gateway.pid)[0]
  const first = await until(() => pid())
  process.kill(first, 'SIGKILL')
  await gateway.line(({ msg }) => msg.startsWith('the console has ended'))
  const second = await until(() => {
    const now = pid()
    return now !== first && now
  })
  gateway.kill('SIGKILL')
  await gateway.ended
  await until(() => !isRunning(second))
  t.pass('the console ends with its gateway, also with one that is killed')
})

t.test('the shell is small, and its files are named by their content', async (t) => {
  const { origin } = await startConsole(t, folderOf(t))
  const { text } = await send(origin, '/', { method: 'GET' })
  const names = [...text.matchAll(/\/assets\/[\w.-]+\.(?:js|css)/g)].map(([name]) => name)
  t.equal(names.length, 2)
  for (const name of names) {
    // What a script always loads counts. What it loads when a screen needs it, as the route editor, does not.
    const { text: script } = await send(origin, name, { method: 'GET' })
    for (const [, part] of script.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g))
      if (!names.includes(`/assets/${part}`)) names.push(`/assets/${part}`)
  }
  let bytes = gzipSync(text).length
  // What a script of the shell loads before it runs is the shell, too. What it loads later stands in "import(".
  for (const name of names) {
    t.match(name, /-[A-Z0-9]{8}\./)
    const asset = await send(origin, name, { method: 'GET' })
    t.match(asset.headers, { 'cache-control': /immutable/ })
    bytes += gzipSync(asset.text, { level: 9 }).length
    for (const [, needed] of asset.text.matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g))
      if (!names.includes(`/assets/${needed}`)) names.push(`/assets/${needed}`)
  }
  t.ok(bytes <= 30 * 1_024, `${bytes} bytes, compressed`)
})
