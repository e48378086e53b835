/**
 * Finds likely mistakes in templates: placeholders that are written as in another template language, or that lack a brace. Braces of JSON
 * and of code are no mistakes.
 */

import { parseTemplate } from '../../expr/placeholder.ts'

/** A piece of a template (`text`, at the offset `at`) that most likely does not do what the author wants. */
export type TemplateSlip = {
  readonly code: 'WH502' | 'WH505' | 'WH507'
  readonly at: number
  readonly text: string
  readonly message: string
  readonly help: string
  /** The text to write instead, where it is known. */
  readonly instead?: string
  /** Whether `instead` is surely meant. */
  readonly safe?: boolean
}

/** What is known of the place of a template in its route. */
export type Surrounding = {
  /** `prose`: the text may well quote code, and name variables of a shell. */
  readonly kind: 'prose' | 'setting'
  /** Whether the payload may well have a key of this name. */
  readonly mayHave: (key: 'payload' | 'event') => boolean
}

type Span = { readonly from: number; readonly to: number }

const dotted = String.raw`[A-Za-z_$][\w$-]*(?:\.[\w$-]+|\[\d+\])*`
const wholePath = new RegExp(`^${dotted}$`)
/** Whether an offset lies in one of these ranges. */
const isInside = (at: number, spans: readonly Span[]): boolean => spans.some(({ from, to }) => at >= from && at < to)

/** Returns the likely slips of a template, in order. */
export const slipsIn = (text: string, around: Surrounding): TemplateSlip[] => {
  if (!/[{}]/.test(text)) return []
  const expressions = spansOf(text, 'expression')
  const code = around.kind === 'prose' ? codeSpans(text) : []
  const others = [
    ...doubledBraces(text, code),
    ...dollarBraces(text, code, around),
    ...blankBraces(text, code),
    ...templateTags(text),
  ].filter(({ at }) => !isInside(at, expressions))
  const spans = others.map(({ at, text: piece }) => ({ from: at, to: at + piece.length }))
  const ours = placeholdersIn(text).filter(({ from }) => !isInside(from, spans))
  const slips = ours.flatMap(({ from, path, whole }) => pathSlip(path, whole, from, around) ?? [])
  const taken = [...expressions, ...spans, ...ours, ...code]
  return [...others, ...slips, ...unbalancedBraces(text, taken)].sort((a, b) => a.at - b.at)
}

/** Returns the pieces of a template, each with the offsets where it begins and ends. */
export const templatePieces = (text: string) => {
  let at = 0
  return parseTemplate(text).map((piece) => {
    const from = at
    at += piece.kind === 'text' ? piece.text.length : piece.kind === 'raw' ? '{__raw__}'.length : piece.written.length
    return { piece, from, to: at }
  })
}

const spansOf = (text: string, kind: string): Span[] => templatePieces(text).filter(({ piece }) => piece.kind === kind)

const placeholdersIn = (text: string): (Span & { readonly path: string; readonly whole: string })[] =>
  templatePieces(text).flatMap(({ piece, from, to }) =>
    piece.kind === 'path'
      ? [{ from, to, path: piece.path, whole: piece.written }]
      : piece.kind === 'raw'
        ? [{ from, to, path: '__raw__', whole: '{__raw__}' }]
        : [],
  )

