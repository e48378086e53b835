/** Templates compiled to functions: one pass, so that text from a payload is never expanded again (spec: Template rules). */

import type { Opened } from '../core/exchange.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { cut } from '../core/text.ts'
import { digitsOf } from './digits.ts'
import { BadExpression, compileJsonata } from './jsonata.ts'
import { compilePath } from './path.ts'
import { parseTemplate } from './placeholder.ts'
import { type Digits, isLong, renderJson } from './render.ts'
import { ownTurn } from './turn.ts'

const maxPayloadUnits = 4000
const maxNestedUnits = 2000
/** The specification bounds no plain text; a prompt has to end somewhere. */
const maxTextUnits = 200_000

export type TemplateKit = { readonly report: (message: string) => void }

type Renderer<T> = (opened: Opened) => T | Promise<T>

/** The payload as indented JSON, cut at 4000: a route without a prompt, and `{__raw__}`. */
export const wholePayload = (opened: Opened): string =>
  renderJson(opened.payload, maxPayloadUnits, 2, (place, value) => digitsOf(opened, place, value))

/** A value as text: strings as they are, the rest as JSON, nested ones cut at 2000. */
const show = (value: Json, digits: Digits): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null) return renderJson(value, maxNestedUnits, 0, digits)
  return (typeof value === 'number' && isLong(value) ? digits([], value) : undefined) ?? JSON.stringify(value)
}

const noDigits: Digits = () => undefined

// Contract 3: these resolve even when the payload lacks them.
const fallbacks: ReadonlyMap<string, (opened: Opened) => string> = new Map([
  ['event_type', (opened) => opened.eventType],
  ['route', (opened) => opened.route],
  ['delivery_id', (opened) => opened.deliveryId],
])

const compilePlaceholder = (path: string, written: string): ((opened: Opened) => string) => {
  const get = compilePath(path)
  const place = path.split('.')
  const fallback = fallbacks.get(path) ?? (() => written)
  return (opened) => {
    const value = get(opened.payload)
    if (value === undefined) return fallback(opened)
    return typeof value === 'string' ? value : show(value, (below, long) => digitsOf(opened, [...place, ...below], long))
  }
}

const seen = new WeakMap<Opened, JsonObject>()

/** What an expression sees: the payload's own names, and beside them, where the payload lacks them, what surrounds it. */
const surroundings = (opened: Opened): JsonObject => {
  // Once for all expressions: copying tens of thousands of names takes longer than parsing them.
  const known = seen.get(opened)
  if (known) return known
  const { payload, eventType, headers, route, deliveryId } = opened
  const all = {
    payload,
    event: eventType,
    event_type: eventType,
    headers: headers as JsonObject,
    route,
    delivery_id: deliveryId,
    ...(isObject(payload) ? payload : {}),
  }
  seen.set(opened, all)
  return all
}

const compileExpression = (source: string, written: string, kit: TemplateKit): Renderer<string> => {
  try {
    const evaluate = compileJsonata(source)
    const text = async (opened: Opened): Promise<string> => {
      await ownTurn(opened)
      const value = await evaluate(surroundings(opened))
      return value === undefined ? written : show(value, noDigits)
    }
    // A failed expression stays in the text, like a missing key.
    return (opened) => text(opened).catch(() => written)
  } catch (error) {
    if (!(error instanceof BadExpression)) throw error
    kit.report(`{=${source}}: ${error.message}`)
    return () => written
  }
}

/** Renders a text; a promise only where it holds a `{= expression }`. Never throws; at most 200,000 characters. */
export const compileTemplate = (text: string, kit: TemplateKit): Renderer<string> => {
  let later = false
  const pieces = parseTemplate(text, kit.report).map((piece): Renderer<string> => {
    if (piece.kind === 'text') return () => piece.text
    if (piece.kind === 'raw') return wholePayload
    if (piece.kind === 'path') return compilePlaceholder(piece.path, piece.written)
    later = true
    return compileExpression(piece.source, piece.written, kit)
  })
  if (later) return async (opened) => cut((await Promise.all(pieces.map((piece) => piece(opened)))).join(''), maxTextUnits)
  return (opened) => {
    let out = ''
    for (const piece of pieces) {
      out += piece(opened) as string
      if (out.length > maxTextUnits) break
    }
    return cut(out, maxTextUnits)
  }
}

const gather = <T, U>(values: readonly (T | Promise<T>)[], then: (settled: T[]) => U): U | Promise<U> =>
  values.some((value) => value instanceof Promise) ? Promise.all(values).then(then) : then(values as T[])

const compileValue = (value: Json, kit: TemplateKit): Renderer<Json> => {
  if (typeof value === 'string') return compileTemplate(value, kit)
  if (Array.isArray(value)) {
    const items = value.map((item) => compileValue(item, kit))
    return (opened) =>
      gather<Json, Json>(
        items.map((item) => item(opened)),
        (settled) => settled,
      )
  }
  return isObject(value) ? compileTexts(value, kit) : () => value
}

/** Every text below a map is a template, other values pass as they are (spec: Template rules; contract 3: deliver_extra). */
export const compileTexts = (map: JsonObject, kit: TemplateKit): Renderer<JsonObject> => {
  const keys = Object.keys(map)
  const values = keys.map((key) => compileValue(map[key] as Json, kit))
  const join = (settled: Json[]): JsonObject => Object.fromEntries(keys.map((key, i) => [key, settled[i] as Json]))
  return (opened) =>
    gather(
      values.map((value) => value(opened)),
      join,
    )
}
