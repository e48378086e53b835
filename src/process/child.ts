/**
 * Runs another program to its end. The arguments pass through no shell, time and output are bounded, and the result is a value, whatever
 * goes wrong.
 */

import { systemClock } from '../core/clock.ts'
import { cut, printable } from '../core/text.ts'
import { nextTurn } from '../core/turns/taking-turns.ts'
import { Timer } from '../core/turns/timer.ts'
import { type ChildEnv, type ProcessGroup, type Program, startGroup } from './group.ts'

export type { ChildEnv } from './group.ts'

export type ChildJob = Program & {
  readonly stdin?: string
  /** The longest life of the child, in milliseconds. Without this limit, only `signal` and too much output end the child early. */
  readonly timeoutMs?: number
  /** The most bytes of stdout; default 1 MiB. A child that writes more is ended. */
  readonly maxStdoutBytes?: number
  /** Ends the child when it is aborted. */
  readonly signal?: AbortSignal
}

/**
 * `exited`: `stderr` is the end of what the child wrote there, at most 16 KiB. `flood`: the child wrote more than `maxStdoutBytes`.
 * `failed`: the child could not be started. `killed`: a signal ended the child.
 */
export type ChildResult =
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'flood' }
  | { readonly kind: 'failed'; readonly why: string; readonly notFound?: boolean }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'aborted' }

/** The names of the variables that `baseEnv` keeps. */
const inherited = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']
const defaultMaxStdoutBytes = 1024 * 1024
/** The most bytes that are kept of stderr, from its end. */
const stderrTailBytes = 16 * 1024
/** How long processes that the child left behind may hold its pipes open. */
const lingerMs = 250

/**
 * Returns the variables of an environment that a child may see: PATH, home, language, time zone, temporary folder. None of them is a
 * secret.
 */
export const baseEnv = (from: ChildEnv): ChildEnv => Object.fromEntries(inherited.map((name) => [name, from[name]]))

/**
 * Makes a text the value of an environment variable: without NUL, which no variable can hold, and of at most 1,024 UTF-16 units, far below
 * the kernel's limit.
 */
export const envValue = (text: string): string => cut(text.replaceAll('\0', ''), 1024)

/**
 * Runs a program to its end, and ends what it started: its process group at once, and soon after the processes that left the group, as far
 * as `strays.ts` finds them. Never rejects.
 */
export const runChild = async (job: ChildJob): Promise<ChildResult> => {
  if (job.signal?.aborted) return { kind: 'aborted' }
  const name = job.argv[0] ?? ''
  let group: ProcessGroup | undefined
  try {
    group = startGroup(job)
    return await watchChild(group, name, job)
  } catch (thrown) {
    return startFailure(name, thrown)
  } finally {
    group?.ended()
  }
}

/**
 * Returns the code of an error of `spawn`. The message of the error is not used, because it quotes arguments and variables, which may be
 * secret.
 */
export const spawnCode = (thrown: unknown): string => (thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown error')

const startFailure = (name: string, thrown: unknown): ChildResult => {
  const code = spawnCode(thrown)
  return { kind: 'failed', why: `cannot start ${printable(name, 200)}: ${code}`, notFound: code === 'ENOENT' }
}

const watchChild = ({ child, signal: signalGroup }: ProcessGroup, name: string, job: ChildJob): Promise<ChildResult> =>
  new Promise((resolve) => {
    const stdout: Buffer[] = []
    let room = job.maxStdoutBytes ?? defaultMaxStdoutBytes
    let stderr: Buffer = Buffer.alloc(0)
    let result: ChildResult | { kind: 'exited'; code: number } | undefined

    const settle = (): void => {
      cancelLimit?.()
      linger.stop()
      job.signal?.removeEventListener('abort', abort)
      // A child has no pipes when file descriptors ran out.
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy()
      child.unref()
      const end = result ?? { kind: 'failed', why: 'ended without a message' }
      resolve(end.kind === 'exited' ? { ...end, stdout: Buffer.concat(stdout).toString(), stderr: stderr.toString() } : end)
    }
    const linger = new Timer(systemClock, () => void nextTurn().then(settle))
    const end = (why: NonNullable<typeof result>): void => {
      // The first reason counts, with one exception: a child that exited has still failed when its output was too long.
      if (result === undefined || (result.kind === 'exited' && why.kind === 'flood')) result = why
      signalGroup('SIGKILL')
      // A process that left the group may hold the pipes open for ever, so they are closed after a while. A further turn lets Node first read
      // what the pipes hold, even when the event loop is late.
      linger.startUnlessRunning(lingerMs)
    }
    const abort = (): void => end({ kind: 'aborted' })
    const cancelLimit = job.timeoutMs === undefined ? undefined : systemClock.after(job.timeoutMs, () => end({ kind: 'timeout' }))

    job.signal?.addEventListener('abort', abort)
    child.on('error', (error) => {
      result ??= startFailure(name, error)
      settle()
    })
    child.on('exit', (code, signal) => end(code === null ? { kind: 'killed', signal: signal ?? 'unknown' } : { kind: 'exited', code }))
    child.on('close', settle)
    child.stdout?.on('error', ignore).on('data', (chunk: Buffer) => {
      room -= chunk.length
      if (room < 0) end({ kind: 'flood' })
      else stdout.push(chunk)
    })
    child.stderr?.on('error', ignore).on('data', (chunk: Buffer) => {
      stderr = Buffer.concat([stderr, chunk]).subarray(-stderrTailBytes)
    })
    // Errors of stdin are no failure: a program need not read its input.
    child.stdin?.on('error', ignore).end(job.stdin ?? '')
  })

const ignore = (): void => {}

/** Returns the reason why a child failed, in a few words for the log; `undefined` when it exited with 0. */
export const failureOf = (result: ChildResult): string | undefined => {
  switch (result.kind) {
    case 'exited':
      return result.code === 0 ? undefined : `exit code ${result.code}${lastLine(result.stderr)}`
    case 'timeout':
      return 'took too long'
    case 'flood':
      return 'wrote too much'
    case 'killed':
      return `killed by ${result.signal}`
    case 'aborted':
      return 'stopped'
    case 'failed':
      return result.why
  }
}

const lastLine = (stderr: string): string => {
  const text = stderr.trimEnd()
  return text && `: ${cut(printable(text.slice(text.lastIndexOf('\n') + 1), 300), 300)}`
}
