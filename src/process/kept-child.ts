/** Keeps a program running that speaks in lines, and ends it with everything that it started. */

import { Lines } from '../core/lines.ts'
import { printable } from '../core/text.ts'
import { spawnCode } from './child.ts'
import { type Group, type Program, startGroup } from './group.ts'

export type KeptJob = Program & {
  /** A longer line on stdout ends the program. When more than this waits to be read by it, nothing more is written. */
  readonly maxLineBytes: number
  readonly onLine: (line: string) => void
  /** Called once, when the program has ended or could not be started: why, in a few words, and the end of what it wrote to stderr. */
  readonly onEnd: (why: string, stderr: string) => void
}

const stderrTailBytes = 16 * 1024
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
  #isDeaf = false
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
    const lines = new Lines(this.#job.maxLineBytes, this.#job.onLine)
    child.on('error', (error) => {
      this.#why ??= cannotStart(this.#job, error)
      this.#settle()
    })
    child.on('exit', (code, signal) => this.#end(code === null ? `killed by ${signal}` : `exit code ${code}`))
    child.on('close', () => this.#settle())
    child.stdin?.on('error', ignore)
    child.stdout?.on('error', ignore).on('data', (chunk: Buffer) => {
      if (this.#isDeaf || lines.take(chunk)) return
      this.#isDeaf = true
      this.#end('wrote a line that is too long')
    })
    child.stderr?.on('error', ignore).on('data', (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-stderrTailBytes)
    })
  }

  /** Kills what is left, and lets Node read first what is in the pipes. */
  #end(why: string): void {
    this.#why ??= why
    this.#group?.signal('SIGKILL')
    this.#linger ??= setTimeout(() => setImmediate(() => this.#settle()), lingerMs)
  }

  #settle(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#linger)
    const child = this.#group?.child
    for (const pipe of [child?.stdin, child?.stdout, child?.stderr]) pipe?.destroy()
    child?.unref()
    this.#group?.ended()
    this.#job.onEnd(this.#why ?? 'ended without a word', this.#stderr.toString())
    this.#over()
  }
}

const ignore = (): void => {}

const cannotStart = ({ argv }: KeptJob, thrown: unknown): string => `cannot start ${printable(argv[0] ?? '', 200)}: ${spawnCode(thrown)}`
