/** Runs `gh`, GitHub's command line program, with only the environment that it needs. Also decides which failures may be repeated. */

import { type JsonObject, own } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { baseEnv, type ChildEnv, type ChildResult, failureOf, runChild } from '../../../process/child.ts'
import { locateProgram, searchPathOf } from '../../../process/find-program.ts'
import { createRedactor } from '../../../secrets/redact.ts'
import type { TargetKit, Unsent } from '../target.ts'
import { textSetting } from './settings.ts'

const longestMs = 30_000
const rateLimitWaitMs = 60_000
/** The most PATHs for which the file of gh is kept. */
const maxLocated = 20

/** The environment variables from which gh takes the token for github.com and the subdomains of ghe.com. */
const githubTokens = ['GH_TOKEN', 'GITHUB_TOKEN'] as const
/** The environment variables from which gh takes the token for any other host. */
const enterpriseTokens = ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'] as const
const tokens = [...githubTokens, ...enterpriseTokens]

const passedVariables = [...tokens, 'GH_HOST', 'GH_CONFIG_DIR', 'XDG_CONFIG_HOME']

const notInstalled = 'gh is not installed, or not on the PATH'

/** One run of gh. `args`: the arguments after the program's name. */
export type GhJob = {
  readonly args: readonly string[]
  readonly stdin: string
  readonly timeoutMs: number
}

/**
 * The output of gh, or a failure. `refused`: nothing was posted, because the host or gh said no, or gh could not run or connect.
 * `forbidden`: the token may not use this repository or issue, or the host answers 404.
 */
export type GhAnswer =
  | { readonly ok: true; readonly stdout: string }
  | (Unsent & { readonly refused: boolean; readonly forbidden?: boolean })

/** Runs gh with these arguments for at most `timeoutMs`, and no longer than 30 seconds. Failures quote no token. Never rejects. */
export const runGh = async (
  { args, stdin, timeoutMs }: GhJob,
  { env, settings, keep }: Pick<TargetKit, 'env' | 'settings' | 'keep'>,
): Promise<GhAnswer> => {
  const search = searchPathOf(env)
  const located = keep.of(createLocated)
  const program = await locate(search, located)
  if (program === undefined) return ghRefusal(notInstalled)
  const childEnv = ghEnvironment(env, settings)
  const result = await runChild({ argv: [program, ...args], env: childEnv, stdin, timeoutMs: Math.min(longestMs, Math.max(1, timeoutMs)) })
  // The program may have been moved, so the next attempt searches for it again.
  if (result.kind === 'failed') located.delete(search)
  return ghAnswer(result, createRedactor(tokens.flatMap((name) => childEnv[name] ?? [])))
}

/**
 * Makes the map from a PATH to the file of gh. gh is located once for each PATH, so that a program which is later put into a folder of the
 * PATH cannot take its place (rules: Outgoing texts 1).
 */
const createLocated = (): Map<string, string> => new Map()

/** Resolves to the file of gh on this PATH, which is kept in `located`; `undefined` when there is none. */
const locate = async (search: string, located: Map<string, string>): Promise<string | undefined> => {
  const known = located.get(search)
  if (known !== undefined) return known
  const file = await locateProgram('gh', search)
  if (file === undefined) return undefined
  if (located.size >= maxLocated) located.clear()
  located.set(search, file)
  return file
}

/**
 * HOME for gh where the profile's environment has none. The home of the gateway may have another profile's login, and without a HOME gh
 * searches for a login in its working folder.
 */
const noHome = '/nonexistent'

/**
 * Makes the environment of gh from that of the profile, and from the settings `host` and `token`. The environment has no tokens of other
 * programs, and turns debugging and prompts off.
 */
const ghEnvironment = (from: ChildEnv, settings: JsonObject): ChildEnv => {
  const host = own(from, 'GH_HOST') || textSetting(settings, 'host')
  const names = !host || /(?:^|\.)(?:github\.com|ghe\.com)$/i.test(host) ? githubTokens : enterpriseTokens
  const token = names.some((name) => own(from, name)) ? undefined : textSetting(settings, 'token')
  return {
    ...baseEnv({ ...process.env, HOME: noHome, ...from }),
    ...Object.fromEntries(passedVariables.map((name) => [name, own(from, name)])),
    ...(host ? { GH_HOST: host } : {}),
    ...(token ? { [names[0]]: token } : {}),
    GH_PROMPT_DISABLED: '1',
    NO_COLOR: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
  }
}

/** Makes a failure before anything was posted. By default it is repeatable, because gh may be missing only while it is upgraded. */
const ghRefusal = (why: string, repeatable = true): GhAnswer => ({ ok: false, why, repeatable, receiver: 'unknown', refused: true })

/** Makes the answer from the end of gh's process. `redact` takes the tokens out of a text. */
const ghAnswer = (result: ChildResult, redact: (text: string) => string): GhAnswer => {
  if (result.kind === 'failed') return ghRefusal(result.notFound ? notInstalled : `gh: ${result.why}`)
  if (result.kind !== 'exited') return { ok: false, why: `gh: ${failureOf(result)}`, repeatable: true, refused: false }
  if (result.code === 0) return { ok: true, stdout: result.stdout }
  if (result.code === 4) return ghRefusal('gh is not logged in: run gh auth login, or set GH_TOKEN', false)
  // Tokens are redacted before the text is cut, because half a token would not be recognised.
  return failureFromOutput(redact(result.stderr), result.stdout)
}

/** The error types with which GraphQL refuses a token. They are in the body of an answer with status 200, and gh prints the body. */
const forbids = /"type":\s*"(?:FORBIDDEN|INSUFFICIENT_SCOPES)"/

/** Makes the answer from the output of a gh that failed: what the host answered, and whether another attempt is of use. */
const failureFromOutput = (stderr: string, stdout: string): GhAnswer => {
  const why = printable(stderr.trim(), 300) || 'gh: failed without a reason'
  const status = Number(/\bHTTP (\d{3})\)?\s*$/m.exec(stderr)?.[1] ?? 0)
  const limited = status === 429 || ((status === 403 || status === 0) && /rate limit|abuse detection/i.test(stderr))
  const forbidden = !limited && (status === 403 || status === 404 || (status === 0 && forbids.test(stdout)))
  // After a 4xx, or without a connection, nothing was posted. After any other failure, the host may have posted the comment.
  const refused = (status >= 400 && status < 500) || /^error connecting to |: dial (?:tcp|unix)\b/m.test(stderr)
  // Another attempt would fail too where the host refused the comment, or has no such repository or issue.
  const lasting =
    forbidden || (status >= 400 && status < 500 && status !== 408 && !limited) || /^gh: Could not resolve to an? /m.test(stderr)
  // gh does not show Retry-After. After a secondary rate limit, the host asks for a wait of at least a minute.
  return { ok: false, why, repeatable: !lasting, refused, forbidden, ...(limited ? { retryAfterMs: rateLimitWaitMs } : {}) }
}
