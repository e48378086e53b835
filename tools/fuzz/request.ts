/** The form of a request in the fuzz. Each text stands for bytes: one character is one byte, as in latin1. */

import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { RequestHead } from '../../src/core/request.ts'
import { requestHead } from '../../src/http/request-head.ts'

export type HeaderLine = readonly [name: string, value: string]

export type Sent = {
  /** The target in the request line: a path, or a whole URL. */
  readonly target: string
  /** The headers in the order in which they are sent. */
  readonly lines: readonly HeaderLine[]
  readonly body: string
  /** The time of arrival, in milliseconds since 1970. */
  readonly at: number
}

/** Returns a text as its bytes in UTF-8, one character for each byte. */
export const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
/** Returns the text of bytes in UTF-8. The opposite of `bytesOf`. */
export const decodeUtf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8')

const isNamed = (name: string) => {
  const lower = name.toLowerCase()
  return ([each]: HeaderLine): boolean => each.toLowerCase() === lower
}

/** Returns the value of the first header with this name. */
export const headerIn = ({ lines }: Pick<Sent, 'lines'>, name: string): string | undefined => lines.find(isNamed(name))?.[1]

/** Returns the request with this header once, in its old place. With `undefined` as the value, the header is removed. */
export const withHeader = (sent: Sent, name: string, value: string | undefined): Sent => {
  const is = isNamed(name)
  const at = sent.lines.findIndex(is)
  const line: readonly HeaderLine[] = value === undefined ? [] : [[sent.lines[at]?.[0] ?? name, value]]
  const lines = at < 0 ? [...sent.lines, ...line] : sent.lines.flatMap((each, i) => (i === at ? line : is(each) ? [] : [each]))
  return { ...sent, lines }
}

/** Returns the request with one more line of this header. */
export const withLine = (sent: Sent, name: string, value: string, first = false): Sent => ({
  ...sent,
  lines: first ? [[name, value], ...sent.lines] : [...sent.lines, [name, value]],
})

export const withBody = (sent: Sent, body: string, type?: string): Sent => {
  const changed = { ...sent, body }
  return type === undefined ? changed : withHeader(changed, 'Content-Type', type)
}

const targetForm = /^(?:\/|https?:\/\/[^"{}]*?\/)[\x21-\x7e]*$/
const valueForm = /^[\t\x20-\x7e\x80-\xff]*$/
const maxHeadBytes = 16_000

/** Whether Node's parser accepts the request. A request that the parser refuses never reaches a plan. */
export const isSendable = ({ target, lines }: Sent): boolean =>
  targetForm.test(target) &&
  lines.every(([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && valueForm.test(value)) &&
  lines.reduce((size, [name, value]) => size + name.length + value.length + 4, target.length) < maxHeadBytes

type Parsed = IncomingMessage & { _addHeaderLines(raw: readonly string[], count: number): void }

const socket = new Socket()
Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' })

/** Returns the RequestHead that the gateway's receiver would make of the request. */
export const headOf = (sent: Sent, trust: readonly string[] | false): RequestHead => {
  const message = new IncomingMessage(socket) as Parsed
  message.method = 'POST'
  message.url = sent.target
  message.rawHeaders = sent.lines.flatMap(([name, value]) => [name, value.replace(/^[\t ]+|[\t ]+$/g, '')])
  // Node joins headers that stand twice. No public function does this without a socket, so an inner function is called.
  message._addHeaderLines(message.rawHeaders, message.rawHeaders.length)
  return requestHead(message, trust, sent.at)
}
