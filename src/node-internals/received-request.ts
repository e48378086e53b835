/** Gives the chunks of a request's body to a function as soon as Node's parser has them, without the request's stream between. */

import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { isFast } from './forms.ts'

/**
 * Calls `take` with each chunk of a body that nothing has read yet, then `end`. Errors and a lost connection are events of the request.
 * Must be called before the parser goes on to the body: in the same call as the event `request`.
 */
type OnChunks = (request: IncomingMessage, take: (chunk: Buffer) => void, end: () => void) => void

/** What Node calls and the types do not have (lib/_http_incoming.js): it reads and drops a body that nobody has read. */
type Dumping = { _dump(): void }
const { _dump: dump } = IncomingMessage.prototype as unknown as Dumping

/**
 * A request whose body can bypass the stream. Node's parser pushes each chunk of a body and `null` at its end (lib/_http_common.js). For a
 * reader of a single chunk, the stream's buffer, events and turns of its queue take longer than most stages of a route.
 */
class ReceivedRequest extends IncomingMessage {
  #take: ((chunk: Buffer) => void) | undefined
  #end: (() => void) | undefined
  #isEnded = false

  receive(take: (chunk: Buffer) => void, end: () => void): void {
    this.#take = take
    this.#end = end
  }

  override push(chunk: Buffer | null): boolean {
    if (!this.#take) return super.push(chunk)
    if (chunk) this.#take(chunk)
    else {
      this.#isEnded = true
      this.#end?.()
    }
    return true
  }

  static {
    const inherited = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded')?.get
    // Node's server keeps a request in memory until its `readableEnded` is true. `defineProperty` stands here because the types declare a
    // property, which a class may not override by a getter.
    Object.defineProperty(ReceivedRequest.prototype, 'readableEnded', {
      get(this: ReceivedRequest) {
        return this.#isEnded || inherited?.call(this)
      },
    })
  }

  _dump(): void {
    if (!this.#take) dump.call(this)
  }
}

/** The options of a server whose bodies `onChunks` reads. */
export const bodyOptions: { readonly IncomingMessage?: typeof IncomingMessage } = isFast('body')
  ? { IncomingMessage: ReceivedRequest as unknown as typeof IncomingMessage }
  : {}

/** In the plain form, and for a server without `bodyOptions`, the chunks come from the stream. */
export const onChunks: OnChunks = (request, take, end) => {
  if (request instanceof ReceivedRequest) request.receive(take, end)
  else request.on('data', take).on('end', end)
}
