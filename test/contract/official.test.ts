/** Checks where the calls of targets go that no setting sends elsewhere. */

import t from 'tap'
import { systemClock } from '../../src/core/clock.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { createKeep } from '../../src/parts/targets/delivery/keep.ts'
import { platformOf, settingsOf } from '../../src/parts/targets/delivery/settings.ts'
import { targetsByName } from '../../src/parts/targets/index.ts'
import { adopt } from '../fakes/adopt.ts'
import { ownComments } from '../fakes/own-comments.ts'
import { doubles } from '../fakes/platforms/index.ts'

const keep = createKeep(adopt)

/** Where the calls of targets go that have no `api_base`, and which variables name their home channels. No double can show either. */
const official: readonly (readonly [way: string, settings: JsonObject, home: string, ...addresses: string[]])[] = [
  [
    'dingtalk by app',
    {},
    'DINGTALK_HOME_CHANNEL',
    'https://api.dingtalk.com/v1.0/oauth2/accessToken',
    'https://api.dingtalk.com/v1.0/robot/groupMessages/send',
  ],
  [
    'feishu by app',
    {},
    'FEISHU_HOME_CHANNEL',
    'https://open.feishu.cn/open-apis/auth/v3/tenant_access_token/internal',
    'https://open.feishu.cn/open-apis/im/v1/messages',
  ],
  [
    'feishu by app',
    { domain: 'lark' },
    'FEISHU_HOME_CHANNEL',
    'https://open.larksuite.com/open-apis/auth/v3/tenant_access_token/internal',
    'https://open.larksuite.com/open-apis/im/v1/messages',
  ],
  [
    'google_chat by app',
    {},
    'GOOGLE_CHAT_HOME_CHANNEL',
    'https://oauth2.googleapis.com/token',
    'https://chat.googleapis.com/v1/spaces/AAA/messages',
  ],
  ['homeassistant', {}, 'HASS_HOME_CHANNEL', 'http://homeassistant.local:8123/api/services/notify/mobile_app_phone'],
  [
    'qqbot',
    { sandbox: 'false' },
    'QQBOT_HOME_CHANNEL',
    'https://bots.qq.com/app/getAppAccessToken',
    'https://api.sgroup.qq.com/v2/users/0A1B2C/messages',
  ],
  ['qqbot', { sandbox: true }, 'QQBOT_HOME_CHANNEL', 'https://sandbox.api.sgroup.qq.com/v2/users/0A1B2C/messages'],
  ['sms by Twilio', {}, 'SMS_HOME_CHANNEL', 'https://api.twilio.com/2010-04-01/Accounts/AC0123456789abcdef0123456789abcdef/Messages.json'],
  ['sms by Vonage', {}, 'SMS_HOME_CHANNEL', 'https://rest.nexmo.com/sms/json'],
  [
    'wecom by app',
    {},
    'WECOM_HOME_CHANNEL',
    'https://qyapi.weixin.qq.com/cgi-bin/gettoken',
    'https://qyapi.weixin.qq.com/cgi-bin/message/send',
  ],
  ['weixin', {}, 'WEIXIN_HOME_CHANNEL', 'https://ilinkai.weixin.qq.com/ilink/bot/sendmessage'],
]

t.test('without api_base the calls go to the official addresses, and to the home channel of the environment', async (t) => {
  const { fetch } = globalThis
  t.teardown(() => {
    globalThis.fetch = fetch
  })
  const called: string[] = []
  // A token, under the names that all these platforms have for it.
  const token = {
    code: 0,
    errcode: 0,
    access_token: 't',
    accessToken: 't',
    tenant_access_token: 't',
    expires_in: 9,
    expire: 9,
    expireIn: 9,
  }
  globalThis.fetch = async (input) => {
    called.push(String(input).replace(/\?.*/, ''))
    return Response.json(token)
  }
  for (const [way, more, home, ...addresses] of official) {
    const double = doubles.find(({ target, way: by }) => way === (by === undefined ? target : `${target} by ${by}`))
    if (!double) throw new Error(`no double ${way}`)
    const origin = 'http://127.0.0.1:9'
    const settings = Object.fromEntries(Object.entries(double.settings(origin)).filter(([, value]) => value !== origin))
    const part = targetsByName.get(double.target)
    if (!part) throw new Error(`no target ${double.target}`)
    const env = { [home]: double.chat }
    const about = { text: 'hello', profile: 'default', route: 'r', deliveryId: 'd1', position: 0, budgetMs: 20_000 }
    const outgoing = { ...about, delivery: { target: double.target, extra: double.extra ?? {} } }
    const all = settingsOf(part, { [platformOf(part)]: { ...settings, ...more } }, env)
    await part.send(outgoing, { settings: all, env, log: () => {}, clock: systemClock, keep, mark: ownComments.mark })
    t.same(called.splice(0), addresses, way)
  }
})
