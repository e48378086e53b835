/**
 * Keeps a program running (the console, or an MCP server), exchanges lines with it over stdin and stdout, and ends it with what it started,
 * as far as that can be found (`strays.ts`).
 */

import type { Readable } from 'node:stream'
import { Lines } from '../core/bytes/lines.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { printable } from '../core/text.ts'
import { Allowance } from '../core/turns/allowance.ts'
import { nextTurn, takingTurns } from '../core/turns/taking-turns.ts'
import { Timer } from '../core/turns/timer.ts'
import { spawnCode } from './child.ts'
import { type ProcessGroup, type Program, startGroup } from './group.ts'

export type KeptJob = Program & {
  /** The most bytes of a line on stdout; a longer line ends the program. Also the most bytes that may wait for the program on its stdin. */
  readonly maxLineBytes: number
  readonly clock: Clock
  /**
   * Takes a line of stdout, as the pieces in which it was read. No further line is read until `onLine` resolves. Where it resolves to a
   * text, the program is ended for this reason. It must not reject.
   */
  readonly onLine: (line: readonly Uint8Array[]) => Promise<string | undefined>
  /** Called once, when the program has ended or could not be started, with the reason in a few words and the end of its stderr. */
  readonly onEnd: (why: string, stderr: string) => void
}

const stderrTailBytes = 16 * 1024
/**
 * The most MiB that a program may write to stderr within `stderrSpanMs`. A program that writes more is ended, because reading stderr takes
 * time.
 */
const stderrMiB = 16
const stderrSpanMs = 10_000
/** How long the program may take to end once its stdin is closed. After SIGTERM, it may take the same time again. */
const graceMs = 1000
/** How long processes that the program left behind may hold its pipes. */
const lingerMs = 250

/** A running program. The constructor starts the program; a failure of the start comes by `onEnd`. */
export class KeptChild {
  readonly #job: KeptJob
  readonly #group: ProcessGroup | undefined
  #stderr: Buffer = Buffer.alloc(0)
  #why: string | undefined
  readonly #linger = new Timer(systemClock, () => void nextTurn().then(() => this.#settleOnceRead()))
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

  /** Writes a line to the program's stdin. `false`: the program has ended, or does not read. */
  write(line: string): boolean {
    const stdin = this.#group?.child.stdin
    if (this.#isOver || !stdin?.writable || stdin.writableLength > this.#job.maxLineBytes) return false
    stdin.write(`${line}\n`)
    return true
  }

  /** Closes the program's stdin, sends SIGTERM a while later, and SIGKILL in the end. Resolves when the program has ended. */
  async stop(): Promise<void> {
    const group = this.#group
    if (!group || this.#isOver) return this.#whenOver
    group.child.stdin?.end()
    const cancelAsk = systemClock.after(graceMs, () => group.signal('SIGTERM'))
    const cancelKill = systemClock.after(graceMs * 2, () => group.signal('SIGKILL'))
    await this.#whenOver
    cancelAsk()
    cancelKill()
  }

  #watch({ child }: ProcessGroup): void {
    child.on('error', (error) => {
      this.#why ??= cannotStart(this.#job, error)
      this.#settle()
    })
    child.on('exit', (code, signal) => this.#end(code === null ? `killed by ${signal}` : `exit code ${code}`))
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.on('error', ignore)
    this.#isRead = Promise.all([this.#hear(child.stdout), this.#overhear(child.stderr)])
    child.on('close', () => this.#settleOnceRead())
  }

  /** Reads stdout, and passes its lines to `onLine`, one at a time. */
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

  /** Reads stderr and keeps its end. A program that writes too much to stderr is ended. */
  async #overhear(stderr: Readable | null): Promise<void> {
    const allowance = new Allowance(this.#job.clock, stderrMiB * 1024 * 1024, stderrSpanMs)
    await eachChunk(stderr, async (chunk) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-stderrTailBytes)
      if (allowance.take(chunk.length)) return true
      this.#end(`wrote more than ${stderrMiB} MiB to stderr within ${stderrSpanMs / 1000} s`)
      return false
    })
  }

  /**
   * Kills the processes that are left in the program's group. Its end is reported a little later, once Node has read what the pipes hold.
   */
  #end(why: string): void {
    this.#why ??= why
    this.#group?.signal('SIGKILL')
    this.#linger.startUnlessRunning(lingerMs)
  }

  /** Closes the pipes, and reports the end when the work on the last line that was read is done. */
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
    this.#linger.stop()
    this.#closePipes()
    this.#group?.child.unref()
    this.#group?.ended()
    this.#job.onEnd(this.#why ?? 'ended without a message', this.#stderr.toString())
    this.#over()
  }
}

/**
 * Passes the chunks of a pipe to `take` until `take` returns `false`, one chunk in a turn of the event loop. Node itself reads up to 32
 * chunks in a turn, so a program that writes fast would occupy the event loop.
 */
const eachChunk = async (pipe: Readable | null, take: (chunk: Buffer) => Promise<boolean>): Promise<void> => {
  const turn = takingTurns(1)
  try {
    for await (const chunk of pipe ?? []) {
      if (!(await take(chunk))) return
      await turn()
    }
  } catch {
    // The program or this process has closed the pipe.
  }
}

const ignore = (): void => {}

const cannotStart = ({ argv }: KeptJob, thrown: unknown): string => `cannot start ${printable(argv[0] ?? '', 200)}: ${spawnCode(thrown)}`
