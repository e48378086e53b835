/**
 * Hides the secrets of the YAML text of a route that a person edits, and puts them back afterwards. A secret is shown as stars with its
 * fingerprint. Whoever sends an edited text may not be allowed to know the secrets, so stars stand for a secret only where it was: at
 * the same key, in the same address. Anywhere else they would make a finding, a preview or a receiver tell it.
 */

import { eventsOf, type Range, YamlTree } from '../../config/yaml/yaml-tree.ts'
import { fingerprint } from '../../secrets/mask.ts'
import { commentedSettings } from './find-secrets.ts'
import { coversOf } from './mask-lines.ts'

/** Why stars do not become a secret, for people. */
export const misplacedMask = 'a mask stands for a secret only where it was: write the secret itself, or a reference such as ${NAME}'

/** The first stars of an edited text that stand for no secret at their place. `line`: from 1. */
export type MisplacedMask = { readonly stars: string; readonly line: number }

export type HiddenSecrets = {
  /** The text with stars, which is YAML, too. */
  readonly text: string
  /** Returns an edited text with the secrets in place of their stars. Where the text is no YAML, nobody knows the places, and its stars stay. */
  readonly restored: (edited: string) => string | MisplacedMask
}

/** Stars with a fingerprint, with or without quotes around them. */
const starsForm = /(["']?)\*\*\* \(([0-9a-f]{8})\)\1/g
/** The part of an address that says who gets it. */
const receiverForm = /^[^/]*\/\/[^/?#]*/
/** What stands before stars within an address: the name of the parameter, or whatever else begins this part of the address. */
const labelForm = /[^/?&#@]*[/?#@=]?$/

/** Whether a text has stars with a fingerprint. */
export const hasStars = (text: string): boolean => text.search(starsForm) >= 0

/** `text`: the settings of one route, from column 0. */
export const hideSecrets = (text: string): HiddenSecrets => {
  /** The secrets as the text has them, quotes included, by their fingerprints. */
  const secrets = new Map<string, string>()
  const nameOf = (secret: string): string => {
    const bare = secret.replace(/^(["'])(.*)\1$/s, '$2')
    // A secret that stands in quotes here and without quotes there must come back as it was in both places.
    const names = [bare, secret, `${secret} `].map(fingerprint)
    const name = names.find((each) => (secrets.get(each) ?? secret) === secret) ?? fingerprint(secret)
    secrets.set(name, secret)
    return name
  }
  let at = 0
  const parts: string[] = []
  for (const { from, to, shown } of coversOf(text, 'settings')) {
    const secret = text.slice(from, to).trimEnd()
    if (secret === '' || shown.trimEnd() === secret) continue
    const isWhole = !/[/?&=]$/.test(text.slice(Math.max(at, from - 1), from))
    const stars = `*** (${nameOf(secret)})`
    parts.push(text.slice(at, from), isWhole ? `'${stars}'` : stars)
    at = from + secret.length
  }
  const shown = parts.join('') + text.slice(at)
  return {
    text: shown,
    restored(edited) {
      const [before, after] = hasStars(edited) ? [treeOf(shown), treeOf(edited)] : []
      if (!before || !after) return edited
      const places = new Places(shown, edited, [before, after])
      let line: MisplacedMask | undefined
      const restored = edited.replace(starsForm, (stars, _quote, name: string, index: number) => {
        if (places.has(index, name)) return secrets.get(name) ?? stars
        line ??= { stars, line: edited.slice(0, index).split('\n').length }
        return stars
      })
      return line ?? restored
    },
  }
}

/** Reads a text as a tree; `undefined` where it is no YAML. */
const treeOf = (text: string): YamlTree | undefined => {
  try {
    return new YamlTree(text, eventsOf(text))
  } catch {
    return undefined
  }
}

/** Finds the stars of an edited text that are where the text before had them. */
class Places {
  readonly #before: YamlTree
  readonly #after: YamlTree
  /** Whether anchors and aliases are as they were: by new ones, a value could stand at another place, too. */
  readonly #hasSameAnchors: boolean
  /** The scalars of the edited text, and the fingerprints of the stars that may stand in each. */
  readonly #scalars: { readonly range: Range; readonly names: ReadonlySet<string> }[] = []
  /** The keys and fingerprints of stars, as `key name`. In a comment, stars may stand behind their key. */
  readonly #ofKeys: ReadonlySet<string>
  readonly #comments: ReadonlyMap<number, string>

  constructor(before: string, edited: string, trees: readonly [before: YamlTree, after: YamlTree]) {
    ;[this.#before, this.#after] = trees
    this.#hasSameAnchors = this.#before.anchors().join() === this.#after.anchors().join()
    this.#pair(this.#before.root, this.#after.root, false)
    this.#ofKeys = new Set([...commentsOf(before).values(), ...starsBelow(this.#before, this.#before.root)])
    this.#comments = commentsOf(edited)
  }

  /** Whether the stars at an offset of the edited text are where they were. */
  has(index: number, name: string): boolean {
    const scalar = this.#scalars.find(({ range: [from, to] }) => from <= index && index < to)
    if (scalar) return scalar.names.has(name)
    const inComment = this.#comments.get(index)
    return inComment !== undefined && this.#ofKeys.has(inComment)
  }

  #pair(before: number | undefined, after: number, isAnchored: boolean): void {
    const anchor = this.#after.anchor(after)
    const isRepeated = isAnchored || anchor !== undefined
    const value = this.#after.scalar(after)
    if (value !== undefined) {
      const range = this.#after.range(after)
      if (range && hasStars(value)) this.#scalars.push({ range, names: this.#namesIn(before, value, isRepeated) })
      return
    }
    const members = before === undefined ? [] : this.#before.members(before)
    const isList = before !== undefined && this.#before.isList(before) && this.#after.isList(after)
    const shapes = isList ? members.map((each) => shapeOf(this.#before, each.value)) : []
    for (const { name, key, value } of this.#after.members(after)) {
      // A member of a list that moved within its list is still the same member.
      const moved = isList ? shapes.indexOf(shapeOf(this.#after, value)) : -1
      const same = moved >= 0 ? members[moved] : members.find((each) => each.name === name)
      if (key !== value) this.#pair(undefined, key, isRepeated)
      this.#pair(same?.value, value, isRepeated)
    }
  }

  /** Returns the fingerprints of the stars that may stand in a scalar with this value. */
  #namesIn(before: number | undefined, value: string, isRepeated: boolean): ReadonlySet<string> {
    const old = before === undefined ? undefined : this.#before.scalar(before)
    if (old === undefined || (isRepeated && !this.#hasSameAnchors)) return new Set()
    if (old === value) return new Set(starsIn(value).map(({ name }) => name))
    // Other parts of an address may be edited, but not who gets it.
    if (receiverForm.exec(old)?.[0] !== receiverForm.exec(value)?.[0]) return new Set()
    const labels = new Set(starsIn(old).map(({ label, name }) => `${label} ${name}`))
    const areSame = starsIn(value).every(({ label, name }) => labels.has(`${label} ${name}`))
    return areSame && receiverForm.test(value) ? new Set(starsIn(value).map(({ name }) => name)) : new Set()
  }
}

/** Returns the stars of a value, each with its fingerprint, and what stands before it. */
const starsIn = (value: string): readonly { readonly label: string; readonly name: string }[] =>
  [...value.matchAll(starsForm)].map(({ index, 2: name = '' }) => ({ label: labelForm.exec(value.slice(0, index))?.[0] ?? '', name }))

/** Returns a text that is equal for two nodes with the same content, however it is written. */
const shapeOf = (tree: YamlTree, node: number): string =>
  JSON.stringify([
    tree.scalar(node) ?? tree.anchor(node) ?? null,
    tree.isMap(node),
    tree.members(node).map(({ name, value }) => [name, shapeOf(tree, value)]),
  ])

/** Returns the key and the fingerprint of each whole value below a node that is hidden. */
const starsBelow = (tree: YamlTree, node: number): string[] =>
  tree.members(node).flatMap(({ name, value }) => {
    const [stars] = starsIn(tree.scalar(value) ?? '')
    return stars ? [`${name} ${stars.name}`] : starsBelow(tree, value)
  })

/** Returns the key and the fingerprint of the stars of settings that are commented out, by the offset of the stars. */
const commentsOf = (text: string): ReadonlyMap<number, string> =>
  new Map(
    commentedSettings(text).flatMap(({ key, value, at }) =>
      starsIn(value)
        .slice(0, 1)
        .map(({ name }) => [at + value.search(starsForm), `${key} ${name}`] as const),
    ),
  )
