/** One request on a webhook path and its answer: sends the answer, tells how the request ended, and releases the request's plan. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../core/clock.ts'
import type { EndedRequest, Facts } from '../core/fact.ts'
import type { Refused } from '../core/outcome.ts'
import type { RoutePlan } from '../core/plan.ts'
import { replyTo } from '../core/reply.ts'
import { internalError } from '../engine/run.ts'
import { clientAddress } from './client.ts'
import type { Connection } from './connection.ts'
import { atOnce, createReplyBatch, type ReplyBatch } from './reply-batch.ts'
import { writeReply } from './write-reply.ts'

/** The state that all requests of a listener share. */
export type ListenerContext = {
  readonly clock: Clock
  readonly stopping: () => boolean
  /** Hears how each request ended. */
  readonly facts: Pick<Facts, 'tell'>
  readonly batch: ReplyBatch
  /** The number of requests without an answer. */
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
  readonly connection: Connection
  readonly trustProxy: boolean | readonly string[]
}

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

  /** Holds the plan that serves the request until the request ends. */
  hold(plan: RoutePlan): void {
    plan.owner.hold()
    this.#plan = plan
  }

  /** Counts the request as answered and releases its plan. Called when the request ends, or when its sender is gone. */
  leave(): void {
    this.#listener.active--
    this.#plan?.owner.release()
  }

  /**
   * Ends the request. An answer that ends its connection does not wait for the batch, because the end of the connection wakes its reader
   * anyway.
   */
  end(ended: EndedRequest, write: ReplyBatch = this.#parts.response.shouldKeepAlive ? this.#listener.batch : atOnce): void {
    this.leave()
    this.#tell(ended)
    write(this.#answering(ended))
  }

  /**
   * Ends a request that took longer than a turn of the loop, because its work was stored. The answer goes out before the end is told: the
   * body was in memory all the time, so telling later keeps it no longer.
   */
  readonly endStored = (ended: EndedRequest): void => {
    this.leave()
    this.#listener.batch(this.#answering(ended), () => this.#tell(ended))
  }

  /** Answers now. The work on the body that is left (`later`) comes after the answer, and then the end is told. */
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

  readonly fail = (error: unknown): void => this.endStored(failedRequest(error))

  /** Makes the function that writes the answer. It must not hold the whole end: the body would stay in memory until the answers leave. */
  #answering({ outcome, verified, reply }: EndedRequest): () => void {
    const eventId = verified?.eventId
    return () => {
      if (endedOnError(() => this.#answer(outcome, eventId, reply))) this.#parts.request.socket.destroy()
    }
  }

  #answer(outcome: EndedRequest['outcome'], eventId: string | undefined, shaped: EndedRequest['reply']): void {
    const { response, connection } = this.#parts
    if (response.destroyed || response.headersSent) return
    const isLast = this.#listener.stopping() || (outcome.kind === 'refused' && endingConnection.has(outcome.code))
    if (isLast || connection.hasLargeRest) connection.closeAfter(response)
    writeReply(response, shaped ?? replyTo(outcome), eventId)
  }

  #tell(ended: EndedRequest): void {
    const { request, trustProxy } = this.#parts
    this.#listener.facts.tell({
      kind: 'request_ended',
      ended,
      route: this.#plan,
      headers: request.headers,
      remote: () => clientAddress(request, trustProxy),
      ms: () => this.#listener.clock.monotonic() - this.#startedAt,
    })
  }
}

/** Refusals that end the connection, because the rest of the request is not read. */
const endingConnection: ReadonlySet<string> = new Set<Refused['code']>(['too_large', 'too_many_headers', 'too_slow'])

/** Runs `work`. An error of it is a bug of ours: it ends this request, never the process. */
export const endedOnError = <T>(work: () => T): T | EndedRequest => {
  try {
    return work()
  } catch (error) {
    return failedRequest(error)
  }
}

const failedRequest = (error: unknown): EndedRequest => ({ outcome: internalError(error), stage: 'internal' })
