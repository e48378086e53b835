/** Asks a relay for requests, and gives it the answers. Errors quote neither the key nor an answer. */

import { type CallTime, callServer, type ServerAnswer, type ServerCall } from '../../core/calls/call-server.ts'
import type { Clock } from '../../core/clock.ts'
import { decodeFrames, encodeFrames, type WireFrame } from '../wire/frames.ts'
import {
  type DoneHead,
  donePath,
  type ItemHead,
  itemHead,
  leavingHeader,
  longestWaitMs,
  maxTakenBytes,
  pullerHeader,
  type RelayHead,
  relayHead,
  takePath,
} from '../wire/messages.ts'

/** Where the relay is, and the key that the relay accepts. `url`: the address of this gateway at the relay, as senders see it. */
export type RelayAddress = { readonly url: string; readonly key: string }

/** What a relay handed over. */
export type PulledBatch = {
  readonly about: RelayHead
  readonly items: readonly WireFrame<ItemHead>[]
  /** When the answer began to come, by the clock of this machine, in milliseconds since 1970. */
  readonly at: number
}

/** `address`: returns the relay's address and key. It is called before each call, so that the key can be changed. */
type RelayApiOptions = { readonly address: () => RelayAddress; readonly clock: Pick<Clock, 'now'> }

/** How long the relay may take for its answer, besides the time in which it waits for requests. */
const answerTimeoutMs = 15_000

export class RelayApi {
  readonly #options: RelayApiOptions
  readonly #puller: string

  /** `puller`: the name of this process. */
  constructor(options: RelayApiOptions, puller: string) {
    this.#options = options
    this.#puller = puller
  }

  /** Waits for requests. `holds`: the names of those that were taken, and whose answers the relay does not have. Rejects with an Error. */
  async take(holds: readonly string[], signal: AbortSignal): Promise<PulledBatch> {
    const { bytes, bodyMs } = await this.#post(takePath, JSON.stringify({ holds }), { timeoutMs: longestWaitMs + answerTimeoutMs, signal })
    const at = this.#options.clock.now() - bodyMs
    const [first, ...rest] = decodeFrames(bytes) ?? []
    const about = first && relayHead(first.head)
    const items = rest.flatMap(({ head, body }): WireFrame<ItemHead>[] => {
      const read = itemHead(head)
      return read ? [{ head: read, body }] : []
    })
    if (!about || items.length !== rest.length) throw new Error('it does not answer as a relay does')
    return { about, items, at }
  }

  /** Gives answers. `isLeaving`: this process takes nothing more. Rejects with an Error. */
  async done(answers: readonly WireFrame<DoneHead>[], isLeaving = false): Promise<void> {
    await this.#post(donePath, encodeFrames(answers), { timeoutMs: answerTimeoutMs }, isLeaving ? { [leavingHeader]: '1' } : {})
  }

  async #post(path: string, body: string | Buffer<ArrayBuffer>, time: CallTime, more: ServerCall['headers'] = {}): Promise<ServerAnswer> {
    const { url, key } = this.#options.address()
    const headers = { authorization: `Bearer ${key}`, [pullerHeader]: this.#puller, ...more }
    const call = { ...time, method: 'POST', headers, body, maxAnswerBytes: maxTakenBytes }
    const answer = await callServer(`${url.replace(/\/+$/, '')}${path}`, call)
    if (!answer.ok) throw new Error(answer.status === 401 ? 'it does not know the key (401)' : `it answers ${answer.status}`)
    return answer
  }
}
