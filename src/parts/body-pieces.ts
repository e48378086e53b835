/**
 * The body of a request that a target posts: a map, a list or a text with placeholders. Its text and its placeholders are taken apart once,
 * where the configuration is read, so that what an event, a reply or a secret fills in is never read as a template, and is escaped for the
 * place where it stands.
 */

import { isJson, isObject, type Json, type JsonObject, own } from '../core/json.ts'
import { stars } from '../core/secret-names.ts'
import { escapeFor, isFormType, isJsonType, percentEncoded, wellFormed } from '../expr/escape.ts'
import { parseTemplate } from '../expr/placeholder.ts'
import { compileJsonValue, compileTemplate, type Renderer, type TemplateKit, thenAll } from '../expr/template.ts'
import { hasVariable } from '../secrets/variables.ts'

/**
 * The placeholder for the text that is delivered: the agent's reply, or the prompt where no agent is asked. Where it is filled in, no field
 * of the payload has this name.
 */
export const replyPlaceholder = '{reply}'
/** The longest body, in bytes of UTF-8. A text that a template cuts is longer, so no body with such a text is sent. */
const maxBodyBytes = 131_072
export const tooLong = `the body has more than ${maxBodyBytes} bytes`

/** The key of the stored settings that has the pieces of `body`. */
export const piecesKey = 'body_pieces'

/**
 * A piece of a body: a text as it is sent, or what is still to be filled in, as it is written. `json`: it stands where a value of JSON may
 * stand, not within a string. `null`: the pieces of a body that is too long.
 */
type Hole = { readonly fill: string; readonly json?: true }
type BodyPiece = string | Hole
type BodyPieces = readonly BodyPiece[] | null

/** One media type, so that a content type can name no other header and no second type. */
export const contentTypePattern = '^[a-z]+/[a-z0-9.+-]+(; charset=[a-z0-9-]+)?$'

/** Returns the content type of the body in these settings of a target: a text is plain text, and anything else JSON, unless they say it. */
export const bodyType = (extra: JsonObject): string => {
  const { content_type: type, body } = extra
  return typeof type === 'string' ? type : typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json'
}

/** Joins the texts that follow one another. */
const joined = (pieces: readonly BodyPiece[]): BodyPiece[] => {
  const out: BodyPiece[] = []
  for (const piece of pieces) {
    const last = out.at(-1)
    if (typeof piece === 'string' && typeof last === 'string') out[out.length - 1] = last + piece
    else if (piece !== '') out.push(piece)
  }
  return out
}

/** Whether a text or placeholder is left as it is written until the body is sent. */
type IsLate = (written: string) => boolean

/** A text with a reference to a secret is one piece, whose placeholders stay as they are: nothing is filled in beside a secret. */
const isLateInPost: IsLate = (written) => written === replyPlaceholder || hasVariable(written)

const piecesOfText = (text: string, escaped: (text: string) => string, isLate: IsLate): readonly BodyPiece[] => {
  if (isLate(text)) return [{ fill: text }]
  return parseTemplate(text).map((piece) =>
    piece.kind === 'text' ? escaped(piece.text) : { fill: piece.kind === 'raw' ? '{__raw__}' : piece.written },
  )
}

const between = (mark: string, items: readonly (readonly BodyPiece[])[]): readonly BodyPiece[] =>
  items.flatMap((pieces, i) => (i === 0 ? pieces : [mark, ...pieces]))

const piecesOfJson = (value: Json, isLate: IsLate): readonly BodyPiece[] => {
  if (typeof value === 'string') {
    const pieces = piecesOfText(value, escapeFor('application/json'), isLate)
    const [sole] = pieces
    return pieces.length === 1 && typeof sole === 'object' ? [{ ...sole, json: true }] : ['"', ...pieces, '"']
  }
  if (Array.isArray(value))
    return [
      '[',
      ...between(
        ',',
        value.map((item) => piecesOfJson(item, isLate)),
      ),
      ']',
    ]
  if (!isObject(value)) return [JSON.stringify(value)]
  const members = Object.entries(value).map(([key, item]) => [`${JSON.stringify(key)}:`, ...piecesOfJson(item, isLate)])
  return ['{', ...between(',', members), '}']
}

const piecesOfForm = (fields: JsonObject, isLate: IsLate): readonly BodyPiece[] =>
  between(
    '&',
    Object.entries(fields).flatMap(([key, value]) =>
      [value].flat().map((item) => [`${percentEncoded(key)}=`, ...piecesOfText(String(item), percentEncoded, isLate)]),
    ),
  )

/** Returns the settings of a target, or of an answer, with the pieces of their body, and its content type, in place of the body. */
export const withBodyPieces = (written: JsonObject, isLate = isLateInPost): JsonObject => {
  const { body, ...extra } = written
  if (body === undefined) return extra
  const type = bodyType(written)
  return { ...extra, content_type: type, [piecesKey]: joined(piecesOf(body, type, isLate)) }
}

const piecesOf = (body: Json, type: string, isLate = isLateInPost): readonly BodyPiece[] => {
  if (typeof body !== 'string') return isFormType(type) && isObject(body) ? piecesOfForm(body, isLate) : piecesOfJson(body, isLate)
  const pieces = piecesOfText(body, (text) => text, isLate)
  const [sole] = pieces
  return isJsonType(type) && pieces.length === 1 && typeof sole === 'object' ? [{ ...sole, json: true }] : pieces
}

