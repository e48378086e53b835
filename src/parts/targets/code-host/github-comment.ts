/**
 * The target `github_comment`: comments on a pull request or issue by `gh`, GitHub's command line program. Before it posts, it looks for
 * the comment of an earlier attempt, so that no comment is posted twice. Where the token may not read comments, it posts without looking,
 * unless an earlier attempt may have arrived.
 */

import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { isTemplate } from '../../../expr/placeholder.ts'
import { endsWithMarkOf } from '../../own-comment.ts'
import { type GhAnswer, runGh } from '../delivery/gh.ts'
import { settingsIn } from '../delivery/settings.ts'
import { addressPartText, commentOf, deliveryDigest, withoutOrdersAndImages } from '../kit/comment.ts'
import { images, secret, textKey } from '../kit/keys.ts'
import { permanentFailure, type Sent, type TargetPart, type TargetSchema } from '../target.ts'

// A payload may fill in repository and number. gh could read other forms than these as an option or another path (rules: Outgoing texts 1).
const repository = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/
const issueNumber = /^[1-9]\d{0,9}$/

const maxBodyChars = 65_536
/** The wait after an error that does not say whether the comment was posted. After this wait, GitHub shows the comment or never will. */
const settleMs = 5_000

const newest = 'comments(last: 100) { nodes { body url viewerDidAuthor } }'
const query = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) { ... on Issue { ${newest} } ... on PullRequest { ${newest} } }
  }
}`

const schema: TargetSchema = {
  settings: {
    description: 'Settings of GitHub.',
    properties: {
      mentions: {
        type: 'boolean',
        default: false,
        description: 'true: @mentions and commands in comments stay alive.',
        markdownDescription:
          "`true`: @mentions and slash commands in comments stay alive. By default they are broken, for the text may be a stranger's.",
      },
      images,
      token: {
        ...secret('Token for gh, which may have a login of its own.'),
        markdownDescription:
          'Token for `gh`, which may have a login of its own. `GH_TOKEN` or `GITHUB_TOKEN` in the environment wins, for a host of your own `GH_ENTERPRISE_TOKEN` or `GITHUB_ENTERPRISE_TOKEN`.',
      },
      host: textKey('Host of the server, when it is not the public one.', 'GH_HOST'),
    },
  },
  deliver_extra: {
    properties: {
      repo: {
        title: 'Repository',
        type: 'string',
        description: 'github_comment: owner/name.',
        markdownDescription: '`github_comment`: `owner/name`.\n\nExample: `"{repository.full_name}"`',
        examples: ['{repository.full_name}'],
        'x-exact': true,
      },
      pr_number: {
        title: 'Number',
        type: ['string', 'integer'],
        description: 'github_comment: number of the pull request or issue.',
        markdownDescription: '`github_comment`: number of the pull request or issue.\n\nExample: `"{number}"`',
        examples: ['{number}'],
        'x-exact': true,
      },
    },
  },
}

export const githubComment: TargetPart = {
  name: 'github_comment',
  aliases: ['hosta_comment'],
  title: 'A comment on a pull request or issue, by the gh command',
  program: 'gh',
  // In the schema, `token` has no environment variables: the host decides which variables are read, so `delivery/gh.ts` reads them.
  schema,
  settings: settingsIn(schema),
  returnsAsEvent: true,
  // Every comment has a mark of its delivery, for which `send` searches the newest comments before it posts (rules: Outgoing texts 2).
  repeatable: true,
  requires: ['repo', 'pr_number'],
  check(extra, report) {
    const wrong = (key: string, pattern: RegExp): boolean => {
      const value = own(extra, key)
      return value !== undefined && !isTemplate(value) && !pattern.test(addressPartText(value))
    }
    if (wrong('repo', repository)) report('WH707', ['repo'], 'repo is not owner/name', 'write it like octo-org/octo-repo')
    if (wrong('pr_number', issueNumber))
      report('WH707', ['pr_number'], 'pr_number is not a positive whole number', 'write the number, or a placeholder such as {number}')
  },
  undeliverable(extra) {
    const { repo, number } = issueIn(extra)
    if (!repository.test(repo)) return `repo is not owner/name: "${printable(repo, 100)}"`
    return issueNumber.test(number) ? undefined : `pr_number is not a positive whole number: "${printable(number, 100)}"`
  },
  async send(outgoing, kit) {
    const { extra } = outgoing.delivery
    const problem = githubComment.undeliverable?.(extra, kit.settings)
    if (problem !== undefined) return permanentFailure(problem)
    const { repo, number } = issueIn(extra)
    if (outgoing.text.trim() === '') return permanentFailure('the text is empty')
    const deadline = kit.clock.monotonic() + outgoing.budgetMs
    const gh = async (args: readonly string[], input: Json): Promise<GhAnswer> => {
      const timeoutMs = deadline - kit.clock.monotonic()
      if (timeoutMs <= 0) return { ok: false, why: 'no time left', repeatable: true, receiver: 'unknown', refused: true }
      return runGh({ args: ['api', ...args, '--input', '-'], stdin: JSON.stringify(input), timeoutMs }, kit)
    }
    const delivery = deliveryDigest(outgoing, `${repo}#${number}`)
    const [owner = '', name = ''] = repo.split('/')
    const found = await findEarlier(gh, { owner, name, number: Number(number) }, delivery)
    if (found.kind === 'end') return found.sent
    if (found.kind === 'hidden') {
      if (outgoing.doubtful) return permanentFailure(`an earlier try may have arrived, and ${found.why}. Look, then retry by hand`)
      outgoing.onlyOnce?.(`${found.why}: a repeat of this comment could not be recognised`)
    }
    const markOf = (text: string): string => kit.mark(delivery, { repo, number }, text)
    const body = commentOf(withoutOrdersAndImages(outgoing.text, kit.settings), maxBodyChars, markOf)
    return resultOfPost(await gh(['--method', 'POST', `repos/${repo}/issues/${number}/comments`], { body }), found.kind === 'absent')
  },
}

