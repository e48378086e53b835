/**
 * Keeps the one connection to an MCP server. The connection is opened when it is first needed, and shared by all runs. When it has ended,
 * or the server does not answer or does not know it any more, the next use opens another. After failures in a row, a pause comes first.
 */

import type { MCPClient } from '@ai-sdk/mcp'
import type { Clock } from '../../../core/clock.ts'
import { backOff } from '../../../core/turns/back-off.ts'
import { unlessAborted } from '../../../core/turns/unless-aborted.ts'
import { endWithin } from '../../../core/turns/within.ts'
import { isServerError, type Wire, WireFault } from './wire.ts'

/** An open connection: the SDK's client, and the wire that carries its messages. */
type Link = { readonly client: MCPClient; readonly wire: Wire }

/** When a connection was open for at least this time, its failure counts as the first failure of a new row. */
const calmMs = 60_000
/** The pause before the next opening. None follows the first failure in a row, so the second one is the first that counts here. */
const pauseAfter = backOff({ first: 1_000, most: 60_000 })

export class McpConnection {
  readonly #makeWire: () => Wire
  readonly #clock: Clock
  readonly #startMs: number
  /** The wires that must be shut. Until its wire is shut, the program of a server may still run on this machine. */
  readonly #wires = new Set<Wire>()
  #link: Link | undefined
  #opening: Promise<Link> | undefined
  #failures = 0
  #openedAt = 0
  /** The monotonic time before which no connection is opened. */
  #pauseUntil = 0
  #isClosed = false

  /** `startMs`: how long the opening may take. */
  constructor(makeWire: () => Wire, clock: Clock, startMs: number) {
    this.#makeWire = makeWire
    this.#clock = clock
    this.#startMs = startMs
  }

  /**
   * Lets `work` use the server. When the server does not know the connection any more (`lost`), `work` is called once more with a new
   * connection. Rejects with a WireFault when the server cannot be reached or ends, with the reason of `signal`, and otherwise as `work`
   * or the opening does.
   */
  async use<T>(signal: AbortSignal, work: (client: MCPClient) => Promise<T>): Promise<T> {
    for (let isAgain = false; ; isAgain = true) {
      const link = await this.#get(signal)
      try {
        signal.throwIfAborted()
        return await work(link.client)
      } catch (thrown) {
        if (link.wire.ended !== undefined) throw new WireFault(`the server ended before it answered (${link.wire.ended})`)
        const fate = thrown instanceof WireFault ? thrown.fate : undefined
        if (fate === 'stuck') this.restart(link.client)
        if (fate === 'lost') this.#forget(link)
        if (fate !== 'lost' || isAgain) throw thrown
      }
    }
  }

  /**
   * Shuts the connection of `client`, if it is still in use, because the server does not answer or has ended. The next use opens a new
   * connection.
   */
  restart(client: MCPClient): void {
    const link = this.#link
    if (link?.client !== client) return
    this.#link = undefined
    this.#failed(this.#clock.monotonic() - this.#openedAt)
    void this.#shut(link.wire)
  }

  /** Shuts all wires. Resolves when nothing of the server is left on this machine. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#link = undefined
    await Promise.all([...this.#wires].map((wire) => this.#shut(wire)))
  }

  async #get(signal: AbortSignal): Promise<Link> {
    if (this.#link?.wire.ended !== undefined) this.restart(this.#link.client)
    if (this.#link) return this.#link
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return await unlessAborted(this.#opening, signal)
  }

  async #open(): Promise<Link> {
    const pauseMs = this.#pauseUntil - this.#clock.monotonic()
    if (pauseMs > 0)
      throw new WireFault(`the server failed ${this.#failures} times in a row, and is tried again in ${Math.ceil(pauseMs / 1000)} s`)
    const { createMCPClient } = await import('@ai-sdk/mcp')
    if (this.#isClosed) throw new WireFault('the server is closed')
    const wire = this.#makeWire()
    const late = (): never => {
      throw new WireFault(`the server did not start within ${this.#startMs / 1000} s`)
    }
    this.#wires.add(wire)
    try {
      const open = (signal: AbortSignal): Promise<MCPClient> =>
        createMCPClient({ transport: wire, clientName: 'headgate', initializationOptions: { signal } })
      const client = await endWithin(open, this.#startMs, this.#clock, late)
      this.#openedAt = this.#clock.monotonic()
      const link = { client, wire }
      if (!this.#isClosed) this.#link = link
      return link
    } catch (thrown) {
      this.#failed(0)
      void this.#shut(wire)
      if (thrown instanceof WireFault || isServerError(thrown)) throw thrown
      if (wire.ended !== undefined) throw new WireFault(`the server did not start (${wire.ended})`)
      throw new WireFault('the server does not speak as an MCP server does')
    }
  }

  /** Lets go of a connection without shutting its wire, because the server may still answer calls that are on their way. */
  #forget(link: Link): void {
    if (link === this.#link) this.#link = undefined
    this.#wires.delete(link.wire)
  }

  /** Counts a failure, and sets the time before which no connection is opened. `livedMs`: how long the connection was open. */
  #failed(livedMs: number): void {
    this.#failures = livedMs < calmMs ? this.#failures + 1 : 1
    this.#pauseUntil = this.#clock.monotonic() + (this.#failures < 2 ? 0 : pauseAfter(this.#failures - 1))
  }

  async #shut(wire: Wire): Promise<void> {
    await wire.close()
    this.#wires.delete(wire)
  }
}
