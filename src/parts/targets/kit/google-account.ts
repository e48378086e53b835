/** Reads the key of a Google service account, and exchanges a claim signed with the key for an access token. */

import { createPrivateKey, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Clock } from '../../../core/clock.ts'
import { own, parseObject } from '../../../core/json.ts'
import { type ApiAnswer, type ApiRequest, allAnswerTexts, refusedBy } from '../../delivery/api.ts'
import { permanentFailure } from '../../delivery/permanent-failure.ts'
import { issued, type TokenOrFailure } from './token-cache.ts'

export type Account = { readonly email: string; readonly key: string; readonly keyId: string | undefined }

/** Reads the account. The setting holds either the key itself, as JSON, or the path of a file with the key. */
export const readAccount = async (written: string): Promise<Account | { readonly problem: string }> => {
  const text = written.startsWith('{') ? written : await readFile(written, 'utf8').catch(() => undefined)
  if (text === undefined) return { problem: 'is neither a key nor a file that can be read' }
  const account = parseObject(text) ?? {}
  const [email, key, keyId] = ['client_email', 'private_key', 'private_key_id'].map((name) => own(account, name))
  if (typeof email !== 'string' || typeof key !== 'string') return { problem: 'has no client_email and private_key' }
  return { email, key, keyId: typeof keyId === 'string' ? keyId : undefined }
}

type TokenRequest = {
  readonly url: string
  readonly scope: string
  readonly call: (request: ApiRequest) => Promise<ApiAnswer>
  readonly clock: Clock
}

/** Gets a new access token. */
export const fetchToken = async (account: Account, { url, scope, call, clock }: TokenRequest): Promise<TokenOrFailure> => {
  const assertion = assertionOf(account, scope, Math.floor(clock.now() / 1000))
  if (assertion === undefined) return permanentFailure('the private_key of the service account is no RSA key')
  const answer = await call({ url, form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion } })
  if (answer.kind === 'none') return refusedBy(answer, { idempotent: true })
  const token = answer.status === 200 ? issued(own(answer.body, 'access_token'), own(answer.body, 'expires_in')) : undefined
  return token ?? refusedBy(answer, { why: allAnswerTexts(answer.body, 'error', 'error_description'), idempotent: true })
}

/** A signed claim of who we are, valid for an hour; `undefined` when the key is not an RSA key. */
const assertionOf = ({ email, key, keyId }: Account, scope: string, seconds: number): string | undefined => {
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) }
  const claims = { iss: email, scope, aud: 'https://oauth2.googleapis.com/token', iat: seconds, exp: seconds + 3600 }
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  try {
    const rsa = createPrivateKey(key)
    if (rsa.asymmetricKeyType !== 'rsa') return undefined
    return `${signed}.${sign('sha256', Buffer.from(signed), rsa).toString('base64url')}`
  } catch {
    return undefined
  }
}
