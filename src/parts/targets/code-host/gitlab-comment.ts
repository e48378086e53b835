/**
 * The target `gitlab_comment`: comments on a merge request or issue by GitLab's REST API, which calls a comment a note. Quick actions,
 * mentions and images in the text are broken, unless the settings allow them.
 */

import { own } from '../../../core/json.ts'
import { excerpt, printable } from '../../../core/text.ts'
import { isTemplate } from '../../../expr/placeholder.ts'
import { renderJson } from '../../../expr/render.ts'
import { createRedactor } from '../../../secrets/redact.ts'
import { type ApiAnswer, answerText, callApi, failureFromAnswer } from '../delivery/api.ts'
import { obstacleOf, settingsIn, textSetting } from '../delivery/settings.ts'
import { addressPartText, commentOf, deliveryDigest, withoutOrdersAndImages } from '../kit/comment.ts'
import { apiBase, botToken, images, textKey } from '../kit/keys.ts'
import { postWithWaits } from '../kit/post-with-waits.ts'
import { permanentFailure, type Sent, type SettingForm, type TargetPart, type TargetSchema } from '../target.ts'

// A project is an id, or a path of groups with the project last. No segment may be `.` or `..`.
const project = /^(?:[1-9]\d{0,9}|(?=.{3,255}$)(?!\.)[\w.-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)+)$/
const positiveNumber = /^[1-9]\d{0,9}$/
/** The name of each `kind` in the paths of the API. */
const collections: { readonly [kind: string]: string } = { merge_request: 'merge_requests', issue: 'issues' }
const maxBodyChars = 1_000_000
const maxCallMs = 15_000

/** The rule for the value of a key of `deliver_extra`. `holds`: whether a value keeps the rule. `problem`: the report of other values. */
type ExtraRule = { readonly key: string; readonly holds: (text: string) => boolean; readonly problem: string; readonly help: string }

const extraRules: readonly ExtraRule[] = [
  {
    key: 'project',
    holds: (text) => project.test(text),
    problem: 'project is neither a path nor an id',
    help: 'write it like group/project',
  },
  {
    key: 'iid',
    holds: (text) => positiveNumber.test(text),
    problem: 'iid is not a positive whole number',
    help: 'write the number, or a placeholder such as {object_attributes.iid}',
  },
  {
    key: 'kind',
    holds: (text) => Object.hasOwn(collections, text),
    problem: 'kind is neither merge_request nor issue',
    help: 'write merge_request or issue',
  },
]

const schema: TargetSchema = {
  settings: {
    description: 'Settings of GitLab.',
    properties: {
      token: botToken('GITLAB_TOKEN'),
      host: textKey('Host of the server, when it is not the public one.', 'GITLAB_HOST'),
      api_base: apiBase,
      mentions: {
        type: 'boolean',
        default: false,
        description: 'true: @mentions and quick actions in comments stay alive.',
        markdownDescription: '`true`: @mentions and quick actions in comments stay alive.',
      },
      images,
    },
  },
  deliver_extra: {
    properties: {
      project: {
        title: 'Project',
        type: 'string',
        description: 'gitlab_comment: group/project.',
        markdownDescription: '`gitlab_comment`: `group/project`, or its number.',
        examples: ['{project.path_with_namespace}'],
        'x-exact': true,
      },
      iid: {
        title: 'Number',
        type: ['string', 'integer'],
        description: 'gitlab_comment: number of the merge request or issue.',
        markdownDescription: '`gitlab_comment`: number of the merge request or issue.',
        examples: ['{object_attributes.iid}'],
        'x-exact': true,
      },
      kind: {
        title: 'Kind',
        type: 'string',
        description: 'gitlab_comment: merge_request or issue.',
        markdownDescription: '`gitlab_comment`: `merge_request` or `issue`.',
        examples: ['merge_request', 'issue'],
        'x-exact': true,
      },
    },
  },
}

