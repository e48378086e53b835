/** Runs a real SMTP server on loopback, which keeps the mails that it takes. The server ends with its test. */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Test } from 'tap'
import { newFolder } from './folder.ts'

type Received = {
  readonly from: string
  readonly to: readonly string[]
  readonly user: string | undefined
  readonly encrypted: boolean
  /** The headers by their lower-case names, unfolded. */
  readonly headers: ReadonlyMap<string, string>
  readonly raw: string
  readonly text: string
}

export type MailHost = { readonly port: number; readonly mails: Received[] }

export type Certificate = { readonly key: string; readonly cert: string; readonly file: string }

/** Makes a certificate for 127.0.0.1. A client that trusts the certificate's file accepts it. */
export const selfSigned = (t: Test): Certificate => {
  const folder = newFolder(t, {})
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const name = ['-subj', '/CN=test', '-addext', 'subjectAltName=IP:127.0.0.1']
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', [...kind, '-keyout', key, '-out', cert, ...name], { stdio: 'ignore' })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8'), file: cert }
}

/** Decides what becomes of a mail, by calling `done`. Without that call, the server does not answer. */
export type Take = (mail: Received, done: (error?: Error | null) => void) => void

export const mailHost = async (t: Test, options: SMTPServerOptions, take: Take = (_mail, done) => done()): Promise<MailHost> => {
  const mails: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const raw = Buffer.concat(chunks).toString()
        const mail = {
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          encrypted: session.secure,
          ...parse(raw),
        }
        mails.push(mail)
        take(mail, done)
      })
    },
    ...options,
  })
  // A client that leaves in the middle of a mail is no failure of the test.
  server.on('error', () => {})
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  t.teardown(() => new Promise<void>((closed) => server.close(closed)))
  return { port: (server.server.address() as AddressInfo).port, mails }
}

const parse = (raw: string): Pick<Received, 'headers' | 'raw' | 'text'> => {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)])
  return { headers: new Map(headers), raw, text: quotedPrintable(raw.slice(end + 4)) }
}

const quotedPrintable = (text: string): string => {
  const bytes = text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** Starts a TCP server that hands each connection to `meet`. Returns the server's port. */
export const tcpHost = async (t: Test, meet: (socket: Socket) => void): Promise<number> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    meet(socket)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
