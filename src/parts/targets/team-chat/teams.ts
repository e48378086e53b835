/** The target `teams`: sends text to Microsoft Teams by the webhook of a workflow, as an adaptive card in the chat of the workflow. */

import { isObject, own } from '../../../core/json.ts'
import { allAnswerTexts, failureFromAnswer } from '../delivery/api.ts'
import { defineChat, type Posting } from '../kit/chat.ts'
import { homeChannel, noChatKeys, webhookUrl } from '../kit/keys.ts'
import type { Sent } from '../target.ts'

export const teams = defineChat({
  name: 'teams',
  aliases: ['msteams'],
  title: 'Microsoft Teams',
  platformTitle: 'Teams',
  settings: {
    webhook_url: webhookUrl('TEAMS_INCOMING_WEBHOOK_URL'),
    home_channel: homeChannel('TEAMS_HOME_CHANNEL'),
  },
  extra: noChatKeys,
  needs: [['webhook_url']],
  defaultChat: () => 'the chat of the workflow',
  reachesChatsById: () => false,
  // Teams takes a request body of at most 28 KB, in which the card and the escapes of JSON count. Beside 20,000 bytes of escaped text, the
  // rest is for the card, and for further escapes when Teams writes the JSON anew.
  limit: { max: 20_000, unit: 'json' },
  idempotent: false,
  // A card fills in `{{DATE(…)}}`, so double braces are broken. Mentions need no breaking: a card mentions only whom its entities name.
  escape: (text) => text.replace(/\{(?=\{)/g, '{\u200b'),
  post: (posting) => post(posting),
})

const post = async ({ text, call, setting }: Posting): Promise<Sent> => {
  const content = {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.4',
    body: [{ type: 'TextBlock', text, wrap: true }],
  }
  const message = { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }] }
  const answer = await call({ url: setting('webhook_url') ?? '', json: message })
  const { status, body } = answer
  const answered = answer.text.trim()
  if (status === 202 || (status === 200 && (answered === '' || answered === '1'))) return { ok: true }
  const error = own(body, 'error')
  // A connector, the older kind of webhook, may answer 200 with the error of Teams in the body.
  const teamsStatus = /endpoint returned HTTP error (\d{3})/.exec(answered.slice(0, 1000))?.[1]
  return failureFromAnswer(answer, {
    why: isObject(error) ? allAnswerTexts(error, 'code', 'message') : teamsStatus && `Teams answered HTTP ${teamsStatus}`,
    idempotent: false,
    limited: teamsStatus === '429',
  })
}
