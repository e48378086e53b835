/**
 * `webhook verify <name>`: says whether a route would take a captured request, and if not, why. Nothing is sent, and no gateway is asked.
 */

import { readFileSync } from 'node:fs'
import { whyUnread } from '../../core/disk-fault.ts'
import { exit, usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { type VerifiedOffline, verifyRequest } from '../../dryrun/verify-request.ts'
import type { SchemeView } from '../../parts/diagnose-signature.ts'
import { aligned } from '../shell/columns.ts'
import type { Io } from '../shell/io.ts'
import { answer, type Cli } from '../shell/output.ts'
import { timeOf } from '../shell/times.ts'

export type VerifyOptions = { readonly body?: string; readonly header?: readonly string[]; readonly at?: string; readonly url?: string }

export const webhookVerify = async (
  asked: string,
  { body, header = [], at, url = 'http://127.0.0.1/' }: VerifyOptions,
  cli: Cli,
): Promise<number> => {
  if (body === undefined) throw usage('--body is needed: the bytes that were signed', "write --body @file, --body @- or --body '{}'")
  const headers = { host: '127.0.0.1', ...parseHeaders(header.flatMap(headerLines)) }
  const time = at === undefined ? Date.now() : /^\d{9,12}$/.test(at) ? Number(at) * 1000 : timeOf('--at', at)
  const from = { remote: () => '', isProxied: () => false }
  const request = { method: 'POST', url: () => url, headers, at: time, ...from, body: await readBody(body, cli.io) }
  const verified = await verifyRequest(cli.workspace, asked, request)
  const { route, accepted, scheme, secret, decides, why, schemes } = verified
  const data = {
    route,
    accepted,
    scheme: scheme ?? null,
    secret: secret ?? null,
    decides: decides ?? null,
    why: why || null,
    schemes: [...schemes],
  }
  return answer(cli, { kind: 'webhook.verify', data, text: verificationText(verified), exitCode: accepted ? exit.ok : exit.no })
}

const verificationText = ({ route, accepted, scheme, secret = 0, schemes, why }: VerifiedOffline): string => {
  const verdict = accepted
    ? `takes it: ${scheme === 'none' ? 'it verifies nothing' : `${scheme}, secret ${secret + 1}`}`
    : `refuses it (401): ${why}`
  return `${printable(`${route} ${verdict}`, 2_000)}\n${aligned(schemes.map(schemeCells))
    .map((line) => `  ${printable(line, 2_000)}\n`)
    .join('')}`
}

const schemeCells = ({ scheme, listed, shows, holds, why }: SchemeView): string[] => [
  scheme,
  holds ? 'holds' : shows ? 'does not hold' : 'not there',
  [...(listed ? [] : ['not listed in "verify"']), ...(why === '' ? [] : [why])].join('; '),
]

/** Returns the bytes of the body. Reading a file or standard input as text would lose bytes that are not UTF-8. */
const readBody = async (value: string, io: Pick<Io, 'stdinBytes'>): Promise<Buffer> => {
  if (!value.startsWith('@') || value.startsWith('@@')) return Buffer.from(value.replace(/^@@/, '@'))
  return value === '@-' ? io.stdinBytes() : readFile('--body', value.slice(1))
}

const readFile = (option: string, file: string): Buffer => {
  try {
    return readFileSync(file)
  } catch (error) {
    throw usage(`${option}: cannot read ${file}: ${whyUnread(error)}`, 'write @@ for a text that begins with @')
  }
}

/** Returns the header lines that a value of `--header` gives: the line itself, or the lines of a file that look like headers. */
const headerLines = (value: string): string[] =>
  value.startsWith('@')
    ? readFile('--header', value.slice(1))
        .toString('utf8')
        .split(/\r?\n/)
        .filter((line) => /^[^\s:]+:/.test(line))
    : [value]

/** Parses header lines as Node does: names in lower case, values as latin1, and the values of a repeated header joined by a comma. */
const parseHeaders = (lines: readonly string[]): { readonly [name: string]: string } => {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value = ''] = /^([^\s:]+):\s*(.*?)\s*$/s.exec(line) ?? []
    if (name === undefined) throw usage(`--header: "${line}" is not a header`, "write --header 'Name: value', or --header @file")
    const key = name.toLowerCase()
    const text = Buffer.from(value).toString('latin1')
    const before = headers.get(key)
    headers.set(key, before === undefined ? text : `${before}, ${text}`)
  }
  return Object.fromEntries(headers)
}
