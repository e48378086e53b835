/** Comments on a pull request or issue through `gh`: the text on stdin, a checked repository and number as the only address, never twice. */

import { isObject, type Json, own } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { isTemplate } from '../../../expr/placeholder.ts'
import { commentOf, harmless, markOf, textOf } from '../kit/comment.ts'
import { type GhAnswer, runGh } from '../kit/gh.ts'
import { permanentFailure } from '../kit/permanent-failure.ts'
import { builtinSettings } from '../kit/settings.ts'
import type { Sent, TargetPart } from '../target.ts'

// Whatever a template made of the payload, nothing that gh could read as an option or another path gets through (rules: Outgoing texts 1).
const repository = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/
const issueNumber = /^[1-9]\d{0,9}$/

const maxBodyChars = 65_536
/** A comment may still be on its way after an error. When this time is over, it is there or never will be. */
const settleMs = 5_000

const newest = 'comments(last: 100) { nodes { body url viewerDidAuthor } }'
const query = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) { ... on Issue { ${newest} } ... on PullRequest { ${newest} } }
  }
}`

export const githubComment: TargetPart = {
  name: 'github_comment',
  title: 'A comment on a pull request or issue, by the gh command',
  program: 'gh',
  // Which names of the environment hold a token depends on the host: gh knows.
  settings: builtinSettings('github'),
  // Every comment bears a mark of its delivery. Before one is posted, its mark is looked for among the newest (rules: Outgoing texts 2).
  repeatable: true,
  reads: ['repo', 'pr_number'],
  requires: ['repo', 'pr_number'],
  check(extra, report) {
    const wrong = (key: string, pattern: RegExp): boolean => {
      const value = own(extra, key)
      return value !== undefined && !isTemplate(value) && !pattern.test(textOf(value))
    }
    if (wrong('repo', repository)) report('WH707', ['repo'], 'repo is not owner/name', 'write it like octo-org/octo-repo')
    if (wrong('pr_number', issueNumber)) report('WH707', ['pr_number'], 'pr_number is not a positive whole number')
  },
  async send(outgoing, kit) {
    const repo = textOf(own(outgoing.delivery.extra, 'repo'))
    const number = textOf(own(outgoing.delivery.extra, 'pr_number'))
    if (!repository.test(repo)) return permanentFailure(`repo is not owner/name: "${printable(repo, 100)}"`)
    if (!issueNumber.test(number)) return permanentFailure(`pr_number is not a positive whole number: "${printable(number, 100)}"`)
    if (outgoing.text.trim() === '') return permanentFailure('the text is empty')
    const deadline = kit.clock.monotonic() + outgoing.budgetMs
    const gh = async (args: readonly string[], input: Json): Promise<GhAnswer> => {
      const timeoutMs = deadline - kit.clock.monotonic()
      if (timeoutMs <= 0) return { ok: false, why: 'no time left', repeatable: true, refused: true }
      return runGh({ args: ['api', ...args, '--input', '-'], stdin: JSON.stringify(input), timeoutMs }, kit)
    }
    const mark = markOf(outgoing, `${repo}#${number}`)
    const [owner = '', name = ''] = repo.split('/')
    const found = await look(gh, { owner, name, number: Number(number) }, mark)
    if (found.kind === 'end') return found.sent
    if (found.kind === 'hidden') {
      if (outgoing.doubtful) return permanentFailure(`an earlier try may have arrived, and ${found.why}. Look, then retry by hand`)
      outgoing.onlyOnce?.(`${found.why}: a repeat of this comment could not be recognised`)
    }
    const body = commentOf(harmless(outgoing.text, kit.settings), maxBodyChars, `\n\n${mark}`)
    return posted(await gh(['--method', 'POST', `repos/${repo}/issues/${number}/comments`], { body }), found.kind === 'absent')
  },
}

type Gh = (args: readonly string[], input: Json) => Promise<GhAnswer>
type Where = { readonly owner: string; readonly name: string; readonly number: number }

type Found =
  /** Nothing is posted: an earlier attempt's comment is there, or looking for it failed. */
  | { readonly kind: 'end'; readonly sent: Sent }
  | { readonly kind: 'absent' }
  /** The token may not look for comments; perhaps it may write one. */
  | { readonly kind: 'hidden'; readonly why: string }

const look = async (gh: Gh, where: Where, mark: string): Promise<Found> => {
  // A mark counts only at the very end of a comment of our own: a stranger who copies one must not keep our comment back.
  const ours = `select(.viewerDidAuthor and (.body | endswith("${mark}")))`
  const jq = `.data.repository.issueOrPullRequest.comments.nodes[] | ${ours} | .url`
  const answer = await gh(['graphql', '--jq', jq], { query, variables: where })
  if (!answer.ok) {
    return answer.forbidden
      ? { kind: 'hidden', why: `the token may not look for earlier comments (${answer.why})` }
      : { kind: 'end', sent: failed(answer) }
  }
  const [url = ''] = answer.stdout.split('\n')
  return url === '' ? { kind: 'absent' } : { kind: 'end', sent: { ok: true, detail: `${printable(url, 300)} (there already)` } }
}

const failed = ({ why, repeatable, retryAfterMs }: Extract<GhAnswer, { ok: false }>): Sent => ({
  ok: false,
  why,
  repeatable,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})

/** `repeatable`: whether the next try can look if the comment is there, where this end leaves doubt. */
const posted = (answer: GhAnswer, repeatable: boolean): Sent => {
  const doubt = repeatable ? { repeatable, retryAfterMs: settleMs } : { repeatable }
  if (!answer.ok) return failed(answer.refused ? answer : { ...answer, ...doubt })
  // gh's word is not enough: the answer must be a comment (rules: Outgoing texts 3).
  try {
    const comment: unknown = JSON.parse(answer.stdout)
    if (isObject(comment) && typeof own(comment, 'id') === 'number') {
      return { ok: true, detail: printable(textOf(own(comment, 'html_url')) || `comment ${own(comment, 'id')}`, 300) }
    }
  } catch {
    // Falls through: no JSON is no comment either.
  }
  return { ok: false, why: 'gh: exit code 0, but no comment in the answer', ...doubt }
}
