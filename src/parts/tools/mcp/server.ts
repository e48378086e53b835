/**
 * Makes a toolset of an MCP server, which is a program that is started, or a service at a web address. Its allowed tools become tools of
 * runs.
 */

import { carryNumbers } from '../../../core/carried-numbers.ts'
import type { ExactObject, JsonObject } from '../../../core/json.ts'
import type { LogFields } from '../../../core/log.ts'
import type { Closable } from '../../../core/scope.ts'
import { cut, printable } from '../../../core/text.ts'
import { createSlots, type Slots } from '../../../core/turns/slots.ts'
import { unlessAborted } from '../../../core/turns/unless-aborted.ts'
import { endWithin } from '../../../core/turns/within.ts'
import { baseEnv } from '../../../process/child.ts'
import type { Tool, ToolCall, ToolKit, Toolset } from '../tool.ts'
import { resultText, ToolFault } from './answer.ts'
import type { WireKit } from './call-traces.ts'
import { McpConnection } from './connection.ts'
import { HttpWire } from './http.ts'
import { allowedTools, type Definition, inputSchemaOf } from './listing.ts'
import { createLongReader } from './long-messages.ts'
import { readSettings, type ServerSettings } from './settings.ts'
import { StdioWire } from './stdio.ts'
import { modelNames } from './tool-names.ts'
import { isServerError, type Wire, WireFault } from './wire.ts'

const maxCalls = 16
const maxWaiting = 1000

/**
 * Compiles one entry of `toolsets`. `undefined`: its settings cannot be used, which was reported. The server is started or reached when a
 * run first asks for its tools. `close` of the result resolves when nothing of the server is left on this machine.
 */
export const compileServer = (name: string, settings: JsonObject, kit: ToolKit): Closable<Toolset> | undefined => {
  const read = readSettings(name, settings, kit.report)
  if (!read) return undefined
  const server = new Server(read, kit)
  return { run: (signal) => server.tools(signal), close: () => server.close() }
}

/** One MCP server, with its connection and the limits of its calls. */
class Server {
  readonly #settings: ServerSettings
  readonly #kit: ToolKit
  readonly #connection: McpConnection
  readonly #wireKit: WireKit
  readonly #slots: Slots = createSlots(() => maxCalls, maxWaiting)
  /** The warnings that are in the log already, so that each is logged once. */
  readonly #warned = new Set<string>()
  #calls = 0

  constructor(settings: ServerSettings, kit: ToolKit) {
    this.#settings = settings
    this.#kit = kit
    const { allow } = settings
    this.#wireKit = { allow, clock: kit.clock, readLong: createLongReader(allow, kit.clock), traceparents: new WeakMap() }
    this.#connection = new McpConnection(() => this.#wire(), kit.clock, settings.startMs)
  }