/** Returns what is wrong with the body in settings of a target, with the path of the key; `undefined` where nothing is. */
export const bodyProblem = (extra: JsonObject): readonly [path: readonly string[], problem: string, help: string] | undefined => {
  const { body, content_type: type } = extra
  if (type !== undefined && (typeof type !== 'string' || !new RegExp(contentTypePattern).test(type)))
    return [['content_type'], 'content_type is not one media type', 'write it as application/json or text/plain; charset=utf-8']
  if (body === undefined)
    return type === undefined ? undefined : [['content_type'], 'content_type has no effect without body', 'write a body, or leave it out']
  const sent = bodyType(extra)
  if (typeof body === 'string') {
    const isSafe = !isJsonType(sent) || isJsonOnceFilled(body)
    return isSafe ? undefined : [['body'], 'the body is no JSON once it is filled in', 'write a map, or put quotes around its placeholders']
  }
  if (typeof body !== 'object' || body === null) return [['body'], 'body is no map, list or text', 'write a map: { text: "{reply}" }']
  if (isJsonType(sent)) return undefined
  if (!isFormType(sent) || Array.isArray(body))
    return [['body'], 'a map is sent as JSON or as a form, and a list as JSON', 'write a text, or another content_type']
  const nested = Object.keys(body).find((key) => [body[key]].flat().some((item) => typeof item === 'object'))
  return nested === undefined ? undefined : [['body', nested], 'a field of a form is a text, or a list of texts', 'write a text']
}

/** Whether a text is JSON with a letter in place of each placeholder: each stands within a string, or is the whole text. */
const isJsonOnceFilled = (body: string): boolean => {
  const pieces = piecesOf(body, 'application/json')
  return pieces.length === 1 && typeof pieces[0] === 'object'
    ? true
    : isJson(pieces.map((piece) => (typeof piece === 'string' ? piece : 'x')).join(''))
}

const isTooLong = (pieces: readonly BodyPiece[], maxBytes = maxBodyBytes): boolean =>
  pieces.reduce((bytes, piece) => bytes + (typeof piece === 'string' ? Buffer.byteLength(piece) : 0), 0) > maxBytes

/** Whether an event filled the body of these settings with more than a body may have. */
export const isBodyTooLong = (extra: JsonObject): boolean => own(extra, piecesKey) === null

/** Returns what is to be filled in, as it is written. */
export const fillsOf = (extra: JsonObject): readonly string[] =>
  (extra[piecesKey] as readonly BodyPiece[]).flatMap((piece) => (typeof piece === 'string' ? [] : piece.fill))

/** Compiles the pieces of a body, whose placeholders an event fills in. What is late is left. */
export const compileBodyPieces = (extra: JsonObject, kit: TemplateKit, isLate = isLateInPost): Renderer<Json> => {
  const escaped = escapeFor(bodyType(extra))
  const renders = (extra[piecesKey] as readonly BodyPiece[]).map((piece): Renderer<BodyPiece> => {
    if (typeof piece === 'string' || isLate(piece.fill)) return () => piece
    if (piece.json) return compileJsonValue(piece.fill, kit)
    // The text is escaped when it is whole: a cut within an escape would make another text of it.
    const render = compileTemplate(piece.fill, kit)
    return (event) => thenAll([render(event)], ([text = '']) => escaped(wellFormed(text)))
  })
  return (event) =>
    thenAll<BodyPiece, Json>(
      renders.map((render) => render(event)),
      (pieces) => (isTooLong(pieces) ? null : (joined(pieces) as Json)),
    )
}

/**
 * Returns the body of these settings as it is sent; `undefined` where they have none. `wordsFor`: returns what a placeholder or reference
 * stands for; where that is `undefined`, it stays as it is written. `maxBytes`: of UTF-8.
 */
export const filledBody = (
  extra: JsonObject,
  wordsFor: (written: string) => string | undefined,
  maxBytes = maxBodyBytes,
): { readonly text: string } | { readonly problem: string } | undefined => {
  const pieces = own(extra, piecesKey) as BodyPieces | undefined
  if (pieces === undefined) return undefined
  const escaped = escapeFor(bodyType(extra))
  const texts = pieces?.map((piece) => {
    if (typeof piece === 'string') return piece
    const value = wellFormed(wordsFor(piece.fill) ?? piece.fill)
    if (!piece.json) return escaped(value)
    // A reply that is the whole body may be JSON. Anywhere else it is only ever text.
    return pieces.length === 1 && isJson(value) ? value : JSON.stringify(value)
  })
  return !texts || isTooLong(texts, maxBytes) ? { problem: tooLong } : { text: texts.join('') }
}

/** Returns the settings of a target as people see them: with the body as it would be sent, and with stars in place of its secrets. */
export const withShownBody = (extra: JsonObject, reply?: string): JsonObject => {
  const { [piecesKey]: pieces, ...shown } = extra
  const body = filledBody(extra, (written) => (written === replyPlaceholder ? reply : hasVariable(written) ? stars : undefined))
  return body === undefined ? extra : { ...shown, body: 'text' in body ? body.text : `(${body.problem})` }
}