const address: SettingForm = {
  is: 'a host or a web address',
  example: 'gitlab.example.org',
  fits: (written) => originOf(written) !== undefined,
}

export const gitlabComment: TargetPart = {
  name: 'gitlab_comment',
  aliases: ['hostb_comment'],
  title: 'A comment on a merge request or issue',
  schema,
  settings: settingsIn(schema),
  needs: [['token']],
  forms: { api_base: address, host: address },
  returnsAsEvent: true,
  repeatable: false,
  requires: ['project', 'iid', 'kind'],
  check(extra, report) {
    for (const { key, holds, problem, help } of extraRules) {
      const value = own(extra, key)
      if (value !== undefined && !isTemplate(value) && !holds(addressPartText(value))) report('WH707', [key], problem, help)
    }
  },
  undeliverable(extra) {
    const wrong = extraRules.find(({ key, holds }) => !holds(addressPartText(own(extra, key))))
    return wrong && `${wrong.problem}: "${printable(addressPartText(own(extra, wrong.key)), 100)}"`
  },
  async send(outgoing, kit) {
    const obstacle = obstacleOf(gitlabComment, kit.settings)
    if (obstacle !== undefined) return permanentFailure(obstacle)
    const origin = originOf(textSetting(kit.settings, 'api_base') ?? textSetting(kit.settings, 'host') ?? 'gitlab.com')
    const { extra } = outgoing.delivery
    const problem = gitlabComment.undeliverable?.(extra, kit.settings)
    if (problem !== undefined) return permanentFailure(problem)
    if (outgoing.text.trim() === '') return permanentFailure('the text is empty')
    const token = textSetting(kit.settings, 'token') ?? ''
    const [repo = '', number = '', kind = ''] = extraRules.map(({ key }) => addressPartText(own(extra, key)))
    const where = `${encodeURIComponent(repo)}/${collections[kind]}/${number}`
    const markOf = (text: string): string => kit.mark(deliveryDigest(outgoing, where), { repo, kind, number }, text)
    const request = {
      url: `${origin}/api/v4/projects/${where}/notes`,
      headers: { 'private-token': token },
      json: { body: commentOf(withoutOrdersAndImages(outgoing.text, kit.settings), maxBodyChars, markOf) },
    }
    const post = async (leftMs: number): Promise<Sent> => resultOfPost(await callApi(request, Math.min(maxCallMs, leftMs), kit.clock.now))
    const sent = await postWithWaits(post, kit.clock, kit.clock.monotonic() + outgoing.budgetMs, outgoing.postponed)
    return sent.ok ? sent : { ...sent, why: createRedactor([token])(sent.why) }
  },
}

/** Returns a web address of GitLab without a slash at its end; `undefined` where it is malformed. A mere host gets `https://`. */
const originOf = (written: string): string | undefined => {
  const address = written.includes('://') ? written : `https://${written}`
  return /^https?:\/\/[^/?#@\s]+(?:\/[^?#@\s]*)?$/i.test(address) && URL.canParse(address) ? address.replace(/\/+$/, '') : undefined
}

const resultOfPost = (answer: ApiAnswer): Sent => {
  // GitLab sends the note back. A long note is cut off by `callApi` and then is no JSON, so its id is also searched in the text.
  const id = own(answer.body, 'id') ?? /^\{"id":(\d{1,15}),/.exec(answer.text)?.[1]
  if (answer.status === 201 && id !== undefined && id !== null) return { ok: true, detail: `note ${printable(String(id), 30)}` }
  const message = own(answer.body, 'message')
  // `message` may also be a map of fields to errors. Its shown length and depth are limited, because the server may be anybody's.
  const fields = typeof message === 'object' && message !== null ? printable(excerpt(renderJson(message, 300, 0), 200)) : undefined
  return failureFromAnswer(answer, { why: answerText(answer.body, 'message', 'error') ?? fields, idempotent: false })
}
