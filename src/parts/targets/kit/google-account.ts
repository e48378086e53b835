/**
 * Gets access tokens as a Google service account: reads the account's key, signs a statement (a JWT) that names the account, and exchanges
 * the statement for a token (RFC 7523).
 */

import { readFile } from 'node:fs/promises'
import type { Clock } from '../../../core/clock.ts'
import { own, parseObject } from '../../../core/json.ts'
import { type ApiAnswer, type ApiRequest, allAnswerTexts, failureFromAnswer } from '../delivery/api.ts'
import { signedToken } from '../delivery/signed-token.ts'
import { permanentFailure } from '../target.ts'
import { issuedToken, type TokenOrFailure } from './token-cache.ts'

/** A service account. `key`: its private key (PEM). `keyId`: Google's id of the key. */
export type Account = { readonly email: string; readonly key: string; readonly keyId: string | undefined }

/**
 * Reads the account. `written`: the setting, which is either the account's JSON or the path of a file with the JSON. A `problem` is the end
 * of a sentence that begins with the name of the setting.
 */
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

/** Gets a new access token. `url`: the address that issues tokens. `scope`: what the token allows. Never rejects. */
export const fetchToken = async (account: Account, { url, scope, call, clock }: TokenRequest): Promise<TokenOrFailure> => {
  const assertion = assertionOf(account, scope, Math.floor(clock.now() / 1000))
  if (assertion === undefined) return permanentFailure('the private_key of the service account is no RSA key')
  const answer = await call({ url, form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion } })
  const token = answer.status === 200 ? issuedToken(own(answer.body, 'access_token'), own(answer.body, 'expires_in')) : undefined
  return token ?? failureFromAnswer(answer, { why: allAnswerTexts(answer.body, 'error', 'error_description'), idempotent: true })
}

/** Makes the signed statement, which is valid for an hour from `seconds`, the Unix time; `undefined` when the key is not an RSA key. */
const assertionOf = ({ email, ...key }: Account, scope: string, seconds: number): string | undefined =>
  signedToken({ iss: email, scope, aud: 'https://oauth2.googleapis.com/token', iat: seconds, exp: seconds + 3600 }, key)