  /** Resolves to the allowed tools. The server is asked for them by each run, because its tools may have changed. */
  async tools(signal: AbortSignal): Promise<readonly Tool[]> {
    const { name, allow } = this.#settings
    const definitions = await this.#list(signal)
    const names = modelNames(name, [...allow])
    const known = new Set(definitions.map((each) => each.name))
    for (const tool of allow) if (!known.has(tool)) this.#warnOnce('an allowed tool is not among those of the MCP server', { tool })
    return definitions.flatMap((definition) => this.#tool(definition, names.get(definition.name) ?? '') ?? [])
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  async #list(signal: AbortSignal): Promise<Definition[]> {
    const { allow, startMs } = this.#settings
    try {
      return await this.#connection.use(signal, (client) => {
        const late = (): never => {
          // The server hangs. Its connection is shut only while no call waits for an answer, because the call would fail.
          if (this.#calls === 0) this.#connection.restart(client)
          throw new WireFault(`the server did not list its tools within ${startMs / 1000} s`)
        }
        return endWithin((signal) => allowedTools(client, allow, signal), startMs, this.#kit.clock, late, signal)
      })
    } catch (thrown) {
      throw this.#callError(thrown, signal)
    }
  }

  #tool(definition: Definition, name: string): Tool | undefined {
    const input = inputSchemaOf(definition)
    if (!input) {
      this.#warnOnce('a tool of an MCP server has a schema that is too large, so it is left out', { tool: definition.name })
      return undefined
    }
    return { name, description: definition.description ?? '', input, call: (args, call) => this.#call(definition, args, call) }
  }

  async #call(definition: Definition, args: ExactObject, { signal, traceparent }: ToolCall): Promise<string> {
    const { callMs, redact } = this.#settings
    const call = async (signal: AbortSignal): Promise<string> => {
      if (traceparent !== undefined) this.#wireKit.traceparents.set(signal, traceparent)
      const answer = this.#slots.run(() => this.#ask(definition, args, signal))
      const result = await unlessAborted(answer, signal)
      if (result === undefined) throw new WireFault('the server has too much to do')
      return resultText(result, redact)
    }
    const late = (): never => {
      throw new WireFault(`the server did not answer within ${callMs / 1000} s`)
    }
    this.#calls++
    try {
      return await endWithin(call, callMs, this.#kit.clock, late, signal)
    } catch (thrown) {
      throw this.#callError(thrown, signal)
    } finally {
      this.#calls--
    }
  }

  #ask(definition: Definition, args: ExactObject, signal: AbortSignal): Promise<JsonObject> {
    return this.#connection.use(signal, async (client) => {
      // The client offers no other public way to call one tool. It hands the arguments on as they are, so the wire writes their numbers.
      const tool = client.toolsFromDefinitions({ tools: [definition] })[definition.name]
      return (await tool?.execute(carryNumbers(args), { abortSignal: signal, toolCallId: '', messages: [] })) as JsonObject
    })
  }

  #wire(): Wire {
    const { access } = this.#settings
    if ('url' in access) return new HttpWire(access.url, access.headers, this.#wireKit)
    const { argv, env, folder } = access
    const program = { argv, env: { ...baseEnv(this.#kit.env), ...env }, ...(folder === undefined ? {} : { cwd: folder }) }
    return new StdioWire(program, this.#wireKit, {
      ended: (...end) => this.#ended(...end),
      garbage: () => this.#warnOnce('an MCP server wrote a line to stdout that is no message'),
    })
  }

  #ended(why: string, stderr: string, isAsked: boolean): void {
    const { name, redact } = this.#settings
    if (!isAsked) this.#kit.log('warn', { toolset: name, reason: why }, 'an MCP server has ended')
    const last = redact(stderr).trim().split('\n').slice(-5).join('\n')
    if (last !== '')
      this.#kit.log('debug', { toolset: name, stderr: printable(last) }, 'the last lines of stderr of an MCP server that ended')
  }

  #warnOnce(message: string, more: LogFields = {}): void {
    const id = JSON.stringify([message, more])
    if (this.#warned.has(id)) return
    this.#warned.add(id)
    this.#kit.log('warn', { toolset: this.#settings.name, ...more }, message)
  }

  /** Makes the error of a failed call, for the model and the log. The message is the gateway's own, or the server's, redacted and cut. */
  #callError(thrown: unknown, signal: AbortSignal): Error {
    const { name, redact } = this.#settings
    if (thrown instanceof ToolFault) return thrown
    if (thrown instanceof WireFault && thrown.fate === 'flood')
      this.#warnOnce('an MCP server sends more than the gateway reads, so its calls fail', { reason: thrown.message })
    const why = (): string => {
      if (signal.aborted) return 'the run was stopped'
      if (thrown instanceof WireFault) return thrown.message
      if (isServerError(thrown)) return `the server refused: ${printable(redact(cut(thrown.message, 100_000)))}`
      return 'the server gave an answer that cannot be read'
    }
    return new Error(`toolset ${name}: ${why()}`)
  }
}
