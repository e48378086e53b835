/**
 * The target `email`: sends plain text through an SMTP server to addresses whose form is checked. The password goes over TLS only, unless
 * the settings allow it in the clear.
 */

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { type Json, type JsonObject, own } from '../../core/json.ts'
import { cut, printable } from '../../core/text.ts'
import { isTemplate } from '../../expr/placeholder.ts'
import { createRedactor } from '../../secrets/redact.ts'
import { obstacleOf, settingsIn, textSetting } from './delivery/settings.ts'
import { apiBase, hidden, homeChannel, password, referable, textKey, threadKey } from './kit/keys.ts'
import { type MailError, mailErrorText, noLogin } from './kit/mail-error.ts'
import type { Mail, MailServer, Security, SmtpResult } from './kit/smtp.ts'
import { type Outgoing, permanentFailure, type Sent, type TargetPart, type TargetSchema } from './target.ts'

// A single mail address: without name, quotes or list, and without ! or %, which could route the mail on (rules: Outgoing texts 6).
const address =
  /^[A-Za-z0-9#$&'*+/=?^_`|~-]+(?:\.[A-Za-z0-9#$&'*+/=?^_`|~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const maxAddressChars = 254
const messageIdForm = /^<?([\w.!#$%&'*+/=?^`|~-]{1,200}@[\w.[\]:-]{1,200})>?$/
const maxRecipients = 20
const maxSubjectChars = 200
const submissionPort = 587
const tlsPort = 465
const noAddress = 'no chat_id, and platforms.email has no home_channel'

const schema: TargetSchema = {
  settings: {
    description: 'Settings of e-mail.',
    properties: {
      address: textKey('Address that mail comes from.', 'EMAIL_ADDRESS'),
      password: password('EMAIL_PASSWORD'),
      user: referable('User name.', 'EMAIL_SMTP_USER'),
      smtp_host: textKey('Mail server.', 'EMAIL_SMTP_HOST'),
      smtp_port: { ...textKey('Port of the mail server.', 'EMAIL_SMTP_PORT'), type: ['string', 'number'], default: submissionPort },
      smtp_security: textKey('starttls, tls or none; default: by the port.', 'EMAIL_SMTP_SECURITY'),
      smtp_ca_file: textKey('PEM file of a certificate authority of your own.', 'EMAIL_SMTP_CA_FILE'),
      home_channel: homeChannel('EMAIL_HOME_ADDRESS'),
      api_base: apiBase,
    },
  },
  deliver_extra: {
    properties: {
      chat_id: { description: 'The address, or several with commas between. Absent: the home channel.', examples: ['ops@example.org'] },
      subject: {
        title: 'Subject',
        type: 'string',
        description: 'email: the subject.',
        markdownDescription: '`email`: the subject.',
        examples: ['{repository.full_name}: {event_type}'],
      },
      thread_id: threadKey('The Message-ID that the mail answers.', '{message_id}'),
      message_thread_id: hidden,
    },
  },
}

export const email: TargetPart = {
  name: 'email',
  title: 'E-mail',
  schema,
  settings: settingsIn(schema),
  // `password` is not among the needed settings: some servers ask for no password, and a server that asks for a password says so.
  needs: [['address', 'smtp_host']],
  forms: {
    address: { is: 'an e-mail address', example: 'bot@example.org', fits: (text) => isMailAddress(text) },
    smtp_host: { is: 'the name of a host', example: 'mail.example.org', fits: (text) => /^[A-Za-z0-9._:-]{1,253}$/.test(text) },
    smtp_port: {
      is: 'a port from 1 to 65535',
      example: '587',
      fits: (text) => Number.isInteger(Number(text)) && Number(text) >= 1 && Number(text) <= 65_535,
    },
    smtp_security: { is: 'starttls, tls or none', example: 'tls', fits: (text) => securityNamed(text) !== undefined },
    smtp_ca_file: { is: 'an absolute path', example: '/etc/ssl/certs/ca-certificates.crt', fits: (text) => isAbsolute(text) },
  },
  // A repeated mail has the same Message-ID, but not every mail program shows only one of the two mails.
  repeatable: false,
  unaddressed: (extra, settings) =>
    own(extra, 'chat_id') === undefined && textSetting(settings, 'home_channel') === undefined ? noAddress : undefined,
  undeliverable(extra, settings) {
    const address = addressOf(extra, settings)
    return 'problem' in address ? address.problem : undefined
  },
  lists: ['chat_id'],
  check(extra, report) {
    const chat = own(extra, 'chat_id')
    if (chat === undefined || [chat].flat().some(isTemplate)) return
    const { problem } = recipientsIn(chat)
    if (problem !== undefined)
      report('WH707', ['chat_id'], problem, 'write one address, or a list of them: [ann@example.com, bob@example.com]')
  },
  async send(outgoing, kit) {
    const obstacle = obstacleOf(email, kit.settings)
    if (obstacle !== undefined) return permanentFailure(obstacle)
    const mail = mailOf(outgoing, kit.settings, new Date(kit.clock.now()))
    if ('problem' in mail) return permanentFailure(mail.problem)
    const server = await serverOf(kit.settings)
    if ('problem' in server) return permanentFailure(server.problem)
    const { sendMail } = await import('./kit/smtp.ts')
    const sent = resultOfMail(await sendMail(mail, server, Math.max(1, outgoing.budgetMs)), mail)
    return sent.ok ? sent : { ...sent, why: createRedactor(loginSecrets(server))(sent.why) }
  },
}

type MailProblem = { readonly problem: string }

/** Reads the recipients in a `chat_id`, which is an address or a list of addresses. `to` is empty when there is a problem. */
const recipientsIn = (value: Json): { readonly to: readonly string[]; readonly problem?: string } => {
  const to = [...new Set([value].flat().map((one) => (typeof one === 'string' ? one.trim() : '')))]
  const wrong = to.find((one) => !isMailAddress(one))
  if (to.length === 0) return { to, problem: 'chat_id is empty' }
  if (wrong !== undefined) return { to: [], problem: `chat_id is no e-mail address: "${printable(wrong, 100)}"` }
  return to.length > maxRecipients ? { to: [], problem: `chat_id has more than ${maxRecipients} addresses` } : { to }
}

const isMailAddress = (text: string): boolean => text.length <= maxAddressChars && text.indexOf('@') <= 64 && address.test(text)

type Address = Pick<Mail, 'from' | 'to'> & { readonly inReplyTo: string | undefined }

/** Returns the addresses of a mail and the Message-ID that it answers, or says what is wrong with them. */
const addressOf = (extra: JsonObject, settings: JsonObject): Address | MailProblem => {
  const from = textSetting(settings, 'address') ?? ''
  const chat = own(extra, 'chat_id') ?? textSetting(settings, 'home_channel')?.split(',')
  if (chat === undefined) return { problem: noAddress }
  const { to, problem } = recipientsIn(chat)
  if (problem !== undefined) return { problem }
  const thread = trimmedText(own(extra, 'message_thread_id')) || trimmedText(own(extra, 'thread_id'))
  const inReplyTo = messageIdForm.exec(thread)?.[1]
  if (thread !== '' && inReplyTo === undefined) return { problem: `thread_id is no Message-ID: "${printable(thread, 100)}"` }
  return { from, to, inReplyTo }
}

/** Makes the mail of one text, or says what is wrong with the text or its address. `at`: the date of the mail. */
const mailOf = (outgoing: Outgoing, settings: JsonObject, at: Date): Mail | MailProblem => {
  const { extra } = outgoing.delivery
  const address = addressOf(extra, settings)
  if ('problem' in address) return address
  const { from, to, inReplyTo } = address
  if (outgoing.text.trim() === '') return { problem: 'the text is empty' }
  return {
    from,
    to,
    subject: subjectOf(own(extra, 'subject')) || (outgoing.job ?? outgoing.route),
    // NUL is replaced, because no mail may contain it.
    text: wellFormed(outgoing.text).replaceAll('\0', '\ufffd'),
    messageId: messageIdOf(outgoing, to, from),
    inReplyTo: inReplyTo === undefined ? undefined : `<${inReplyTo}>`,
    at,
  }
}

const trimmedText = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''

/** Returns the subject on one line, because a line break would begin another header. */
const subjectOf = (value: Json | undefined): string => {
  const line = trimmedText(value).replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
  return cut(wellFormed(line.trim()), maxSubjectChars)
}

/** Replaces lone surrogates, by encoding the text as UTF-8 and decoding it. */
const wellFormed = (text: string): string => Buffer.from(text).toString()

/** Makes the Message-ID of a mail. A repeat of the same delivery has the same Message-ID, and no other mail has it. */
const messageIdOf = ({ profile, route, job, deliveryId, position }: Outgoing, to: readonly string[], from: string): string => {
  const identity = JSON.stringify([profile, route, job ?? '', deliveryId, position, to])
  return `<${createHash('sha256').update(identity).digest('hex').slice(0, 40)}@${from.slice(from.lastIndexOf('@') + 1)}>`
}

/** Reads the mail server from the settings, with the file of its certificate authority. */
const serverOf = async (settings: JsonObject): Promise<MailServer | MailProblem> => {
  const text = (key: string): string | undefined => textSetting(settings, key)
  const host = text('smtp_host') ?? ''
  const port = Number(text('smtp_port') ?? submissionPort)
  const pass = text('password')
  const security = securityNamed(text('smtp_security') ?? '') ?? defaultSecurity(port, pass !== undefined)
  const file = text('smtp_ca_file')
  const ca = file === undefined ? undefined : await readCa(file)
  if (ca === null) return { problem: 'platforms.email.smtp_ca_file cannot be read' }
  const login = pass === undefined ? undefined : { user: text('user') ?? text('address') ?? '', pass }
  return { host, port, security, login, ca }
}

/** The values of `smtp_security`. `offered` is not allowed: an attacker could hide the server's STARTTLS offer and read the password. */
const allowedSecurity: readonly Security[] = ['starttls', 'tls', 'none']
const securityNamed = (name: string): Security | undefined => allowedSecurity.find((one) => one === name.toLowerCase())

/** Chooses the security when `smtp_security` is absent. A password then goes over TLS or not at all. */
const defaultSecurity = (port: number, hasPassword: boolean): Security => {
  if (port === tlsPort) return 'tls'
  return port === submissionPort || hasPassword ? 'starttls' : 'offered'
}

/** Resolves to the text of a file with certificate authorities; `null` when the file cannot be read. */
const readCa = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null)

/** Returns the texts to redact in errors. A server may quote the line of a login that it refuses, which has the password in base64. */
const loginSecrets = ({ login }: MailServer): string[] => {
  if (!login) return []
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  return [login.pass, base64(login.pass), base64(`\0${login.user}\0${login.pass}`)]
}

/** Makes the result of the sending. When the server took the mail for some recipients only, the sending has failed. */
const resultOfMail = (handed: SmtpResult, { to }: Mail): Sent => {
  if (handed.kind === 'failed') return failureOfMail(handed.error, handed.begun)
  const { refused } = handed
  if (refused.length === 0) return { ok: true, detail: to.length === 1 ? `to ${to[0]}` : `to ${to.length} addresses` }
  // A repeat is not allowed, because the recipients that were not refused would get the mail again.
  const who = refused.map((error) => `${error.recipient ?? 'an address'} (${mailErrorText(error)})`).join(', ')
  return permanentFailure(`sent to ${to.length - refused.length} of ${to.length} addresses; refused: ${printable(who, 400)}`)
}

/** The codes of errors that another attempt would meet again: of nodemailer, and `noLogin`. They count where the server gave no answer. */
const lasting = new Set(['EAUTH', 'EMESSAGE', 'ECONFIG', noLogin])

/** Makes the failure of a mail. `begun`: the mail's content was on its way. */
const failureOfMail = (error: MailError, begun: boolean): Sent => {
  const { rejectedErrors = [], permanent, code = '' } = error
  // A server that answers with an error has not taken the mail, and its answer says whether a later attempt may pass. Without an answer,
  // the mail may have arrived if its content was on its way.
  const mayPass =
    rejectedErrors.length > 0 ? rejectedErrors.some((each) => each.permanent === false) : permanent === undefined ? undefined : !permanent
  // A server that refuses this mail for good may take the next mail.
  const receiver = (mayPass ?? !lasting.has(code)) ? 'down' : 'up'
  return { ok: false, why: mailErrorText(error), repeatable: mayPass ?? (!begun && !lasting.has(code)), receiver }
}
