/** One of the gateways on the shared store: a process with a data directory, a port and a way to the database of its own, in one life after another. */

import { setTimeout as wait } from 'node:timers/promises'
import { type Gateway, type Line, launch } from '../durability/gateway.ts'
import { type Detour, startDetour } from './detour.ts'

/** The first life of replica 2 is 2,000, its next one 2,001. */
const livesOfReplica = 1_000

export type ReplicaOptions = {
  readonly index: number
  readonly dir: string
  /** The database, as the detour of this replica reaches it. */
  readonly databaseUrl: string
  readonly heard?: (line: Line) => void
}

export class Replica {
  readonly index: number
  readonly detour: Detour
  readonly #options: ReplicaOptions
  #gateway: Gateway | undefined
  #url: string | undefined
  #lives = 0
  #isPaused = false

  private constructor(options: ReplicaOptions, detour: Detour) {
    this.#options = options
    this.index = options.index
    this.detour = detour
  }

  /** Starts the first life, and resolves when it listens. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const replica = new Replica(options, await startDetour(Number(new URL(options.databaseUrl).port)))
    await replica.begin()
    return replica
  }

  /** The number of the present life, over all replicas. */
  get life(): number {
    return this.index * livesOfReplica + this.#lives - 1
  }

  get url(): string {
    if (this.#url === undefined) throw new Error(`replica ${this.index} does not listen`)
    return this.#url
  }

  get dir(): string {
    return this.#options.dir
  }

  /** The environment of its commands. */
  get env(): { readonly DATABASE_URL: string } {
    const url = new URL(this.#options.databaseUrl)
    url.port = String(this.detour.port)
    return { DATABASE_URL: url.href }
  }

  /** Where it listens; `undefined` while it does not. */
  get port(): number | undefined {
    return this.#url === undefined ? undefined : Number(new URL(this.#url).port)
  }

  /** Whether it lives and is not paused. */
  get isWell(): boolean {
    return this.#url !== undefined && !this.#isPaused
  }

  /** Starts the next life, and resolves when it listens. Rejects when it ends before. */
  async begin(): Promise<void> {
    const { dir, heard } = this.#options
    const env = { ...this.env, HEADGATE_BENCH_LIFE: String(this.index * livesOfReplica + this.#lives++) }
    const gateway = launch(dir, { env, ...(heard ? { heard } : {}) })
    this.#gateway = gateway
    // A server that is away at the start ends the start; an operator's supervisor starts it again.
    this.#url = await gateway.listening
  }

  /** Ends the life as `kill -9` does. */
  async kill(): Promise<void> {
    this.#url = undefined
    this.#gateway?.kill()
    await this.#gateway?.ended
  }

  /** Ends the life in order. Returns what was wrong with its end. */
  async stop(): Promise<string[]> {
    const gateway = this.#gateway
    if (gateway === undefined) return []
    this.#url = undefined
    const { code, signal } = await gateway.stop()
    const said = gateway.complaints()
    return code === 0 && said === '' ? [] : [`replica ${this.index} ended with ${signal ?? code}: ${said}`]
  }

  /** Stops the process for a while, as a suspended machine does. */
  async pause(ms: number): Promise<void> {
    const pid = this.#gateway?.pid
    if (pid === undefined) return
    this.#isPaused = true
    process.kill(pid, 'SIGSTOP')
    await wait(ms)
    process.kill(pid, 'SIGCONT')
    this.#isPaused = false
  }

  close(): void {
    this.detour.close()
  }
}
