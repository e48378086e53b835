/**
 * A replica is one of the gateways on the shared store. Each replica has its own data directory, port and detour to the database. Each
 * process of a replica is one of its lives.
 */

import { setTimeout as wait } from 'node:timers/promises'
import { type Gateway, type Line, launch } from '../durability/gateway.ts'
import { type Detour, startDetour } from './detour.ts'

/** The number of the first life of replica 2 is 2,000, and the number of its next life is 2,001. */
const livesOfReplica = 1_000

export type ReplicaOptions = {
  readonly index: number
  readonly dir: string
  /** The address at which the detour of this replica reaches the database. */
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

  /** Starts the first life, and resolves when the gateway listens. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const replica = new Replica(options, await startDetour(Number(new URL(options.databaseUrl).port)))
    await replica.begin()
    return replica
  }

  /** The number of the present life. Lives of different replicas have different numbers. */
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

  /** The environment of the gateway, and of commands over its data directory. */
  get env(): { readonly DATABASE_URL: string } {
    const url = new URL(this.#options.databaseUrl)
    url.port = String(this.detour.port)
    return { DATABASE_URL: url.href }
  }

  /** The port of the gateway; `undefined` while the gateway does not listen. */
  get port(): number | undefined {
    return this.#url === undefined ? undefined : Number(new URL(this.#url).port)
  }

  /** Whether the gateway listens and is not paused. */
  get isWell(): boolean {
    return this.#url !== undefined && !this.#isPaused
  }

  /** Starts the next life, and resolves when the gateway listens. Rejects when the gateway ends before. */
  async begin(): Promise<void> {
    const { dir, heard } = this.#options
    const env = { ...this.env, HEADGATE_BENCH_LIFE: String(this.index * livesOfReplica + this.#lives++) }
    const gateway = launch(dir, { env, ...(heard ? { heard } : {}) })
    this.#gateway = gateway
    // A gateway ends when the database is away at its start. A supervisor of an operator would start the gateway again.
    this.#url = await gateway.listening
  }

  /** Ends the life as `kill -9` does. */
  async kill(): Promise<void> {
    this.#url = undefined
    this.#gateway?.kill()
    await this.#gateway?.ended
  }

  /** Ends the life in order. Returns a sentence when the gateway failed or complained. */
  async stop(): Promise<string[]> {
    const gateway = this.#gateway
    if (gateway === undefined) return []
    this.#url = undefined
    const { code, signal } = await gateway.stop()
    const said = gateway.complaints()
    return code === 0 && said === '' ? [] : [`replica ${this.index} ended with ${signal ?? code}: ${said}`]
  }

  /** Pauses the process for a while, as the suspension of its machine would. */
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
