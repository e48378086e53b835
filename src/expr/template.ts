/** Compiles templates to functions. They render in one pass, so that a placeholder in a payload's text stays text (rules: Templates 5). */

import { exactOf } from '../core/exact-json.ts'
import { ExactNumber } from '../core/exact-number.ts'
import { messageOf } from '../core/fault.ts'
import type { ExactJson } from '../core/json.ts'
import { isMoreThanALine, type Prompt, type TextSpan } from '../core/prompt.ts'
import type { Event } from '../core/request.ts'
import { cut, printable } from '../core/text.ts'
import { percentEncoded, wellFormed } from './escape.ts'
import { expressionInput } from './expression-input.ts'
import { BadExpression, compileJsonata, FailedExpression } from './jsonata/jsonata.ts'
import { compileLookupPath, compilePayloadField, pathInBatch, pathInLookup } from './path.ts'
import { parseTemplate } from './placeholder.ts'
import { renderJson, scalarKey } from './render.ts'
import { compileRequestField, isRequestField } from './request-field.ts'
import { waitIfLarge } from './turn.ts'

/** The longest JSON of a whole payload in a text, and of a list or map in it, in UTF-16 units. */
const maxPayloadUnits = 4000
const maxNestedUnits = 2000
/** The longest text that a template gives (rules: Limits 2). */
const maxTextUnits = 200_000
const maxShownUnits = 200

/** How one placeholder was filled in. */
export type Filled = {
  /** The placeholder as the template has it, with its braces; or words for the whole payload or the whole text. */
  readonly written: string
  /**
   * The placeholder has no value. In a text a path stays as it is written, and an expression is empty; a key with such a placeholder is
   * missing as a whole.
   */
  readonly missing?: true
  /** Why the expression has no value, where its evaluation failed. Quotes no text of the payload. */
  readonly failed?: string
  /** The lengths of the placeholder's text before and after a cut, in UTF-16 units. */
  readonly cut?: { readonly from: number; readonly to: number }
}

export type TemplateKit = {
  /** Called with each mistake in the template. */
  readonly report: (message: string) => void
  /**
   * Called when an expression failed on an event, or a limit stopped it. The message quotes no text of the payload. Where the function
   * throws, the text is not made, and the renderer rejects with that error.
   */
  readonly failed?: (event: Event, message: string) => void
  /** Called with each placeholder, filled in or missing, and for a cut of the whole text. Absent in the running gateway. */
  readonly filled?: (filled: Filled) => void
}

/**
 * A compiled template, or several. Returns a promise only where a template has a `{= expression }`. It never throws, and rejects only with
 * an error of `TemplateKit.failed`.
 */
export type Renderer<T> = (event: Event) => T | Promise<T>

/** Renders the payload as indented JSON, cut at 4000 UTF-16 units: for `{__raw__}`, and for a route without a prompt. */
export const wholePayload = (event: Event): string => renderJson(exactOf(event), maxPayloadUnits, 2)

/** Renders a value: a text as it is, any other value as JSON, lists and maps cut at 2000 UTF-16 units. */
const renderValue = (value: ExactJson): string =>
  typeof value === 'string' ? value : value instanceof ExactNumber ? value.text : renderJson(value, maxNestedUnits, 0)

/** What a kind of template makes of its placeholders: a text each, or a `T` that becomes the result of the whole template. */
type ValueUse<T> = {
  readonly show: (value: ExactJson) => string | T
  /** As `show`, for a value that is a text. */
  readonly text: (text: string) => string
  /** For a path without a value. `written`: the placeholder with its braces. */
  readonly missing: (written: string) => string | T
  /** For an expression without a value. Its source is for whoever wrote it, and never for whoever reads the text. */
  readonly empty: string | T
  /** The longest JSON of a list or map; absent: 2000 UTF-16 units. */
  readonly maxNested?: number
}

/**
 * Stands for an expression without a value in an address and in an id. It is a placeholder itself, so a target takes it for unfilled, and
 * sends nothing there (rules: Templates 10).
 */
const unfilledExpression = '{= … }'

const asIs = (text: string): string => text

