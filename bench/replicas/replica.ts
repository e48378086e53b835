/**
 * A replica is one of the gateways on the shared store. Each replica has its own data directory, port and detour to the database. Each
 * process of a replica is one of its lives.
 */

import { setTimeout as wait } from 'node:timers/promises'
import { type Gateway, type Line, launch } from '../durability/gateway.ts'
import { main } from '../durability/lab.ts'
import { type Detour, type Host, startDetour } from './detour.ts'

/** The number of the first life of replica 2 is 2,000, and the number of its next life is 2,001. */
const livesOfReplica = 1_000

export type ReplicaOptions = {
  readonly index: number
  readonly dir: string
  /** The hosts of the database. The gateway reaches each host over the detour of this replica. */
  readonly hosts: readonly Host[]
  readonly heard?: (line: Line) => void
}

const preload = new URL('shifted-clock.mjs', import.meta.url).href
/** The environment that shifts the wall clock of a process. */
const shiftedClock = (ms: number): Record<string, string> =>
  ms === 0 ? {} : { NODE_OPTIONS: `--import ${preload}`, HEADGATE_BENCH_CLOCK_SHIFT_MS: String(ms) }

export class Replica {
  readonly index: number
  readonly detour: Detour
  readonly #options: ReplicaOptions
  #gateway: Gateway | undefined
  #url: string | undefined
  #lives = 0
  #isPaused = false
  #main = main
  #clockShiftMs = 0

  private constructor(options: ReplicaOptions, detour: Detour) {
    this.#options = options
    this.index = options.index
    this.detour = detour
  }

  /** Starts the first life, and resolves when the gateway listens. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const replica = new Replica(options, await startDetour(options.hosts))
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

  /** The program of the next life. */
  get main(): string {
    return this.#main
  }

  get dir(): string {
    return this.#options.dir
  }

  /** The process id of the gateway; `undefined` while the gateway does not listen. */
  get pid(): number | undefined {
    return this.#url === undefined ? undefined : this.#gateway?.pid
  }

  /** The environment of the gateway, and of commands over its data directory. Commands have the clock of their gateway. */
  get env(): Readonly<Record<string, string>> {
    const hosts = this.detour.ports.map((port) => `127.0.0.1:${port}`)
    return { DATABASE_URL: `postgres://postgres@${hosts.join()}/postgres`, ...shiftedClock(this.#clockShiftMs) }
  }

  /** The port of the gateway; `undefined` while the gateway does not listen. */
  get port(): number | undefined {
    return this.#url === undefined ? undefined : Number(new URL(this.#url).port)
  }

  /** Whether the gateway listens and is not paused. */
  get isWell(): boolean {
    return this.#url !== undefined && !this.#isPaused
  }

  /**
   * Starts the next life, and resolves when the gateway listens. Rejects when the gateway ends before. `clockShiftMs`: the wall clock of this
   * life is ahead of the right time by this much.
   */
  async begin(clockShiftMs = 0): Promise<void> {
    const { dir, heard } = this.#options
    this.#clockShiftMs = clockShiftMs
    const env = { ...this.env, HEADGATE_BENCH_LIFE: String(this.index * livesOfReplica + this.#lives++) }
    const gateway = launch(dir, { main: this.#main, env, ...(heard ? { heard } : {}) })
    this.#gateway = gateway
    // A gateway ends when the database is away at its start. A supervisor of an operator would start the gateway again.
    this.#url = await gateway.listening
  }

  /** Ends the life in order, and starts the next life with the program at this path. Returns what `stop` returns. */
  async replaceBuild(path: string): Promise<string[]> {
    const wrong = await this.stop()
    this.#main = path
    await this.begin()
    return wrong
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
