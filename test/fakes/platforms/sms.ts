/** Stands in for the SMS APIs of Twilio (Messages.json) and Vonage (sms/json). An error of Vonage comes with status 200. */

import type { Double, Reply } from './double.ts'

const sid = 'AC0123456789abcdef0123456789abcdef'
const token = 'canary-twilio-auth-token'
const from = '+15550001111'
const to = '+15552223333'
const nobody = '+15559999999'
const maxChars = 1600

const refuse = (status: number, code: number, message: string): Reply => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
})

export const twilio: Double = {
  target: 'sms',
  way: 'Twilio',
  settings: (origin) => ({ account_sid: sid, auth_token: token, phone_number: from, api_base: origin }),
  env: () => ({ TWILIO_ACCOUNT_SID: sid, TWILIO_AUTH_TOKEN: token, TWILIO_PHONE_NUMBER: from }),
  wrong: (origin) => ({ account_sid: sid, auth_token: 'canary-wrong-token', phone_number: from, api_base: origin }),
  chat: to,
  unknownChat: nobody,
  limit: { max: maxChars, unit: 'utf16' },
  idempotent: false,
  posts: ({ method }) => method === 'POST',
  answer({ method, path, headers, form }, accept) {
    if (headers.authorization !== `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}`) return refuse(401, 20003, 'Authenticate')
    if (method !== 'POST' || path !== `/2010-04-01/Accounts/${sid}/Messages.json`)
      return refuse(404, 20404, 'The requested resource was not found')
    if (!form) return refuse(400, 21602, 'Message body is required')
    const [chat, body] = [form.get('To') ?? '', form.get('Body') ?? '']
    const sender = form.get('From') ?? form.get('MessagingServiceSid')
    if (form.has('From') && form.has('MessagingServiceSid')) return refuse(400, 21626, 'From and MessagingServiceSid')
    if (sender !== from && sender !== 'MG0123456789abcdef0123456789abcdef') return refuse(400, 21606, 'The From phone number is not valid')
    if (!/^\+[1-9]\d{6,14}$/.test(chat) || chat === nobody)
      return refuse(400, 21211, `The 'To' number ${chat} is not a valid phone number.`)
    if (body.trim() === '') return refuse(400, 21602, 'Message body is required')
    if (body.length > maxChars) return refuse(400, 21617, 'The concatenated message body exceeds the 1600 character limit')
    accept({ chat, text: body })
    return { status: 201, body: { sid: 'SM1', status: 'queued', error_code: null, error_message: null, to: chat, body } }
  },
  limited: { reply: refuse(429, 20429, 'Too Many Requests'), waitMs: undefined },
  hidden: { status: 201, body: { sid: 'SM1', status: 'failed', error_code: 30008, error_message: 'Unknown error' } },
}

const key = 'abcd1234'
const secret = 'canary-vonage-secret'

const refused = (status: string, why: string): Reply => ({
  status: 200,
  body: { 'message-count': '1', messages: [{ status, 'error-text': why }] },
})

export const vonage: Double = {
  target: 'sms',
  way: 'Vonage',
  settings: (origin) => ({ provider: 'vonage', api_key: key, api_secret: secret, from, api_base: origin }),
  env: () => ({ SMS_PROVIDER: 'vonage', VONAGE_API_KEY: key, VONAGE_API_SECRET: secret, VONAGE_FROM: from }),
  wrong: (origin) => ({ provider: 'vonage', api_key: key, api_secret: 'canary-wrong-secret', from, api_base: origin }),
  chat: to,
  unknownChat: nobody,
  limit: { max: maxChars, unit: 'utf16' },
  idempotent: false,
  posts: ({ method }) => method === 'POST',
  answer({ method, path, form }, accept) {
    if (method !== 'POST' || path !== '/sms/json' || !form) return { status: 404, body: 'Not Found' }
    if (form.get('api_key') !== key || form.get('api_secret') !== secret) return refused('4', 'Bad Credentials')
    const [chat, text] = [form.get('to') ?? '', form.get('text') ?? '']
    if (form.get('from') !== from.slice(1)) return refused('15', 'Illegal Sender Address - rejected')
    if (!/^[1-9]\d{6,14}$/.test(chat) || chat === nobody.slice(1)) return refused('3', 'Invalid to address')
    if (text.trim() === '') return refused('2', 'Missing text')
    // Without the type `unicode`, characters that GSM 03.38 does not have arrive as question marks.
    if (form.get('type') !== 'unicode' && /[^\n\r -_a-~¡£¤¥§¿ÄÅÆÇÉÑÖØÜßàäåæèéìñòöøùüΔΓΛΩΠΨΣΘΞΦ€]/.test(text))
      return refused('3', 'Characters that text cannot hold')
    if (text.length > maxChars) return refused('6', 'Unroutable message')
    accept({ chat: `+${chat}`, text })
    return {
      status: 200,
      body: { 'message-count': '1', messages: [{ status: '0', to: chat, 'message-id': 'x', 'remaining-balance': '3' }] },
    }
  },
  limited: { reply: refused('1', 'Throughput Rate Exceeded'), waitMs: undefined },
  hidden: refused('9', 'Partner quota violation'),
}
