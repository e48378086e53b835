/** Every delivery target, by the name `deliver` gives it. */

import { bluebubbles } from './bluebubbles.ts'
import { dingtalk } from './dingtalk.ts'
import { discord } from './discord.ts'
import { email } from './email.ts'
import { feishu } from './feishu.ts'
import { githubComment } from './github-comment.ts'
import { gitlabComment } from './gitlab-comment.ts'
import { googleChat } from './google-chat.ts'
import { homeassistant } from './homeassistant.ts'
import { http } from './http.ts'
import { line } from './line.ts'
import { log } from './log.ts'
import { matrix } from './matrix.ts'
import { mattermost } from './mattermost.ts'
import { ntfy } from './ntfy.ts'
import { pushover } from './pushover.ts'
import { qqbot } from './qqbot.ts'
import { signal } from './signal.ts'
import { slack } from './slack.ts'
import { sms } from './sms.ts'
import type { TargetPart } from './target.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import { wecom } from './wecom.ts'
import { weixin } from './weixin.ts'
import { whatsapp } from './whatsapp.ts'

export const targets: readonly TargetPart[] = [
  log,
  bluebubbles,
  dingtalk,
  discord,
  email,
  feishu,
  githubComment,
  gitlabComment,
  googleChat,
  homeassistant,
  http,
  line,
  matrix,
  mattermost,
  ntfy,
  pushover,
  qqbot,
  signal,
  slack,
  sms,
  teams,
  telegram,
  wecom,
  weixin,
  whatsapp,
]

export const targetsByName: ReadonlyMap<string, TargetPart> = new Map(targets.map((target) => [target.name, target]))
