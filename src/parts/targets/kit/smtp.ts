/** Hands one mail to an SMTP server within a time limit, and says after a failure whether the mail may have arrived. */

import { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { systemClock, unrefClock } from '../../../core/clock.ts'
import { within } from '../../../core/turns/within.ts'
import { type MailError, noLogin } from './mail-error.ts'

/** `starttls` and `tls` require TLS. `none` sends in the clear. `offered` uses STARTTLS when the server offers it. */
export type Security = 'starttls' | 'tls' | 'none' | 'offered'

export type MailServer = {
  readonly host: string
  readonly port: number
  readonly security: Security
  readonly login: { readonly user: string; readonly pass: string } | undefined
  /** Certificate authorities (PEM) to trust instead of the public ones. */
  readonly ca: string | undefined
}

/** A mail whose addresses are checked: each is `local@domain` and nothing else. */
export type Mail = {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly messageId: string
  readonly inReplyTo: string | undefined
  readonly at: Date
}

/** What became of a mail. */
export type SmtpResult =
  /** The server took the mail for all recipients except those in `refused`. */
  | { readonly kind: 'taken'; readonly refused: readonly MailError[] }
  /** `begun`: the sending of the mail's content had begun, so the mail may have arrived. */
  | { readonly kind: 'failed'; readonly error: MailError; readonly begun: boolean }

const setupMs = 10_000
const goodbyeMs = 1_000

/** Hands one mail over to the server, within `timeoutMs`. Never rejects. */
export const sendMail = async (mail: Mail, server: MailServer, timeoutMs: number): Promise<SmtpResult> => {
  let begun = false
  const connection = new SMTPConnection(connectionOptions(server, timeoutMs))
  // The listener of errors is never removed: an error of the connection without a listener would end the process.
  const broken = new Promise<never>((_, reject) => connection.on('error', reject))
  const handOver = async (): Promise<SmtpResult> => {
    const bytes = await compose(mail)
    const content = new Readable({
      read() {
        begun = true
        this.push(bytes)
        this.push(null)
      },
    })
    await promiseOfStep((done) => connection.connect(done))
    const { login } = server
    if (login && !connection.allowsAuth) throw Object.assign(new Error('no AUTH is offered'), { code: noLogin })
    if (login) await promiseOfStep((done) => connection.login(login, done))
    const info = await promiseOfStep<{ rejectedErrors?: readonly MailError[] | undefined }>((done) =>
      connection.send({ from: mail.from, to: [...mail.to], size: bytes.length }, content, done),
    )
    return { kind: 'taken', refused: info?.rejectedErrors ?? [] }
  }
  try {
    const handed = await within(Promise.race([handOver(), broken]), timeoutMs, systemClock, tooLong)
    sayGoodbye(connection)
    return handed
  } catch (error) {
    connection.close()
    return { kind: 'failed', error: error instanceof Error ? error : { message: 'failed without a reason' }, begun }
  }
}

const tooLong = (): never => {
  throw new Error('took too long')
}

/** Says goodbye to the server. When the server does not answer within a second, the connection is closed. */
const sayGoodbye = (connection: SMTPConnection): void => {
  const cancel = unrefClock.after(goodbyeMs, () => connection.close())
  connection.once('end', cancel)
  connection.quit()
}

type Done<T> = (error?: Error | null, value?: T) => void

/** Makes a promise of one step of nodemailer's connection, which calls `done` at the end of the step. */
const promiseOfStep = <T>(start: (done: Done<T>) => void): Promise<T | undefined> =>
  new Promise((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value))))

const connectionOptions = ({ host, port, security, ca }: MailServer, timeoutMs: number) => {
  const tls: ConnectionOptions = ca === undefined ? {} : { ca }
  const setup = Math.min(setupMs, timeoutMs)
  return {
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls,
    dnsTimeout: setup,
    connectionTimeout: setup,
    greetingTimeout: setup,
    socketTimeout: timeoutMs,
    socketCloseTimeout: goodbyeMs,
    maxResponseSize: 64 * 1024,
  }
}

/** Makes the bytes of the mail: headers and body. */
const compose = ({ from, to, subject, text, messageId, inReplyTo, at }: Mail): Promise<Buffer> =>
  new MailComposer({
    from: { name: '', address: from },
    to: to.map((address) => ({ name: '', address })),
    subject,
    messageId,
    date: at,
    ...(inReplyTo === undefined ? {} : { inReplyTo, references: inReplyTo }),
    // This header keeps automatic answers from coming back (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: { content: text, contentType: 'text/plain; charset=utf-8', contentTransferEncoding: 'quoted-printable' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