/** Returns the ranges of code between backticks. */
const codeSpans = (text: string): Span[] =>
  [...text.matchAll(/```[\s\S]*?(?:```|$)|`[^`\n]+`/g)].map(({ 0: code, index }) => ({ from: index, to: index + code.length }))

/**
 * Rewrites a path of another template language as a path of ours: without blanks around it, a prefix such as `payload.` or `$.`, and
 * brackets. `payload` and `event` get our names for the whole payload and the type.
 */
const ourPath = (path: string): string =>
  path
    .trim()
    .replace(/^(?:github\.event\.|\$?\.|payload\.(?=.))/, '')
    .replace(/\[(\d+)\]/g, '.$1')
    .replace(/^payload$/, '__raw__')
    .replace(/^event$/, 'event_type')

const isCode = (at: number, code: readonly Span[]): boolean => isInside(at, code)

/** Finds `{{title}}`, `${{ title }}` and `{{#if x}}`. */
const doubledBraces = (text: string, code: readonly Span[]): TemplateSlip[] =>
  [...text.matchAll(/\$?\{\{\{?([^{}\r\n]*)\}\}\}?/g)].flatMap(({ 0: found, 1: inner = '', index: at }): TemplateSlip[] => {
    const path = inner.trim()
    if (found.startsWith('$') && isCode(at, code)) return []
    const base = { code: 'WH502', at, text: found } as const
    if (/^[#/^>&!]\s*\w/.test(path)) {
      const help = 'there are no blocks here: write the whole text with {= condition ? "a" : "b" }'
      return [{ ...base, message: `"${found}" is a block of another template language`, help }]
    }
    const [subject = '', ...filters] = path.split('|')
    if (filters.length > 0 && wholePath.test(subject.trim())) return [{ ...base, ...filterSlip(found, subject.trim()) }]
    if (!new RegExp(`^\\.?${dotted}$`).test(path)) return []
    const instead = `{${ourPath(path)}}`
    return [{ ...base, message: `"${found}" is written as in another template language`, help: `write ${instead}`, instead, safe: true }]
  })

const filterSlip = (found: string, subject: string): Pick<TemplateSlip, 'message' | 'help'> => ({
  message: `"${found}" uses a filter, and templates have no filters here`,
  help: `use an expression, for example {= $uppercase(${ourPath(subject)}) }`,
})

/** Finds `${title}`, as in a shell or in JavaScript. */
const dollarBraces = (text: string, code: readonly Span[], { kind }: Surrounding): TemplateSlip[] =>
  [...text.matchAll(new RegExp(String.raw`\$\{(${dotted})(?::-[^{}]*)?\}`, 'g'))].flatMap(
    ({ 0: found, 1: path = '', index: at }): TemplateSlip[] => {
      const isVariable = /^[A-Z][A-Z0-9_]*$/.test(path)
      if (isCode(at, code) || (kind === 'prose' && isVariable)) return []
      const base = { code: 'WH502', at, text: found } as const
      if (isVariable) {
        const help = 'write the value here: ${NAME} is read in secrets, in headers and in the settings under "platforms"'
        return [{ ...base, message: `"${found}" is not read from the environment here`, help }]
      }
      const instead = `{${ourPath(path)}}`
      const help = `write ${instead}; where the dollar sign is a currency, write it behind the amount`
      return [
        { ...base, message: `"${found}" is written as in another template language: its dollar sign stays in the text`, help, instead },
      ]
    },
  )

const codeBefore = /\b(?:import|export|const|let|var|interface|struct|enum|class)\b[^\n]*$|(?:=>|=|\))\s*$/

/** Finds `{ title }`: a blank right behind the opening or right before the closing brace makes the braces text here. */
const blankBraces = (text: string, code: readonly Span[]): TemplateSlip[] =>
  [...text.matchAll(new RegExp(String.raw`(?<![{$])\{(?:[ \t]+(${dotted})[ \t]*|(${dotted})[ \t]+)\}(?!\})`, 'g'))].flatMap(
    ({ 0: found, 1: left, 2: right, index: at }): TemplateSlip[] => {
      const line = text.slice(text.lastIndexOf('\n', at) + 1, at)
      if (isCode(at, code) || codeBefore.test(line)) return []
      const instead = `{${ourPath(left ?? right ?? '')}}`
      const help = `write ${instead}, without blanks`
      return [{ code: 'WH502', at, text: found, message: `"${found}" stays as it is: it has blanks inside its braces`, help, instead }]
    },
  )

/** Finds `{% if x %}` and `<%= x %>`. */
const templateTags = (text: string): TemplateSlip[] =>
  [...text.matchAll(/\{%-?\s*\w[^{}\r\n]*%\}|<%=?[^%\r\n]*%>/g)].map(({ 0: found, index: at }) => ({
    code: 'WH502' as const,
    at,
    text: found,
    message: `"${found}" is a tag of another template language`,
    help: 'there are no tags here: use {dotted.path}, or an expression {= … }',
  }))

/** Returns the likely slip in the path of a valid placeholder. */
const pathSlip = (path: string, text: string, at: number, { mayHave }: Surrounding): TemplateSlip | undefined => {
  const base = { at, text }
  const dialect = { ...base, code: 'WH502' as const }
  const write = (instead: string, safe = true) => ({ help: `write ${instead}`, instead, safe })
  if (/^payload\.[\w$-]/.test(path) && wholePath.test(path)) {
    if (mayHave('payload')) return undefined
    const message = `"${text}" looks for "payload" inside the payload: templates begin at its top`
    const instead = `{${ourPath(path)}}`
    // Some senders do put everything under "payload".
    return { ...base, code: 'WH507', message, help: `write ${instead}, unless the sender has a key "payload"`, instead }
  }
  if (path === 'payload' && !mayHave('payload'))
    return { ...dialect, message: '"{payload}" is a key of the payload, not the payload itself', ...write('{__raw__}', false) }
  if (path === 'event' && !mayHave('event'))
    return { ...dialect, message: '"{event}" is a key of the payload, not the type of the event', ...write('{event_type}', false) }
  if (/^_+raw_*$|^raw_+$/i.test(path) && path !== '__raw__')
    return { ...dialect, message: `"${text}" is not the whole payload`, ...write('{__raw__}') }
  const header = /^headers\.(x-[\w-]+|user-agent|content-type)$/i.exec(path)?.[1]
  if (header !== undefined) {
    const message = `"${text}" looks for "headers" inside the payload`
    return { ...dialect, message, ...write(`{= headers.\`${header.toLowerCase()}\` }`, false) }
  }
  if (/\[\d+\]/.test(path) && wholePath.test(path)) {
    return {
      ...dialect,
      message: `"${text}" stays as it is: an item of a list is named by its number alone`,
      ...write(`{${ourPath(path)}}`),
    }
  }
  if (/\[(?:\*|)\]/.test(path)) {
    const help = `use an expression, for example {= $join(${path.replace(/\[\*?\]/g, '')}, ", ") }`
    return { ...dialect, message: `"${text}" stays as it is: a placeholder names one value`, help }
  }
  if (/^\$?\.[A-Za-z_]/.test(path)) return { ...dialect, message: `"${text}" begins with a dot`, ...write(`{${ourPath(path)}}`) }
  const [subject = '', filter] = path.split('|')
  if (filter !== undefined && wholePath.test(subject.trim())) return { ...dialect, ...filterSlip(text, subject.trim()) }
  if (/^[a-z]\w*\([\w$.]*\)$/i.test(path)) {
    const help = `functions stand in an expression: {= $${path} }`
    return { ...dialect, message: `"${text}" stays as it is: a placeholder names one value`, help }
  }
  return undefined
}

/** Finds placeholders that lack a brace on one side. */
const unbalancedBraces = (text: string, taken: readonly Span[]): TemplateSlip[] => {
  const open: number[] = []
  const found: TemplateSlip[] = []
  const skip = new Map(taken.map(({ from, to }) => [from, to]))
  for (let at = 0; at < text.length; at++) {
    const end = skip.get(at)
    if (end !== undefined && end > at) at = end - 1
    else if (text[at] === '{') open.push(at)
    else if (text[at] === '}' && open.pop() === undefined) found.push(...unopenedBrace(text, at))
  }
  return [...found, ...open.flatMap((at) => unclosedBrace(text, at))]
}

const unclosedBrace = (text: string, at: number): TemplateSlip[] => {
  const path = new RegExp(`^\\{(${dotted})`).exec(text.slice(at, at + 500))?.[1]
  if (path === undefined) return /^\{\{[\w.]+\}/.test(text.slice(at)) ? [extraBrace(at, '{')] : []
  const piece = `{${path}`
  const message = `"${piece}" has no closing brace: it stays as it is`
  return [{ code: 'WH505', at, text: piece, message, help: `write {${path}}`, instead: `{${path}}` }]
}

const unopenedBrace = (text: string, at: number): TemplateSlip[] => {
  const before = text.slice(Math.max(0, at - 500), at)
  if (/\{[\w.]+\}$/.test(before)) return [extraBrace(at, '}')]
  const path = new RegExp(`(?:^|[\\s("'#/@])(${dotted})$`).exec(before)?.[1]
  if (path === undefined) return []
  const piece = `${path}}`
  const message = `"${piece}" has no opening brace: it stays as it is`
  return [{ code: 'WH505', at: at - path.length, text: piece, message, help: `write {${path}}`, instead: `{${path}}` }]
}

const extraBrace = (at: number, brace: string): TemplateSlip => ({
  code: 'WH505',
  at,
  text: brace,
  message: `one "${brace}" too many beside a placeholder: it stays in the text`,
  help: 'take it out',
  instead: '',
})