const issueIn = (extra: JsonObject): { readonly repo: string; readonly number: string } => ({
  repo: addressPartText(own(extra, 'repo')),
  number: addressPartText(own(extra, 'pr_number')),
})

/** Calls GitHub's API by gh. `args`: the arguments after `gh api`. `input`: the body of the request. */
type Gh = (args: readonly string[], input: Json) => Promise<GhAnswer>
type CommentAddress = { readonly owner: string; readonly name: string; readonly number: number }

type EarlierComment =
  /** Do not post: the comment of an earlier attempt is there, or the search for it failed. */
  | { readonly kind: 'end'; readonly sent: Sent }
  | { readonly kind: 'absent' }
  /** The token may not read comments, so an earlier comment cannot be found. The token may still be able to write a comment. */
  | { readonly kind: 'hidden'; readonly why: string }

/** Searches for a comment with the mark of this delivery among the newest 100 comments. */
const findEarlier = async (gh: Gh, where: CommentAddress, delivery: string): Promise<EarlierComment> => {
  // A stranger who posts a copied mark must not prevent the comment. So a mark counts only at the very end of a comment that the token's
  // own user wrote.
  const ours = `select(.viewerDidAuthor and (.body | test("${endsWithMarkOf(delivery)}")))`
  const jq = `.data.repository.issueOrPullRequest.comments.nodes[] | ${ours} | .url`
  const answer = await gh(['graphql', '--jq', jq], { query, variables: where })
  if (!answer.ok) {
    return answer.forbidden
      ? { kind: 'hidden', why: `the token may not look for earlier comments (${answer.why})` }
      : { kind: 'end', sent: answer }
  }
  const [url = ''] = answer.stdout.split('\n')
  return url === '' ? { kind: 'absent' } : { kind: 'end', sent: { ok: true, detail: `${printable(url, 300)} (there already)` } }
}

/** Makes the result of a post. `repeatable`: the next attempt can search for the comment, where it is unclear whether it was posted. */
const resultOfPost = (answer: GhAnswer, repeatable: boolean): Sent => {
  const doubt = repeatable ? { repeatable, retryAfterMs: settleMs } : { repeatable }
  if (!answer.ok) return answer.refused ? answer : { ...answer, ...doubt }
  // Exit code 0 is not enough: the answer must be a comment (rules: Outgoing texts 3).
  try {
    const comment: unknown = JSON.parse(answer.stdout)
    if (isObject(comment) && typeof own(comment, 'id') === 'number') {
      return { ok: true, detail: printable(addressPartText(own(comment, 'html_url')) || `comment ${own(comment, 'id')}`, 300) }
    }
  } catch {
    // An answer that is not JSON is not a comment either.
  }
  return { ok: false, why: 'gh: exit code 0, but no comment in the answer', ...doubt }
}
