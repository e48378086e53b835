/** Where the secrets of a YAML or JSON file stand: the values of keys that name one. */

import { isMap, isNode, isScalar, isSeq, LineCounter } from 'yaml'
import { parseYaml } from '../config/yaml-document.ts'
import { secretWord } from './mask.ts'

/** What is shown instead of a part of the text. */
export type Cover = { readonly from: number; readonly to: number; readonly shown: string }

export const stars = '****'
const reference = /\$\{([A-Za-z_]\w*)(:-[^}]*)?\}/g

/** A scalar as it may be shown: references stay, and what only says where a secret is, or that there is none. */
export const shownScalar = (raw: string): string => {
  const quote = /^["']/.exec(raw)?.[0] ?? ''
  const inner = quote !== '' && raw.endsWith(quote) ? raw.slice(1, -1) : raw
  if (inner === '' || inner === 'INSECURE_NO_AUTH' || inner.startsWith('file:')) return raw
  if (inner.search(reference) < 0) return stars
  let end = 0
  let shown = ''
  for (const { index, 0: all, 1: name, 2: fallback } of inner.matchAll(reference)) {
    shown += `${index > end ? stars : ''}\${${name}${fallback === undefined ? '' : `:-${stars}`}}`
    end = index + all.length
  }
  return `${quote}${shown}${end < inner.length ? stars : ''}${quote}`
}

const endOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[1] : undefined)

/**
 * What hides the value of a secret. `after`: where an anchor or a tag of it may begin, for a secret may begin with & or !.
 * Of headers each has a value of its own.
 */
const coversOf = (text: string, node: unknown, ofHeaders: boolean, after: number): Cover[] => {
  if (!isNode(node)) return []
  const [start, to] = node.range ?? [0, 0]
  if (isSeq(node)) return node.items.flatMap((item, i) => coversOf(text, item, ofHeaders, endOf(node.items[i - 1]) ?? start))
  if (isMap(node) && ofHeaders) return node.items.flatMap(({ key, value }) => coversOf(text, value, true, endOf(key) ?? start))
  const property = text.slice(after, start).search(/[&!]/)
  if (property >= 0) return [{ from: after + property, to, shown: stars }]
  return [{ from: start, to, shown: isScalar(node) ? shownScalar(text.slice(start, to)) : stars }]
}

/** Under these, keys are names that somebody chose: `my-token:` is a route there. */
const named = new Set(['routes', 'jobs', 'platforms'])

/** The secrets of a file that can be parsed, exactly; `undefined` for another one. */
export const secretsIn = (text: string): Cover[] | undefined => {
  const { document } = parseYaml(text, new LineCounter())
  return document && secretsBelow(text, document.contents, true)
}

const secretsBelow = (text: string, node: unknown, names: boolean): Cover[] => {
  if (isSeq(node)) return node.items.flatMap((item) => secretsBelow(text, item, false))
  if (!isMap(node)) return []
  return node.items.flatMap(({ key, value }) => {
    const name = String(isScalar(key) ? key.value : key)
    return secretWord.test(name) && !(names && isMap(value))
      ? coversOf(text, value, /headers/i.test(name), endOf(key) ?? 0)
      : secretsBelow(text, value, named.has(name))
  })
}
