/**
 * Fetches a web address that a stranger can have chosen, and reaches nothing but the public net. Each name is looked up once, all its IP
 * addresses are checked, and the connection goes to a checked IP address, even if the name leads elsewhere by then. Node's own client is
 * used because it keeps no cookies, follows no redirects and knows no proxy.
 */

import type { IncomingMessage } from 'node:http'
import { inTime } from '../../../core/calls/call-server.ts'
import { requestByNode } from '../../../core/calls/request-by-node.ts'
import type { Clock } from '../../../core/clock.ts'
import { publicLookup } from '../../web/public-lookup.ts'
import { publicWeb, type WebAccess } from '../../web/web-access.ts'
import { readAnswerBody } from './read-body.ts'
import { WebProblem, webProblem } from './web-problem.ts'

const maxRedirects = 5
const maxAddressChars = 4_000
const maxHeaderSize = 16_384
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const headers = { 'user-agent': 'headgate', accept: '*/*', 'accept-encoding': 'gzip, br' }

/** What to fetch, and within which limits. `address`: the web address, which may be any text. */
export type FetchRequest = {
  readonly address: string
  readonly protocols: readonly ('http:' | 'https:')[]
  /** The most bytes of the body, both as it is sent and unpacked. */
  readonly maxBytes: number
  /** The time for the whole fetch: look-ups of names, redirects, body. */
  readonly timeoutMs: number
  /** Throws a WebProblem for a media type that is not wanted. */
  readonly checkType: (mediaType: string) => void
  /**
   * Called with each web address before the address is checked and fetched: with `address`, and with each address that a redirect names.
   */
  readonly beforeRequest: (address: string) => void
}

export type FetchedContent = {
  /** The address after all redirects. */
  readonly url: URL
  /** The media type of the answer in lower case, without parameters; empty where the answer names none. */
  readonly mediaType: string
  readonly charset: string | undefined
  readonly bytes: Buffer
}

/** Resolves to what is at the address. Rejects with a WebProblem, or with the reason of `signal`. `access`: what may be reached. */
export const fetchGuarded = async (
  wanted: FetchRequest,
  clock: Clock,
  signal: AbortSignal,
  access: WebAccess = publicWeb,
): Promise<FetchedContent> => {
  const { timeoutMs, maxBytes } = wanted
  return await inTime({ timeoutMs, clock, signal }, (signal) => fetchThroughRedirects(wanted, access, signal)).catch((thrown) => {
    signal.throwIfAborted()
    const late = `The site took longer than ${timeoutMs / 1000} seconds.`
    throw webProblem(thrown, { late, large: `What is there is larger than the limit of ${maxBytes} bytes.` })
  })
}

/** Asks the address, and each address that it redirects to, until an answer is no redirect. At most five redirects are followed. */
const fetchThroughRedirects = async (wanted: FetchRequest, access: WebAccess, signal: AbortSignal): Promise<FetchedContent> => {
  wanted.beforeRequest(wanted.address)
  let url = parseAddress(wanted.address)
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const answer = await sendRequest(url, wanted, access, signal)
    try {
      const next = redirectAddress(answer, url)
      if (next === undefined) return { url, ...(await readAnswer(answer, wanted, signal)) }
      wanted.beforeRequest(next.href)
      url = next
    } finally {
      answer.destroy()
    }
  }
  throw new WebProblem(`The site redirects more than ${maxRedirects} times.`)
}

/** Parses a web address; `base`: what a relative address is relative to. */
const parseAddress = (address: string, base?: URL): URL => {
  if (address.length > maxAddressChars || !URL.canParse(address, base?.href)) throw new WebProblem('This is no web address.')
  return new URL(address, base)
}

/**
 * Checks protocol, user name and password, port and IP addresses, and sends the request. Resolves to the answer when its head has come.
 * Rejects with a WebProblem when one of them is not allowed.
 */
const sendRequest = async (url: URL, { protocols }: FetchRequest, access: WebAccess, signal: AbortSignal): Promise<IncomingMessage> => {
  const allowed = protocols.map((protocol) => `${protocol}//`).join(' and ')
  if (!protocols.some((protocol) => protocol === url.protocol)) throw new WebProblem(`Only addresses with ${allowed} are fetched.`)
  if (url.username !== '' || url.password !== '') throw new WebProblem('Addresses with a user name or password are not fetched.')
  if (!access.ports.has(url.port)) throw new WebProblem('Only the ports 80 and 443 are asked.')
  const lookup = await publicLookup(url.hostname, access, signal)
  if (!lookup) throw new WebProblem('The address leads into a private network or to this machine. Only the public web is fetched.')
  return await requestByNode(url, { headers, lookup, maxHeaderSize, signal, ...(access.ca === undefined ? {} : { ca: access.ca }) })
}

/** Returns the address that an answer redirects to; `undefined` when the answer is no redirect. `url`: the address that was asked. */
const redirectAddress = ({ statusCode = 0, headers: { location } }: IncomingMessage, url: URL): URL | undefined =>
  redirects.has(statusCode) && location !== undefined ? parseAddress(location, url) : undefined

const readAnswer = async (answer: IncomingMessage, wanted: FetchRequest, signal: AbortSignal): Promise<Omit<FetchedContent, 'url'>> => {
  const { statusCode = 0, headers: answerHeaders } = answer
  if (statusCode < 200 || statusCode > 299) throw new WebProblem(`The site answered HTTP ${statusCode}.`)
  const [type = '', ...parameters] = (answerHeaders['content-type'] ?? '').toLowerCase().split(';')
  const mediaType = type.trim()
  wanted.checkType(mediaType)
  const charset = parameters.map((parameter) => /^\s*charset="?([\w:.-]{1,40})"?\s*$/.exec(parameter)?.[1]).find(Boolean)
  return { mediaType, charset, bytes: await readAnswerBody(answer, wanted.maxBytes, signal) }
}
