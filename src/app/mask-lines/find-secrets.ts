/** Finds the secrets of a YAML or JSON file: the values of keys that name a secret. */

import { eventsOf, type Range, YamlTree } from '../../config/yaml/yaml-tree.ts'
import { isMask } from '../../core/secrets/mask.ts'
import { namesSettingSecret } from '../../core/secrets/secret-names.ts'
import { nearest } from '../../core/text.ts'

/** A part of the text by offsets, and the text that is shown in its place. */
export type Cover = { readonly from: number; readonly to: number; readonly shown: string }

export const stars = '****'
const referenceForm = /\$\{([A-Za-z_]\w*)(:-[^}]*)?\}/g

/** Returns a scalar as it may be shown. References and paths of secrets stay, also INSECURE_NO_AUTH and an empty text. */
export const shownScalar = (raw: string): string => {
  const quote = /^["']/.exec(raw)?.[0] ?? ''
  const inner = quote !== '' && raw.endsWith(quote) ? raw.slice(1, -1) : raw
  if (inner === '' || isMask(inner) || inner === 'INSECURE_NO_AUTH' || inner.startsWith('file:')) return raw
  if (inner.search(referenceForm) < 0) return stars
  let end = 0
  let shown = ''
  for (const { index, 0: all, 1: name, 2: fallback } of inner.matchAll(referenceForm)) {
    shown += `${index > end ? stars : ''}\${${name}${fallback === undefined ? '' : `:-${stars}`}}`
    end = index + all.length
  }
  return `${quote}${shown}${end < inner.length ? stars : ''}${quote}`
}

/** Keys of secrets. A mistyped key that is near to them has a secret behind it, too. */
const secretKeys = ['secret', 'secrets', 'token', 'bot_token', 'access_token', 'password', 'api_key', 'headers', 'webhook_url']

const namesSecret = (key: string): boolean => namesSettingSecret(key) || nearest(key, secretKeys).length > 0

/** Keys of maps whose keys are names: under `routes`, `my-token:` is a route. */
const mapsOfNames = new Set(['routes', 'jobs', 'platforms'])

/** Returns covers for exactly the secrets of a file; `undefined` for a text that cannot be parsed. */
export const secretsIn = (text: string): Cover[] | undefined => {
  try {
    const tree = new YamlTree(text, eventsOf(text))
    return new Secrets(text, tree).below(tree.root, true)
  } catch {
    return undefined
  }
}

class Secrets {
  readonly #text: string
  readonly #tree: YamlTree

  constructor(text: string, tree: YamlTree) {
    this.#text = text
    this.#tree = tree
  }

  /** Returns the covers below a node. `names`: the keys of this map are names. */
  below(node: number, names: boolean): Cover[] {
    return this.#tree.members(node).flatMap(({ name, key, value }) => {
      if (!this.#tree.isMap(node)) return this.below(value, false)
      return namesSecret(name) && !(names && this.#tree.isMap(value))
        ? this.#covers(value, /headers/i.test(name), this.#endOf(key))
        : this.below(value, mapsOfNames.has(name))
    })
  }

  /**
   * Returns the covers of a secret value. `after`: the offset where an anchor or a tag of it may begin, because a secret that begins with
   * & or ! is read as such. `ofHeaders`: each member of a map is a value of its own.
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
    return [{ from: start, to, shown: this.#tree.isScalar(node) ? shownScalar(this.#text.slice(start, to)) : stars }]
  }

  #endOf(node: number | undefined): number {
    return (node === undefined ? undefined : this.#tree.range(node)?.[1]) ?? 0
  }

  /** Returns the place of an empty value, at the end of its line: an anchor or a tag may stand before it. */
  #restOfLine(after: number): Range {
    const end = this.#text.indexOf('\n', after)
    const to = end < 0 ? this.#text.length : end
    return [to, to]
  }
}
