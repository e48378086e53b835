/** Lists the doubles of all platforms. */

import { bluebubbles } from './bluebubbles.ts'
import { dingtalk, dingtalkApp } from './dingtalk.ts'
import { discord, discordWebhook } from './discord.ts'
import type { Double } from './double.ts'
import { email } from './email.ts'
import { feishu, feishuBot } from './feishu.ts'
import { githubComment } from './github.ts'
import { gitlabComment } from './gitlab.ts'
import { googleChat, googleChatApp } from './google-chat.ts'
import { homeassistant } from './homeassistant.ts'
import { http } from './http.ts'
import { line } from './line.ts'
import { matrix, matrixLogin } from './matrix.ts'
import { mattermost } from './mattermost.ts'
import { ntfy } from './ntfy.ts'
import { pushover } from './pushover.ts'
import { qqbot } from './qqbot.ts'
import { signal } from './signal.ts'
import { slack, slackWebhook } from './slack.ts'
import { twilio, vonage } from './sms.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import { wecom, wecomApp, wecomBot } from './wecom.ts'
import { weixin } from './weixin.ts'
import { whatsapp, whatsappBridge } from './whatsapp.ts'

export const doubles: readonly Double[] = [
  bluebubbles,
  dingtalk,
  dingtalkApp,
  discord,
  discordWebhook,
  email,
  feishu,
  feishuBot,
  githubComment,
  gitlabComment,
  googleChat,
  googleChatApp,
  homeassistant,
  http,
  line,
  matrix,
  matrixLogin,
  mattermost,
  ntfy,
  pushover,
  qqbot,
  signal,
  slack,
  slackWebhook,
  teams,
  telegram,
  twilio,
  vonage,
  wecom,
  wecomApp,
  wecomBot,
  weixin,
  whatsapp,
  whatsappBridge,
]
