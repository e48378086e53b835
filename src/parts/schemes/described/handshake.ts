/** Compiles handshakes: a value shows the question, and the answer is made from the request. */

import { createHmac } from 'node:crypto'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { Reply } from '../../../core/outcome.ts'
import { compilePath } from '../../../expr/path.ts'
import type { SchemeAnswer, SchemeEvent, SchemeHandshake } from '../../../generated/config.ts'
import type { Handshake } from '../scheme.ts'
import { compileSource, type ReadValue, type RequestView, requestView } from './request-view.ts'
import { isOnHost } from './sender-address.ts'

/** The longest value of a handshake. An unsigned question is answered to anybody, so its answer must not carry much. */
const maxValue = 1_024
const variable = /\{([a-z0-9_]+)(?:\.([^{}]+))?\}/g
/**
 * The form of a text that may be signed for an answer: a random word. Anybody can ask, so a text that could be an event, or the signed text
 * of an event, is never signed (https://developers.zoom.us/docs/api/webhooks/ and the CRC of X keep to this form).
 */
const tokenForm = /^[A-Za-z0-9_+/-]{1,256}={0,2}$/
export const isToken = (text: string): boolean => tokenForm.test(text) && !isJson(text)

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The characters that an answer may have in a header: visible ASCII. */
const headerSafe = /^[\x20-\x7e]*$/

/**
 * Returns the event type of a ping: a question that comes as an event and needs no special answer. A route may list that type. A question
 * that needs a special answer gets it whatever the route lists.
 */
const pingOf = ({ when, answer, confirm }: SchemeHandshake, event: SchemeEvent = {}): { readonly event?: string } => {
  const isType = when.body !== undefined && [event.body ?? []].flat().some((path) => [when.body].flat().includes(path))
  return isType && when.equals !== undefined && !answer && !confirm ? { event: String(when.equals) } : {}
}

/** Whether the question is unsigned, and only its body shows it. */
export const isOpen = ({ method = 'POST', signed, when }: SchemeHandshake): boolean =>
  method === 'POST' && signed === false && when.body !== undefined

/** Whether the question always gets the same answer. */
export const isConstant = ({ when, token, confirm, answer = {} }: SchemeHandshake): boolean =>
  when.equals !== undefined && !token && !confirm && !JSON.stringify([answer.text, answer.json, answer.headers]).match(variable)

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
    open: isOpen(spec),
    ...pingOf(spec, event),
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

const compileAnswer = ({ status = 200, text, json, headers = {} }: SchemeAnswer) => {
  const readers = new Map<string, ReadValue>()
  return (request: RequestView, value: string, secret: string): Reply | string => {
    let isOdd = false
    const fill: Fill = (template) =>
      template.replace(variable, (_whole, name: string, of: string | undefined) => {
        const found = variableValue(name, of, { request, value, secret, readers })
        if (found === undefined || found.length > maxValue) isOdd = true
        return found ?? ''
      })
    const filled = (item: Json): Json => (typeof item === 'string' ? fill(item) : item)
    const members = Object.entries((json ?? {}) as JsonObject).map(([key, item]) => [key, filled(item)] as const)
    const body = json === undefined ? fill(text ?? '') : JSON.stringify(Object.fromEntries(members))
    const more = Object.fromEntries(Object.entries(headers).map(([name, item = '']) => [name, fill(item)]))
    if (isOdd || !Object.values(more).every((item) => headerSafe.test(item))) return 'a value of it is missing, too long or malformed'
    const type = json === undefined ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8'
    // A browser must not take an echoed text for a page.
    return { status, body, type, headers: { 'X-Content-Type-Options': 'nosniff', ...more } }
  }
}

type HandshakeQuestion = {
  readonly request: RequestView
  readonly value: string
  readonly secret: string
  readonly readers: Map<string, ReadValue>
}

/** Returns the value of a variable of an answer; `undefined` when the request has no such value. */
const variableValue = (
  name: string,
  of: string | undefined,
  { request, value, secret, readers }: HandshakeQuestion,
): string | undefined => {
  const isHmac = name === 'hmac_hex' || name === 'hmac_base64'
  const found = of === undefined ? value : readerOf(isHmac ? 'payload' : name, of, readers)?.(request)
  if (!isHmac) return of === undefined && name !== 'value' ? undefined : found
  if (found === undefined || !isToken(found)) return undefined
  return createHmac('sha256', secret)
    .update(found)
    .digest(name === 'hmac_hex' ? 'hex' : 'base64')
}

const readerOf = (name: string, of: string, readers: Map<string, ReadValue>): ReadValue | undefined => {
  const place = name === 'header' ? { header: of } : name === 'query' ? { query: of } : name === 'payload' ? { body: of } : undefined
  if (!place) return undefined
  const known = readers.get(`${name}.${of}`) ?? compileSource(place)
  readers.set(`${name}.${of}`, known)
  return known
}
