/** Finds the secrets of a YAML or JSON file: the values of keys that name a secret. */

import { namesFile } from '../../config/secrets/reference.ts'
import { eventsOf, type Range, scalarsOf, YamlTree } from '../../config/yaml/yaml-tree.ts'
import { isMask } from '../../core/secrets/mask.ts'
import { namesProvider } from '../../core/secrets/program-secret.ts'
import { holdsSecrets, holdsWords, namesSettingSecret, secretInWord } from '../../core/secrets/secret-names.ts'
import { nearest } from '../../core/text.ts'

/** A part of a text that must not be shown: its offsets, the end exclusive, and the text that is shown in its place. */
export type Cover = { readonly from: number; readonly to: number; readonly shown: string }

/** Shown in place of a secret. */
export const stars = '****'
const referenceForm = /\$\{([A-Za-z_]\w*)(:-[^}]*)?\}/g

/**
 * Returns the scalar of a secret as it may be shown. `raw`: the scalar as the file has it, with its quotes. References such as `${NAME}`
 * stay, but the defaults in them are masked. What names a secret elsewhere (`file:`, `credential:`, `exec:`), INSECURE_NO_AUTH, an empty
 * text and a mask stay.
 */
export const maskScalar = (raw: string): string => {
  const quote = /^["']/.exec(raw)?.[0] ?? ''
  const inner = quote !== '' && raw.endsWith(quote) ? raw.slice(1, -1) : raw
  if (inner === '' || isMask(inner) || inner === 'INSECURE_NO_AUTH' || namesFile(inner) || namesProvider(inner)) return raw
  if (inner.search(referenceForm) < 0) return stars
  let end = 0
  let shown = ''
  for (const { index, 0: all, 1: name, 2: fallback } of inner.matchAll(referenceForm)) {
    shown += `${index > end ? stars : ''}\${${name}${fallback === undefined ? '' : `:-${stars}`}}`
    end = index + all.length
  }
  return `${quote}${shown}${end < inner.length ? stars : ''}${quote}`
}

/** Keys whose values are secrets. The value of a key that looks like a mistyped one of these keys counts as a secret, too. */
const secretKeys = ['secret', 'secrets', 'token', 'bot_token', 'access_token', 'password', 'api_key', 'headers', 'webhook_url']

const namesSecret = (key: string): boolean => namesSettingSecret(key) || nearest(key, secretKeys).length > 0

/** Keys whose maps have names as keys: under `routes`, the key `my-token` is the name of a route, and its map is no secret. */
const mapsOfNames = new Set(['routes', 'jobs', 'platforms'])

/** What a text has at its top: the sections of a file, whose keys may be names, or the settings of one route. */
export type TextKind = 'file' | 'settings'

/** Returns covers for exactly the secrets of a text, those in settings that are commented out too; `undefined` for a text that cannot be parsed. */
export const secretsIn = (text: string, kind: TextKind = 'file'): Cover[] | undefined => {
  try {
    const events = eventsOf(text)
    const tree = new YamlTree(text, events)
    return [...new Secrets(text, tree).below(tree.root, kind === 'file'), ...commentedSecrets(text, scalarsOf(events))]
  } catch {
    return undefined
  }
}

/** Matches a setting that is commented out, with its key and its value. */
const commentedSetting = /(?<=^|\s)#[\s-]*["']?([\w.-]+)["']?:[ \t]+(\S.*)$/gm

/** A setting that is commented out. `at`: the offset of its value. `from`: that of the comment. */
type CommentedSetting = { readonly key: string; readonly value: string; readonly at: number; readonly from: number }

/** Returns the settings that are commented out and name a secret. A scalar may have a text that looks like one. */
export const commentedSettings = (text: string): readonly CommentedSetting[] =>
  [...text.matchAll(commentedSetting)].flatMap(({ index, 0: all, 1: key = '', 2: value = '' }) =>
    namesSecret(key) ? [{ key, value, at: index + all.length - value.length, from: index }] : [],
  )

/** Returns covers for the secrets of settings that are commented out. `scalars`: the ranges in which a `#` begins no comment. */
const commentedSecrets = (text: string, scalars: readonly Range[]): Cover[] =>
  commentedSettings(text).flatMap(({ value, at, from }) => {
    const isText = scalars.some(([start, end]) => start <= from && from < end)
    return isText ? [] : { from: at, to: at + value.length, shown: maskScalar(value.trimEnd()) }
  })

/** Walks the tree of one file, and makes a cover for each secret. */
class Secrets {
  readonly #text: string
  readonly #tree: YamlTree

  constructor(text: string, tree: YamlTree) {
    this.#text = text
    this.#tree = tree
  }

  /**
   * Returns the covers below a node. `keysAreNames`: a key of the node whose value is a map is a name, such as a route's, and its map is no
   * secret. That is so at the top of the file and below the keys in `mapsOfNames`.
   */
  below(node: number, keysAreNames: boolean): Cover[] {
    return this.#tree.members(node).flatMap(({ name, key, value }) => {
      if (!this.#tree.isMap(node)) return this.below(value, false)
      if (namesSecret(name) && !(keysAreNames && this.#tree.isMap(value))) return this.#covers(value, holdsSecrets(name), this.#endOf(key))
      if (holdsSecrets(name) && this.#tree.isMap(value)) return this.#covers(value, true, this.#endOf(key))
      return [...this.below(value, mapsOfNames.has(name)), ...(holdsWords(name) ? this.#coversOfWords(value) : [])]
    })
  }

  /**
   * Returns the covers of a secret value. `ofHeaders`: the value is a map of headers, and each member gets a cover of its own. `after`: the
   * offset behind the key. YAML reads a secret that begins with & or ! as an anchor or a tag, so an anchor or tag between this offset and
   * the value is covered, too.
   */
  #covers(node: number, ofHeaders: boolean, after: number): Cover[] {
    const [start, to] = this.#tree.range(node) ?? this.#restOfLine(after)
    if (this.#tree.isList(node)) {
      const items = this.#tree.members(node)
      return items.flatMap(({ value }, i) => this.#covers(value, ofHeaders, this.#endOf(items[i - 1]?.value) || start))
    }
    if (this.#tree.isMap(node) && ofHeaders)
      return this.#tree.members(node).flatMap(({ key, value }) => this.#covers(value, true, this.#endOf(key)))
    const property = this.#text.slice(after, start).search(/[&!]/)
    if (property >= 0) return [{ from: after + property, to, shown: stars }]
    return [{ from: start, to, shown: this.#tree.isScalar(node) ? maskScalar(this.#text.slice(start, to)) : stars }]
  }

  /** Returns covers for the secrets in the words of a command. */
  #coversOfWords(node: number): Cover[] {
    const words = this.#tree.isList(node) ? this.#tree.members(node).map(({ value }) => value) : []
    return words.flatMap((word, i): Cover[] => {
      const text = this.#tree.scalar(word)
      const range = this.#tree.range(word)
      const before = words[i - 1]
      const from = text === undefined ? undefined : secretInWord(text, before === undefined ? undefined : this.#tree.scalar(before))
      if (text === undefined || !range || from === undefined) return []
      const raw = this.#text.slice(...range)
      // Where the file spells the word otherwise, as with escapes, the whole word is covered.
      const head = raw.indexOf(text.slice(0, from))
      const start = from === 0 || head < 0 ? range[0] : range[0] + head + from
      const to = start > range[0] && /["']$/.test(raw) ? range[1] - 1 : range[1]
      return [{ from: start, to, shown: maskScalar(this.#text.slice(start, to)) }]
    })
  }

  /** Returns the offset behind a node; 0 where there is no node. */
  #endOf(node: number | undefined): number {
    return (node === undefined ? undefined : this.#tree.range(node)?.[1]) ?? 0
  }

  /**
   * Returns an empty range at the end of the line, for a value that the file leaves empty. So an anchor or a tag on the line is covered.
   */
  #restOfLine(after: number): Range {
    const end = this.#text.indexOf('\n', after)
    const to = end < 0 ? this.#text.length : end
    return [to, to]
  }
}
