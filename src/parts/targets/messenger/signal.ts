/** The target `signal`: sends plain text to a person or a group on Signal, through the JSON-RPC of a signal-cli daemon. */

import { isObject, type Json, own } from '../../../core/json.ts'
import { type ApiAnswer, answerText, failureFromAnswer } from '../delivery/api.ts'
import { apiBaseOf, defineChat, type Posting } from '../kit/chat.ts'
import { address, chatKeys, homeChannel, referable } from '../kit/keys.ts'
import type { Sent } from '../target.ts'

const person = /^(?:\+[1-9]\d{4,14}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i
const group = /^group:([A-Za-z0-9+/]{20,100}={0,2})$/
/** The JSON-RPC error of the daemon when Signal's rate limit is reached. */
const rateLimit = -5

export const signal = defineChat({
  name: 'signal',
  title: 'Signal',
  settings: {
    http_url: address("Address of the daemon's HTTP API.", 'SIGNAL_HTTP_URL'),
    account: referable('Number of the sending account.', 'SIGNAL_ACCOUNT'),
    home_channel: homeChannel('SIGNAL_HOME_CHANNEL'),
  },
  extra: chatKeys('A number, an account id, or group:<id>.', '+15550100'),
  needs: [['http_url', 'account']],
  limit: { max: 8000, unit: 'utf16' },
  idempotent: false,
  // The daemon answers only when Signal has the message, which may take long.
  callSeconds: 60,
  checkChat: (chat) =>
    person.test(chat) || group.test(chat) ? undefined : 'chat_id is neither a number (+15551234567), nor an account id, nor group:<id>',
  post: (posting) => post(posting),
})

const post = async (posting: Posting): Promise<Sent> => {
  const { text, chat, setting, key, call } = posting
  const groupId = group.exec(chat)?.[1]
  const id = key.toString('hex').slice(0, 32)
  const answer = await call({
    url: `${apiBaseOf(posting, setting('http_url') ?? '')}/api/v1/rpc`,
    // The daemon accepts no other spelling of this content type.
    headers: { 'content-type': 'application/json' },
    json: {
      jsonrpc: '2.0',
      id,
      method: 'send',
      params: { account: setting('account') ?? '', ...(groupId === undefined ? { recipient: [chat] } : { groupId }), message: text },
    },
  })
  return isSent(answer, id) ? { ok: true } : signalFailure(answer)
}

/**
 * Whether an answer of the daemon says that the message is sent. A message to a group is sent when one member has it. A message to the
 * sending account itself has no results in its answer, and counts as sent.
 */
const isSent = ({ status, body }: ApiAnswer, id: string): boolean => {
  const result = own(body, 'result')
  if (status !== 200 || own(body, 'id') !== id || own(body, 'error') !== undefined || !isObject(result)) return false
  const types = resultsOf(result).map((each) => own(each, 'type'))
  return typeof own(result, 'timestamp') === 'number' && (types.length === 0 || types.includes('SUCCESS'))
}

const signalFailure = (answer: ApiAnswer): Sent => {
  const error = mapOf(own(answer.body, 'error'))
  const results = resultsOf(own(answer.body, 'result') ?? own(mapOf(own(error, 'data')), 'response'))
  const types = [...new Set(results.flatMap((each) => answerText(each, 'type') ?? []))]
  const limited = own(error, 'code') === rateLimit || (types.length > 0 && types.every((type) => type === 'RATE_LIMIT_FAILURE'))
  const waits = results.map((each) => own(each, 'retryAfterSeconds')).filter((seconds) => typeof seconds === 'number')
  return failureFromAnswer(answer, {
    why: [answerText(error, 'message'), ...types].filter(Boolean).join(': ') || undefined,
    idempotent: false,
    limited,
    retryAfterMs: limited && waits.length > 0 ? Math.max(...waits) * 1000 : undefined,
  })
}

const mapOf = (value: Json | undefined) => (isObject(value) ? value : {})

/** Returns the results in an answer: one map for each person that the message was for. */
const resultsOf = (response: Json | undefined) => {
  const results = own(mapOf(response), 'results')
  return Array.isArray(results) ? results.filter(isObject) : []
}
