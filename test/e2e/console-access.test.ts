/** Who may use the console from other machines: addresses, proxies that sign users in, passwords, roles, and what each role sees. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ConsoleAnswers } from '../../src/console/answers/answers.ts'
import type { QuestionAudit } from '../../src/console/audited-question.ts'
import type { LiveLine } from '../../src/console/live-feed.ts'
import { consoleQuestions } from '../../src/generated/console.ts'
import { hashPassword } from '../../src/secrets/password-hash.ts'
import {
  type Asked,
  chromiumPath,
  cookieIn,
  ofPage,
  openPage,
  type ProcessConsole,
  send,
  signIn,
  signInAs,
  startBrowser,
  startConsole,
} from '../fakes/console.ts'
import { freePort, startProxy } from '../fakes/console-proxy.ts'
import { clientId, clientSecret, signInByForms, startIdentityProvider } from '../fakes/identity-provider.ts'
import { command, dataDir, linesIn, startGateway } from '../fakes/process-gateway.ts'
import { until } from '../fakes/wait.ts'
import { AxeBuilder, type Page } from '../foreign/browser.ts'

const needsChromium = chromiumPath === undefined ? { skip: 'Chromium is not installed' } : {}

type Headers = { readonly [name: string]: string }

const secret = 'a proxy shows this secret'
const publicOrigin = 'https://hooks.example.com'
const roles = { viewer: ['readers', 'user:ada'], operator: ['ops'], payloads: ['see-all'] }
const forward = { secret, user_header: 'X-User', groups_header: 'X-Groups' }
const settings = { public_origin: publicOrigin, proxies: ['127.0.0.0/8'], auth: { forward, roles } }

/** A data directory with these settings of the console. */
const folderOf = (t: Test, console: object = settings): string => dataDir(t, { routes: { hello: { prompt: 'x' } }, config: { console } })

/** The headers of a question that a page behind the proxy asks. */
const proxied = (user: string, groups: string): Headers => ({
  ...ofPage(publicOrigin),
  host: 'hooks.example.com',
  'x-headgate-secret': secret,
  'x-user': user,
  'x-groups': groups,
})

const statusOf = async (origin: string, headers: Headers, path = '/ask/overview', body = '{}'): Promise<number> =>
  (await send(origin, path, { headers, body })).status

