/** One request on a webhook path and its answer: ends it, tells how, and lets go of its plan. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../core/clock.ts'
import type { Ended, Facts } from '../core/fact.ts'
import type { Refused } from '../core/outcome.ts'
import type { RoutePlan } from '../core/plan.ts'
import { replyTo } from '../core/reply.ts'
import { broken } from '../engine/run.ts'
import { clientAddress } from './client.ts'
import type { Connection } from './connection.ts'
import { atOnce, createReplyBatch, type ReplyBatch } from './reply-batch.ts'
import { writeReply } from './write-reply.ts'

/** What all requests of a listener share. */
export type ListenerContext = {
  readonly clock: Clock
  readonly stopping: () => boolean
  /** Is told how each request ended. */
  readonly facts: Pick<Facts, 'tell'>
  readonly batch: ReplyBatch
  /** Requests that have had no answer yet. */
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
  readonly #from: number
  #plan: RoutePlan | undefined

  constructor(listener: ListenerContext, parts: ExchangeParts) {
    this.#listener = listener
    this.#parts = parts
    this.#from = listener.clock.monotonic()
    listener.active++
  }

  /** Holds the plan that serves it, until its end. */
  hold(plan: RoutePlan): void {
    plan.owner.hold()
    this.#plan = plan
  }

  /** Counts it as answered and lets go of its plan: at its end, or when its sender is gone. */
  leave(): void {
    this.#listener.active--
    this.#plan?.owner.release()
  }

  /** An answer that ends its connection waits for no others: that end wakes its reader anyway. */
  end(ended: Ended, write: ReplyBatch = this.#parts.response.shouldKeepAlive ? this.#listener.batch : atOnce): void {
    this.leave()
    this.#tell(ended)
    write(this.#answering(ended))
  }

  /** Ends what took longer than a turn, as storing does. Its body was held until now anyway, so its sender need not wait until its end is told. */
  readonly endStored = (ended: Ended): void => {
    this.leave()
    this.#listener.batch(this.#answering(ended), () => this.#tell(ended))
  }

  /** Answers now. What is still to be done with the body comes after the answer, and then its end is told. */
  endLater({ later, ...ended }: Ended, body: Buffer): void {
    const tell = (known: Ended): void => {
      this.leave()
      this.#tell(known)
    }
    this.#listener.batch(this.#answering(ended), () => {
      const known = endedOnError(() => later?.(body) ?? ended)
      if (known instanceof Promise) void known.then(tell, (error) => tell(failed(error)))
      else tell(known)
    })
  }

  readonly fail = (error: unknown): void => this.endStored(failed(error))

  /** The function must not hold all of what ended: the body would stay in memory until the answers leave. */
  #answering({ outcome, verified, reply }: Ended): () => void {
    const eventId = verified?.eventId
    return () => {
      if (endedOnError(() => this.#answer(outcome, eventId, reply))) this.#parts.request.socket.destroy()
    }
  }

  #answer(outcome: Ended['outcome'], eventId: string | undefined, shaped: Ended['reply']): void {
    const { response, connection } = this.#parts
    if (response.destroyed || response.headersSent) return
    const isLast = this.#listener.stopping() || (outcome.kind === 'refused' && endingConnection.has(outcome.code))
    if (isLast || connection.hasLargeRest) connection.closeAfter(response)
    writeReply(response, shaped ?? replyTo(outcome), eventId)
  }

  #tell(ended: Ended): void {
    const { request, trustProxy } = this.#parts
    this.#listener.facts.tell({
      kind: 'request_ended',
      ended,
      route: this.#plan,
      headers: request.headers,
      remote: () => clientAddress(request, trustProxy),
      ms: () => this.#listener.clock.monotonic() - this.#from,
    })
  }
}

/** Refusals after which nothing more is read from the connection. */
const endingConnection: ReadonlySet<string> = new Set<Refused['code']>(['too_large', 'too_many_headers', 'too_slow'])

/** Runs `work`. What it throws is a bug of ours; it ends this request, never the process. */
export const endedOnError = <T>(work: () => T): T | Ended => {
  try {
    return work()
  } catch (error) {
    return failed(error)
  }
}

const failed = (error: unknown): Ended => ({ outcome: broken(error), stage: 'internal' })
