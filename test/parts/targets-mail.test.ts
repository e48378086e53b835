import t from 'tap'
import type { JsonObject } from '../../src/core/json.ts'
import { createKeep } from '../../src/parts/targets/delivery/keep.ts'
import { settingsOf } from '../../src/parts/targets/delivery/settings.ts'
import { targetsByName } from '../../src/parts/targets/index.ts'
import type { Outgoing, Sent } from '../../src/parts/targets/target.ts'
import { adopt } from '../fakes/adopt.ts'
import { fakeClock } from '../fakes/clock.ts'
import { type MailHost, mailHost, selfSigned, tcpHost } from '../fakes/mail.ts'
import { ownComments } from '../fakes/own-comments.ts'
import { closedOrigin, json, type Seen, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const keep = createKeep(adopt)

const clock = fakeClock(1_700_000_000_000)

type SendOptions = Partial<Outgoing> & { readonly settings?: JsonObject; readonly env?: { readonly [name: string]: string } }

const send = async (target: string, extra: JsonObject, { settings = {}, env = {}, ...more }: SendOptions = {}): Promise<Sent> => {
  const part = targetsByName.get(target)
  if (!part) throw new Error(`no target ${target}`)
  const about = { text: 'hello', profile: 'default', route: 'builds', deliveryId: 'd1', position: 0, budgetMs: 20_000 }
  const platform = part.platform ?? target.replace(/_comment$/, '')
  return part.send(
    { ...about, delivery: { target, extra }, ...more },
    { settings: settingsOf(part, { [platform]: settings }, env), env, log: () => {}, clock, keep, mark: ownComments.mark },
  )
}

const reported = (target: string, extra: JsonObject): string[] => {
  const found: string[] = []
  targetsByName.get(target)?.check?.(extra, (code, path) => found.push(`${code} ${path.join('.')}`))
  return found
}

const refusal = (responseCode: number, message: string): Error => Object.assign(new Error(message), { responseCode })
const final = { ok: false, repeatable: false }
const again = { ok: false, repeatable: true }

// ---- email

const password = 'canary-mail-password'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const me = 'gate@example.org'
const to = { chat_id: 'ops@example.net' }
const at = ({ port }: { readonly port: number }, more: JsonObject = {}): JsonObject => ({
  address: me,
  smtp_host: '127.0.0.1',
  smtp_port: port,
  ...more,
})

t.test('email', async (t) => {
  const tls = selfSigned(t)
  const trusting = { smtp_ca_file: tls.file }
  const known: { readonly [user: string]: string } = { [me]: password, 'other@example.org': 'canary-other-password' }
  const guarded = {
    key: tls.key,
    cert: tls.cert,
    authOptional: false,
    onAuth: ({ username = '', password: given = '' }, _session, done) =>
      known[username] === given
        ? done(null, { user: username })
        : done(refusal(535, `Bad credentials ${[given, base64(String(given)), base64(`\0${me}\0${given}`)].join(' ')}`)),
  } satisfies Parameters<typeof mailHost>[1]
  const open = (options: Parameters<typeof mailHost>[1] = {}): Promise<MailHost> => mailHost(t, { hideSTARTTLS: true, ...options })

  t.test('over STARTTLS, with a password: envelope, headers and text', async (t) => {
    const host = await mailHost(t, guarded)
    const text = `Grüße 😀\n.\n..dots\nFrom here\n${'x'.repeat(2_000)}\ud800\0 =3D end`
    const sent = await send(
      'email',
      { ...to, subject: 'Bäu 7: ok' },
      { text, settings: at(host, { password, ...trusting, smtp_security: 'starttls' }) },
    )
    t.same(sent, { ok: true, detail: 'to ops@example.net' })
    t.equal(host.mails.length, 1)
    const [mail] = host.mails
    t.match(mail, { from: me, to: ['ops@example.net'], user: me, encrypted: true })
    t.equal(mail?.text.replaceAll('\r\n', '\n').trimEnd(), text.replace('\ud800', '\ufffd').replace('\0', '\ufffd'))
    t.equal(mail?.headers.get('from'), me)
    t.equal(mail?.headers.get('to'), 'ops@example.net')
    t.match(mail?.headers.get('subject'), /^=\?UTF-8\?Q\?B=C3=A4u_7=3A_ok\?=$/i)
    t.equal(mail?.headers.get('auto-submitted'), 'auto-generated')
    t.match(mail?.raw ?? '', /^[\t\r\n -~]*$/, 'seven bits')
    t.ok(mail?.raw.split('\r\n').every((line) => line.length < 80))
    t.equal(mail?.headers.get('date'), 'Tue, 14 Nov 2023 22:13:20 +0000')
    t.match(mail?.headers.get('message-id'), /^<[0-9a-f]{40}@example\.org>$/)
    t.notOk(mail?.headers.has('in-reply-to'))
    t.notMatch(mail?.raw, /canary/)
  })

  t.test('over TLS from the first byte, and by the names of the environment', async (t) => {
    const host = await mailHost(t, { ...guarded, secure: true })
    const env = {
      EMAIL_ADDRESS: me,
      EMAIL_PASSWORD: password,
      EMAIL_SMTP_HOST: '127.0.0.1',
      EMAIL_SMTP_PORT: String(host.port),
      EMAIL_SMTP_SECURITY: 'tls',
      EMAIL_SMTP_CA_FILE: tls.file,
      EMAIL_HOME_ADDRESS: 'home@example.net',
    }
    t.match(await send('email', {}, { env }), { ok: true, detail: 'to home@example.net' })
    t.match(host.mails, [{ to: ['home@example.net'], user: me, encrypted: true }])
    t.equal(host.mails[0]?.headers.get('subject'), 'builds', 'the route is the subject where there is none')
  })

  t.test('a password goes nowhere in the clear, and to nobody whose certificate is not trusted', async (t) => {
    const passwords: string[] = []
    const listening = {
      onAuth: ({ password: given }, _session, done) => done(null, { user: passwords.push(given ?? '') }),
    } satisfies Parameters<typeof mailHost>[1]
    const plain = await open({ ...listening, allowInsecureAuth: true, disabledCommands: ['STARTTLS'] })
    const unencrypted = { ok: false, why: /does not do STARTTLS here: set platforms\.email\.smtp_security/ }
    t.match(await send('email', to, { settings: at(plain, { password }) }), unencrypted)
    t.match(await send('email', to, { settings: at(plain, { password, smtp_security: 'starttls' }) }), unencrypted)
    const late = { ...again, why: /does not begin with TLS on this port: set platforms\.email\.smtp_security/ }
    t.match(await send('email', to, { settings: at(plain, { password, smtp_security: 'tls' }) }), late)
    const untrusted = await mailHost(t, { ...listening, key: tls.key, cert: tls.cert })
    t.match(await send('email', to, { settings: at(untrusted, { password }) }), { ...again, why: /certificate.*smtp_ca_file/i })
    const misnamed = at(untrusted, { password, smtp_host: 'localhost', smtp_ca_file: tls.file })
    t.match(await send('email', to, { settings: misnamed }), { ...again, why: /altnames|certificate/i }, 'the name of another')
    t.same([passwords, plain.mails, untrusted.mails], [[], [], []])
    t.match(await send('email', to, { settings: at(plain, { password, smtp_security: 'none' }) }), { ok: true }, 'but where it is said')
    t.same(passwords, [password])
  })

  t.test('a relay without a password takes it as it is, encrypted where it offers that', async (t) => {
    const plain = await open()
    t.match(await send('email', to, { settings: at(plain) }), { ok: true })
    t.match(plain.mails, [{ user: undefined, encrypted: false }])
    const offering = await mailHost(t, { key: tls.key, cert: tls.cert })
    t.match(await send('email', to, { settings: at(offering, trusting) }), { ok: true })
    t.match(offering.mails, [{ encrypted: true }])
    t.match(await send('email', to, { settings: at(offering, { smtp_security: 'none' }) }), { ok: true }, 'in the clear where that is said')
    t.match(offering.mails[1], { encrypted: false })
  })

  t.test('refused credentials are final, and never told', async (t) => {
    const host = await mailHost(t, guarded)
    for (const method of ['PLAIN', 'LOGIN']) {
      const picky = await mailHost(t, { ...guarded, authMethods: [method] })
      const sent = await send('email', to, { settings: at(picky, { password: 'canary-wrong', ...trusting }) })
      t.match(sent, { ...final, why: /535 .*Bad credentials \*\*\* \*\*\* \*\*\*/ }, method)
      t.notMatch(sent, { why: /canary/ })
    }
    const without = await open({ disabledCommands: ['AUTH'] })
    const asking = await send('email', to, { settings: at(without, { password, smtp_security: 'none' }) })
    t.match(
      asking,
      { ...final, why: /offers no login: unset platforms\.email\.password \(EMAIL_PASSWORD\)/ },
      'nobody there to ask for one',
    )
    t.same(without.mails, [])
    t.match(await send('email', to, { settings: at(host, trusting) }), { ...final, why: /530/ }, 'none at all')
    t.same(host.mails, [])
  })

  t.test('profiles have their own credentials', async (t) => {
    const host = await mailHost(t, guarded)
    const other = { address: 'other@example.org', password: 'canary-other-password' }
    const sent = await Promise.all([
      send('email', to, { profile: 'a', settings: at(host, { password, ...trusting }) }),
      send('email', to, { profile: 'b', settings: at(host, { ...trusting, ...other }) }),
      send('email', to, { profile: 'c', settings: at(host, { password: other.password, ...trusting }) }),
      send('email', to, { profile: 'd', settings: at(host, { password, user: me, ...trusting, address: 'alias@example.org' }) }),
    ])
    t.match(sent, [{ ok: true }, { ok: true }, final, { ok: true }])
    const seen = host.mails.map(({ user, from }) => `${user} ${from}`).sort()
    t.same(seen, [`${me} alias@example.org`, `${me} ${me}`, 'other@example.org other@example.org'])
    t.equal(new Set(host.mails.map(({ headers }) => headers.get('message-id'))).size, 3)
  })

  t.test('what the server says of sender, recipient and text: 4xx may be repeated, 5xx not', async (t) => {
    const stages = ['onMailFrom', 'onRcptTo', 'onData'] as const
    for (const stage of stages) {
      for (const [code, expected] of [
        [451, again],
        [550, final],
      ] as const) {
        const refuse = (first: { resume?: () => void }, _session: unknown, done: (error: Error) => void): void => {
          first.resume?.()
          done(refusal(code, 'not\r\nnow'))
        }
        const host = await open({ [stage]: refuse })
        t.match(await send('email', to, { settings: at(host) }), { ...expected, why: new RegExp(`^${code} `) }, `${stage} ${code}`)
      }
    }
  })

  t.test('some recipients refused: it is told who, and nobody gets it twice', async (t) => {
    const codes: { readonly [address: string]: number } = { 'gone@example.net': 550, 'busy@example.net': 451 }
    const host = await open({
      onRcptTo: ({ address }, _session, done) => done(codes[address] === undefined ? null : refusal(codes[address], 'sorry')),
    })
    const settings = at(host)
    t.match(await send('email', { chat_id: ['ops@example.net', ' gone@example.net'] }, { settings }), {
      ...final,
      why: /^sent to 1 of 2 addresses; refused: gone@example\.net \(550 .*sorry\)$/,
    })
    t.match(await send('email', { chat_id: ['ops@example.net', 'busy@example.net'] }, { settings }), {
      ...final,
      why: /^sent to 1 of 2 .*busy@/,
    })
    t.equal(host.mails.length, 2)
    t.match(await send('email', { chat_id: 'gone@example.net' }, { settings }), { ...final, why: /550/ }, 'all of them')
    t.match(
      await send('email', { chat_id: ['gone@example.net', 'busy@example.net'] }, { settings }),
      again,
      'of whom one may take it later',
    )
    t.equal(host.mails.length, 2)
    t.match(await send('email', { chat_id: ['a@example.net', 'b@example.net', ' a@example.net'] }, { settings }), {
      ok: true,
      detail: 'to 2 addresses',
    })
    t.same(host.mails[2]?.to, ['a@example.net', 'b@example.net'])
  })

  t.test('a larger mail than the server takes is final', async (t) => {
    const host = await open({ size: 10_000 })
    t.match(await send('email', to, { text: 'x'.repeat(20_000), settings: at(host) }), { ...final, why: /larger/ })
    t.same(host.mails, [])
  })

  t.test('no connection, no greeting, nonsense: nothing was sent, so it may be repeated', async (t) => {
    const { port } = new URL(await closedOrigin())
    t.match(await send('email', to, { settings: at({ port: Number(port) }) }), { ...again, why: /ECONNREFUSED/ })
    const meetings = [
      () => {},
      (socket) => socket.end(),
      (socket) => socket.write('HTTP/1.1 400\r\n\r\n'),
      (socket) => socket.write('421 later\r\n'),
    ] satisfies Parameters<typeof tcpHost>[1][]
    for (const meet of meetings) {
      let isLeft = false
      const port = await tcpHost(t, (socket) => {
        socket.on('close', () => {
          isLeft = true
        })
        meet(socket)
      })
      t.match(await send('email', to, { budgetMs: 300, settings: at({ port }) }), again)
      await until(() => isLeft)
    }
    const dripping = await tcpHost(t, (socket) => {
      const drip = setInterval(() => socket.write('220-still\r\n'), 20)
      socket.on('close', () => clearInterval(drip))
    })
    t.match(await send('email', to, { budgetMs: 300, settings: at({ port: dripping }) }), again, 'a greeting that never ends')
    const slow = await open({ onRcptTo: () => {} })
    t.match(await send('email', to, { budgetMs: 300, settings: at(slow) }), again, 'silent before the text')
  })

  t.test('silence or an end after the text was on its way: it may have arrived', async (t) => {
    const silent = await open({ onData: (stream) => stream.resume() })
    t.match(await send('email', to, { budgetMs: 400, settings: at(silent) }), { ...final, why: 'took too long' })
    const port = await tcpHost(t, (socket) => {
      socket.write('220 hi\r\n')
      socket.on('data', (chunk) => {
        const said = chunk.toString()
        if (/^DATA/m.test(said)) socket.write('354 go\r\n')
        else if (/^\.\r\n$/m.test(said)) socket.destroy()
        else for (const _ of said.matchAll(/^(?:EHLO|MAIL|RCPT)/gm)) socket.write('250 fine\r\n')
      })
    })
    t.match(await send('email', to, { settings: at({ port }) }), { ...final, why: /closed/ })
  })

  t.test('a server that does not answer the goodbye is left all the same', async (t) => {
    let isLeft = false
    const port = await tcpHost(t, (socket) => {
      socket.on('close', () => {
        isLeft = true
      })
      socket.write('220 hi\r\n')
      socket.on('data', (chunk) => {
        const said = chunk.toString()
        if (/^DATA/m.test(said)) socket.write('354 go\r\n')
        else if (/^\.\r\n$/m.test(said)) socket.write('250 taken\r\n')
        else for (const _ of said.matchAll(/^(?:EHLO|MAIL|RCPT)/gm)) socket.write('250 fine\r\n')
      })
    })
    t.match(await send('email', to, { settings: at({ port }) }), { ok: true })
    await until(() => isLeft)
    t.ok(isLeft)
  })

  t.test('the same mail has the same Message-ID, another one another', async (t) => {
    const host = await open()
    const settings = at(host)
    for (const more of [{}, {}, { deliveryId: 'd2' }, { route: 'other' }, { profile: 'other' }, { job: 'j' }, { position: 1 }])
      await send('email', to, { settings, ...more })
    await send('email', { chat_id: 'else@example.net' }, { settings })
    const ids = host.mails.map(({ headers }) => headers.get('message-id'))
    t.equal(ids.length, 8)
    t.equal(ids[0], ids[1])
    t.equal(new Set(ids).size, 7)
  })

  t.test('thread_id answers a mail; what is no Message-ID goes nowhere', async (t) => {
    const host = await open()
    const settings = at(host)
    for (const id of ['<a.b+1@mx.example.net>', 'a.b+1@mx.example.net'])
      t.match(await send('email', { ...to, thread_id: id }, { settings }), { ok: true })
    for (const { headers } of host.mails) {
      t.equal(headers.get('in-reply-to'), '<a.b+1@mx.example.net>')
      t.equal(headers.get('references'), '<a.b+1@mx.example.net>')
    }
    for (const id of ['nonsense', '<a@b> <c@d>', '<a@b>\r\nBcc: x@y', '{message_id}', '<a@b', '@']) {
      const { length } = host.mails
      const sent = await send('email', { ...to, thread_id: id }, { settings })
      if (id === '<a@b') t.equal(host.mails.length, length + 1)
      else t.match(sent, { ...final, why: /thread_id/ }, JSON.stringify(id))
    }
    t.equal(host.mails.length, 3)
  })

  t.test('a subject makes one header, whatever is in it', async (t) => {
    const host = await open()
    const subjects = ['a\r\nBcc: x@y.org', 'a\nBcc: x@y.org', 'a\rBcc: x@y.org', 'a\u2028Bcc: x@y.org', 'a\0 \t Bcc: x@y.org']
    for (const subject of subjects) {
      t.match(await send('email', { ...to, subject }, { settings: at(host) }), { ok: true })
      t.match(host.mails.at(-1), { to: ['ops@example.net'] })
      t.same(
        [...(host.mails.at(-1)?.headers.keys() ?? [])].filter((name) => name === 'bcc'),
        [],
      )
      t.equal(host.mails.at(-1)?.headers.get('subject'), 'a Bcc: x@y.org')
    }
    t.match(await send('email', { ...to, subject: 'x'.repeat(10_000) }, { settings: at(host) }), { ok: true })
    t.equal(host.mails.at(-1)?.headers.get('subject')?.length, 200)
    t.match(await send('email', { ...to, subject: ' \n ' }, { settings: at(host), job: 'nightly' }), { ok: true })
    t.equal(host.mails.at(-1)?.headers.get('subject'), 'nightly')
  })

  t.test('only plain addresses are written to', async (t) => {
    const host = await open()
    const bad = [
      'a@b.c\r\nBcc: x@y.z',
      'a@b.c\nRCPT TO:<x@y.z>',
      'Name <a@b.c>',
      '<a@b.c>',
      '"x@y.z"@b.c',
      '"a b"@b.c',
      'a@b.c x@y.z',
      'a@b.c;x@y.z',
      'a@b.c,x@y.z',
      'a@@b.c',
      'a@b..c',
      'x%y.z@b.c',
      'y.z!x@b.c',
      'a@-b.c',
      'a@[127.0.0.1]',
      '.a@b.c',
      'a(x)@b.c',
      '{user.email}',
      'a{b}@c.d',
      'a@{host}',
      'ä@b.c',
      'nobody',
      '',
      ' ',
      'a@b.c,',
      ',',
      `${'x'.repeat(65)}@b.c`,
      `a@${'x.'.repeat(130)}c`,
    ]
    for (const chat_id of [...bad, 7, true, null, {}, [], ['a@b.c', 7], [['a@b.c']]]) {
      t.match(await send('email', { chat_id }, { settings: at(host) }), final, JSON.stringify(chat_id))
    }
    const many = Array.from({ length: 21 }, (_, i) => `u${i}@b.c`)
    t.match(await send('email', { chat_id: many }, { settings: at(host) }), { ...final, why: /more than 20/ })
    t.match(await send('email', {}, { settings: at(host) }), { ...final, why: /home_channel/ })
    t.match(await send('email', {}, { settings: at(host, { home_channel: 'Name <a@b.c>' }) }), final)
    t.match(await send('email', to, { text: ' \n', settings: at(host) }), { ...final, why: 'the text is empty' })
    t.same(host.mails, [])
    t.match(await send('email', { chat_id: "o'neil+tag@mail.example.net" }, { settings: at(host) }), { ok: true })
    t.same(reported('email', { chat_id: 'Name <a@b.c>' }), ['WH707 chat_id'])
    t.same(
      [{}, to, { chat_id: '{user.email}' }, { chat_id: ['{a}', 'b'] }].flatMap((extra) => reported('email', extra)),
      [],
    )
  })

  t.test('settings that are missing or wrong are told', async (t) => {
    const host = await open()
    t.match(await send('email', to), { ...final, why: 'not connected: set platforms.email.address, smtp_host' })
    t.match(await send('email', to, { settings: { address: me } }), { ...final, why: 'not connected: set platforms.email.smtp_host' })
    const wrong: JsonObject[] = [
      { address: 'Gate <gate@example.org>' },
      { address: 'gate' },
      { smtp_host: 'mail example' },
      { smtp_host: 'a/b' },
      { smtp_port: 0 },
      { smtp_port: 70_000 },
      { smtp_port: 'smtp' },
      { smtp_security: 'ssl' },
      { smtp_security: 'offered' },
      { smtp_ca_file: 'relative.pem' },
      { smtp_ca_file: `${tls.file}.gone` },
    ]
    for (const one of wrong) {
      const [key = ''] = Object.keys(one)
      t.match(await send('email', to, { settings: at(host, one) }), { ...final, why: new RegExp(`platforms\\.email\\.${key} `) }, key)
    }
    t.same(host.mails, [])
  })
})

// ---- gitlab_comment

const note = { project: 'group/sub/project', iid: '7', kind: 'merge_request' }
const gitlabToken = 'glpat-canary-token'
/** Without the mark that a repeat of our own comment is known by. */
const unmarked = (body: string): string => body.replace(/\n\n<!-- headgate:[0-9a-f]{40} -->$/, '')

t.test('gitlab_comment', async (t) => {
  /** Refuses what GitLab would. */
  const answer = (response: Parameters<typeof json>[0], { method, url, headers, body }: Seen): void => {
    const place = /^\/api\/v4\/projects\/(?:group%2Fsub%2Fproject|42)\/(?:merge_requests|issues)\/7\/notes$/
    const sent = headers['content-type']?.startsWith('application/json') ? JSON.parse(body) : {}
    if (headers['private-token'] !== gitlabToken) json(response, 401, { message: '401 Unauthorized' })
    else if (method !== 'POST' || !place.test(url)) json(response, 404, { message: '404 Project Not Found' })
    else if (typeof sent.body !== 'string' || sent.body === '') json(response, 400, { error: 'body is missing' })
    else if (sent.body.length > 1_000_000) json(response, 400, { message: { note: ['is too long'] } })
    else if (/^\/\p{L}/mu.test(sent.body)) json(response, 202, { commands_changes: { state_event: 'close' } })
    else json(response, 201, { id: 301, body: sent.body })
  }
  let next: ((response: Parameters<typeof json>[0]) => void) | undefined
  const { seen, origin } = await sink(t, (response, one) => (next ? next(response) : answer(response, one)))
  const settings = { token: gitlabToken, api_base: `${origin}/` }
  const last = (): Seen | undefined => seen.at(-1)

  t.test('a note on a merge request or an issue, of a project by path or id', async (t) => {
    for (const [project, shown] of [
      ['group/sub/project', 'group%2Fsub%2Fproject'],
      ['42', '42'],
      [42, '42'],
    ] as const) {
      for (const [kind, part] of [
        ['merge_request', 'merge_requests'],
        ['issue', 'issues'],
      ] as const) {
        t.same(await send('gitlab_comment', { project, kind, iid: 7 }, { settings }), { ok: true, detail: 'note 301' })
        t.equal(last()?.url, `/api/v4/projects/${shown}/${part}/7/notes`)
      }
    }
    t.match(await send('gitlab_comment', note, { settings: { api_base: origin }, env: { GITLAB_TOKEN: gitlabToken } }), { ok: true })
    t.match(await send('gitlab_comment', note, { settings: { token: gitlabToken }, env: { GITLAB_HOST: origin } }), { ok: true })
  })

  t.test('quick actions and mentions are broken, unless the settings let them be', async (t) => {
    for (const text of ['/close', 'hi\n/merge', ' /assign @root', '@all', '&#64;root']) {
      t.match(await send('gitlab_comment', note, { text, settings }), { ok: true })
      const { body } = JSON.parse(last()?.body ?? '{}')
      t.notMatch(body, /^\s*\/\w|(?:@|&#64;)\w/m, text)
      t.equal(unmarked(body).replaceAll('\u200b', ''), text)
    }
    t.match(await send('gitlab_comment', note, { text: 'see @root', settings: { ...settings, mentions: true } }), { ok: true })
    t.equal(unmarked(JSON.parse(last()?.body ?? '{}').body), 'see @root')
    t.match(await send('gitlab_comment', note, { text: `${'x'.repeat(1_100_000)}`, settings }), { ok: true })
    t.match(unmarked(JSON.parse(last()?.body ?? '{}').body), /x\n\n\[cut: .*\]$/)
  })

  t.test('what is no project, number or kind goes nowhere', async (t) => {
    const { length } = seen
    const wrong: JsonObject[] = [
      ...[
        '',
        'project',
        'a/..',
        '../a',
        'a/./b',
        'a/../../user',
        '/a/b',
        'a/b/',
        'a//b',
        'a/b?x',
        'a%2fb',
        'a b/c',
        '{project.path}',
        '0',
        '-1',
        `${'a'.repeat(255)}/b`,
      ].map((project) => ({ project })),
      ...['', '0', '-1', '1.5', '1e3', '{iid}', '7/../8', '7\n'].map((iid) => ({ iid })),
      ...['', 'mr', 'commit', 'constructor', '__proto__', '{object_kind}'].map((kind) => ({ kind })),
      { project: null },
      { iid: [7] },
      { kind: true },
    ]
    for (const one of wrong) t.match(await send('gitlab_comment', { ...note, ...one }, { settings }), final, JSON.stringify(one))
    t.match(await send('gitlab_comment', {}, { settings }), final)
    t.match(await send('gitlab_comment', note, { text: ' ', settings }), { ...final, why: 'the text is empty' })
    t.match(await send('gitlab_comment', note, { settings: { token: gitlabToken, host: 'a b' } }), {
      ...final,
      why: /platforms\.gitlab\.host/,
    })
    t.match(await send('gitlab_comment', note), { ...final, why: 'not connected: set platforms.gitlab.token' })
    t.equal(seen.length, length)
    t.same(reported('gitlab_comment', { project: 'x', iid: '#7', kind: 'mr' }), ['WH707 project', 'WH707 iid', 'WH707 kind'])
    t.same(reported('gitlab_comment', { project: '{project.path_with_namespace}', iid: '{object_attributes.iid}', kind: 'issue' }), [])
  })

  t.test('what GitLab says of a failure, and which of them may be repeated', async (t) => {
    const denied = await send('gitlab_comment', note, { settings: { ...settings, token: 'glpat-canary-wrong' } })
    t.match(denied, { ...final, why: 'HTTP 401: 401 Unauthorized' })
    t.match(await send('gitlab_comment', { ...note, iid: 8 }, { settings }), { ...final, why: /404 Project Not Found/ })
    const { TZ } = process.env
    process.env.TZ = 'America/New_York'
    t.teardown(() => {
      if (TZ === undefined) delete process.env.TZ
      else process.env.TZ = TZ
    })
    const cases: [number, object | string, { [name: string]: string }, object][] = [
      [429, { message: 'This endpoint has been requested too many times' }, { 'retry-after': '7' }, { ...again, retryAfterMs: 7_000 }],
      [503, 'busy', { 'retry-after': '2' }, { ...again, retryAfterMs: 2_000 }],
      [503, 'busy', { 'retry-after': 'Tue, 14 Nov 2023 22:14:20 GMT' }, { ...again, retryAfterMs: 60_000 }],
      [503, 'busy', { 'retry-after': 'Tuesday, 14-Nov-23 22:14:20 GMT' }, { ...again, retryAfterMs: 60_000 }],
      [503, 'busy', { 'retry-after': 'Tue Nov 14 22:14:20 2023' }, { ...again, retryAfterMs: 60_000 }],
      [500, { message: '500 Internal Server Error' }, {}, final],
      [400, { message: { note: [`bad ${gitlabToken}`] } }, {}, { ...final, why: 'HTTP 400: {"note":["bad ***"]}' }],
      [400, `{"message":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, {}, { ...final, why: 'HTTP 400: …' }],
      [202, { commands_changes: {} }, {}, final],
      [201, '<html>', {}, final],
      [302, '', { location: `${origin}/elsewhere` }, final],
    ]
    for (const [status, body, headers, expected] of cases) {
      next = (response) =>
        typeof body === 'string' ? response.writeHead(status, headers).end(body) : json(response, status, body, headers)
      t.match(await send('gitlab_comment', note, { settings, budgetMs: 2_000 }), expected, String(status))
    }
    next = () => {}
    t.match(await send('gitlab_comment', note, { budgetMs: 150, settings }), final, 'no answer: it may be there')
    next = undefined
    t.match(await send('gitlab_comment', note, { settings: { ...settings, api_base: await closedOrigin() } }), again)
    t.notOk(seen.some(({ url }) => url === '/elsewhere'))
  })
})

// ---- what the contract of the platforms cannot show of the others

/** The forms or JSON bodies that one target sent, answered as told. */
const posting = async (reply: (response: Parameters<typeof json>[0]) => void) => {
  const { seen, origin } = await sink(t, (response) => reply(response))
  return { origin, seen, form: () => new URLSearchParams(seen.at(-1)?.body), sent: () => JSON.parse(seen.at(-1)?.body ?? '{}') }
}

t.test('sms', async (t) => {
  const twilio = { account_sid: 'AC1', auth_token: 'canary-token' }
  const chat = { chat_id: '+15552223333' }

  t.test('Twilio: a messaging service instead of a number', async (t) => {
    const { origin, form } = await posting((response) => json(response, 201, { sid: 'SM1', status: 'accepted', error_code: null }))
    t.match(await send('sms', chat, { settings: { ...twilio, messaging_service_sid: 'MG1', api_base: origin } }), { ok: true })
    t.equal(form().get('MessagingServiceSid'), 'MG1')
    t.notOk(form().has('From'))
  })

  t.test('Twilio: accepted and given up at once is a failure', async (t) => {
    const settings = (api_base: string) => ({ ...twilio, phone_number: '+15550001111', api_base })
    const bodies = [
      { sid: 'x', status: 'failed' },
      { sid: 'x', status: 'undelivered' },
      { sid: 'x', status: 'queued', error_code: 30007 },
      { status: 'queued' },
      {},
    ]
    const { origin } = await posting((response) => json(response, 200, { sid: 'x', status: 'queued' }))
    t.match(await send('sms', chat, { settings: settings(origin) }), final, '200 is what a look-up answers')
    for (const body of bodies) {
      const { origin } = await posting((response) => json(response, 201, body))
      t.match(await send('sms', chat, { settings: settings(origin) }), final, JSON.stringify(body))
    }
  })

  t.test('Twilio: an error that quotes the credentials does not show them', async (t) => {
    const { origin } = await posting((response) => json(response, 401, { code: 1, message: `no ${response.req.headers.authorization}` }))
    const sent = await send('sms', chat, { settings: { ...twilio, phone_number: '+15550001111', api_base: origin } })
    t.match(sent, { ok: false, why: 'HTTP 401: 1 no Basic ***' })
  })

  t.test('Vonage: plain letters as text, anything else as Unicode', async (t) => {
    const { origin, form } = await posting((response) => json(response, 200, { messages: [{ status: '0' }, { status: '0' }] }))
    const settings = { provider: 'Vonage', api_key: 'k', api_secret: 'canary-secret', from: '+15550001111', api_base: origin }
    for (const [text, type] of [
      ['Hello @ {home} [1] ~ €5 äöü ß', 'text'],
      ['Grüße 😀', 'unicode'],
      ['ç', 'unicode'],
      ['`', 'unicode'],
      ['a\tb', 'unicode'],
    ] as const) {
      t.match(await send('sms', chat, { text, settings }), { ok: true })
      t.equal(form().get('type'), type, text)
      t.same([form().get('from'), form().get('to')], ['15550001111', '15552223333'])
    }
  })

  t.test('Vonage: some segments sent, or all of them throttled', async (t) => {
    const vonage = { provider: 'vonage', api_key: 'k', api_secret: 'canary-secret', from: 'Gate' }
    const cases: [object, object][] = [
      [{ messages: [{ status: '0' }, { status: '1', 'error-text': 'Throttled' }] }, { ...final, why: '1 of 2 segments sent: 1 Throttled' }],
      [{ messages: [{ status: '1', 'error-text': 'Throttled' }, { status: '1' }] }, again],
      [{ messages: [{ status: '1' }, { status: '9' }] }, final],
      [{ messages: [] }, final],
      [{ messages: [{}] }, final],
      [{ messages: ['0'] }, final],
    ]
    for (const [body, expected] of cases) {
      const { origin } = await posting((response) => json(response, 200, body))
      t.match(await send('sms', chat, { settings: { ...vonage, api_base: origin } }), expected, JSON.stringify(body))
    }
  })

  t.test('the provider decides which settings are missing', async (t) => {
    t.match(await send('sms', chat), { ...final, why: 'not connected: set platforms.sms.account_sid, auth_token, phone_number' })
    t.match(await send('sms', chat, { settings: twilio }), { ...final, why: 'not connected: set platforms.sms.phone_number' })
    t.match(await send('sms', chat, { settings: { ...twilio, phone_number: '+1' }, env: { SMS_PROVIDER: 'vonage' } }), {
      ...final,
      why: 'not connected: set platforms.sms.api_key, api_secret, from',
    })
    t.match(await send('sms', chat, { settings: { ...twilio, provider: 'constructor' } }), {
      ...final,
      why: /provider is not twilio or vonage/,
    })
    for (const chat_id of ['5552223333', '+0123456789', '+1555222333344445', 'whatsapp:+15552223333', '+1 555 222 3333'])
      t.match(await send('sms', { chat_id }, { settings: { ...twilio, phone_number: '+1' } }), { ...final, why: /country code/ })
  })
})

t.test('ntfy', async (t) => {
  const taken = (response: Parameters<typeof json>[0]): void => json(response, 200, { id: 'x', event: 'message' })

  t.test('title, priority, tags, address to open and markdown', async (t) => {
    const { origin, sent, seen } = await posting(taken)
    const settings = { server_url: `${origin}/`, topic: 'alerts', markdown: true }
    const extra = { title: `Bäu\n${'x'.repeat(400)}`, priority: 4, tags: 'warning, skull', click: 'https://ci.example/7' }
    t.match(await send('ntfy', extra, { settings }), { ok: true, detail: 'to alerts' })
    t.match(sent(), {
      topic: 'alerts',
      message: 'hello',
      priority: 4,
      tags: ['warning', 'skull'],
      click: 'https://ci.example/7',
      markdown: true,
    })
    t.type(sent().priority, 'number')
    t.equal(sent().title.length, 250)
    t.same([seen[0]?.url, seen[0]?.headers.authorization], ['/', undefined])
    await send('ntfy', { chat_id: 'else' }, { settings: { ...settings, markdown: 'false' } })
    t.same(sent(), { topic: 'else', message: 'hello' })
  })

  t.test('no image is loaded where Markdown is shown; plain text stays as it is', async (t) => {
    const { origin, sent } = await posting(taken)
    const settings = { server_url: origin, topic: 'alerts' }
    const text = 'see ![a](https://evil.example/?q=1)'
    t.match(await send('ntfy', {}, { settings: { ...settings, markdown: true }, text }), { ok: true })
    t.equal(sent().message, 'see !\u200b[a](https://evil.example/?q=1)')
    t.match(await send('ntfy', {}, { settings, text }), { ok: true })
    t.equal(sent().message, text)
  })

  t.test('half a character in a title is replaced, as in a text', async (t) => {
    const { origin, sent } = await posting(taken)
    t.match(await send('ntfy', { title: 'a\ud800' }, { settings: { server_url: origin, topic: 'a' }, text: 'b\ud800' }), { ok: true })
    t.match(sent(), { title: 'a\ufffd', message: 'b\ufffd' })
  })

  t.test('the topic to publish to wins over the one that is listened to', async (t) => {
    const { origin, sent } = await posting(taken)
    const env = { NTFY_TOPIC: 'in', NTFY_PUBLISH_TOPIC: 'out' }
    t.match(await send('ntfy', {}, { settings: { server_url: origin }, env }), { ok: true })
    t.equal(sent().topic, 'out')
  })

  t.test('a token, or a user and password', async (t) => {
    const { origin, seen } = await posting(taken)
    for (const token of ['tk_1', 'user:canary']) await send('ntfy', {}, { settings: { server_url: origin, topic: 'a', token } })
    t.same(
      seen.map(({ headers }) => headers.authorization),
      ['Bearer tk_1', `Basic ${Buffer.from('user:canary').toString('base64')}`],
    )
  })

  t.test('an extra that cannot be right goes nowhere', async (t) => {
    const { origin, seen } = await posting(taken)
    for (const extra of [
      { priority: 6 },
      { priority: 'high' },
      { tags: 'a b' },
      { tags: 'a,,b' },
      { tags: '{labels}' },
      { click: 'javascript:alert(1)' },
      { click: '{url}' },
      { click: 'ci.example' },
    ])
      t.match(await send('ntfy', extra, { settings: { server_url: origin, topic: 'a' } }), final, JSON.stringify(extra))
    t.same(seen, [])
  })

  t.test('a day that is used up gives no time to wait', async (t) => {
    const { origin } = await posting((response) =>
      json(response, 429, { code: 42908, http: 429, error: 'limit reached: daily message quota reached' }),
    )
    t.match(await send('ntfy', {}, { settings: { server_url: origin, topic: 'a' } }), {
      ...again,
      retryAfterMs: undefined,
      why: /42908 .*daily/,
    })
  })
})

t.test('line', async (t) => {
  const chat = { chat_id: `C${'a'.repeat(32)}` }
  const settings = (api_base: string): JsonObject => ({ channel_access_token: 'canary', api_base })

  t.test('409 for its own key is success, another 409 is not', async (t) => {
    const known = await posting((response) =>
      json(response, 409, { message: 'The retry key is already accepted' }, { 'x-line-accepted-request-id': '1' }),
    )
    t.match(await send('line', chat, { settings: settings(known.origin) }), { ok: true })
    const other = await posting((response) => json(response, 409, { message: 'conflict' }))
    t.match(await send('line', chat, { settings: settings(other.origin) }), final)
  })

  t.test('every part of a long text has its own key', async (t) => {
    const { origin, seen } = await posting((response) => json(response, 200, { sentMessages: [{ id: '1' }] }))
    t.match(await send('line', chat, { text: 'word '.repeat(2_500), settings: settings(origin) }), { ok: true })
    t.equal(seen.length, 3)
    t.equal(new Set(seen.map(({ headers }) => headers['x-line-retry-key'])).size, 3)
  })

  t.test('a month that is used up is final', async (t) => {
    const { origin } = await posting((response) => json(response, 429, { message: 'You have reached your monthly limit.' }))
    t.match(await send('line', chat, { settings: settings(origin) }), { ...final, why: /monthly limit/ })
  })
})

t.test('pushover', async (t) => {
  const settings = (api_base: string): JsonObject => ({ token: 'canary', user: 'u'.repeat(30), api_base })

  t.test('an emergency is repeated until confirmed; captions are cut, other extras checked', async (t) => {
    const { origin, form, seen } = await posting((response) => json(response, 200, { status: 1, request: 'r' }))
    const extra = {
      title: 'x'.repeat(300),
      priority: 2,
      device: 'phone,tablet-1',
      sound: 'siren',
      url: 'https://ci.example/7',
      url_title: 'y'.repeat(200),
    }
    t.match(await send('pushover', extra, { settings: settings(origin) }), { ok: true })
    t.match(Object.fromEntries(form()), {
      priority: '2',
      retry: '60',
      expire: '3600',
      device: 'phone,tablet-1',
      sound: 'siren',
      url: 'https://ci.example/7',
    })
    t.same([form().get('title')?.length, form().get('url_title')?.length], [250, 100])
    await send('pushover', { priority: -1 }, { settings: settings(origin) })
    t.same([...form().keys()], ['token', 'user', 'message', 'priority'])
    for (const wrong of [
      { priority: 3 },
      { priority: 'high' },
      { device: 'a b' },
      { sound: '../x' },
      { url: 'javascript:x' },
      { url: '{link}' },
      { url: `https://x/${'y'.repeat(600)}` },
    ])
      t.match(await send('pushover', wrong, { settings: settings(origin) }), final, JSON.stringify(wrong))
    t.equal(seen.length, 2)
  })
})
