/** Makes a lookup of what differs between code hosts: how the server is reached, what can be asked, and where the payload has the values. */

import type { Report } from '../../../core/diagnostic.ts'
import { type Json, type JsonObject, own } from '../../../core/json.ts'
import { isTemplate } from '../../../expr/placeholder.ts'
import { hasFixedHost } from '../../web/written-address.ts'
import type { Fill, FilledValues, Got, LookupAnswer, LookupFailure, LookupKit, LookupPart, LookupSpec } from '../lookup.ts'
import { type Change, isCommit, type PullRequest } from './pull-request.ts'

/** The most bytes of a page. Files come with their patches, and pull requests with their texts. */
const maxBytes = 8 * 1024 * 1024
/** The most files of a change that are read, and the most pages. */
const maxFiles = 300
const maxPages = 10

/** A value of a question that fills an address. */
type HostKey = 'repo' | 'number' | 'user' | 'sha'

export type HostAccess = Pick<LookupKit, 'env' | 'settings'>

/** What a question may use while it asks. */
export type HostKit = {
  /** Gets an answer of the API. `path`: below the address of the API. */
  readonly get: (path: string) => Promise<Got>
  /** Makes the failure of an answer that is JSON, and not what was asked for. */
  readonly odd: (expected: string) => LookupFailure
}

/** A kind of question. */
type HostQuestion = {
  /** The values without which nothing is asked. */
  readonly keys: readonly HostKey[]
  /** Further values of the event, which are never written in a question. */
  readonly further?: { readonly [key: string]: readonly string[] }
  readonly ask: (values: FilledValues, kit: HostKit) => Promise<LookupAnswer>
}

export type CodeHost = {
  readonly name: 'github' | 'gitlab' | 'gitea'
  readonly title: string
  /** The form of `repo`, with words for people. */
  readonly repo: readonly [form: RegExp, is: string]
  /** The end of each address of the API, where all servers have the same one. */
  readonly apiPath?: string
  /** The headers of a question. */
  readonly headers: (token: string) => { readonly [name: string]: string }
  /**
   * How the server is reached whose settings stand under `platforms`; absent where each question names its server. `lacking`: names the
   * token for people.
   */
  readonly platform?: {
    readonly name: string
    readonly lacking: string
    readonly api: (access: HostAccess) => string
    readonly token: (access: HostAccess) => string | undefined
  }
  /** The values of a question that come of the payload, where the question does not say them. */
  readonly inPayload: { readonly [key in HostKey]: readonly string[] }
  readonly questions: { readonly [kind: string]: HostQuestion }
  readonly examples: LookupPart['examples']
}

/** Makes the lookup of a code host. */
export const codeHost = (host: CodeHost): LookupPart => {
  const { name, title, platform, questions } = host
  const questionOf = (spec: LookupSpec): HostQuestion => own(questions, spec[name] ?? '') ?? { keys: [], ask: async () => answerOf() }
  const misformed = (key: string, value: string): string | undefined => {
    const known = key === 'repo' || key === 'headRepo' ? host.repo : own(forms, key)
    return known && !known[0].test(value) ? `${key} is not ${known[1]}` : undefined
  }
  /** An address of its own has a token of its own, so that no other server gets the token of the platform (rules: Configuration 9). */
  const tokenOf = ({ token, api_base: base }: LookupSpec, access: HostAccess): string | undefined =>
    token !== undefined || base !== undefined ? token?.trim() || undefined : platform?.token(access)
  return {
    name,
    title,
    ...(platform ? { platform: platform.name } : {}),
    reads: (spec) => [...questionOf(spec).keys, 'api_base', 'token'],
    check(spec, report) {
      for (const key of questionOf(spec).keys) {
        const value = spec[key]
        const problem = value === undefined || isTemplate(value) ? undefined : misformed(key, String(value))
        if (problem !== undefined) report('WH249', [key], problem, 'write it so, or a placeholder')
      }
      checkServer(spec, host, report)
    },
    fills(spec) {
      const { keys, further = {} } = questionOf(spec)
      const needed = keys.map((key): [string, Fill] => [
        key,
        { use: 'value', texts: spec[key] === undefined ? host.inPayload[key] : [String(spec[key])] },
      ])
      const rest = Object.entries(further).map(([key, texts]): [string, Fill] => [key, { use: 'value', texts, isOptional: true }])
      return Object.fromEntries([...needed, ...rest])
    },
    unasked(spec, values) {
      const { keys } = questionOf(spec)
      if (keys.some((key) => values[key] === undefined) || isNoCommit(values.sha)) return 'unfilled'
      const problem = Object.entries(values).flatMap(([key, value]) => misformed(key, value) ?? [])[0]
      return problem === undefined ? undefined : { ok: false, why: problem, isFinal: true }
    },
    token: tokenOf,
    lacks: (spec, access) =>
      tokenOf(spec, access) === undefined
        ? spec.api_base === undefined
          ? (platform?.lacking ?? 'api_base and token')
          : 'token'
        : undefined,
    ask(spec, values, kit) {
      const api = spec.api_base?.replace(/\/+$/, '') ?? platform?.api(kit) ?? ''
      const headers = host.headers(tokenOf(spec, kit) ?? '')
      return questionOf(spec).ask(values, {
        get: (path) => kit.get({ url: `${api}/${path}`, headers, maxBytes, isPublicOnly: false }),
        odd: (expected) => ({ ok: false, why: `${title} answered with something else than ${expected}` }),
      })
    },
    examples: host.examples,
  }
}

