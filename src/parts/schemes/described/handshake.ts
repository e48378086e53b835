/**
 * Compiles the handshakes of a description: a value in a request shows that the request is the question, and the answer is a template over
 * the request. A question may name an address that the gateway must fetch to confirm a subscription (Amazon SNS).
 */

import { createHmac } from 'node:crypto'
import { isJson, type Json, type JsonObject } from '../../../core/json.ts'
import type { Reply } from '../../../core/outcome.ts'
import { compilePath } from '../../../expr/path.ts'
import type { SchemeAnswer, SchemeEvent, SchemeHandshake } from '../../../generated/config.ts'
import type { Handshake } from '../scheme.ts'
import { compileSource, type ReadValue, type RequestView, requestView } from './request-view.ts'
import { isOnHost } from './sender-address.ts'

/** The longest value in an answer, in UTF-16 units. Anybody gets the answer to an unsigned question, so its size is bounded. */
const maxValueUnits = 1_024
/** A variable of an answer, such as `{value}` or `{query.hub.challenge}`. */
const variableForm = /\{([a-z0-9_]+)(?:\.([^{}]+))?\}/g
/**
 * The form of a text that may be signed for an answer: a random word. Anybody can ask a question, and could send the signature with an
 * event. So a text that could be an event, or the signed text of an event, is never signed. The questions of Zoom
 * (https://developers.zoom.us/docs/api/webhooks/) and X have this form.
 */
const randomWordForm = /^[A-Za-z0-9_+/-]{1,256}={0,2}$/
/** Whether a text may be signed for an answer. */
export const isRandomWord = (text: string): boolean => randomWordForm.test(text) && !isJson(text)

/** The form of a header in an answer: blanks and visible ASCII. */
const headerSafe = /^[\x20-\x7e]*$/

/**
 * Returns the event type of a question that comes as an event and has no answer of its own, such as a ping: a route may list that type, and
 * then gets the event. Returns nothing for a question with an answer of its own, which is answered whatever the route lists.
 */
const pingType = ({ when, answer, confirm }: SchemeHandshake, event: SchemeEvent = {}): { readonly event?: string } => {
  const isType = when.body !== undefined && [event.body ?? []].flat().some((path) => [when.body].flat().includes(path))
  return isType && when.equals !== undefined && !answer && !confirm ? { event: String(when.equals) } : {}
}

/** Whether the question is recognised by its body alone, and need not be signed. */
export const isOpenQuestion = ({ method = 'POST', signed, when }: SchemeHandshake): boolean =>
  method === 'POST' && signed === false && when.body !== undefined

/**
 * Whether the description fixes both the value that shows the question and the whole answer, so that nothing in the answer depends on who
 * asks. Only such a question may be recognised by its body without a signature.
 */
export const hasConstantAnswer = ({ when, token, confirm, answer = {} }: SchemeHandshake): boolean =>
  when.equals !== undefined && !token && !confirm && !JSON.stringify([answer.text, answer.json, answer.headers]).match(variableForm)

/** Compiles a handshake. `tokenIs`: compares a token in constant time. `event`: the place of the event's type in the description. */
export const compileHandshake = (
  spec: SchemeHandshake,
  tokenIs: (given: string, wanted: string) => boolean,
  event?: SchemeEvent,
): Handshake => {
  const { when, method = 'POST', token, confirm, answer = {} } = spec
  const read = compileSource(when)
  const readToken = token && compileSource(token)
  const readAddress = confirm && compileSource({ body: confirm.body })
  const make = compileAnswer(answer)
  const path = when.absent === undefined ? undefined : compilePath(when.absent)
  const isExcluded = (request: RequestView): boolean => path?.(request.payload() ?? null) !== undefined
  return {
    method,
    signed: method === 'POST' ? spec.signed !== false : spec.signed === true,
    open: isOpenQuestion(spec),
    ...pingType(spec, event),
    ...(token ? { needs: 'verify_token' } : confirm ? { needs: 'confirm_subscriptions' } : {}),
    answer(head, body, keys) {
      const request = requestView(head, body)
      const value = read(request)
      if (value === undefined || isExcluded(request) || (when.equals !== undefined && value !== String(when.equals))) return undefined
      if (readToken) {
        if (keys.verifyToken === undefined) return 'the route has no verify_token for this handshake'
        if (!tokenIs(readToken(request) ?? '', keys.verifyToken)) return 'its token is not the verify_token of the route'
      }
      const reply = make(request, value, keys.secret)
      if (typeof reply === 'string' || !confirm || !readAddress) return typeof reply === 'string' ? reply : { reply }
      const address = readAddress(request) ?? ''
      return { reply, confirm: { address, isAllowed: isOnHost(address, confirm.hosts) } }
    },
  }
}

type Fill = (text: string) => string

/**
 * Makes the function that makes the answer from the request, the value that shows the question, and the secret. The function returns a
 * sentence where a value of the answer is missing, too long or malformed.
 */
const compileAnswer = ({ status = 200, text, json, headers = {} }: SchemeAnswer) => {
  const readers = new Map<string, ReadValue>()
  return (request: RequestView, value: string, secret: string): Reply | string => {
    let isBad = false
    const fill: Fill = (template) =>
      template.replace(variableForm, (_whole, name: string, of: string | undefined) => {
        const found = variableValue(name, of, { request, value, secret, readers })
        if (found === undefined || found.length > maxValueUnits) isBad = true
        return found ?? ''
      })
    const filled = (item: Json): Json => (typeof item === 'string' ? fill(item) : item)
    const members = Object.entries((json ?? {}) as JsonObject).map(([key, item]) => [key, filled(item)] as const)
    const body = json === undefined ? fill(text ?? '') : JSON.stringify(Object.fromEntries(members))
    const more = Object.fromEntries(Object.entries(headers).map(([name, item = '']) => [name, fill(item)]))
    if (isBad || !Object.values(more).every((item) => headerSafe.test(item))) return 'a value of it is missing, too long or malformed'
    const type = json === undefined ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8'
    // A browser must not take an echoed text for a page.
    return { status, body, type, headers: { 'X-Content-Type-Options': 'nosniff', ...more } }
  }
}

/**
 * What the variables of an answer are read from. `value`: the value that shows the question. `readers`: the compiled readers of values of the
 * request, by variable (`query.x`), which are kept for the next answer.
 */
type AnswerSources = {
  readonly request: RequestView
  readonly value: string
  readonly secret: string
  readonly readers: Map<string, ReadValue>
}

/**
 * Returns the value of the variable `{name}` or `{name.of}`; `undefined` when the request has no such value, or the value may not be
 * signed.
 */
const variableValue = (name: string, of: string | undefined, { request, value, secret, readers }: AnswerSources): string | undefined => {
  const isHmac = name === 'hmac_hex' || name === 'hmac_base64'
  const found = of === undefined ? value : readerOf(isHmac ? 'payload' : name, of, readers)?.(request)
  if (!isHmac) return of === undefined && name !== 'value' ? undefined : found
  if (found === undefined || !isRandomWord(found)) return undefined
  return createHmac('sha256', secret)
    .update(found)
    .digest(name === 'hmac_hex' ? 'hex' : 'base64')
}

/** Returns the reader of a value in a header, the query or the payload. */
const readerOf = (name: string, of: string, readers: Map<string, ReadValue>): ReadValue | undefined => {
  const place = name === 'header' ? { header: of } : name === 'query' ? { query: of } : name === 'payload' ? { body: of } : undefined
  if (!place) return undefined
  const known = readers.get(`${name}.${of}`) ?? compileSource(place)
  readers.set(`${name}.${of}`, known)
  return known
}