const asText: ValueUse<never> = { show: renderValue, text: asIs, missing: asIs, empty: '' }
const asExact: ValueUse<never> = { ...asText, empty: unfilledExpression }
/** Null, lists and maps are no part of a key: two lists or maps could read the same after a cut. */
const asKeyPart: ValueUse<undefined> = { show: scalarKey, text: asIs, missing: () => undefined, empty: undefined }
/** A percent-encoded value cannot leave the segment, parameter or fragment of the web address where its placeholder stands. */
const inAddress: ValueUse<never> = {
  show: (value) => percentEncoded(renderValue(value)),
  text: percentEncoded,
  missing: asIs,
  empty: unfilledExpression,
}

/** A list or map that is cut would be no JSON. So it is cut past the longest text only, and a body of that length is not sent. */
const asJson: ValueUse<never> = {
  show: (value) => renderJson(value, maxTextUnits, 0),
  text: (text) => JSON.stringify(wellFormed(text)),
  missing: (written) => JSON.stringify(written),
  empty: 'null',
  maxNested: maxTextUnits,
}

/** Describes a placeholder whose text has `from` UTF-16 units, and is cut where these are more than `to`. */
const filledUpTo = (written: string, from: number, to: number): Filled => (from > to ? { written, cut: { from, to } } : { written })

/** Returns a use that calls the kit's `filled` with the placeholder, and else does the same as `use`. */
const watchedUse = <T>(use: ValueUse<T>, written: string, { filled }: TemplateKit): ValueUse<T> =>
  filled === undefined
    ? use
    : {
        show: (value) => {
          const size = typeof value === 'object' ? renderJson(value, Number.POSITIVE_INFINITY, 0).length : 0
          filled(filledUpTo(written, size, use.maxNested ?? maxNestedUnits))
          return use.show(value)
        },
        text: (text) => {
          filled({ written })
          return use.text(text)
        },
        missing: (text) => {
          filled({ written, missing: true })
          return use.missing(text)
        },
        empty: use.empty,
      }

/** Compiles a text that is the whole payload (`wholePayload`). `written`: the placeholder with which `filled` is called. */
export const compileWhole = (written: string, { filled }: TemplateKit): ((event: Event) => string) =>
  filled === undefined
    ? wholePayload
    : (event) => {
        filled(filledUpTo(written, renderJson(exactOf(event), Number.POSITIVE_INFINITY, 2).length, maxPayloadUnits))
        return wholePayload(event)
      }

// These placeholders have a value even where the payload has none (rules: Templates 6).
const fallbacks: ReadonlyMap<string, (event: Event) => string> = new Map([
  ['event_type', (event) => event.eventType],
  ['route', (event) => event.route],
  ['delivery_id', (event) => event.deliveryId],
])

/** Whether a placeholder may have a value of the event or its request where the payload has none. */
export const hasFallback = (path: string): boolean => fallbacks.has(path) || isRequestField(path) || pathInLookup(path) !== undefined

const compilePlaceholder = <T>(path: string, written: string, use: ValueUse<T>): ((event: Event) => string | T) => {
  const own = compileValue(path, written, use)
  const inLookup = pathInLookup(path)
  if (inLookup !== undefined) {
    const ofLookup = compileLookupPath(inLookup)
    return (event) => (event.lookup ? shown(ofLookup(event.lookup), written, use) : own(event))
  }
  const inBatch = pathInBatch(path)
  if (inBatch === undefined) return own
  const ofBatch = compileValue(inBatch, written, use)
  return (event) => (event.batch ? ofBatch(event.batch) : own(event))
}

const compileValue = <T>(path: string, written: string, use: ValueUse<T>): ((event: Event) => string | T) => {
  const get = compilePayloadField(path)
  const fallback = fallbacks.get(path) ?? compileRequestField(path)
  return (event) => {
    const own = get(event)
    return shown(own === undefined ? fallback?.(event) : own, written, use)
  }
}

const shown = <T>(value: ExactJson | undefined, written: string, use: ValueUse<T>): string | T => {
  if (value === undefined) return use.missing(written)
  return typeof value === 'string' ? use.text(value) : use.show(value)
}

const compileExpression = <T>(source: string, written: string, use: ValueUse<T>, kit: TemplateKit): Renderer<string | T> => {
  const nothing = (failed?: string): string | T => {
    kit.filled?.({ written, missing: true, ...(failed === undefined ? {} : { failed }) })
    return use.empty
  }
  try {
    const evaluate = compileJsonata(source)
    const text = async (event: Event): Promise<string | T> => {
      await waitIfLarge(event)
      const value = await evaluate(expressionInput(event))
      return value === undefined ? nothing() : use.show(value)
    }
    return (event) =>
      text(event).catch((error) => {
        const why = error instanceof FailedExpression ? error.withoutValues : messageOf(error)
        const empty = nothing(why)
        kit.failed?.(event, `${printable(written, maxShownUnits)}: ${why}`)
        return empty
      })
  } catch (error) {
    if (!(error instanceof BadExpression)) throw error
    kit.report(`{=${source}}: ${error.message}`)
    return async () => nothing()
  }
}

