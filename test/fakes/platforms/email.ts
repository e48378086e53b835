/** Stands in for a mail server behind a password. The status of the reply to a mail is the SMTP code. */

import { mailHost } from '../mail.ts'
import type { Double } from './double.ts'

const password = 'canary-mail-password'
const me = 'gate@example.org'
const refusal = (responseCode: number, message: string): Error => Object.assign(new Error(message), { responseCode })

const server = (origin: string, pass = password) => ({
  address: me,
  password: pass,
  smtp_host: '127.0.0.1',
  smtp_port: Number(new URL(origin).port),
  smtp_security: 'none',
})

export const email: Double = {
  target: 'email',
  settings: (origin) => server(origin),
  env: (origin) => Object.fromEntries(Object.entries(server(origin)).map(([key, value]) => [`EMAIL_${key.toUpperCase()}`, String(value)])),
  wrong: (origin) => server(origin, 'canary-wrong-password'),
  chat: 'ops@example.net',
  unknownChat: 'gone@example.net',
  thread: '<first@example.net>',
  idempotent: false,
  byStatus: true,
  startMs: 1_500,
  posts: ({ method }) => method === 'DATA',
  answer({ path, headers, text }, accept) {
    const thread = headers['in-reply-to']
    accept({ chat: path, text, ...(thread === undefined ? {} : { thread: String(thread) }) })
    return { status: 250 }
  },
  limited: { reply: { status: 451, body: '4.7.1 Try again later' }, waitMs: undefined },
  async listen(t, running) {
    const options: Parameters<typeof mailHost>[1] = {
      hideSTARTTLS: true,
      allowInsecureAuth: true,
      authOptional: false,
      onAuth: ({ username, password: given = '' }, _session, done) =>
        username === me && given === password ? done(null, { user: me }) : done(refusal(535, `Bad credentials ${given}`)),
      onRcptTo: ({ address }, _session, done) => done(address === 'gone@example.net' ? refusal(550, 'No such user here') : null),
    }
    const { port } = await mailHost(t, options, ({ to, headers, text }, done) => {
      const about = { query: new URLSearchParams(), headers: Object.fromEntries(headers), json: undefined, form: undefined }
      const reply = running.answer({ method: 'DATA', path: to.join(','), text: text.trimEnd(), ...about })
      if (reply !== 'silence') done(reply.status === 250 ? null : refusal(reply.status, String(reply.body)))
    })
    return `http://127.0.0.1:${port}`
  },
}
