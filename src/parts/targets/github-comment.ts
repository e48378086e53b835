/** Comments on a pull request or issue through `gh`: the text on stdin, and only a checked repository and number in the arguments. */

import { isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { cut, printable } from '../../core/text.ts'
import { baseEnv, type ChildResult, type Env, failureOf, runChild } from '../child.ts'
import type { Sent, TargetPart } from '../part.ts'

// security F1: whatever a template made of the payload, nothing that gh could read as an option or another path gets through.
const repository = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/
const issueNumber = /^[1-9]\d{0,9}$/

const maxBodyChars = 65_536
const cutMark = '\n\n[cut: the text was longer than a comment may be]'
const longestMs = 30_000
const rateLimitWaitMs = 60_000

const passed = ['GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', 'GH_CONFIG_DIR', 'XDG_CONFIG_HOME']

export const githubComment: TargetPart = {
  name: 'github_comment',
  repeatable: false,
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
    if (!repository.test(repo)) return final(`repo is not owner/name: "${printable(repo, 100)}"`)
    if (!issueNumber.test(number)) return final(`pr_number is not a positive whole number: "${printable(number, 100)}"`)
    if (outgoing.text.trim() === '') return final('the text is empty')
    const result = await runChild({
      argv: ['gh', 'api', '--method', 'POST', `repos/${repo}/issues/${number}/comments`, '--input', '-'],
      env: environment(kit.env, kit.settings),
      stdin: JSON.stringify({ body: commentOf(outgoing.text) }),
      timeoutMs: Math.min(longestMs, Math.max(1, outgoing.budgetMs)),
    })
    return verdict(result)
  },
}

const final = (why: string): Sent => ({ ok: false, why, repeatable: false })

const isTemplate = (value: Json): boolean => typeof value === 'string' && value.includes('{')

const textOf = (value: Json | undefined): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

// Encoding and back replaces lone surrogates, which the API would refuse.
const commentOf = (text: string): string => {
  const body = Buffer.from(text).toString()
  return body.length <= maxBodyChars ? body : cut(body, maxBodyChars - cutMark.length) + cutMark
}

/** What gh needs and nothing else: no other token, no debugging, no questions. */
const environment = (from: Env, settings: JsonObject): Env => {
  const host = textOf(own(settings, 'host')) || from.GH_HOST
  const token = textOf(own(settings, 'token'))
  // gh reads GH_TOKEN for github.com and its subdomains of ghe.com only.
  const tokenName = !host || /(?:^|\.)(?:github\.com|ghe\.com)$/i.test(host) ? 'GH_TOKEN' : 'GH_ENTERPRISE_TOKEN'
  return {
    ...baseEnv(from),
    ...Object.fromEntries(passed.map((name) => [name, from[name]])),
    ...(host ? { GH_HOST: host } : {}),
    ...(token ? { [tokenName]: token } : {}),
    GH_PROMPT_DISABLED: '1',
    NO_COLOR: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
  }
}

const verdict = (result: ChildResult): Sent => {
  if (result.kind === 'failed') {
    return { ok: false, why: result.notFound ? 'gh is not installed, or not on the PATH' : `gh: ${result.why}`, repeatable: true }
  }
  if (result.kind !== 'exited') return final(`gh: ${failureOf(result)}`)
  if (result.code === 0) return posted(result.stdout)
  if (result.code === 4) return { ok: false, why: 'gh is not logged in: run gh auth login, or set GH_TOKEN', repeatable: true }
  return refused(result.stderr)
}

/** gh's word is not enough: the answer must be a comment (security F3). */
const posted = (stdout: string): Sent => {
  try {
    const comment: unknown = JSON.parse(stdout)
    if (isObject(comment) && typeof own(comment, 'id') === 'number') {
      return { ok: true, detail: printable(textOf(own(comment, 'html_url')) || `comment ${own(comment, 'id')}`, 300) }
    }
  } catch {
    // Falls through: no JSON is no comment either.
  }
  return final('gh: exit code 0, but no comment in the answer')
}

const refused = (stderr: string): Sent => {
  const why = printable(stderr.trim(), 300) || 'gh: failed without a word'
  const status = Number(/\bHTTP (\d{3})\)?\s*$/m.exec(stderr)?.[1] ?? 0)
  const limited = status === 429 || (status === 403 && /rate limit/i.test(stderr))
  // A 4xx was refused, and a connection that never stood carried nothing; after anything else the comment may be there.
  const unsent = (status >= 400 && status < 500) || /^error connecting to |: dial (?:tcp|unix)\b/m.test(stderr)
  // gh does not pass Retry-After on; the host asks for a minute at least after a secondary limit.
  return { ok: false, why, repeatable: unsent, ...(limited ? { retryAfterMs: rateLimitWaitMs } : {}) }
}
