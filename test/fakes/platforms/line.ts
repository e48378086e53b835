/** Stands in for LINE's Messaging API: push messages, and the answer 409 to a retry key that was used before. */

import type { Json } from '../../../src/core/json.ts'
import { isObject } from '../../../src/core/json.ts'
import type { Double, Reply } from './double.ts'

const token = 'canary-line-channel-token'
const user = `U${'0123456789abcdef'.repeat(2)}`
const stranger = `U${'f'.repeat(32)}`

const refuse = (status: number, message: string, details?: Json): Reply => ({
  status,
  body: { message, ...(details === undefined ? {} : { details }) },
})

export const line: Double = {
  target: 'line',
  settings: (origin) => ({ channel_access_token: token, api_base: origin }),
  env: () => ({ LINE_CHANNEL_ACCESS_TOKEN: token }),
  wrong: (origin) => ({ channel_access_token: 'canary-wrong-token', api_base: origin }),
  chat: user,
  unknownChat: stranger,
  limit: { max: 5000, unit: 'utf16' },
  idempotent: true,
  posts: ({ method }) => method === 'POST',
  answer({ method, path, headers, json }, accept) {
    if (headers.authorization !== `Bearer ${token}`) return refuse(401, 'Authentication failed. Confirm that the access token is valid.')
    if (method !== 'POST' || path !== '/v2/bot/message/push' || !json) return refuse(404, 'Not found')
    const key = headers['x-line-retry-key']
    if (typeof key !== 'string' || !/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(key)) return refuse(400, 'Invalid retry key')
    const { to, messages } = json
    if (typeof to !== 'string' || !/^[UCR][0-9a-f]{32}$/.test(to)) return refuse(400, "The property, 'to', in the request body is invalid")
    if (to === stranger) return refuse(400, 'Failed to send messages')
    const [message] = Array.isArray(messages) && messages.length === 1 ? messages : []
    if (!isObject(message) || message.type !== 'text' || typeof message.text !== 'string' || message.text === '') {
      return refuse(400, 'The request body has 1 error(s)', [{ message: 'May not be empty', property: 'messages[0].text' }])
    }
    if (message.text.length > 5000)
      return refuse(400, 'The request body has 1 error(s)', [{ message: 'Length must be between 0 and 5000' }])
    accept({ chat: to, text: message.text, key })
    return { status: 200, body: { sentMessages: [{ id: '1' }] } }
  },
  limited: {
    reply: { ...refuse(429, 'The API rate limit has been exceeded. Try again later.'), headers: { 'retry-after': '3' } },
    waitMs: 3_000,
  },
  hidden: { status: 200, body: {} },
}
