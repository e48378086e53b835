/** The list of built-in targets, and a map by their names, without aliases. */

import { githubComment } from './code-host/github-comment.ts'
import { gitlabComment } from './code-host/gitlab-comment.ts'
import { email } from './email.ts'
import { homeassistant } from './homeassistant.ts'
import { http } from './http.ts'
import { log } from './log.ts'
import { bluebubbles } from './messenger/bluebubbles.ts'
import { line } from './messenger/line.ts'
import { qqbot } from './messenger/qqbot.ts'
import { signal } from './messenger/signal.ts'
import { sms } from './messenger/sms.ts'
import { telegram } from './messenger/telegram.ts'
import { weixin } from './messenger/weixin.ts'
import { whatsapp } from './messenger/whatsapp.ts'
import { ntfy } from './ntfy.ts'
import { pushover } from './pushover.ts'
import type { TargetPart } from './target.ts'
import { dingtalk } from './team-chat/dingtalk.ts'
import { discord } from './team-chat/discord.ts'
import { feishu } from './team-chat/feishu.ts'
import { googleChat } from './team-chat/google-chat.ts'
import { matrix } from './team-chat/matrix.ts'
import { mattermost } from './team-chat/mattermost.ts'
import { slack } from './team-chat/slack.ts'
import { teams } from './team-chat/teams.ts'
import { wecom } from './team-chat/wecom.ts'

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
