/**
 * Hides the secrets of the YAML text of a route that a person edits, and puts them back afterwards. A secret is shown as stars with its
 * fingerprint. Whoever sends an edited text may not be allowed to know the secrets, so stars stand for a secret only where it was: at
 * the same key, in the same address. Anywhere else they would make a finding, a preview or a receiver tell it.
 */

import { parseYaml } from '../../config/yaml/source.ts'
import { eventsOf, type Range, YamlTree } from '../../config/yaml/yaml-tree.ts'
import type { Json } from '../../core/json.ts'
import { fingerprint } from '../../secrets/mask.ts'
import { hasSameReceiver, haveSameReceivers, otherReceiver } from '../../secrets/receiver.ts'
import { commentedSettings } from './find-secrets.ts'
import { coversOf } from './mask-lines.ts'

/** The sentences that tell a user why stars were not replaced by a secret. */
export const misplacedMask = 'a mask stands for a secret only where it was: write the secret itself, or a reference such as ${NAME}'

/** The first stars of an edited text that stand for no secret at their place. `line`: from 1. `why`: an end of a sentence, for people. */
type MisplacedMask = { readonly stars: string; readonly line: number; readonly why: string }

export type HiddenSecrets = {
  /** The text with stars, which is YAML, too. */
  readonly text: string
  /**
   * Returns an edited text with the secrets in place of their stars. Where the text is no YAML, nobody knows the places, and its stars
   * stay.
   */
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

/** Replaces the secrets in a text by stars, and remembers them. `text`: the settings of one route, from column 0. */
export const hideSecrets = (text: string): HiddenSecrets => {
  /** The secrets as the text has them, quotes included, by their fingerprints. */
  const secrets = new Map<string, string>()
  const nameOf = (secret: string): string => {
    const bare = secret.replace(/^(["'])(.*)\1$/s, '$2')
    // A text may have one secret twice, with quotes and without, and both places must come back as they were. So each form needs a
    // fingerprint of its own: the first form has the fingerprint of the secret without quotes, the second that of its own text. A blank is
    // added to that text where its fingerprint is in use.
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
      const [before, after] = hasStars(edited) ? [readText(shown), readText(edited)] : []
      if (!before || !after) return edited
      const places = new Places(before, after)
      let line: MisplacedMask | undefined
      const restored = edited.replace(starsForm, (stars, _quote, name: string, index: number) => {
        const why = places.objection(index, name)
        if (why === undefined) return secrets.get(name) ?? stars
        line ??= { stars, line: edited.slice(0, index).split('\n').length, why }
        return stars
      })
      return line ?? restored
    },
  }
}

type ReadText = { readonly text: string; readonly tree: YamlTree; readonly data: Json }

/** Reads the settings of a route; `undefined` where the text is no YAML. */
const readText = (text: string): ReadText | undefined => {
  try {
    return { text, tree: new YamlTree(text, eventsOf(text)), data: parseYaml('', text).data ?? null }
  } catch {
    return undefined
  }
}

type NodePlace = { readonly node: number | undefined; readonly path: readonly (string | number)[] }

/**
 * Finds the stars in an edited text that may become their secrets again: those that stand where the text had them before, in settings that
 * send to the same receivers as before.
 */
class Places {
  readonly #before: YamlTree
  readonly #after: YamlTree
  readonly #data: readonly [before: Json, after: Json]
  /** Whether anchors and aliases are as they were: by new ones, a value could stand at another place, too. */
  readonly #hasSameAnchors: boolean
  readonly #hasSameReceivers: boolean
  /** The scalars of the edited text, the fingerprints of the stars that may stand in each, and whether their secrets go elsewhere now. */
  readonly #scalars: { readonly range: Range; readonly names: ReadonlySet<string>; readonly isMoved: boolean }[] = []
  /** The keys and fingerprints of stars, as `key name`. A line that was made a comment may keep its stars behind their key. */
  readonly #ofKeys: ReadonlySet<string>
  readonly #comments: ReadonlyMap<number, string>

  constructor(before: ReadText, after: ReadText) {
    ;[this.#before, this.#after] = [before.tree, after.tree]
    this.#data = [before.data, after.data]
    this.#hasSameAnchors = this.#before.anchors().join() === this.#after.anchors().join()
    this.#hasSameReceivers = haveSameReceivers(before.data, after.data)
    this.#pair({ node: this.#before.root, path: [] }, { node: this.#after.root, path: [] }, false)
    this.#ofKeys = new Set([...commentsOf(before.text).values(), ...starsBelow(this.#before, this.#before.root)])
    this.#comments = commentsOf(after.text)
  }

  /** Returns why the stars at an offset of the edited text do not become their secret; `undefined` where they do. */
  objection(index: number, name: string): string | undefined {
    const scalar = this.#scalars.find(({ range: [from, to] }) => from <= index && index < to)
    if (scalar) return scalar.names.has(name) ? (scalar.isMoved ? otherReceiver : undefined) : misplacedMask
    const inComment = this.#comments.get(index)
    return inComment !== undefined && this.#ofKeys.has(inComment) ? undefined : misplacedMask
  }

  #pair(before: NodePlace, after: { readonly node: number; readonly path: NodePlace['path'] }, isAnchored: boolean): void {
    const anchor = this.#after.anchor(after.node)
    const isRepeated = isAnchored || anchor !== undefined
    const value = this.#after.scalar(after.node)
    if (value !== undefined) {
      const range = this.#after.range(after.node)
      if (!range || !hasStars(value)) return
      const isSame = isRepeated ? this.#hasSameReceivers : hasSameReceiver(...this.#data, before.path, after.path)
      this.#scalars.push({ range, names: this.#namesIn(before.node, value, isRepeated), isMoved: !isSame })
      return
    }
    const members = before.node === undefined ? [] : this.#before.members(before.node)
    const isList = before.node !== undefined && this.#before.isList(before.node) && this.#after.isList(after.node)
    const shapes = isList ? members.map((each) => shapeOf(this.#before, each.value)) : []
    for (const { name, key, value } of this.#after.members(after.node)) {
      // A member of a list that moved within its list is still the same member.
      const moved = isList ? shapes.indexOf(shapeOf(this.#after, value)) : -1
      const same = moved >= 0 ? members[moved] : members.find((each) => each.name === name)
      const step = (each: string): string | number => (this.#after.isList(after.node) ? Number(each) : each)
      if (key !== value) this.#pair({ node: undefined, path: before.path }, { node: key, path: after.path }, isRepeated)
      const was = { node: same?.value, path: [...before.path, step(same?.name ?? name)] }
      this.#pair(was, { node: value, path: [...after.path, step(name)] }, isRepeated)
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
