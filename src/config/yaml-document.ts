/** YAML or JSON text → a document that is safe to walk: bounded in depth, without cycles; no message quotes the text, for it may hold a secret. */

import {
  Composer,
  type Document,
  isAlias,
  isNode,
  isScalar,
  Lexer,
  type LineCounter,
  type ParsedNode,
  Parser,
  visit,
  type YAMLParseError,
} from 'yaml'
import type { Json } from '../core/json.ts'
import { maxDepth } from './json-place.ts'

/** An alias may stand for at most this many nodes in all: a "billion laughs" file is refused. */
const maxAliases = 100

/** Offsets of start and end in the text. */
export type Range = readonly [number, number, ...number[]]
export type YamlProblem = { readonly code: 'WH001' | 'WH002'; readonly message: string; readonly help: string; readonly range: Range }
/** There is data unless there are problems; a document is there as soon as the text has a structure that can be relied on. */
export type Yaml = { readonly document?: Document.Parsed; readonly data?: Json; readonly problems: readonly YamlProblem[] }

const syntax = 'the file must be valid YAML 1.2'
const fewer = 'use fewer aliases, and put a text that begins with * in quotes'
const problem = (message: string, range: Range, help = syntax): YamlProblem => ({ code: 'WH001', message, range, help })
const refused = (...problems: YamlProblem[]): Yaml => ({ problems })

/** Every syntax problem, or the document and its data. */
export const parseYaml = (text: string, lines: LineCounter): Yaml => {
  const parser = new Parser(lines.addNewLine)
  const tokens = []
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    // Each list and map that is open has its place on the parser's stack, above that of the document.
    if (parser.stack.length - 1 > maxDepth) return refused(tooDeep([parser.offset - lexeme.length, parser.offset]))
  }
  tokens.push(...parser.end())
  // Tags beyond YAML's core would make values that JSON has not; a warning of the library's own would quote a key.
  // Its own check for unique keys compares each with each: a second for 10,000 routes.
  const composer = new Composer({ merge: false, uniqueKeys: false, resolveKnownTags: false, logLevel: 'error' })
  const [document, second] = composer.compose(tokens, true, text.length)
  if (!document) return refused()
  if (second) return refused(problem('the file has more than one document', second.range, 'keep one, without --- and ... between'))
  if (document.errors.length > 0) return refused(...document.errors.map(sentenceOf))
  const problems = twinsOf(document as Document.Parsed)
  return problems.length > 0 ? { document: document as Document.Parsed, problems } : dataOf(document as Document.Parsed)
}

const tooDeep = (range: Range): YamlProblem => problem(`lists and maps are nested deeper than ${maxDepth}`, range, 'use fewer levels')

/** Keys that their map has already. */
const twinsOf = (document: Document.Parsed): YamlProblem[] => {
  const found: YamlProblem[] = []
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<string>()
      for (const { key } of items) {
        const name = String(isScalar(key) ? key.value : key)
        if (seen.has(name) && isNode(key))
          found.push({
            code: 'WH002',
            message: 'this key stands twice in the same map',
            range: key.range ?? [0, 0],
            help: 'remove one of the two',
          })
        seen.add(name)
      }
    },
  })
  return found
}

const dataOf = (document: Document.Parsed): Yaml => {
  const { cycle, last } = aliasesOf(document)
  if (cycle) return { document, problems: [problem('this alias stands inside what it names', cycle, 'write out what is meant')] }
  try {
    return { document, data: (document.toJS({ maxAliasCount: maxAliases }) ?? {}) as Json, problems: [] }
  } catch (error) {
    // The name of an alias is cut off: it may be a secret that begins with a star.
    const message = error instanceof Error ? error.message.replace(/:.*/s, '') : 'the aliases cannot be resolved'
    return { document, problems: [problem(message, last ?? [0, 0], fewer)] }
  }
}

/** The first alias that stands inside the node it names, and the last one of all, or the last one before it that names nothing. */
const aliasesOf = (document: Document.Parsed): { readonly cycle?: Range; readonly last?: Range } => {
  const anchors = new Map<string, unknown>()
  const found: { cycle?: Range; last?: Range } = {}
  visit(document, (_, node, path) => {
    if (!isNode(node)) return undefined
    if (!isAlias(node)) {
      if (node.anchor) anchors.set(node.anchor, node)
      return undefined
    }
    const target = anchors.get(node.source)
    const range = (node.range ?? [0, 0]) as Range
    found.last = range
    if (target === undefined) return visit.BREAK
    if (!path.includes(target as ParsedNode)) return undefined
    found.cycle = range
    return visit.BREAK
  })
  return found
}

/** Messages of these quote the text. */
const unquoted: { readonly [code: string]: string } = {
  BAD_DQ_ESCAPE: 'Invalid escape sequence in double quotes',
  BAD_DIRECTIVE: 'Bad directive: a line that begins with % at the start of the file',
  BAD_ALIAS: 'Bad name of an alias or anchor',
  TAG_RESOLVE_FAILED: 'Bad tag: a word that begins with !',
}

const sentenceOf = ({ code, message, pos }: YAMLParseError): YamlProblem => {
  if (code === 'RESOURCE_EXHAUSTION') return tooDeep(pos)
  return problem(unquoted[code] ?? (message.split(/: |\n/)[0] as string), pos)
}
