/** One request on a webhook path and its answer: sends the answer, tells observers how the request ended, and releases its plan. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../core/clock.ts'
import { emitRequest } from '../core/facts/emit-request.ts'
import type { EndedRequest } from '../core/facts/fact.ts'
import type { Facts } from '../core/facts/facts.ts'
import type { AwaitedAnswer, Reply } from '../core/outcome.ts'
import { refusalRow } from '../core/outcome-table.ts'
import type { RoutePlan } from '../core/plan.ts'
import { replyTo } from '../core/reply.ts'
import { internalError } from '../engine/run.ts'
import { clientAddress } from './client.ts'
import type { ClientConnection } from './connection.ts'
import { atOnce, createReplyBatch, type ReplyBatch } from './reply-batch.ts'
import { writeReply } from './write-reply.ts'

export type ListenerContext = {
  readonly clock: Clock
  /** Whether the gateway stops. Each answer then ends its connection. */
  readonly stopping: () => boolean
  /** Gets the end of each request as a fact. A request whose sender left before its body was read has no such fact. */
  readonly facts: Pick<Facts, 'emit'>
  /** Writes the answers of one turn of the event loop together. */
  readonly batch: ReplyBatch
  /** The number of requests that have not ended. */
  active: number
}

export const createListenerContext = ({
  clock,
  stopping,
  facts,
}: Pick<ListenerContext, 'clock' | 'stopping' | 'facts'>): ListenerContext => ({
  clock,
  stopping,
  facts,
  batch: createReplyBatch(),
  active: 0,
})

type ExchangeParts = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly connection: ClientConnection
  readonly trustProxy: boolean | readonly string[]
}

/**
 * One request, from its arrival to its end. After the constructor, exactly one of `leave`, `end`, `endStored`, `endLater`, `fail` is
 * called.
 */
export class Exchange {
  readonly #listener: ListenerContext
  readonly #parts: ExchangeParts
  readonly #startedAt: number
  #plan: RoutePlan | undefined

  constructor(listener: ListenerContext, parts: ExchangeParts) {
    this.#listener = listener
    this.#parts = parts
    this.#startedAt = listener.clock.monotonic()
    listener.active++
  }

  /** Keeps the plan that serves the request open until the request ends. */
  hold(plan: RoutePlan): void {
    plan.scope.hold()
    this.#plan = plan
  }

  /**
   * Ends the counting of the request, and releases its plan. Called from outside only when the sender is gone, so that nobody is answered.
   */
  leave(): void {
    this.#listener.active--
    this.#plan?.scope.release()
  }

  /**
   * Ends the request: emits its end, then sends the answer with the batch of this turn. An answer that ends its connection is written at
   * once, because the end of the connection wakes the sender anyway.
   */
  end(ended: EndedRequest, write: ReplyBatch = this.#parts.response.shouldKeepAlive ? this.#listener.batch : atOnce): void {
    this.leave()
    this.#tell(ended)
    write(this.#answering(ended))
  }

  /**
   * Ends a request that took longer than one turn of the event loop, in general because its work was stored. The answer is sent before the
   * end is emitted, so that the sender waits less. In `end` the order is the other way round, which frees the body earlier.
   */
  readonly endStored = (ended: EndedRequest): void => {
    if (ended.awaited) {
      this.#endAwaited(ended, ended.awaited)
      return
    }
    this.leave()
    this.#listener.batch(this.#answering(ended), () => this.#tell(ended))
  }

  /**
   * Ends a request whose sender waits for the reply of the run. The end is emitted now, because the run is committed and its record must
   * not wait. The request counts as unanswered until the answer is sent or the sender has disconnected; of the request, only the answer
   * stays in memory.
   */
  #endAwaited(ended: EndedRequest, awaited: AwaitedAnswer): void {
    const { response } = this.#parts
    const { outcome } = ended
    const verified = ended.verified && { eventId: ended.verified.eventId }
    const usual = ended.reply ?? replyTo(outcome)
    const late: Reply = { ...usual, headers: { ...usual.headers, ...awaited.lateHeaders } }
    this.#tell(ended)
    const gone = (): void => {
      awaited.leave()
      this.leave()
    }
    if (response.destroyed) {
      gone()
      return
    }
    response.once('close', gone)
    awaited.send((reply) => {
      response.off('close', gone)
      this.leave()
      this.#listener.batch(this.#answering({ outcome, verified, reply: reply ?? late }))
    })
  }

  /** Answers a request now, and does the rest of its work (`later`) on the body after the answer. Then the end is emitted. */
  endLater({ later, ...ended }: EndedRequest, body: Buffer): void {
    const tell = (known: EndedRequest): void => {
      this.leave()
      this.#tell(known)
    }
    this.#listener.batch(this.#answering(ended), () => {
      const known = endedOnError(() => later?.(body) ?? ended)
      if (known instanceof Promise) void known.then(tell, (error) => tell(failedRequest(error)))
      else tell(known)
    })
  }

  /** Ends a request whose work threw an error that nothing expects: a bug of ours. */
  readonly fail = (error: unknown): void => this.endStored(failedRequest(error))

  /**
   * Makes the function that writes the answer. The function keeps only the parts of the `EndedRequest` that it needs: with the whole
   * object, the body would stay in memory until the answers of this turn are written.
   */
  #answering({ outcome, verified, reply }: AnsweredEnd): () => void {
    const eventId = verified?.eventId
    return () => {
      if (endedOnError(() => this.#answer(outcome, eventId, reply))) this.#parts.request.socket.destroy()
    }
  }

  #answer(outcome: EndedRequest['outcome'], eventId: string | undefined, shaped: EndedRequest['reply']): void {
    const { response, connection } = this.#parts
    if (response.destroyed || response.headersSent) return
    const isLast = this.#listener.stopping() || (outcome.kind === 'refused' && refusalRow(outcome).endsConnection)
    if (isLast || connection.hasLargeRest) connection.closeAfter(response)
    writeReply(response, shaped ?? replyTo(outcome), eventId)
  }

  #tell(ended: EndedRequest): void {
    const { request, trustProxy } = this.#parts
    emitRequest(this.#listener.facts, {
      kind: 'request_ended',
      ended,
      route: this.#plan,
      headers: request.headers,
      remote: () => clientAddress(request, trustProxy),
      ms: () => this.#listener.clock.monotonic() - this.#startedAt,
    })
  }
}

/** What an answer is made of. */
type AnsweredEnd = Pick<EndedRequest, 'outcome' | 'reply'> & { readonly verified?: { readonly eventId: string } | undefined }

/** Runs `work`, and returns its result. An error that `work` throws is a bug of ours: it ends this request, never the process. */
export const endedOnError = <T>(work: () => T): T | EndedRequest => {
  try {
    return work()
  } catch (error) {
    return failedRequest(error)
  }
}

export const failedRequest = (error: unknown): EndedRequest => ({ outcome: internalError(error), stage: 'internal' })
