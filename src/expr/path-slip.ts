/**
 * Says what is wrong with a dotted path that is written as in another language: `commits[0].id`, `$.ref`, `labels.*.name`. Each place of a
 * path asks here: fields of conditions, keys, placeholders, and paths into bodies.
 */

import { isRequestField } from './request-field.ts'

/** What is wrong with a path, as the end of a sentence that begins with it. */
export type PathSlip = {
  readonly why: string
  readonly help: string
  /** The path that is most likely meant. */
  readonly instead?: string
  /**
   * No event has a value at such a path. Otherwise a sender may well have such a key: the fields of forms are named `user[email]`.
   */
  readonly isNever: boolean
  /** `instead` is the same path in other signs, and no other reading of it. */
  readonly isSame: boolean
}

/** Where a path stands. `list`: a `*` in it stands for each item. `field`: an expression in its place is a condition `jsonata`. */
export type PathUse = 'field' | 'template' | 'path' | 'list'

/** Roots of other tools under which they have the payload. None is a key that a payload is likely to have. */
const foreignRoots =
  /^(?:\$(?:json|node|input|trigger|items?|body)|trigger\.(?:json|body|event)|steps\.[\w-]+|github\.event|context\.payload|req(?:uest)?\.body|event\.(?:body|payload)|webhook\.(?:body|payload)|msg\.payload|json\.body)(?:\.body|\.json|\.event|\.payload)*(?:\.(?=.)|$)/

/**
 * Returns the part of a path behind a root that the payload has in another tool, such as `$json.`; `undefined` where a path has no such
 * root.
 */
const behindForeignRoot = (path: string): string | undefined => {
  const root = foreignRoots.exec(path)?.[0]
  return root === undefined ? undefined : path.slice(root.length)
}

