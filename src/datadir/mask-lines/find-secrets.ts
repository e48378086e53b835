/** Finds the secrets of a YAML or JSON file: the values of keys that name a secret. */

import { namesFile } from '../../config/secrets/reference.ts'
import { eventsOf, type Range, scalarsOf, YamlTree } from '../../config/yaml/yaml-tree.ts'
import { stars } from '../../core/secret-names.ts'
import { isMask } from '../../secrets/mask.ts'
import {
  namesProvider,
  namesSecret,
  type SecretPlace,
  secretParts,
  secretPlaceBelow,
  topOfFile,
  topOfSettings,
} from '../../secrets/secret-place.ts'

/** A part of a text that must not be shown: its offsets, the end exclusive, and the text that is shown in its place. */
export type Cover = { readonly from: number; readonly to: number; readonly shown: string }

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

/** What a text has at its top: the sections of a file, whose keys may be names, or the settings of one route. */
export type TextKind = 'file' | 'settings'

/**
 * Returns covers for exactly the secrets of a text, those in settings that are commented out too; `undefined` for a text that cannot be
 * parsed.
 */
export const secretCovers = (text: string, kind: TextKind = 'file'): Cover[] | undefined => {
  try {
    const events = eventsOf(text)
    const tree = new YamlTree(text, events)
    return [
      ...new Secrets(text, tree).below(tree.root, kind === 'file' ? topOfFile : topOfSettings),
      ...commentedSecrets(text, scalarsOf(events)),
    ]
  } catch {
    return undefined
  }
}

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

  /** Returns a cover for each secret in the map or list at a node. `place`: where the node stands in the settings. */
  below(node: number, place: SecretPlace): Cover[] {
    const members = this.#tree.members(node)
    if (!this.#tree.isMap(node)) {
      const below = secretPlaceBelow(place, undefined, false)
      const start = this.#tree.range(node)?.[0] ?? 0
      return members.flatMap(({ value }, i) => {
        const before = members[i - 1]?.value
        return this.#covers(value, below, before === undefined ? start : this.#endOf(before), before)
      })
    }
    return members.flatMap(({ name, key, value }) =>
      this.#covers(value, secretPlaceBelow(place, name, this.#tree.isMap(value)), this.#endOf(key)),
    )
  }

  /**
   * Returns the covers of a value at a place. `after`: the offset behind what is before it. YAML reads a secret that begins with & or ! as
   * an anchor or a tag, so an anchor or tag between this offset and the value is covered, too. `before`: the node before it in a list.
   */
  #covers(node: number, place: SecretPlace, after: number, before?: number): Cover[] {
    const [start, to] = this.#tree.range(node) ?? this.#restOfLine(after)
    const isScalar = this.#tree.isScalar(node)
    if (place.hides !== 'all' && place.hides !== 'shown') return isScalar ? this.#partsOf(node, place, before) : this.below(node, place)
    if (this.#tree.isList(node) || (this.#tree.isMap(node) && place.hides === 'shown')) return this.below(node, place)
    const property = this.#text.slice(after, start).search(/[&!]/)
    if (property >= 0) return [{ from: after + property, to, shown: stars }]
    return [{ from: start, to, shown: isScalar ? maskScalar(this.#text.slice(start, to)) : stars }]
  }

  /** Returns a cover for each part of a scalar that is secret: of a word of a command (`--key=…`), or of an address. */
  #partsOf(node: number, place: SecretPlace, before?: number): Cover[] {
    const text = this.#tree.scalar(node)
    const range = this.#tree.range(node)
    if (text === undefined || !range) return []
    const raw = this.#text.slice(...range)
    return secretParts(text, place, before === undefined ? undefined : this.#tree.scalar(before)).map(({ from, to }) => {
      // Where the file spells the text otherwise, for example with escapes, the whole scalar is covered.
      const at = raw.indexOf(text)
      const [start, end] = at < 0 ? range : [range[0] + at + from, range[0] + at + to]
      return { from: start, to: end, shown: maskScalar(this.#text.slice(start, end)) }
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
