/**
 * The one way in which the program asks a server at a web address. A redirect is never followed: it is an answer like any other, because
 * it would carry the credential and the body to an address that the server chose. `fetchGuarded` of the tools follows redirects, because it
 * carries neither, and checks each address.
 */

import { type Clock, systemClock } from '../clock.ts'
import { endWithin } from '../turns/within.ts'
import { CallFailure, callFailure } from './call-failure.ts'
import { readBeginning, tooLargeAnswer } from './read-bounded.ts'

export type CallTime = {
  /** The time for the whole call, from the look-up of the name to the end of the body. */
  readonly timeoutMs: number
  readonly clock?: Pick<Clock, 'after'>
  /** Ends the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal
}

export type ServerCall = CallTime & {
  /** Default: GET. */
  readonly method?: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string | Buffer<ArrayBuffer> | undefined
  readonly maxAnswerBytes: number
  /**
   * `success` (the default): only the body of an answer with 2xx is read, and it must be whole. `any`: each body is read, and the
   * beginning of one that broke off or is too long is an answer, too.
   */
  readonly reads?: 'success' | 'any'
}

export type ServerAnswer = {
  readonly status: number
  /** Whether the status is 2xx. */
  readonly ok: boolean
  readonly headers: Headers
  /** The body, unpacked. */
  readonly bytes: Buffer
  /** `false`: `bytes` are the beginning of a body that broke off or is too long. */
  readonly whole: boolean
  /** How long the body took to come, in milliseconds. */
  readonly bodyMs: number
}

/** Asks a server, and reads its answer. Rejects with a CallFailure where there is none, or with the reason of `signal`. */
export const callServer = async (url: string, call: ServerCall): Promise<ServerAnswer> => {
  const { method = 'GET', headers, body, maxAnswerBytes, reads = 'success' } = call
  if (!isAcceptedByFetch(url, headers))
    throw new CallFailure('unsent', 'no request can be made: a name in its address, or a credential with unusual characters')
  return await inTime(call, async (signal) => {
    const answer = await fetchAnswer(url, { method, headers, signal, body: body ?? null }).catch((thrown) => {
      throw callFailure(thrown)
    })
    const begun = performance.now()
    const { status, ok } = answer
    if (reads === 'success' && !ok) await answer.body?.cancel()
    const { bytes, cut } = await readBeginning(reads === 'any' || ok ? (answer.body ?? []) : [], maxAnswerBytes)
    if (cut && (reads === 'success' || call.signal?.aborted)) throw cut
    return { status, ok, headers: answer.headers, bytes, whole: !cut, bodyMs: performance.now() - begun }
  })
}

/** Whether fetch accepts the address and headers. The error of `Request` is dropped, because it quotes the header or the address. */
const isAcceptedByFetch = (url: string, headers: ServerCall['headers']): boolean => {
  try {
    return new Request(url, { headers }).url !== ''
  } catch {
    return false
  }
}

/** Makes a call of which all must end in time. Rejects with a CallFailure when it does not, else as `call` does. */
export const inTime = async <T>(
  { timeoutMs, clock = systemClock, signal }: CallTime,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  // Without this check, a request with no time left could still go out on an open connection before its timer ends. The request would
  // count as failed and be sent again.
  if (!(timeoutMs > 0)) throw new CallFailure('unsent', 'no time left')
  return await endWithin(call, timeoutMs, clock, noAnswer, signal)
}

const noAnswer = (): never => {
  throw new CallFailure('late', 'no answer in time')
}

/** Asks as `fetch` does, for callers that read the answer while it comes. Their errors are those of `fetch`. */
export const fetchAnswer = (url: string | URL | Request, init: RequestInit): Promise<Response> =>
  fetch(url, { ...init, redirect: 'manual' })

/** The `fetch` for libraries that make the requests: follows no redirect, and breaks off an answer with more than `maxBytes` bytes. */
export const boundedFetch =
  (maxBytes: number) =>
  async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { body, status, headers } = await fetchAnswer(url, init)
    let left = maxBytes
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        left -= chunk.byteLength
        if (left < 0) out.error(tooLargeAnswer(maxBytes))
        else out.enqueue(chunk)
      },
    })
    return new Response(body?.pipeThrough(bound) ?? null, { status, headers })
  }