const quotedPart = /\[\s*(["'])([^"'[\].]*)\1\s*\]|(?<=^|\.)(["'`])([^"'`.]*)\3(?=\.|$)/g

/** Rewrites a path with brackets, quotes, braces, `$.` and the like as the dotted path that it means. */
export const asDottedPath = (path: string): string =>
  path
    .trim()
    .replace(/^\$?\{+\s*([^{}]*?)\s*\}+$/, '$1')
    .replace(/^[$@]\.(?=[^.])|^\.(?=[^.])/, '')
    .replace(quotedPart, (_, _mark, bracketed: string | undefined, _quote, between: string | undefined) =>
      bracketed === undefined ? (between ?? '') : `.${bracketed}`,
    )
    .replace(/\.?\[(\d+)\]/g, '.$1')
    .replace(/\?(?=\.|$)/g, '')
    .replace(/^\./, '')
    .split('.')
    .map((part) => part.trim())
    .join('.')
    .replace(/\.+$/, '')

/** A dotted path of plain keys, which is surely a path of ours. */
export const plainPath = /^[\w$@-][\w$@:/-]*(?:\.[\w$@-][\w$@:/-]*)*$/

/** Returns what is wrong with a path; `undefined` where it may well lead to a value. */
export const pathSlip = (path: string, use: PathUse): PathSlip | undefined => {
  // The name of a header or of a parameter may have any signs.
  if (use !== 'template' && /^headers\.[^\s[\]{}"'`*]+$/.test(path)) return undefined
  const bare = withoutQuotedParts(path)
  const isPlain = plainPath.test(use === 'list' ? bare.replace(/(?<=^|\.)\*(?=\.|$)/g, 'each') : bare)
  if (isRequestField(path) || (bare !== path && isPlain)) return undefined
  return rootSlip(path) ?? severalSlip(path, use) ?? quotedSlip(path) ?? defaultSlip(path, use) ?? signSlip(path)
}

const rootSlip = (path: string): PathSlip | undefined => {
  const inner = behindForeignRoot(asDottedPath(path))
  if (inner === undefined) return undefined
  const isNever = /^\$/.test(path.trim())
  const why = 'begins at a name that another tool gives the payload: here a path begins at the top of the payload'
  if (inner === '') return { why, help: 'name a key of the payload', isNever, isSame: false }
  return { why, help: `write ${inner}`, instead: inner, isNever, isSame: false }
}

/** Finds a path that is to lead to several values: `*`, `#`, `[]`, `..`, `[?(…)]`, `[-1]`. */
const severalSlip = (path: string, use: PathUse): PathSlip | undefined => {
  const isStar = /(?:^|[.[])\*(?=$|[.\]])/.test(path)
  const isOther = /(?:^|\.)#(?=$|[.(])|\[\]|\[\?|\[-\d+\]|\[\d*:|(?:^|[^.])\.\.(?=[^.])|(?:^|\.)(?:@this|-\d+)(?=$|\.)|\|\s*@/.test(path)
  if (use === 'list' ? !isOther : !isStar && !isOther) return undefined
  const inExpression = path
    .replace(/^(?:\$?\.+|payload\.)/, '')
    .replace(/(?:\.|^)(?:\*|#(?:\([^)]*\)#?)?)(?=$|\.)|\[\*?\]|\[\?[^\]]*\]/g, '')
    .replace(/\.\.+/g, '.**.')
    .replace(/^\./, '')
  return {
    why: 'names no single value: a part of a path is a key, or the number of an item',
    help: expressionHelp(inExpression, use),
    // A key of the name `-1` is possible, and of the name `*` only where a payload has rules in it.
    isNever: !/(?:^|\.)-\d+(?=$|\.)/.test(path),
    isSame: false,
  }
}

/** Returns a path with a plain word in place of each part in single quotes. */
const withoutQuotedParts = (path: string): string => path.replace(/(?<=^|\.)'(?:[^'{}]|'')*'(?=\.|$)/g, 'quoted')

/** Finds a key in other quotes than ours, or with escaped dots. */
const quotedSlip = (path: string): PathSlip | undefined => {
  if (!/["'`]|\\/.test(path) || /:-|\?\?|\|/.test(path)) return undefined
  const same = asDottedPath(path)
  if (plainPath.test(same))
    return { why: 'has quotes that belong to no key', help: `write ${same}`, instead: same, isNever: true, isSame: true }
  const quoted = path
    .replace(/\\\./g, '\u0000')
    .replace(/\[\s*(["'])([^"'[\]]*)\1\s*\]/g, (_, _mark, key: string) => `.'${key}'`)
    .replace(/["`]([^"'`]*)["`]/g, "'$1'")
    .replace(/[^.']*\u0000[^.']*/g, (key) => `'${key.replaceAll('\u0000', '.')}'`)
    .replace(/^[$.]+/, '')
  const why =
    'names no key: a path is cut at each dot that stands in no single quotes, and other quotes and backslashes stand for themselves'
  if (!plainPath.test(withoutQuotedParts(quoted)))
    return { why, help: "write a key with dots in single quotes: a.'b.c'.d", isNever: true, isSame: false }
  return { why, help: `write ${quoted}`, instead: quoted, isNever: true, isSame: true }
}

/** Recognises a default for an absent value (`title:-x`, `title ?? "x"`, `title || "x"`), and filters (`title | upper`). */
const defaultSlip = (path: string, use: PathUse): PathSlip | undefined => {
  const [, name = '', sign = '', other = ''] = /^([\w$.[\]-]+?)\s*(:-|:=|\?\?|\|\||\|)\s*(.*)$/s.exec(path) ?? []
  const subject = asDottedPath(name)
  if (sign === '' || !plainPath.test(subject)) return undefined
  if (use !== 'template')
    return { why: 'is no path: it has no other value to take', help: `write ${subject}`, instead: subject, isNever: true, isSame: false }
  if (sign === '|')
    return {
      why: 'uses a filter, and templates have no filters here',
      help: `use an expression, for example {= $uppercase(${subject}) }`,
      isNever: true,
      isSame: false,
    }
  const text = JSON.stringify(other.replace(/^(["'])(.*)\1$/s, '$2'))
  return {
    why: 'has a value for where there is none, and placeholders have no such values here',
    help: `use an expression: {= $exists(${subject}) ? ${subject} : ${text} }`,
    isNever: true,
    isSame: false,
  }
}

/** Finds brackets, braces, blanks, a leading `$.` and the like: signs that other languages put around a path. */
const signSlip = (path: string): PathSlip | undefined => {
  const same = asDottedPath(path)
  if (same !== path) {
    // `items[0]` alone may be the field of a form.
    const isNever = !/^[\w-]+\[\d+\]$/.test(path)
    const help = same === '' ? 'name a key of the payload' : `write ${same}`
    const rewritten = same === '' ? {} : { instead: same }
    return { why: whySigns(path), help, ...rewritten, isNever, isSame: same !== '' && !isGoField.test(path) }
  }
  if (/^[$@]$|^$|[{}]/.test(path))
    return { why: 'names no field', help: 'name a key of the payload: a.dotted.path', isNever: true, isSame: false }
  const form = /^([\w-]+)((?:\[[\w-]+\])+)((?:\.[\w-]+)*)$/.exec(path)
  if (form) {
    const dotted = `${form[1]}${form[2]?.replace(/\[([\w-]+)\]/g, '.$1')}${form[3]}`
    const help = `write ${dotted}, unless the sender posts a form with a field of this name`
    return { why: 'has brackets, which belong to the name of a key here', help, instead: dotted, isNever: false, isSame: false }
  }
  return undefined
}

/** Go names the fields of a template in capitals, whatever their keys in the payload are. */
const isGoField = /^\.[A-Z]/

const whySigns = (path: string): string => {
  if (/[{}]/.test(path)) return 'has braces, which only a template has'
  if (/^\s|\s$|\s\.|\.\s/.test(path)) return 'has a blank beside its parts'
  if (/\[/.test(path)) return 'has brackets: an item of a list is named by its number alone, between dots'
  if (/^[$@]?\./.test(path)) return 'does not begin with a key: a path begins at the top of the payload'
  return 'has a sign that belongs to no key'
}

const expressionHelp = (path: string, use: PathUse): string => {
  if (use === 'template') return `use an expression, for example {= $join(${path}, ", ") }; for one item, write its number`
  if (use === 'field') return `use any_item, or jsonata: "…" in payload.${path}; for one item, write its number`
  return 'write the number of an item, or the key'
}
