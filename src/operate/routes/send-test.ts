/** Posts a test request to a gateway, as a sender would, and reads the answer. */

import { inTime } from '../../core/calls/call-server.ts'
import { readText } from '../../core/calls/read-bounded.ts'
import { requestByNode } from '../../core/calls/request-by-node.ts'
import { carryNumbers } from '../../core/carried-numbers.ts'
import { exactJson } from '../../core/exact-json.ts'
import { codeOf, exit, Fault, messageOf } from '../../core/fault.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import { outcomeNames, refusalSaid } from '../../core/outcome-table.ts'
import { connectionOptions, connectPinned } from '../../datadir/pinned-connection.ts'
import { httpUrl, type TestPost } from '../../dryrun/requests/prepare-test.ts'
import { bytesOf } from '../../dryrun/requests/request-form.ts'

export type TestAnswer = {
  readonly status: number
  /** The body of the answer: parsed JSON, or the text itself where it is not JSON. */
  readonly body: Json
  readonly ms: number
  /** The outcome and reason of the answer; for an answer that names none, the text of its status. */
  readonly summary: string
  /**
   * The outcome that the answer names; of a refusal, its code. `undefined` where the answer is not in the gateway's own form, as where the
   * route shapes its answers.
   */
  readonly outcome: string | undefined
  readonly reason: string | undefined
  /** The id of the event. Only the answer to a request whose signature holds names it. */
  readonly eventId: string | undefined
  /** Where the sender may ask for the state of the run (`respond.wait_seconds`). */
  readonly location: string | undefined
  /** Whether the gateway took the request, as `isTakenAnswer` says. */
  readonly isTaken: boolean
}

const timeoutMs = 60_000
const maxAnswerBytes = 1_048_576

/**
 * The outcomes that are answered with 2xx although the event starts nothing. A `handshake` is not among them, because its sender waits for
 * this answer.
 */
const notTaken: ReadonlySet<string> = new Set(['ignored', 'duplicate'])

/**
 * Posts the test and reads the answer. Throws a Fault with `hint` when nobody answers, and a Fault when the URL is not an http address.
 */
export const sendTest = async (post: TestPost, hint: string): Promise<TestAnswer> => {
  const { status, statusText, text, ms, eventId, location } = await postTest(post, hint)
  const body = parsedBody(text)
  const outcome = outcomeIn(body) ?? refusalSaid(status, memberOf(body, 'error') ?? text)
  const reason = memberOf(body, 'reason')
  const said = `${outcome ?? statusText}${reason === undefined ? '' : ` (${reason})`}`
  return { status, body, ms, summary: said, outcome, reason, eventId, location, isTaken: isTakenAnswer(status, outcome) }
}

/**
 * Whether an answer with this status and outcome says that the request was accepted, coalesced or delivered, or was a handshake. An answer
 * of 2xx that names no outcome, because the route shapes its answers, counts as such.
 */
export const isTakenAnswer = (status: number, outcome: string | undefined): boolean =>
  status >= 200 && status < 300 && !notTaken.has(outcome ?? '')

/**
 * Returns the outcome that a body names. An answer that the route shapes may have a `status` with another meaning. Only the gateway's own
 * answer has a `route` beside its `status`.
 */
const outcomeIn = (body: Json): string | undefined => {
  const status = memberOf(body, 'status')
  return status !== undefined && outcomeNames.includes(status) && memberOf(body, 'route') !== undefined ? status : undefined
}

const memberOf = (body: Json, name: string): string | undefined => {
  const value = isObject(body) ? own(body, name) : undefined
  return typeof value === 'string' ? value : undefined
}

const parsedBody = (text: string): Json => {
  try {
    return carryNumbers(exactJson(text))
  } catch {
    return text
  }
}

const postTest = async (post: TestPost, hint: string) => {
  const url = httpUrl(post.url)
  const started = performance.now()
  try {
    const socket = post.pin === undefined ? undefined : await connectPinned(url, post.pin)
    // The body is sent as bytes, because with a text Node would write the headers in the encoding of the text too.
    const body = post.method === 'GET' ? undefined : bytesOf(post)
    return await inTime({ timeoutMs }, async (signal) => {
      const length = body && { 'Content-Length': body.length }
      const options = { ...connectionOptions(socket), method: post.method, headers: { ...post.headers, ...length }, signal }
      const answer = await requestByNode(url, options, body)
      const text = await readText(answer, maxAnswerBytes)
      const { statusCode: status = 0, statusMessage: statusText = '', headers } = answer
      const eventId = headers['x-headgate-event-id']?.toString()
      const location = headers.location === undefined ? undefined : new URL(headers.location, url).href
      return { status, statusText, text, ms: Math.round(performance.now() - started), eventId, location }
    })
  } catch (error) {
    if (error instanceof Fault) throw error
    const why = `no gateway answers at ${url.origin} (${codeOf(error) ?? messageOf(error)})`
    throw new Fault('unreachable', why, { exitCode: exit.unreachable, hint })
  }
}