/** Fills in the forms of the provider: the name, and the consent. */
const signInAtProvider = async (page: Page, name: string): Promise<void> => {
  await page.locator('input[name=login]').fill(name)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

t.test('no other address without a way to sign in: neither the gateway nor the console starts', async (t) => {
  const bare = folderOf(t, { enabled: true, host: '0.0.0.0' })
  t.match(command({ dir: bare }, 'validate'), { status: 1, stdout: /WH241.*other machines reach the console/s })
  const refused = command({ dir: bare }, 'console', '--no-open')
  t.match(refused, { status: 78, stderr: /WH241|nobody is asked to sign in.*config\.yaml:\d+.*console\.auth/s })
  t.match(command({ dir: bare }, 'gateway', 'run'), { status: 78 })
  const wrong = {
    'no public origin': { ...settings, host: '0.0.0.0', public_origin: undefined },
    'plain http': { ...settings, public_origin: 'http://hooks.example.com' },
    'a path': { ...settings, public_origin: 'https://hooks.example.com/console' },
    'no way': { ...settings, auth: { roles } },
    'no role': { ...settings, auth: { forward, roles: {} } },
    'no proxy': { ...settings, proxies: [] },
    'a short secret': { ...settings, auth: { forward: { ...forward, secret: 'short' }, roles } },
    'no hash': { ...settings, auth: { password: { ada: 'correct horse' }, roles } },
  }
  for (const [what, console] of Object.entries(wrong))
    t.match(command({ dir: folderOf(t, console) }, 'console', '--no-open'), { status: 78, stderr: /console/ }, what)
  const good = command({ dir: folderOf(t, { ...settings, host: '0.0.0.0' }) }, 'validate')
  t.notMatch(good.stdout, /WH24[12]/)
  t.notMatch(good.stdout, secret)
})

t.test('a proxy is believed from its address alone, with its secret, and with each header once', async (t) => {
  const { origin } = await startConsole(t, folderOf(t))
  const ada = await signInAs(origin, proxied('ada', ''))
  t.match(await send(origin, '/ask/overview', { headers: ada }), { status: 200, text: /"rights":\["view"\]/ })
  const answers = (headers: Headers): Promise<Asked> => send(origin, '/ask/signIn', { headers })
  const { 'x-headgate-secret': _, ...withoutSecret } = proxied('ada', '')
  t.match(await answers(withoutSecret), { status: 401, text: /does not show the secret/ })
  t.match(await answers({ ...proxied('ada', ''), 'x-headgate-secret': 'a proxy shows that secret' }), { status: 401 })
  t.match(await answers(proxied('', 'ops')), { status: 401, text: /does not name a user/ })
  t.match(await answers(proxied('mallory', 'strangers')), { status: 401, text: /mallory has no role/ })
  t.match(await answers(proxied('mallory', 'user:ada')), { status: 401, text: /mallory has no role/ }, 'a group is no user')
  for (const twice of ['x-user', 'x-groups', 'x-headgate-secret']) {
    const headers = { ...proxied('ada', 'readers'), [twice]: [proxied('ada', 'ops')[twice] ?? '', proxied('ada', 'ops')[twice] ?? ''] }
    t.match(await send(origin, '/ask/signIn', { headers }), { status: 401 }, `${twice} twice`)
  }
  t.equal(
    await statusOf(origin, { ...ada, 'x-user': 'mallory', 'x-groups': 'ops' }),
    401,
    'another user of the proxy with the halves of ada',
  )
  t.match(await send(origin, '/ask/overview', { headers: { ...ada, 'x-groups': 'ops' } }), { text: /"operate"/ }, 'a group of a moment ago')
  t.equal(await statusOf(origin, { ...ada, 'x-headgate-secret': '' }), 401, 'halves that come past the proxy')

  t.equal(await statusOf(origin, { ...ada, origin: 'https://evil.example' }), 403)
  t.equal(await statusOf(origin, { ...ada, host: 'evil.example', origin: 'https://evil.example' }), 421)
  t.equal(await statusOf(origin, { ...ada, host: 'hooks.example.com:8645' }), 421)
  t.equal(await statusOf(origin, { ...ada, origin: 'http://hooks.example.com' }), 403, 'the public origin by http')
  t.equal(await statusOf(origin, { ...ada, host: new URL(origin).host }), 403, 'the name of this machine from a page of another name')

  const elsewhere = await startConsole(t, folderOf(t, { ...settings, proxies: ['192.0.2.0/24'] }))
  t.match(await send(elsewhere.origin, '/ask/signIn', { headers: proxied('ada', 'ops') }), {
    status: 401,
    text: /127\.0\.0\.1 is not among/,
  })
  const renamed = await startConsole(t, folderOf(t, { ...settings, auth: { forward: { ...forward, secret_header: 'X-Shown' }, roles } }))
  t.match(await send(renamed.origin, '/ask/signIn', { headers: { ...withoutSecret, 'x-shown': secret } }), { status: 200 })
  const own = await signIn(elsewhere)
  t.equal(await statusOf(elsewhere.origin, own), 200, 'a code of this machine signs in besides')
  const { headers } = await send(origin, '/ask/signIn', { headers: proxied('ada', '') })
  t.match(headers['set-cookie'], [/HttpOnly; SameSite=Strict; Secure$/])
})

/** What senders, agents and receivers write, wherever they can. */
const canary = 'canary-7f3a'

const walkRoutes = (url: string) => ({
  hello: {
    filters: [{ field: 'payload.action', equals: 'opened' }],
    prompt: 'Say {name}',
    retry: { max_attempts: 1 },
    deliver: 'http',
    deliver_extra: { url },
    session: { key: '{name}' },
  },
  grouped: { prompt: 'Say {name}', coalesce: { key: '{name}', window_seconds: 1, max_wait_seconds: 2 } },
  sent: { deliver_only: true, prompt: '{name}', deliver: 'http', deliver_extra: { url: `${url}?to={name}` } },
})

/** Values with which questions are asked, by the names of their members. */
const valuesOf = (id: string): { readonly [member: string]: unknown } => ({
  id,
  route: 'hello',
  profile: 'default',
  job: 'nightly',
  paused: false,
  target: 'http',
  action: 'replay',
  plan: 'none',
  name: 'hello',
  source: 'config',
  from: '',
  to: 'prompt: x',
  fix: 'none',
  values: ['ann'],
})

/** The files of a data directory that are neither records nor drafts, nor what the agent writes. */
const filesOf = (dir: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((name) => !/^(state|\.drafts|agent)/.test(name) && statSync(join(dir, name)).isFile())
      .map((name) => [name, readFileSync(join(dir, name), 'latin1')]),
  )

/**
 * Asks every question of the table that a role may ask, about every event. Returns all answers. `hidden`: the files that have changed
 * without a line in the audit.
 */
const walk = async ({ origin, dir }: ProcessConsole, headers: Headers, ids: readonly string[]) => {
  const said: { readonly name: string; readonly status: number; readonly text: string; readonly hidden: readonly string[] }[] = []
  const auditLines = () => linesIn(dir, 'state/audit.jsonl').length
  for (const [name, row] of Object.entries(consoleQuestions)) {
    if (name === 'signOut' || name === 'live') continue
    const members: readonly string[] = row.question.required
    for (const id of ids.slice(0, members.includes('id') ? undefined : 1)) {
      const known = Object.entries(valuesOf(id)).filter(([member]) => members.includes(member))
      const [files, lines] = [filesOf(dir), auditLines()]
      const { status, text } = await send(origin, `/ask/${name}`, { headers, body: JSON.stringify(Object.fromEntries(known)) })
      const changed = [...filesOf(dir)].flatMap(([file, content]) => (files.get(file) === content ? [] : [`${name}: ${file}`]))
      said.push({ name, status, text, hidden: auditLines() === lines ? changed : [] })
    }
  }
  return said
}

/** `true` where a path such as `events.*.reason` leads to a member of an answer, else `never`. */
type At<Answer, Path extends string> = Answer extends readonly (infer Item)[]
  ? Path extends `*.${infer Below}`
    ? At<Item, Below>
    : never
  : Answer extends object
    ? Path extends `${infer Name}.${infer Below}`
      ? Name extends keyof Answer
        ? At<Answer[Name], Below>
        : never
      : Path extends keyof Answer
        ? true
        : never
    : never
type Asking = ConsoleAnswers & { readonly live: LiveLine }
type Quotes<Name extends keyof Asking> = (typeof consoleQuestions)[Name]['quotes'][number]
/** The paths of `quotes` in the schema that lead nowhere. */
type Astray = {
  [Name in keyof Asking]: { [Path in Quotes<Name>]: [At<Asking[Name], Path>] extends [never] ? `${Name}.${Path}` : never }[Quotes<Name>]
}[keyof Asking]

t.test('each member that only the right to payloads shows is a member of its answer', (t) => {
  // The compiler looks: with a path that leads nowhere this is no `true`.
  const isNoneAstray: [Astray] extends [never] ? true : Astray = true
  t.ok(isNoneAstray)
  t.end()
})

t.test('roles: who has not the right to payloads sees nothing of them in any answer', async (t) => {
  const receiver = createServer((request, response: ServerResponse) => {
    response.statusCode = request.url?.includes('?') ? 400 : 200
    response.end(`${canary} from the receiver`)
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  t.teardown(() => receiver.close())
  const routes = walkRoutes(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`)
  const agent = 'text=$(cat); case "$text" in *fail*) echo "$text" >&2; exit 1;; *) echo "$text";; esac\n'
  const jobs = { nightly: { schedule: '@daily', prompt: 'x' } }
  const gateway = await startGateway(t, dataDir(t, { routes, agent, config: { jobs, console: settings } }))
  const served = await startConsole(t, gateway.dir)
  const { origin } = served
  const operator = await signInAs(origin, proxied('olga', 'ops'))
  const live = listen(origin, operator)
  const post = (route: string, id: string, payload: object) => gateway.post(route, id, { body: JSON.stringify(payload) })
  await post('hello', '1', { action: 'opened', name: canary })
  await post('hello', '2', { action: canary, name: canary })
  await post('hello', '3', { action: 'opened', name: `${canary} fail` })
  await post('grouped', '4', { name: canary })
  await post('grouped', '5', { name: canary })
  await post('sent', '6', { name: canary })
  type Listed = { readonly event_id: string; readonly state: string; readonly outcome: string }
  const events = await until(async () => {
    const { events: listed } = JSON.parse((await send(origin, '/ask/events', { headers: operator })).text) as { events: readonly Listed[] }
    return listed.length === 6 && !listed.some(({ state }) => state === 'waiting' || state === 'running') && listed
  })
  const ids = events.map(({ event_id }) => event_id)
  const said = await walk(served, operator, ids)
  for (const { name, text } of said) t.notMatch(text, canary, name)
  const asked = new Set(said.filter(({ status }) => status === 200).map(({ name }) => name))
  for (const [name, { right }] of Object.entries(consoleQuestions))
    if (right === 'payloads')
      t.ok(
        said.filter((each) => each.name === name).every(({ status }) => status === 403),
        name,
      )
  t.ok(asked.has('replay') && asked.has('retry') && asked.has('event'), 'an operator replays and retries')
  t.ok(asked.has('routeText') && asked.has('routePreview'), 'and looks at routes')
  for (const name of ['asSample', 'asTest'])
    t.match(
      said.find((each) => each.name === name),
      { status: 409, text: /takes the right/ },
    )
  t.notMatch(await live.close(), canary, 'live')
  for (const criteria of [{ text: canary }, { field: [{ path: 'payload.name', value: canary }] }]) {
    const found = await send(origin, '/ask/events', { headers: operator, body: JSON.stringify(criteria) })
    t.match(found, { status: 409, text: /takes the right/ }, 'a search tells what it found')
  }
  const viewer = await signInAs(origin, proxied('vera', 'readers'))
  const seen = await walk(served, viewer, ids.slice(0, 1))
  for (const { name, status } of seen)
    t.equal(status === 403, consoleQuestions[name as keyof typeof consoleQuestions].right !== 'view', `${name} ${status}`)
  const reader = await signInAs(origin, proxied('rita', 'readers,see-all'))
  const all = (await walk(served, reader, ids)).filter(({ text }) => text.includes(canary)).map(({ name }) => name)
  t.ok(new Set(all).size >= 4, `the right to payloads shows them: ${all}`)
  const lines = linesIn(gateway.dir, 'state/audit.jsonl').map((line) => JSON.parse(line))
  const acted = lines.filter(({ action }) => action !== 'sign_in')
  t.ok(acted.length > 0 && acted.every(({ by }) => by === 'forward:olga'), 'the audit has who acted, and how that was known')
  const declared: { readonly [name: string]: { readonly audit?: QuestionAudit } & object } = consoleQuestions
  for (const [name, { audit }] of Object.entries(declared))
    if (asked.has(name) && typeof audit === 'object')
      t.ok(
        acted.some(({ action }) => action === audit.action),
        `the audit has ${name}`,
      )
  t.same(
    said.flatMap(({ hidden }) => hidden),
    [],
    'no file is changed without a line',
  )
  t.match(lines[0], { by: 'forward:olga', action: 'sign_in', on: { from: '127.0.0.1' } }, 'and who signed in')
})

t.test('the live traffic ends with the sign-in that opened it, and with no other', async (t) => {
  const gateway = await startGateway(t, folderOf(t))
  const { origin } = await startConsole(t, gateway.dir)
  const [leaving, staying] = [await signInAs(origin, proxied('lea', 'readers')), await signInAs(origin, proxied('lea', 'readers'))]
  const [left, stayed] = [listen(origin, leaving), listen(origin, staying)]
  await until(() => left.said() !== '' && stayed.said() !== '')
  await send(origin, '/ask/signOut', { headers: leaving })
  await until(() => !left.isOpen())
  t.ok(stayed.isOpen())
  const before = left.said()
  await gateway.post('hello', 'unseen', { body: '{"n":1}' })
  await until(() => stayed.said().includes('unseen'))
  t.equal(await left.close(), before)
  await stayed.close()
})

/** Opens the live traffic, and gathers what is said. */
const listen = (origin: string, headers: Headers) => {
  const url = new URL('/ask/live', origin)
  const gone = new AbortController()
  let said = ''
  let isOpen = true
  const read = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      const sent = request(url, { method: 'POST', headers, signal: gone.signal }, (response) => {
        response.on('data', (chunk: Buffer) => {
          said += chunk
        })
        response.on('end', () => resolve())
        response.on('error', () => resolve())
      })
      sent.on('error', () => resolve())
      sent.end('{}')
    })
  }
  const reading = read().then(() => {
    isOpen = false
  })
  return {
    said: () => said,
    isOpen: () => isOpen,
    async close() {
      gone.abort()
      await reading
      return said
    },
  }
}

const password = 'correct horse battery'
const passwordSettings = async () => ({
  public_origin: publicOrigin,
  proxies: ['127.0.0.0/8'],
  auth: { password: { ada: await hashPassword(password) }, roles: { operator: ['user:ada'] } },
})

t.test('a page that is opened as the last page leaves is not told that the gateway has ended', async (t) => {
  const gateway = await startGateway(t, folderOf(t))
  const { origin } = await startConsole(t, gateway.dir)
  const headers = await signInAs(origin, proxied('olga', 'ops'))
  for (let round = 0; round < 3; round++) {
    const page = listen(origin, headers)
    await until(() => page.said().includes('"init"'))
    t.notMatch(page.said(), '"off"')
    const next = page.close()
    if (round === 2) await next
  }
})

t.test('a password signs in; guesses are bounded, and tell nothing of who has one', async (t) => {
  const { origin } = await startConsole(t, folderOf(t, await passwordSettings()))
  const from = (address: string): Headers => ({ ...ofPage(publicOrigin), host: 'hooks.example.com', 'x-forwarded-for': address })
  const guess = (user: string, word: string, address: string): Promise<Asked> =>
    send(origin, '/ask/signIn', { headers: from(address), body: JSON.stringify({ user, password: word }) })
  const ada = await signInAs(origin, from('203.0.113.1'), JSON.stringify({ user: 'ada', password }))
  t.match(await send(origin, '/ask/overview', { headers: ada }), { status: 200, text: /"rights":\["view","operate"\]/ })
  const [wrong, unknown, inherited] = await Promise.all([
    guess('ada', 'wrong', '203.0.113.2'),
    guess('nobody', password, '203.0.113.2'),
    guess('constructor', password, '203.0.113.2'),
  ])
  t.match(wrong, { status: 401, text: /wrong user name or password/ })
  t.equal(unknown.text, wrong.text)
  t.equal(inherited.text, wrong.text)
  const guesses = await Promise.all(Array.from({ length: 14 }, (_, i) => guess('ada', `guess ${i}`, '203.0.113.3')))
  t.equal(guesses.filter(({ status }) => status === 401).length <= 10, true, 'few guesses of one client are looked at')
  t.equal(guesses.filter(({ status }) => status === 429).length >= 4, true)
  t.match(await guess('ada', password, '203.0.113.3'), { status: 429 })
  t.match(await guess('ada', password, '203.0.113.4'), { status: 200 }, 'another client is not kept out')
  t.match(await guess('ada', 'x'.repeat(2_000), '203.0.113.5'), { status: 401 })
  t.equal((await guess('ada', 'x'.repeat(5_000), '203.0.113.5')).status, 413)
  await Promise.all(Array.from({ length: 100 }, (_, i) => guess('ada', 'x', `198.51.100.${i}`)))
  t.match(await guess('ada', password, '203.0.113.6'), { status: 429 }, 'nor are the guesses of many clients without a bound')
  t.equal(await statusOf(origin, ada), 200, 'whoever is signed in stays so')
})

t.test('the sockets of strangers keep nobody out who is signed in', async (t) => {
  const served = await startConsole(t, folderOf(t))
  const { origin } = served
  const ada = await signInAs(origin, proxied('ada', ''))
  const live = listen(origin, ada)
  await until(() => live.said() !== '')
  const strangers = Array.from({ length: 1_000 }, (): Socket => connect(Number(new URL(origin).port), '127.0.0.1').on('error', () => {}))
  await Promise.all(strangers.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))))
  for (let i = 0; i < 10; i++) t.equal(await statusOf(origin, ada), 200)
  t.ok(live.isOpen(), 'what was open stays open')
  await until(() => strangers.filter(({ destroyed }) => !destroyed).length <= 256)
  await live.close()
  for (const socket of strangers) socket.destroy()
})

t.test('in a browser: a proxy signs in by itself, a password by a form; a viewer changes nothing', { ...needsChromium }, async (t) => {
  const port = await freePort()
  const own = `http://127.0.0.1:${port}`
  const dir = dataDir(t, { routes: { hello: { prompt: 'x' } }, config: { console: { ...settings, public_origin: own } } })
  const gateway = await startGateway(t, dir)
  await gateway.post('hello', '1', { body: '{}' })
  const { origin } = await startConsole(t, dir)
  await startProxy(t, port, origin, { 'x-headgate-secret': secret, 'x-user': 'vera', 'x-groups': 'readers' })
  const browser = await startBrowser(t)
  const { page, complaints } = await openPage(await browser.newContext())
  await page.goto(own)
  await page.getByRole('heading', { name: 'Live' }).waitFor()
  await page.getByRole('link', { name: 'Events', exact: true }).click()
  await page.locator('.event').first().waitFor()
  t.equal(await page.getByLabel('Text').count(), 0, 'no search in payloads')
  await page.locator('.event').first().click()
  await page.getByText('Attempts').first().waitFor()
  t.equal(await page.getByRole('button', { name: 'Replay…' }).count(), 0)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  t.same(complaints, [])

  const second = await freePort()
  const other = `http://127.0.0.1:${second}`
  const served = await startConsole(t, folderOf(t, { ...(await passwordSettings()), public_origin: other }))
  await startProxy(t, second, served.origin, {})
  const { page: form } = await openPage(await browser.newContext())
  await form.goto(other)
  await form.getByLabel('User name').fill('ada')
  await form.getByLabel('Password').fill('wrong')
  await form.keyboard.press('Enter')
  await form.getByText('wrong user name or password').waitFor()
  const { violations } = await new AxeBuilder({ page: form }).analyze()
  t.same(violations, [])
  await form.getByLabel('Password').fill(password)
  await form.keyboard.press('Enter')
  await form.getByRole('heading', { name: 'Live' }).waitFor()
})

t.test('what an identity provider is asked for and tells decides who signs in, and with which rights', async (t) => {
  const port = await freePort()
  const own = `http://127.0.0.1:${port}`
  const issuer = await startIdentityProvider(t, `${own}/sign-in/oidc/done`)
  const claims = { scopes: ['profile'], user_claim: 'nickname', groups_claim: 'teams' }
  const auth = { oidc: { issuer, client_id: clientId, client_secret: clientSecret, ...claims }, roles: { operator: ['team ops'] } }
  const served = await startConsole(t, folderOf(t, { public_origin: own, auth }))
  await startProxy(t, port, served.origin, {})
  const get = (url: string, cookie = '') => send(own, url, { method: 'GET', headers: { cookie } })
  /** Returns the address to which the console sends the browser back, and the cookie of that browser. */
  const signInWith = async (name: string) => {
    const begun = await get('/sign-in/oidc')
    const there = String(begun.headers.location)
    t.equal(new URL(there).searchParams.get('scope'), 'openid profile')
    const { headers } = await get(await signInByForms(there, name), cookieIn(begun))
    return { location: String(headers.location), cookie: cookieIn(begun) }
  }
  const { location, cookie } = await signInWith('ada')
  const code = JSON.stringify({ code: location.slice('/#code='.length) })
  const { text } = await send(own, '/ask/overview', { headers: await signInAs(own, { ...ofPage(own), cookie }, code) })
  t.match(text, /"the one called ada"/)
  t.match(text, /"rights":\["view","operate"\]/)
  t.match(await signInWith('mallory'), { location: '/#failed=role' })
})

t.test('an identity provider signs in, and only the browser that began there', { ...needsChromium }, async (t) => {
  const port = await freePort()
  const own = `http://127.0.0.1:${port}`
  const issuer = await startIdentityProvider(t, `${own}/sign-in/oidc/done`)
  const oidc = { issuer, client_id: clientId, client_secret: clientSecret, user_claim: 'preferred_username' }
  const auth = { oidc, roles: { operator: ['ops'] } }
  const served = await startConsole(t, folderOf(t, { public_origin: own, auth }))
  let isHolding = false
  /** The addresses to which the provider sent a browser back, and which went no further. */
  const held: string[] = []
  await startProxy(t, port, served.origin, {}, (url) => isHolding && url.startsWith('/sign-in/oidc/done') && held.push(url) > 0)
  const browser = await startBrowser(t)
  const signInAt = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('link', { name: `Sign in with ${new URL(issuer).host}` }).click()
    await signInAtProvider(page, name)
  }
  const { page, complaints } = await openPage(await browser.newContext())
  await page.goto(own)
  await signInAt(page, 'ada')
  await page.getByRole('heading', { name: 'Live' }).waitFor()
  await page.getByText('ada').waitFor()
  t.equal(new URL(page.url()).hash, '', 'the code is gone from the address')
  // The pages of the provider ask for a font from elsewhere.
  t.same(
    complaints.filter((each) => !each.includes('ERR_NAME_NOT_RESOLVED')),
    [],
  )

  const { page: stranger } = await openPage(await browser.newContext())
  await stranger.goto(own)
  await signInAt(stranger, 'mallory')
  await stranger.getByText('You have no role here').waitFor()

  const context = await browser.newContext()
  const { page: victim } = await openPage(context)
  await victim.goto(own)
  isHolding = true
  await signInAt(victim, 'ada')
  const back = await until(() => held.at(0))
  isHolding = false
  const get = (url: string, cookie = '') => send(own, url, { method: 'GET', headers: { cookie } })
  const [login] = (await context.cookies()).filter(({ name }) => name.includes('_login_'))
  const cookie = `${login?.name}=${login?.value}`
  t.match(await get(back), { status: 302, headers: { location: '/#failed=browser' } }, 'the address in a browser that did not begin')
  t.match((await get('/sign-in/oidc')).headers['set-cookie'], [/HttpOnly; SameSite=Lax/])
  const other = String((await send(own, '/sign-in/oidc', { method: 'GET' })).headers['set-cookie']?.[0]).split(';')[0]
  t.match(await get(back, other), { headers: { location: '/#failed=browser' } }, 'with the cookie of another sign-in')
  t.match(await get(back.replace(/state=[^&]*/, 'state=x'), cookie), { headers: { location: '/#failed=browser' } }, 'another state')
  const odd = encodeURIComponent('é'.repeat(43))
  t.match(
    await get(back.replace(/state=[^&]*/, `state=${odd}`), cookie),
    { headers: { location: '/#failed=browser' } },
    'a state of other letters',
  )
  t.match(await get(back.replace(/code=[^&]*/, 'code=x'), cookie), { headers: { location: '/#failed=provider' } }, 'another code')
  const done = await get(back, cookie)
  t.match(done.headers.location, /^\/#code=/)
  t.match(await get(back, cookie), { headers: { location: '/#failed=provider' } }, 'the code of the provider works once')
  const code = JSON.stringify({ code: String(done.headers.location).slice('/#code='.length) })
  t.match(await send(own, '/ask/signIn', { headers: ofPage(own), body: code }), { status: 401 }, 'our code in another browser')

  const begun = await send(own, '/sign-in/oidc', { method: 'GET' })
  const changing = await browser.newContext()
  const [name = '', value = ''] = cookieIn(begun).split('=')
  await changing.addCookies([{ name, value, url: own }])
  const { page: changed } = await openPage(changing)
  await changed.goto(String(begun.headers.location).replace(/nonce=[^&]*/, 'nonce=x'))
  await signInAtProvider(changed, 'ada')
  await changed.getByText('did not sign you in').waitFor()
  t.match(served.said(), /nonce/, 'another nonce')
  t.notMatch(served.said(), clientSecret)
})
