/** Renders values in the style of a text. The YAML library renders the scalars, because it knows which of them need quotes. */

import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE, type ScalarStyle, type ScalarStyleRule } from 'js-yaml'
import { writeCarriedNumbers } from '../../../core/carried-numbers.ts'
import { isObject, type Json } from '../../../core/json.ts'
import type { Style } from './style.ts'

/** A value as text: `head` follows the colon or dash on its line, with a space; `lines` stand below, indented from the key or dash. */
export type Rendered = { readonly head: string; readonly lines: readonly string[] }

/** The scalar that is replaced: its style and value, of a block of text the indent, and of a folded block the width of its lines. */
export type FormerScalar = { readonly style: ScalarStyle; readonly value: string; readonly indent?: number; readonly width?: number }

/**
 * What stands around a value on its line. `dash and comment`: a dash before the value and a comment after it. A scalar is written between
 * them; a list or map with members begins on the next line, because its first line would run into the comment.
 */
export type InlineContext = 'key' | 'dash' | 'dash and comment'

/**
 * Renders a value that stands in a map or list in block style. `lines`: the lines of the members of the value, from column 0, where the
 * caller has rendered them already.
 */
export const renderBlock = (
  value: Json,
  behind: InlineContext,
  style: Style,
  former?: FormerScalar,
  lines = memberLines(value, style),
): Rendered => {
  if (lines.length === 0) return renderScalar(value, behind, style, former)
  if (behind === 'key') return { head: '', lines: indented(lines, Array.isArray(value) ? style.listStep : style.step) }
  if (behind === 'dash and comment') return { head: '', lines: indented(lines, style.dashWidth) }
  const [first = '', ...others] = lines
  return { head: ' '.repeat(style.dashWidth - 1) + first, lines: indented(others, style.dashWidth) }
}

const memberLines = (value: Json, style: Style): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => renderItem(item, style))
  return isObject(value) ? Object.entries(value).flatMap(([key, member]) => renderMember(key, member, style)) : []
}

/** Returns the lines of a member of a block map, from column 0. */
export const renderMember = (key: string, value: Json, style: Style): string[] => {
  const { head, lines } = renderBlock(value, 'key', style)
  return [`${renderKey(key, style, 'block')}:${head}`, ...lines]
}

/** Returns the lines of an item of a block list, from column 0. */
export const renderItem = (value: Json, style: Style): string[] => {
  const { head, lines } = renderBlock(value, 'dash', style)
  return [`-${head}`, ...lines]
}

export const indented = (lines: readonly string[], by: number): string[] => lines.map((line) => (line === '' ? '' : ' '.repeat(by) + line))

/** Renders a value on one line, lists and maps between brackets and braces. */
export const renderFlow = (value: Json, style: Style, former?: FormerScalar): string => {
  if (Array.isArray(value))
    return inBrackets(
      '[',
      value.map((item) => renderFlow(item, style)),
      ']',
      style.padsLists,
    )
  if (!isObject(value)) return style.json ? writeCarriedNumbers(JSON.stringify(value)) : dumpValue([value], style, former, 0).slice(1, -1)
  return inBrackets(
    '{',
    Object.entries(value).map(([key, member]) => flowMember(key, member, style)),
    '}',
    style.padsMaps,
  )
}

export const flowMember = (key: string, value: Json, style: Style): string =>
  `${renderKey(key, style, 'flow')}: ${renderFlow(value, style)}`

const inBrackets = (opening: string, parts: readonly string[], closing: string, pads: boolean): string => {
  const pad = pads && parts.length > 0 ? ' ' : ''
  return `${opening}${pad}${parts.join(', ')}${pad}${closing}`
}

/** Renders a key, without its colon. `former`: the key that is replaced. */
export const renderKey = (key: string, style: Style, where: 'block' | 'flow', former?: FormerScalar): string => {
  if (style.json) return JSON.stringify(key)
  const isFlow = where === 'flow'
  const text = dumpValue({ [key]: 0 }, style, former, isFlow ? 0 : -1, true)
  return isFlow ? text.slice(1, -': 0}'.length) : text.slice(0, -': 0'.length)
}

const renderScalar = (value: Json, behind: InlineContext, style: Style, former?: FormerScalar): Rendered => {
  const text = behind === 'key' ? dumpValue({ k: value }, style, former).slice(2) : dumpValue([value], style, former).slice(1)
  const [first = '', ...lines] = text.split('\n')
  return { head: ` ${first.trimStart()}`, lines }
}

const dumpValue = (value: Json, style: Style, former: FormerScalar | undefined, flowLevel = -1, ofKey = false): string =>
  writeCarriedNumbers(
    dump(value, {
      flowLevel,
      indent: former?.indent ?? style.step,
      lineWidth: former?.width ?? -1,
      noRefs: true,
      quoteStyle: style.quote,
      scalarStyleRules: [keepFormerStyle(former, ofKey, style), quoteUnseenSpaces(style), ...defaultRules],
    }),
  ).replace(/(?:\n\.\.\.)?\n$/, '')

const defaultRules = Object.values(DEFAULT_SCALAR_STYLE_RULES)

/** Keeps the style of the scalar that is replaced, where the new text can be written in that style. */
const keepFormerStyle =
  (former: FormerScalar | undefined, ofKey: boolean, { blocks }: Style): ScalarStyleRule =>
  (layout) => {
    if (former === undefined || layout.isKey !== ofKey || !isText(layout) || former.style === SCALAR_STYLE.PLAIN) return
    if (isBlock(former.style) && !blocks) return
    const fits = (layout.allowedStylesMask & (1 << former.style)) !== 0
    // A quoted text that gets line ends becomes a block, unless it wrote line ends as escapes before.
    const quotesLines = former.style === SCALAR_STYLE.DOUBLE_QUOTED && former.value.includes('\n')
    const becomesBlock = layout.node.value.includes('\n') && !isBlock(former.style) && !quotesLines
    if (fits && !becomesBlock) layout.style = former.style
  }

const isText: (layout: Parameters<ScalarStyleRule>[0]) => boolean = ({ node, presenterOptions }) =>
  node.tag === presenterOptions.schema.defaultScalarTag.tagName

const isBlock = (style: ScalarStyle): boolean => style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK

/**
 * Puts a text with tabs, or with spaces at the end of a line, into quotes, because nobody would see them. Without blocks, a text of several
 * lines gets quotes, too.
 */
const quoteUnseenSpaces =
  ({ blocks }: Style): ScalarStyleRule =>
  (layout) => {
    if (layout.style !== SCALAR_STYLE.PLAIN || layout.isKey) return
    const { value } = layout.node
    if (/\t| (?:\n|$)/.test(value) || (!blocks && value.includes('\n'))) layout.style = SCALAR_STYLE.DOUBLE_QUOTED
  }
