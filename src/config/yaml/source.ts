/** Parses a YAML or JSON file to data, and finds the place (file, lines and columns) of every key and value. */

import { readFileSync, statSync } from 'node:fs'
import {
  CORE_SCHEMA,
  constructFromEvents,
  defineScalarTag,
  EVENT_ID,
  type Event,
  getScalarValue,
  mapTag,
  seqTag,
  YAMLException,
} from 'js-yaml'
import { carryDigits } from '../../core/carried-numbers.ts'
import { type Diagnostic, diagnostic, type Path, pointerOf, type SourceRange } from '../../core/diagnostic.ts'
import { codeOf, messageOf } from '../../core/fault.ts'
import type { Json } from '../../core/json.ts'
import { noteDigits } from '../../core/written-digits.ts'
import { maxFileBytes } from '../file-digests.ts'
import { checkAliases } from './aliases.ts'
import { lostPaths } from './lost-paths.ts'
import { type Mistake, mistakesIn } from './mistakes.ts'
import { Places, placeAt } from './places.ts'
import { eventsOf, scalarStart, YamlTree } from './yaml-tree.ts'

export type Source = {
  readonly file: string
  readonly data: Json
  /** Returns the place of the value at a path, or of its key. Where the path leads nowhere, it is the place of the nearest value around. */
  readonly place: (path: Path, of?: 'key' | 'value') => SourceRange
}

/** Texts, parsed or not, to read in place of the texts of files, by the paths of these. */
export type GivenTexts = ReadonlyMap<string, string | ParsedYaml>

/**
 * The result of reading a file. `text` is absent where there is no file or it cannot be read, `source` also where the text cannot be
 * parsed. `rest`: what can be read of a text with mistakes of syntax.
 */
