/**
 * Finds likely mistakes in templates: placeholders that are written as in another template language, or that lack a brace. Braces of JSON
 * and of code are no mistakes.
 */

import { asDottedPath, pathSlip, plainPath } from '../expr/path-slip.ts'
import { parseTemplate } from '../expr/placeholder.ts'

/** A piece of a template (`text`, at the offset `at`) that most likely does not do what the author wants. */
export type TemplateSlip = {
  readonly code: 'WH502' | 'WH505' | 'WH507'
  readonly at: number
  readonly text: string
  readonly message: string
  readonly help: string
  /** The text to write instead, where it is known. */
  readonly instead?: string
  /** Whether `instead` surely means the same, so that it may be written without asking. */
  readonly safe?: boolean
}

/** What is known of the place of a template in its route. */
export type Surrounding = {
  /** `prose`: the text may well quote code, and name variables of a shell. */
  readonly kind: 'prose' | 'setting'
  /** Whether the payload may well have a key of this name. */
  readonly mayHave: (key: 'payload' | 'event') => boolean
  /** Whether samples have a value at this path; `undefined` where there are no samples to say so. */
  readonly proves: (path: string) => boolean | undefined
  /** Returns the path that samples have in place of one that begins as in another tool: `title` for `body.title`. */
  readonly unwraps: (path: string) => string | undefined
}

type Span = { readonly from: number; readonly to: number }

const dotted = String.raw`[A-Za-z_$][\w$-]*(?:\.[\w$-]+|\[\d+\])*`
const wholePath = new RegExp(`^${dotted}$`)
const isInside = (at: number, spans: readonly Span[]): boolean => spans.some(({ from, to }) => at >= from && at < to)