/**
 * Makes the result of a template from its rendered text. `untrusted`: the ranges of the text with more than a line of a payload, or with
 * the whole payload.
 */
type MakeResult<R> = (text: string, untrusted: readonly TextSpan[]) => R

const compilePieces = <T, R>(text: string, use: ValueUse<T>, kit: TemplateKit, makeResult: MakeResult<R>): Renderer<R | T> => {
  let hasExpression = false
  const parsed = parseTemplate(text, kit.report)
  const pieces = parsed.map((piece): Renderer<string | T> => {
    if (piece.kind === 'text') return () => piece.text
    if (piece.kind === 'raw') {
      const whole = compileWhole('{__raw__}', kit)
      return (event) => use.text(whole(event))
    }
    const seen = watchedUse(use, piece.written, kit)
    if (piece.kind === 'path') return compilePlaceholder(piece.path, piece.written, seen)
    hasExpression = true
    return compileExpression(piece.source, piece.written, seen, kit)
  })
  const join = (textOf: (i: number) => string | T): R | T => {
    let out = ''
    const untrusted: TextSpan[] = []
    for (let i = 0; i < pieces.length && out.length <= maxTextUnits; i++) {
      const rendered = textOf(i)
      if (typeof rendered !== 'string') return rendered
      const from = out.length
      out += rendered
      const kind = parsed[i]?.kind
      if (kind === 'raw' || (kind !== 'text' && isMoreThanALine(rendered))) untrusted.push([from, Math.min(out.length, maxTextUnits)])
    }
    if (out.length > maxTextUnits) kit.filled?.(filledUpTo('the whole text', out.length, maxTextUnits))
    return makeResult(cut(out, maxTextUnits), untrusted)
  }
  if (!hasExpression) return (event) => join((i) => pieces[i]?.(event) as string | T)
  return async (event) => {
    const rendered = await Promise.all(pieces.map((piece) => piece(event)))
    return join((i) => rendered[i] as string | T)
  }
}

/**
 * Compiles a template. The compiled function returns a text of at most 200,000 UTF-16 units, in which `use` has escaped each value. It
 * returns a promise only where the template has a `{= expression }`. It never throws.
 */
export const compileTemplate = (text: string, kit: TemplateKit, use = asIs): Renderer<string> =>
  compilePieces(text, { show: (value) => use(renderValue(value)), text: use, missing: asIs, empty: '' }, kit, asIs)

/** As `compileTemplate`, for an id or a name of a platform: an expression without a value leaves it unfilled, and not shorter. */
export const compileExact = (text: string, kit: TemplateKit): Renderer<string> => compilePieces(text, asExact, kit, asIs)

/** As `compileTemplate`, with the ranges of the text that have more than a line of the payload, or the whole payload. */
export const compilePromptTemplate = (text: string, kit: TemplateKit): Renderer<Prompt> =>
  compilePieces(text, asText, kit, (all, untrusted) => ({ text: all, untrusted }))

/**
 * Compiles a placeholder in the key of a group, a lane or a session. The result is `undefined` when the value is missing, null, a list or a
 * map.
 */
export const compileKeyPart = (text: string, kit: TemplateKit): Renderer<string | undefined> => compilePieces(text, asKeyPart, kit, asIs)

/** Returns the result of `then` on the settled values; a promise only where one of the values is a promise. */
export const thenAll = <T, U>(values: readonly (T | Promise<T>)[], then: (settled: T[]) => U | Promise<U>): U | Promise<U> =>
  values.some((value) => value instanceof Promise) ? Promise.all(values).then(then) : then(values as T[])

/** Compiles a template of a web address: values of a payload are percent-encoded. */
export const compileAddress = (text: string, kit: TemplateKit): Renderer<string> => compilePieces(text, inAddress, kit, asIs)

/** Compiles a placeholder that stands alone in JSON: its value keeps its kind, and a number the digits that its sender wrote. */
export const compileJsonValue = (text: string, kit: TemplateKit): Renderer<string> => compilePieces(text, asJson, kit, asIs)
