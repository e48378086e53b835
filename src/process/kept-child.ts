/** Keeps a program running that speaks in lines, and ends it with everything that it started. */

import type { Readable } from 'node:stream'
import { Lines } from '../core/bytes/lines.ts'
import type { Clock } from '../core/clock.ts'
import { printable } from '../core/text.ts'
import { Allowance } from '../core/turns/allowance.ts'
import { takingTurns } from '../core/turns/taking-turns.ts'
import { spawnCode } from './child.ts'
import { type Group, type Program, startGroup } from './group.ts'

export type KeptJob = Program & {
  /** A longer line on stdout ends the program. When more than this waits to be read by it, nothing more is written. */
  readonly maxLineBytes: number
  readonly clock: Clock
  /** Gets a line of stdout in its pieces. Nothing more is read until it resolves, with a reason where the program is to be ended for it. */
  readonly onLine: (line: readonly Uint8Array[]) => Promise<string | undefined>
  /** Called once, when the program has ended or could not be started: why, in a few words, and the end of what it wrote to stderr. */
  readonly onEnd: (why: string, stderr: string) => void
}

const stderrTailBytes = 16 * 1024
/** A program that writes more to stderr within the span is ended: somebody has to read it. */
const stderrMiB = 16
const stderrSpanMs = 10_000
/** How long it may take to end by itself once its stdin is closed, and how long again after SIGTERM. */
const graceMs = 1000
/** How long what it left behind may hold its pipes. */
const lingerMs = 250

export class KeptChild {
  readonly #job: KeptJob
  readonly #group: Group | undefined
  #stderr: Buffer = Buffer.alloc(0)
  #why: string | undefined
  #linger: NodeJS.Timeout | undefined
  #isRead: Promise<unknown> = Promise.resolve()
  #isOver = false
  #over = (): void => {}
  readonly #whenOver = new Promise<void>((resolve) => {
    this.#over = resolve
  })

  constructor(job: KeptJob) {
    this.#job = job
    try {
      this.#group = startGroup(job)
      this.#watch(this.#group)
    } catch (thrown) {
      this.#why = cannotStart(job, thrown)
      queueMicrotask(() => this.#settle())
    }
  }

  /** Writes a line to its stdin; `false`: it has ended, or does not read. */
  write(line: string): boolean {
    const stdin = this.#group?.child.stdin
    if (this.#isOver || !stdin?.writable || stdin.writableLength > this.#job.maxLineBytes) return false
    stdin.write(`${line}\n`)
    return true
  }

  /** Closes its stdin, asks it to end a while later, and kills it in the end. Resolves when it has ended. */
  async stop(): Promise<void> {
    const group = this.#group
    if (!group || this.#isOver) return this.#whenOver
    group.child.stdin?.end()
    const ask = setTimeout(() => group.signal('SIGTERM'), graceMs)
    const kill = setTimeout(() => group.signal('SIGKILL'), graceMs * 2)
    await this.#whenOver
    clearTimeout(ask)
    clearTimeout(kill)
  }

  #watch({ child }: Group): void {
    child.on('error', (error) => {
      this.#why ??= cannotStart(this.#job, error)
      this.#settle()
    })
    child.on('exit', (code, signal) => this.#end(code === null ? `killed by ${signal}` : `exit code ${code}`))
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.on('error', ignore)
    this.#isRead = Promise.all([this.#hear(child.stdout), this.#overhear(child.stderr)])
    child.on('close', () => this.#settleOnceRead())
  }

  async #hear(stdout: Readable | null): Promise<void> {
    const lines = new Lines(this.#job.maxLineBytes)
    await eachChunk(stdout, async (chunk) => {
      for (const line of lines.in(chunk)) {
        const why = line ? await this.#job.onLine(line) : 'wrote a line that is too long'
        if (why !== undefined) this.#end(why)
        if (why !== undefined || this.#isOver) return false
      }
      return true
    })
  }

  async #overhear(stderr: Readable | null): Promise<void> {
    const allowance = new Allowance(this.#job.clock, stderrMiB * 1024 * 1024, stderrSpanMs)
    await eachChunk(stderr, async (chunk) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-stderrTailBytes)
      if (allowance.take(chunk.length)) return true
      this.#end(`wrote more than ${stderrMiB} MiB to stderr within ${stderrSpanMs / 1000} s`)
      return false
    })
  }

  /** Kills what is left, and lets Node read first what is in the pipes. */
  #end(why: string): void {
    this.#why ??= why
    this.#group?.signal('SIGKILL')
    this.#linger ??= setTimeout(() => setImmediate(() => this.#settleOnceRead()), lingerMs)
  }

  /** The line that was read last may still be worked on. */
  #settleOnceRead(): void {
    this.#closePipes()
    void this.#isRead.then(() => this.#settle())
  }

  #closePipes(): void {
    const child = this.#group?.child
    for (const pipe of [child?.stdin, child?.stdout, child?.stderr]) pipe?.destroy()
  }

  #settle(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#linger)
    this.#closePipes()
    this.#group?.child.unref()
    this.#group?.ended()
    this.#job.onEnd(this.#why ?? 'ended without a word', this.#stderr.toString())
    this.#over()
  }
}

/**
 * Gives a pipe's bytes as long as `take` says that it goes on, one chunk in a turn of the event loop. Node by itself reads up to 32 chunks
 * in a turn, and whoever writes fast enough would have the loop alone.
 */
const eachChunk = async (pipe: Readable | null, take: (chunk: Buffer) => Promise<boolean>): Promise<void> => {
  const turn = takingTurns(1)
  try {
    for await (const chunk of pipe ?? []) {
      if (!(await take(chunk))) return
      await turn()
    }
  } catch {
    // The pipe was closed, by its program or by us.
  }
}

const ignore = (): void => {}

const cannotStart = ({ argv }: KeptJob, thrown: unknown): string => `cannot start ${printable(argv[0] ?? '', 200)}: ${spawnCode(thrown)}`
