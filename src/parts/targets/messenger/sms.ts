/**
 * The target `sms`: sends text messages to phones by Twilio or Vonage. Success means that the provider has accepted the message, not that
 * the phone has it.
 */

import { isObject, type JsonObject, own } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { allAnswerTexts, answerText, failureFromAnswer } from '../delivery/api.ts'
import { textSetting } from '../delivery/settings.ts'
import { apiBaseOf, type ChatSpec, defineChat, type Posting } from '../kit/chat.ts'
import { chatKeys, homeChannel, secret, textKey } from '../kit/keys.ts'
import { permanentFailure, type Sent, type TargetPart } from '../target.ts'

/** The description that both providers share. The two are one target, which has the settings of both. */
const shared = {
  name: 'sms',
  title: 'Text message',
  platformTitle: 'SMS',
  settings: {
    api_key: secret('API key (Vonage).', 'VONAGE_API_KEY'),
    api_secret: secret('API secret (Vonage).', 'VONAGE_API_SECRET'),
    from: textKey('Sender (Vonage).', 'VONAGE_FROM'),
    account_sid: textKey('Account SID (Twilio).', 'TWILIO_ACCOUNT_SID'),
    auth_token: secret('Auth token (Twilio).', 'TWILIO_AUTH_TOKEN'),
    phone_number: textKey('Sending number (Twilio).', 'TWILIO_PHONE_NUMBER'),
    messaging_service_sid: textKey('Messaging service (Twilio), in place of a number.', 'TWILIO_MESSAGING_SERVICE_SID'),
    home_channel: homeChannel('SMS_HOME_CHANNEL'),
    provider: textKey('twilio or vonage.', 'SMS_PROVIDER'),
  },
  extra: chatKeys('Phone number with its country code.', '+15550100'),
  forms: { provider: { is: 'twilio or vonage', example: 'twilio', fits: (name) => /^(?:twilio|vonage)$/i.test(name) } },
  limit: { max: 1600, unit: 'utf16' },
  idempotent: false,
  checkChat: (chat) => (/^\+[1-9]\d{6,14}$/.test(chat) ? undefined : 'chat_id is no phone number with its country code (+15551234567)'),
} as const satisfies Partial<ChatSpec>

const twilio = defineChat({
  ...shared,
  needs: [
    ['account_sid', 'auth_token', 'phone_number'],
    ['account_sid', 'auth_token', 'messaging_service_sid'],
  ],
  post: async (posting) => {
    const { chat, text, setting, call } = posting
    const account = setting('account_sid') ?? ''
    const service = setting('messaging_service_sid')
    const answer = await call({
      url: `${apiBaseOf(posting, 'https://api.twilio.com')}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`,
      headers: { authorization: `Basic ${Buffer.from(`${account}:${setting('auth_token')}`).toString('base64')}` },
      form: {
        To: chat,
        Body: text,
        ...(service === undefined ? { From: setting('phone_number') ?? '' } : { MessagingServiceSid: service }),
      },
    })
    if (answer.status !== 201) return failureFromAnswer(answer, { why: allAnswerTexts(answer.body, 'code', 'message'), idempotent: false })
    // Twilio may accept a message and say in the same answer that it has failed.
    const status = answerText(answer.body, 'status') ?? 'unknown'
    const code = answerText(answer.body, 'error_code')
    if (code !== undefined || status === 'failed' || status === 'undelivered') {
      return permanentFailure(
        `${status}: ${[code, answerText(answer.body, 'error_message')].filter(Boolean).join(' ') || 'no reason given'}`,
      )
    }
    return answerText(answer.body, 'sid') === undefined ? permanentFailure('HTTP 201, but no message in the answer') : { ok: true }
  },
})

const vonage = defineChat({
  ...shared,
  needs: [['api_key', 'api_secret', 'from']],
  post: (posting) => postByVonage(posting),
})

/** A text in the 7-bit alphabet of GSM 03.38. A character outside of it makes every segment of the text half as long. */
const gsm = /^[\n\r !"#$%&'()*+,\-./0-9:;<=>?@A-Z[\\\]^_a-z{|}~¡£¤¥§¿ÄÅÆÇÉÑÖØÜßàäåæèéìñòöøùüΔΓΛΩΠΨΣΘΞΦ€]*$/

const postByVonage = async (posting: Posting): Promise<Sent> => {
  const { chat, text, setting, call } = posting
  const answer = await call({
    url: `${apiBaseOf(posting, 'https://rest.nexmo.com')}/sms/json`,
    form: {
      api_key: setting('api_key') ?? '',
      api_secret: setting('api_secret') ?? '',
      from: (setting('from') ?? '').replace(/^\+/, ''),
      to: chat.slice(1),
      text,
      type: gsm.test(text) ? 'text' : 'unicode',
    },
  })
  const listed = own(answer.body, 'messages')
  const segments = (Array.isArray(listed) ? listed : []).filter(isObject)
  const failed = segments.filter((segment) => own(segment, 'status') !== '0')
  if (answer.status === 200 && segments.length > 0 && failed.length === 0) return { ok: true }
  const why = failed.map((segment) => printable(allAnswerTexts(segment, 'status', 'error-text') ?? 'no status', 200))[0]
  // When only some segments of a long text were sent, a repeat would send the same segments again.
  if (failed.length < segments.length)
    return permanentFailure(`${segments.length - failed.length} of ${segments.length} segments sent: ${why}`)
  // Status 1 means too many messages in one second.
  const limited = failed.length > 0 && failed.every((segment) => own(segment, 'status') === '1')
  return failureFromAnswer(answer, { why: why ?? answerText(answer.body, 'error-text', 'title'), idempotent: false, limited })
}

export const sms: TargetPart = {
  ...twilio,
  needs: [...(twilio.needs ?? []), ...(vonage.needs ?? [])],
  undeliverable: (extra, settings) => providerIn(settings).undeliverable?.(extra, settings),
  async send(outgoing, kit) {
    return providerIn(kit.settings).send(outgoing, kit)
  },
}

const providerIn = (settings: JsonObject): TargetPart => (textSetting(settings, 'provider')?.toLowerCase() === 'vonage' ? vonage : twilio)
