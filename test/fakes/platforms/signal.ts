/** Stands in for a signal-cli daemon: `send` over JSON-RPC, whose errors come with status 200. */

import { isObject, type Json, type JsonObject } from '../../../src/core/json.ts'
import type { Double, Reply } from './double.ts'

const account = '+15550000001'
const person = '+15551234567'
export const groupId = 'Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI='

const reply = (id: Json | undefined, body: JsonObject): Reply => ({ status: 200, body: { jsonrpc: '2.0', ...body, id: id ?? null } })
const refuse = (id: Json | undefined, code: number, message: string, data: Json = null): Reply =>
  reply(id, { error: { code, message, data } })

const results = (type: string, more: JsonObject = {}): Json => ({
  timestamp: 1_700_000_000_000,
  results: [{ recipientAddress: { number: person }, type, ...more }],
})

export const signal: Double = {
  target: 'signal',
  settings: (origin) => ({ http_url: origin, account }),
  env: (origin) => ({ SIGNAL_HTTP_URL: origin, SIGNAL_ACCOUNT: account }),
  wrong: (origin) => ({ http_url: origin, account: '+15550000009' }),
  chat: person,
  unknownChat: '+15559999999',
  limit: { max: 8000, unit: 'utf16' },
  idempotent: false,
  posts: ({ path }) => path === '/api/v1/rpc',
  answer({ method, path, headers, json }, accept) {
    if (path !== '/api/v1/rpc') return { status: 404 }
    if (method !== 'POST') return { status: 405 }
    if (headers['content-type'] !== 'application/json') return { status: 415 }
    const { jsonrpc, id, method: name, params } = json ?? {}
    if (jsonrpc !== '2.0' || typeof id !== 'string' || !isObject(params)) return refuse(id, -32600, 'invalid request')
    if (name !== 'send') return refuse(id, -32601, 'Method not implemented')
    if (params.account !== account) return refuse(id, -32602, 'Specified account does not exist')
    const { recipient, groupId: group, message } = params
    if (typeof message !== 'string' || message === '' || message.length > 8000) return refuse(id, -1, 'No message')
    if (params.textStyle !== undefined || params.mention !== undefined) return refuse(id, -1, 'Invalid style')
    if (recipient !== undefined && group !== undefined) return refuse(id, -1, 'Either a recipient or a group')
    if (group === groupId) accept({ chat: `group:${group}`, text: message })
    else if (Array.isArray(recipient) && recipient.length === 1 && recipient[0] === person) accept({ chat: person, text: message })
    else return refuse(id, -1, 'Failed to send message', { response: results('UNREGISTERED_FAILURE') })
    return reply(id, { result: results('SUCCESS') })
  },
  limited: {
    reply: refuse('1', -5, 'Failed to send message due to rate limiting', {
      response: results('RATE_LIMIT_FAILURE', { retryAfterSeconds: 9 }),
    }),
    waitMs: 9000,
  },
  hidden: refuse('1', -1, 'Failed to send message', { response: results('NETWORK_FAILURE') }),
}