export const slipsIn = (text: string, around: Surrounding): TemplateSlip[] => {
  if (!/[{}]/.test(text)) return []
  const expressions = spansOf(text, 'expression')
  const code = around.kind === 'prose' ? codeSpans(text) : []
  const others = [
    ...doubledBraces(text, code, around),
    ...quotedKeys(text),
    ...dollarBraces(text, code, around),
    ...blankBraces(text, code, around),
    ...templateTags(text),
  ].filter(({ at }) => !isInside(at, expressions))
  const spans = others.map(({ at, text: piece }) => ({ from: at, to: at + piece.length }))
  const ours = placeholdersIn(text).filter(({ from }) => !isInside(from, spans))
  const slips = ours.flatMap(({ from, path, whole }) => placeholderSlip(path, whole, from, around) ?? [])
  const taken = [...expressions, ...spans, ...ours, ...code]
  return [...others, ...slips, ...unbalancedBraces(text, taken, around)].sort((a, b) => a.at - b.at)
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

/** Names that other tools give the payload, or a map with it. Some senders do have such keys. */
const wrappers =
  /^(?:payload|body|json|data|event|request|req|context|github|webhook|trigger|msg|message|inputs?|items?|steps|hook|\$\w+)(?=\.)/

/** What to write in place of a path of another template language, and whether that surely means the same. */
type Rewritten = { readonly instead?: string; readonly safe?: boolean; readonly help: string }

/**
 * Rewrites a path of another template language as a placeholder of ours. `payload` and `event` get our names for the whole payload and the
 * type. The result is safe where samples have a value at the new path. Without samples, it is safe where only the signs around the keys
 * change.
 */
const rewritten = (written: string, { proves, unwraps }: Surrounding): Rewritten => {
  const path = written.trim()
  if (path === 'payload' || path === 'event') {
    const instead = path === 'payload' ? '{__raw__}' : '{event_type}'
    return { instead, safe: true, help: `write ${instead}` }
  }
  const slip = pathSlip(path, 'template')
  if (slip && slip.instead === undefined) return { help: slip.help }
  const bare = (slip?.instead ?? asDottedPath(path)).replace(/^payload\.(?=.)/, '')
  const known = proves(bare) === true ? bare : unwraps(bare)
  const same = (slip === undefined || slip.isSame) && !wrappers.test(path)
  const safe = known !== undefined || (proves(bare) === undefined && same)
  const instead = `{${known ?? bare}}`
  if (safe || same) return { instead, safe, help: `write ${instead}` }
  // Without a sample that has the path, nobody knows what it is called here.
  return { help: `name the path of the payload, perhaps ${instead}: templates begin at its top` }
}

const isCode = (at: number, code: readonly Span[]): boolean => isInside(at, code)

const blockWords = /^(?:[#/^>&!]\s*\w|(?:if|else|end|range|with|template|include|define|block|for|each|unless)\b)/

/** Finds `{{title}}`, `${{ title }}` and `{{#if x}}`. */
const doubledBraces = (text: string, code: readonly Span[], around: Surrounding): TemplateSlip[] =>
  [...text.matchAll(/\$?\{\{\{?([^{}\r\n]*)\}\}\}?/g)].flatMap(({ 0: found, 1: inner = '', index: at }): TemplateSlip[] => {
    const path = inner.trim().replace(/^-\s+|\s+-$/g, '')
    if (found.startsWith('$') && isCode(at, code)) return []
    const base = { code: 'WH502', at, text: found } as const
    if (blockWords.test(path)) {
      const help = 'there are no blocks here: write the whole text with {= condition ? "a" : "b" }'
      return [{ ...base, message: `"${found}" is a block of another template language`, help }]
    }
    const [subject = '', ...filters] = path.split('|')
    if (filters.length > 0 && wholePath.test(subject.trim())) return [{ ...base, ...filterSlip(found, subject.trim()) }]
    const message = `"${found}" is written as in another template language`
    if (/^\$\(|^\$\w+\(/.test(path)) return [{ ...base, message, help: 'name the value by its path in the payload: {dotted.path}' }]
    if (!isPathOfOthers(path)) return []
    return [{ ...base, message, ...rewritten(path, around) }]
  })

/** Whether a text in doubled braces is a path, with or without signs of another language. */
const isPathOfOthers = (text: string): boolean =>
  new RegExp(`^\\.?${dotted}$`).test(text) || (!/\s/.test(text) && plainPath.test(asDottedPath(text)) && /[.[]/.test(text))

/** Finds `{user["name"]}`. Because of its double quotes it is no placeholder. */
const quotedKeys = (text: string): TemplateSlip[] =>
  [...text.matchAll(/(?<![{$])\{([A-Za-z_$][\w$.-]*(?:\["[^"{}[\]]*"\][\w$.-]*)+)\}(?!\})/g)].map(
    ({ 0: found, 1: path = '', index: at }) => {
      const {
        help,
        instead,
        isSame: safe,
      } = pathSlip(path, 'template') ?? { help: 'write a dotted path', instead: undefined, isSame: false }
      const fix = instead === undefined ? { help } : { help: `write {${instead}}`, instead: `{${instead}}`, safe }
      return { code: 'WH502' as const, at, text: found, message: `"${found}" stays as it is: quotes belong to no path`, ...fix }
    },
  )

const filterSlip = (found: string, subject: string): Pick<TemplateSlip, 'message' | 'help'> => ({
  message: `"${found}" uses a filter, and templates have no filters here`,
  help: `use an expression, for example {= $uppercase(${asDottedPath(subject)}) }`,
})

/** Finds `${title}`, as in a shell or in JavaScript. */
const dollarBraces = (text: string, code: readonly Span[], around: Surrounding): TemplateSlip[] =>
  [...text.matchAll(new RegExp(String.raw`\$\{(${dotted})(?::-[^{}]*)?\}`, 'g'))].flatMap(
    ({ 0: found, 1: path = '', index: at }): TemplateSlip[] => {
      const isVariable = /^[A-Z][A-Z0-9_]*$/.test(path)
      if (isCode(at, code) || (around.kind === 'prose' && isVariable)) return []
      const base = { code: 'WH502', at, text: found } as const
      if (isVariable) {
        const help = 'write the value here: ${NAME} is read in secrets, in headers and in the settings under "platforms"'
        return [{ ...base, message: `"${found}" is not read from the environment here`, help }]
      }
      const { instead, help: wayOut } = rewritten(path, around)
      const help = `${wayOut}; where the dollar sign is a currency, write it behind the amount`
      const message = `"${found}" is written as in another template language: its dollar sign stays in the text`
      return [{ ...base, message, help, ...(instead === undefined ? {} : { instead }) }]
    },
  )

const codeBefore = /\b(?:import|export|const|let|var|interface|struct|enum|class)\b[^\n]*$|(?:=>|=|\))\s*$/

/** Finds `{ title }`: a blank right behind the opening or right before the closing brace makes the braces text here. */
const blankBraces = (text: string, code: readonly Span[], around: Surrounding): TemplateSlip[] =>
  [...text.matchAll(new RegExp(String.raw`(?<![{$])\{(?:[ \t]+(${dotted})[ \t]*|(${dotted})[ \t]+)\}(?!\})`, 'g'))].flatMap(
    ({ 0: found, 1: left, 2: right, index: at }): TemplateSlip[] => {
      const line = text.slice(text.lastIndexOf('\n', at) + 1, at)
      if (isCode(at, code) || codeBefore.test(line)) return []
      const { instead, help } = rewritten(left ?? right ?? '', around)
      const mended = instead === undefined ? { help } : { help: `${help}, without blanks`, instead }
      return [{ code: 'WH502', at, text: found, message: `"${found}" stays as it is: it has blanks inside its braces`, ...mended }]
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
const placeholderSlip = (path: string, text: string, at: number, around: Surrounding): TemplateSlip | undefined => {
  if (around.proves(path) === true) return undefined
  const slip = reservedNameSlip(path, text, around) ?? writtenSlip(path, text, around)
  return slip && { ...slip, at, text }
}

type PathTrouble = Omit<TemplateSlip, 'at' | 'text'>

const writeInstead = (instead: string, safe = true) => ({ help: `write ${instead}`, instead, safe })

/** Finds paths that begin with a name of ours, which is no key of the payload: `{payload.title}`, `{event}`, `{headers.x-a}`. */
const reservedNameSlip = (path: string, text: string, { mayHave, proves }: Surrounding): PathTrouble | undefined => {
  const dialect = { code: 'WH502' as const }
  if (/^payload\.[\w$-]/.test(path) && wholePath.test(path)) {
    if (mayHave('payload')) return undefined
    const message = `"${text}" looks for "payload" inside the payload: templates begin at its top`
    const inner = asDottedPath(path.slice('payload.'.length))
    // Some senders do put everything under "payload".
    const help = `write {${inner}}, unless the sender has a key "payload"`
    return { code: 'WH507', message, help, ...(proves(inner) === false ? {} : { instead: `{${inner}}` }) }
  }
  if (path === 'payload' && !mayHave('payload'))
    return { ...dialect, message: '"{payload}" is a key of the payload, not the payload itself', ...writeInstead('{__raw__}', false) }
  if (path === 'event' && !mayHave('event'))
    return { ...dialect, message: '"{event}" is a key of the payload, not the type of the event', ...writeInstead('{event_type}', false) }
  if (/^_+raw_*$|^raw_+$/i.test(path) && path !== '__raw__')
    return { ...dialect, message: `"${text}" is not the whole payload`, ...writeInstead('{__raw__}') }
  const header = /^headers[.[]["']?(x-[\w-]+|user-agent|content-type)["']?\]?$/i.exec(path)?.[1]
  if (header === undefined) return undefined
  const message = `"${text}" looks for "headers" inside the payload`
  return { ...dialect, message, ...writeInstead(`{= headers.\`${header.toLowerCase()}\` }`, false) }
}

/** Finds calls, paths that are written as in another language, and paths that begin above the payload. */
const writtenSlip = (path: string, text: string, around: Surrounding): PathTrouble | undefined => {
  const dialect = { code: 'WH502' as const }
  if (/^[a-z]\w*\([\w$.]*\)$/i.test(path)) {
    const help = `functions stand in an expression: {= $${path} }`
    return { ...dialect, message: `"${text}" stays as it is: a placeholder names one value`, help }
  }
  const slip = pathSlip(path, 'template')
  if (slip) {
    const { instead, safe, help } = slip.instead === undefined ? (slip as Rewritten) : rewritten(path, around)
    const message = `"${text}" stays as it is: its path ${slip.why}`
    const mended = instead === undefined ? {} : { instead, ...(safe === undefined ? {} : { safe }) }
    return { ...dialect, message, help: slip.isNever ? help : `${help}, unless the sender has such a key`, ...mended }
  }
  const inner = around.unwraps(path)
  if (inner === undefined) return undefined
  return { ...dialect, message: `"${text}" is in no sample: templates begin at the top of the payload`, ...writeInstead(`{${inner}}`) }
}

/** Finds placeholders that lack a brace on one side. */
const unbalancedBraces = (text: string, taken: readonly Span[], around: Surrounding): TemplateSlip[] => {
  const open: number[] = []
  const found: TemplateSlip[] = []
  const skip = new Map(taken.map(({ from, to }) => [from, to]))
  for (let at = 0; at < text.length; at++) {
    const end = skip.get(at)
    if (end !== undefined && end > at) at = end - 1
    else if (text[at] === '{') open.push(at)
    else if (text[at] === '}' && open.pop() === undefined) found.push(...unopenedBrace(text, at, around))
  }
  return [...found, ...open.flatMap((at) => unclosedBrace(text, at, around))]
}

const unclosedBrace = (text: string, at: number, { proves }: Surrounding): TemplateSlip[] => {
  const path = new RegExp(`^\\{(${dotted})`).exec(text.slice(at, at + 500))?.[1]
  if (path === undefined) return /^\{\{[\w.]+\}/.test(text.slice(at)) ? [extraBrace(at, '{')] : []
  const piece = `{${path}`
  const message = `"${piece}" has no closing brace: it stays as it is`
  return [{ code: 'WH505', at, text: piece, message, help: `write {${path}}`, ...(proves(path) === false ? {} : { instead: `{${path}}` }) }]
}

const unopenedBrace = (text: string, at: number, { proves }: Surrounding): TemplateSlip[] => {
  const before = text.slice(Math.max(0, at - 500), at)
  if (/\{[\w.]+\}$/.test(before)) return [extraBrace(at, '}')]
  const path = new RegExp(`(?:^|[\\s("'#/@])(${dotted})$`).exec(before)?.[1]
  if (path === undefined) return []
  const piece = `${path}}`
  const message = `"${piece}" has no opening brace: it stays as it is`
  return [
    {
      code: 'WH505',
      at: at - path.length,
      text: piece,
      message,
      help: `write {${path}}`,
      ...(proves(path) === false ? {} : { instead: `{${path}}` }),
    },
  ]
}

const extraBrace = (at: number, brace: string): TemplateSlip => ({
  code: 'WH505',
  at,
  text: brace,
  message: `one "${brace}" too many beside a placeholder: it stays in the text`,
  help: 'take it out',
  instead: '',
})