export type SourceReading = {
  readonly source?: Source
  readonly rest?: RestOfSource
  readonly text?: string
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * What can be read of a text with mistakes of syntax, to be checked. `lost`: a Diagnostic for each value that is not read whole, with its
 * pointer. Some follow from others, and are not reported.
 */
export type RestOfSource = Source & { readonly lost: readonly Diagnostic[] }

/** Tags outside of the core schema mean nothing: a list or map is read as if the tag were not there, any other value as a text. */
const schema = CORE_SCHEMA.withTags(
  defineScalarTag('', { matchByTagPrefix: true, resolve: (source) => source, identify: () => false }),
  { ...seqTag, tagName: '', matchByTagPrefix: true },
  { ...mapTag, tagName: '', matchByTagPrefix: true },
)

/**
 * Parses a file's text. A mistake of syntax gives a Diagnostic and no source. A key that stands twice gives a Diagnostic, and a source
 * where the text can be read otherwise.
 */
export const parseSource = (file: string, text: string): SourceReading => sourceOf(file, parseYaml(file, text))

/** Returns the reading of a text that was parsed already. */
export const sourceOf = (file: string, { text, data, events, diagnostics, rest }: ParsedYaml): SourceReading => {
  if (data !== undefined) return { source: placed(file, text, data, events), text, diagnostics }
  return rest ? { rest: { ...placed(file, rest.text, rest.data, rest.events), lost: rest.lost }, text, diagnostics } : { text, diagnostics }
}

const placed = (file: string, text: string, data: Json, events: readonly Event[]): Source => {
  const place = placeFinder(file, text, events)
  noteDigits(data, (path) => writtenDigits(text, place(path)))
  return { file, data, place }
}

/** Returns the data of a parsed text, with its whole numbers past 2^53 carried; `undefined` where the text cannot be read. */
export const carriedData = (parsed: ParsedYaml): Json | undefined => {
  const { source } = sourceOf('', parsed)
  return source && carryDigits(source.data)
}

/** Returns the digits of a whole number as they are written; `undefined` where it is written in another way. */
const writtenDigits = (text: string, { line, column, endLine, endColumn }: SourceRange): string | undefined => {
  const written = line === endLine ? text.split('\n')[line - 1]?.slice(column - 1, endColumn - 1) : undefined
  return written !== undefined && /^-?[1-9]\d*$/.test(written) ? written : undefined
}

/** A parsed text, with the parser's events. The events take twenty times the memory of the text: hold them only while they are needed. */
export type ParsedYaml = {
  readonly text: string
  readonly data?: Json
  readonly events: readonly Event[]
  readonly diagnostics: readonly Diagnostic[]
  /** What can be read of a text with mistakes of syntax: the text with blanks in place of the mistakes. */
  readonly rest?: {
    readonly text: string
    readonly data: Json
    readonly events: readonly Event[]
    readonly lost: readonly Diagnostic[]
  }
}

/** Parses a text as `parseSource` does, but returns the parser's events instead of a function that finds places. */
export const parseYaml = (file: string, text: string): ParsedYaml => {
  let events: readonly Event[] = []
  try {
    events = eventsOf(text)
    return { text, data: dataOf(text, events), events, diagnostics: findDuplicateKeys(file, text, events) }
  } catch (error) {
    const twins = findDuplicateKeys(file, text, events)
    return { text, events, ...(twins.length > 0 ? { diagnostics: twins } : withoutMistakes(file, text, error)) }
  }
}

/** Returns the data of a text, of which these are the events. Of two equal keys the last counts, and `findDuplicateKeys` reports it. */
const dataOf = (text: string, events: readonly Event[]): Json => {
  checkAliases(text, events)
  const [data, ...others] = constructFromEvents([...events], { source: text, schema, json: true }) as Json[]
  if (others.length > 0) YAMLException.throwAt(text, lastDocumentAt(text, events), 'the file has more than one document')
  return data ?? {}
}

/** Reports all mistakes of syntax of a text, and reads what is left of it. */
const withoutMistakes = (file: string, text: string, first: unknown): Pick<ParsedYaml, 'diagnostics' | 'rest'> => {
  const read = (left: string) => {
    const events = eventsOf(left)
    return { events, data: dataOf(left, events) }
  }
  const { mistakes, rest } = mistakesIn(text, first, read)
  const tree = rest && new YamlTree(rest.text, rest.read.events)
  const report = (each: Mistake): Diagnostic[] =>
    (tree ? lostPaths(text, tree, each) : [[]]).map((path) =>
      diagnostic('WH001', each.message, { place: placeAt(file, text, each.at), help: each.help, pointer: pointerOf(path) }),
    )
  const found = mistakes.flatMap((each) => report(each).slice(0, 1))
  if (!rest) return { diagnostics: found }
  return {
    diagnostics: [...found, ...findDuplicateKeys(file, rest.text, rest.read.events)],
    rest: { ...rest.read, text: rest.text, lost: rest.lost.flatMap(report) },
  }
}

/**
 * Returns a function that finds places. The events and their index take twenty times the memory of the text. So the function holds them
 * only weakly, and parses the text again where they are gone.
 */
const placeFinder = (file: string, text: string, events: readonly Event[]): Source['place'] => {
  let made: WeakRef<Places> | undefined
  let parsed: WeakRef<readonly Event[]> | undefined = new WeakRef(events)
  return (path, of = 'value') => {
    const places = made?.deref() ?? new Places(file, text, parsed?.deref() ?? eventsOf(text))
    made = new WeakRef(places)
    parsed = undefined
    return places.at(path, of)
  }
}

/** Returns the offset where the last document begins. */
const lastDocumentAt = (text: string, events: readonly Event[]): number => {
  const at = events.findLastIndex(({ type }) => type === EVENT_ID.DOCUMENT)
  const value = events[at + 1]
  const start = value && ('start' in value ? value.start : 'valueStart' in value ? value.valueStart : 0)
  return text.lastIndexOf('---', start === undefined || start < 0 ? text.length : start)
}

const findDuplicateKeys = (file: string, text: string, events: readonly Event[]): Diagnostic[] =>
  duplicateKeyOffsets(text, events).map((at) =>
    diagnostic('WH002', 'this key stands twice in the same map', { place: placeAt(file, text, at), help: 'remove one of the two' }),
  )

/** Returns the offsets of the keys that stand in their map already, further up. */
const duplicateKeyOffsets = (text: string, events: readonly Event[]): number[] => {
  const offsets: number[] = []
  /** The open maps and lists. `keys`: those of a map so far; absent for a list. `isKey`: whether the next value is a key. */
  const open: { keys?: Set<string>; isKey: boolean }[] = []
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      open.pop()
      continue
    }
    const around = open.at(-1)
    if (around?.keys && around.isKey && event.type === EVENT_ID.SCALAR) {
      const key = getScalarValue(text, event)
      if (around.keys.has(key)) offsets.push(scalarStart(event))
      around.keys.add(key)
    }
    if (around) around.isKey = !around.isKey
    if (event.type === EVENT_ID.MAPPING) open.push({ keys: new Set(), isKey: true })
    else if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.DOCUMENT) open.push({ isKey: false })
  }
  return offsets
}

/**
 * Reads and parses a file, or the text `given` in its place. Without a file there is neither a source nor a Diagnostic. WH003 reports a
 * file that cannot be read.
 */
export const readSource = (file: string, given?: string | ParsedYaml): SourceReading => {
  if (given !== undefined) return typeof given === 'string' ? parseSource(file, given) : sourceOf(file, given)
  let text: string
  try {
    if (statSync(file).size > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes} bytes`)
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { diagnostics: [] }
    const place = { file, line: 1, column: 1, endLine: 1, endColumn: 1 }
    return {
      diagnostics: [diagnostic('WH003', `cannot read ${file}: ${messageOf(error)}`, { place, help: 'check its path and permissions' })],
    }
  }
  return parseSource(file, text)
}
