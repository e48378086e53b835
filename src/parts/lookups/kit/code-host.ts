/** What the lookups of code hosts share: the forms of values that may stand in an address, and the small shapes of their answers. */

import { isObject, type Json, type JsonObject, own, textOrEmpty } from '../../../core/json.ts'
import { cut } from '../../../core/text.ts'
import type { LookupAnswer, LookupFailure } from '../lookup.ts'

/** The most files of a change that are read, and the files of one page. */
export const maxFiles = 300
export const filesOfPage = 100

/** The longest text of an answer, and the most labels, so that a hostile server fills no prompt. */
const maxTextUnits = 1_000
const maxLabels = 100

/** A pull request, or what a host calls so, the same for each host. */
export type PullRequest = {
  readonly number: number
  readonly title: string
  readonly state: 'open' | 'closed'
  readonly draft: boolean
  readonly merged: boolean
  readonly author: string
  /** `repo`: owner/name; empty where the fork is gone. */
  readonly head: { readonly sha: string; readonly ref: string; readonly repo: string }
  readonly base: { readonly ref: string; readonly repo: string }
  readonly labels: readonly string[]
  readonly url: string
}

/** A file that a pull request changes. `before`: its path until now, where it was renamed. */
export type Change = {
  readonly path: string
  readonly status: 'added' | 'modified' | 'removed' | 'renamed'
  readonly before?: string
}

/** The forms of values that may stand in an address, by their keys in a question, with words for people. */
const forms: { readonly [key: string]: readonly [form: RegExp, is: string] } = {
  repo: [/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, 'owner/name'],
  number: [/^[1-9]\d{0,9}$/, 'a positive whole number'],
  user: [/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\[bot\])?$/, 'the name of a user'],
  sha: [/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'the whole hash of a commit'],
}

/** Says what is wrong with a value of a question; `undefined` where it may stand in an address. Quotes no value. */
export const misformed = (key: string, value: string): string | undefined => {
  const known = own(forms, key)
  return known && !known[0].test(value) ? `${key} is not ${known[1]}` : undefined
}

/** Whether the hash says that there is no commit, as that of a deleted branch does. */
export const isNoCommit = (sha: string | undefined): boolean => sha !== undefined && /^0+$/.test(sha)

/** Returns the text of a member of a JSON map, cut; empty where it has none. */
export const shortText = (from: Json | undefined, ...path: readonly string[]): string =>
  cut(textOrEmpty(path.reduce<Json | undefined>((value, key) => (isObject(value) ? own(value, key) : undefined), from)), maxTextUnits)

/** Returns the texts of a list of labels, each a text or a map with `name`. */
export const labelsOf = (labels: Json | undefined): readonly string[] =>
  (Array.isArray(labels) ? labels : []).slice(0, maxLabels).flatMap((label) => {
    const text = typeof label === 'string' ? cut(label, maxTextUnits) : shortText(label, 'name')
    return text === '' ? [] : [text]
  })

/** Makes an answer. `undefined`: the server knows of nothing. */
export const answerOf = (value: PullRequest | JsonObject | string | undefined): LookupAnswer => ({
  ok: true,
  text: JSON.stringify(value ?? null),
})

/** Makes the answer of changed files. The old paths of renamed files are among `paths`, because a file has left their folder. */
export const filesAnswer = (changes: readonly Change[], isCut: boolean): LookupAnswer =>
  answerOf({
    paths: [...new Set(changes.flatMap(({ path, before }) => (before === undefined ? [path] : [path, before])))],
    changes: changes.map(({ path, status }) => ({ path, status })),
    cut: isCut,
  })

/** Makes the failure of an answer that is JSON, and not what was asked for. */
export const oddAnswer = (host: string, expected: string): LookupFailure => ({
  ok: false,
  why: `${host} answered with something else than ${expected}`,
})
