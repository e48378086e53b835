/** Signs test requests as the real senders do, one row per scheme. */

import { createHmac } from 'node:crypto'
import { insecure } from '../../config/config.ts'
import { exit, Fault } from '../../core/fault.ts'
import { schemes } from '../../parts/schemes/index.ts'

export type ToSign = {
  readonly secret: string
  readonly body: string
  readonly id: string
  /** Unix time. */
  readonly seconds: number
}

export type Headers = { readonly [name: string]: string }

const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64' = 'hex'): string =>
  createHmac('sha256', key).update(text).digest(encoding)

const v2 = ({ secret, body, id, seconds }: ToSign): Headers => ({
  'X-Request-ID': id,
  'X-Webhook-Timestamp': String(seconds),
  'X-Webhook-Signature-V2': hmac(secret, `${seconds}.${body}`),
})

const standard = (prefix: string, { secret, body, id, seconds }: ToSign): Headers => {
  const key = schemes.find(({ name }) => name === 'standard_webhooks')?.key(secret)
  if (!key) throw new Fault('bad_secret', 'a whsec_ secret must be base64 after its prefix', { exitCode: exit.no })
  return {
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: String(seconds),
    [`${prefix}-signature`]: `v1,${hmac(key, `${id}.${seconds}.${body}`, 'base64')}`,
  }
}

const rows: ReadonlyMap<string, (request: ToSign) => Headers> = new Map([
  ['v2', v2],
  ['v1', ({ secret, body, id }) => ({ 'X-Request-ID': id, 'X-Webhook-Signature': hmac(secret, body) })],
  ['github', ({ secret, body, id }) => ({ 'X-GitHub-Delivery': id, 'X-Hub-Signature-256': `sha256=${hmac(secret, body)}` })],
  // Header text is written as latin1: this way its bytes are the secret's.
  ['gitlab', ({ secret, id }) => ({ 'X-Request-ID': id, 'X-Gitlab-Token': Buffer.from(secret, 'utf8').toString('latin1') })],
  ['linear', ({ secret, body, id }) => ({ 'X-Request-ID': id, 'Linear-Signature': hmac(secret, body) })],
  ['standard_webhooks', (request) => standard('webhook', request)],
  ['svix', (request) => standard('svix', request)],
  ['none', ({ id }) => ({ 'X-Request-ID': id })],
  ['bad', (request) => v2({ ...request, secret: `not ${request.secret}` })],
])

const aliases: ReadonlyMap<string, string> = new Map([
  ['host-a', 'github'],
  ['hosta', 'github'],
  ['host-b', 'gitlab'],
  ['hostb', 'gitlab'],
  ['standard', 'standard_webhooks'],
])

const schemeNames = ['auto', ...rows.keys(), ...aliases.keys()]

/** The scheme a request to this route is signed with: as asked, else the first one it verifies, else V2. */
export const schemeOf = (asked: string, verify: string | readonly string[] | undefined, secret: string): string => {
  if (asked !== 'auto') return aliases.get(asked) ?? asked
  if (secret === insecure) return 'none'
  const [first] = typeof verify === 'string' ? [verify] : (verify ?? [])
  return first === undefined ? 'v2' : (aliases.get(first) ?? first)
}

/** The headers that carry id and signature. */
export const signedHeaders = (scheme: string, request: ToSign): Headers => {
  const row = rows.get(scheme)
  if (row) return row(request)
  throw new Fault('bad_scheme', `unknown scheme "${scheme}"`, { exitCode: exit.usage, hint: `one of: ${schemeNames.join(', ')}` })
}