/** Reports a server of the question's own that cannot be asked. */
const checkServer = ({ api_base: base, token }: LookupSpec, { title, platform, apiPath = '' }: CodeHost, report: Report): void => {
  const say = (message: string, help: string): void => report('WH249', ['api_base'], message, help)
  const example = `write it like https://git.example.org${apiPath || '/api/v3'}`
  if (base === undefined) {
    if (!platform) report('WH249', [], `${title} has no address that all know, so api_base must say it`, example)
    return
  }
  if (!hasFixedHost(base) || /[{}?#]/.test(base)) say('api_base is no fixed web address', example)
  else if (!base.replace(/\/+$/, '').endsWith(apiPath)) say(`api_base does not end in ${apiPath}`, example)
  if (token === undefined)
    say('api_base has no token of its own', `write token: \${NAME} beside it; another server gets no token of ${title}`)
}

/** The forms of values that may stand in an address, the same for each host, with words for people. */
const forms: { readonly [key: string]: readonly [form: { readonly test: (text: string) => boolean }, is: string] } = {
  number: [/^[1-9]\d{0,9}$/, 'a positive whole number'],
  user: [/^(?!\.{1,2}$)[A-Za-z0-9_.][A-Za-z0-9_.-]{0,254}(?:\[bot\])?$/, 'the name of a user'],
  sha: [{ test: isCommit }, 'the whole hash of a commit'],
}

/** Whether the hash says that there is no commit, as that of a deleted branch does. */
const isNoCommit = (sha: string | undefined): boolean => sha !== undefined && /^0+$/.test(sha)

/** Makes an answer. Absent: the server knows of nothing. */
export const answerOf = (value?: PullRequest | JsonObject | string): LookupAnswer => ({ ok: true, text: JSON.stringify(value ?? null) })

/** Asks for one thing. `read`: makes its small shape of the JSON, or returns `undefined` where that is not what was `expected`. */
export const askOne = async (
  path: string,
  expected: string,
  read: (payload: Json) => PullRequest | string | undefined,
  { get, odd }: HostKit,
): Promise<LookupAnswer> => {
  const got = await get(path)
  if (!got.ok) return got
  if (got.absent) return answerOf()
  const found = read(got.payload)
  return found === undefined ? odd(expected) : answerOf(found)
}

/** A page of a list to get. `size`: the items of a whole page. `read`: as that of `askOne`, for an item. */
type ListPage<T> = {
  readonly path: string
  readonly size: number
  readonly expected: string
  readonly read: (item: Json) => T | undefined
}

/** Gets a page of a list, and whether there are more of them. `undefined`: the server knows of nothing. */
export const getList = async <T>(
  { path, size, expected, read }: ListPage<T>,
  { get, odd }: HostKit,
): Promise<{ readonly ok: true; readonly items: readonly T[]; readonly hasMore: boolean } | LookupFailure | undefined> => {
  const got = await get(path)
  if (!got.ok) return got
  if (got.absent) return undefined
  const items = Array.isArray(got.payload) ? got.payload.map(read) : [undefined]
  if (items.includes(undefined)) return odd(expected)
  // A server may give fewer items a page than it is asked for. Where it does not say whether there are more, a whole page lets that open.
  const link = got.header('link')
  const hasMore = link === undefined ? items.length >= size : /;\s*rel="next"/.test(link)
  return { ok: true, items: items.flatMap((item) => (item === undefined ? [] : [item])), hasMore }
}

/** Returns the pull request that is open, or else the first one. */
export const openOne = (found: readonly PullRequest[]): PullRequest | undefined => found.find(({ state }) => state === 'open') ?? found[0]

/** Asks for the changed files, page by page. */
export const askFiles = async ({ path, ...page }: Omit<ListPage<Change>, 'expected'>, kit: HostKit): Promise<LookupAnswer> => {
  const changes: Change[] = []
  for (let count = 1; ; count += 1) {
    const got = await getList({ ...page, path: `${path}&page=${count}`, expected: 'changed files' }, kit)
    if (got === undefined) return answerOf()
    if (!got.ok) return got
    changes.push(...got.items)
    if (!got.hasMore || changes.length >= maxFiles || count === maxPages) return filesAnswer(changes, got.hasMore)
  }
}

/** Makes the answer of changed files. The old paths of renamed files are among `paths`, because a file has left their folder. */
const filesAnswer = (all: readonly Change[], hasMore: boolean): LookupAnswer => {
  const changes = all.slice(0, maxFiles)
  return answerOf({
    paths: [...new Set(changes.flatMap(({ path, before }) => (before === undefined ? [path] : [path, before])))],
    changes: changes.map(({ path, status }) => ({ path, status })),
    cut: hasMore || all.length > maxFiles,
  })
}
