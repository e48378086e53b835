/** The one way this program starts another: arguments without a shell, bounds on time and output, and a result whatever goes wrong. */

import { type ChildProcess, spawn } from 'node:child_process'
import { cut, printable } from '../core/text.ts'
import { markChild } from './strays.ts'

export type Env = { readonly [name: string]: string | undefined }

export type ChildJob = {
  readonly argv: readonly string[]
  /** The child's whole environment. Nothing is inherited; only the mark is added by which `strays.ts` finds what the child left behind. */
  readonly env: Env
  readonly stdin?: string
  readonly cwd?: string
  /** Without it, only `signal` ends the child early. */
  readonly timeoutMs?: number
  readonly maxStdoutBytes?: number
  readonly signal?: AbortSignal
}

export type ChildResult =
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'flood' }
  | { readonly kind: 'failed'; readonly why: string; readonly notFound?: boolean }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'aborted' }

const inherited = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']
const defaultMaxStdoutBytes = 1024 * 1024
const stderrTailBytes = 16 * 1024
const lingerMs = 250
const longestTimerMs = 2_147_483_647
/** Children that still run. When this process exits, it kills them. */
const running = new Set<ChildProcess>()

process.on('exit', () => {
  for (const child of running) killGroup(child)
})

/** The part of an environment that a child may see: PATH, home, language, time zone, temporary folder. No secret is among them. */
export const baseEnv = (from: Env): Env => Object.fromEntries(inherited.map((name) => [name, from[name]]))

/** A sender's text as the value of an environment variable: without NUL, which none can hold, and shorter than the kernel's limit. */
export const envValue = (text: string): string => cut(text.replaceAll('\0', ''), 1024)

/** Runs a program to its end, and ends what it started: its process group at once, processes that left the group soon after. */
export const runChild = async (job: ChildJob): Promise<ChildResult> => {
  if (job.signal?.aborted) return { kind: 'aborted' }
  const name = job.argv[0] ?? ''
  const mark = markChild()
  try {
    // `detached` gives the child a process group of its own, so that a kill also reaches what the child started.
    const options = { cwd: job.cwd, env: { ...job.env, ...mark.env }, detached: true, stdio: 'pipe' } as const
    return await watch(spawn(name, job.argv.slice(1), options), name, job)
  } catch (thrown) {
    return failed(name, thrown)
  } finally {
    mark.lift()
  }
}

// Only the error's code is shown: the messages of spawn quote arguments and variables, which may be secret.
const failed = (name: string, thrown: unknown): ChildResult => {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown error'
  return { kind: 'failed', why: `cannot start ${printable(name, 200)}: ${code}`, notFound: code === 'ENOENT' }
}

const watch = (child: ChildProcess, name: string, job: ChildJob): Promise<ChildResult> =>
  new Promise((resolve) => {
    const stdout: Buffer[] = []
    let room = job.maxStdoutBytes ?? defaultMaxStdoutBytes
    let stderr: Buffer = Buffer.alloc(0)
    let result: ChildResult | { kind: 'exited'; code: number } | undefined
    let linger: NodeJS.Timeout | undefined

    running.add(child)
    const settle = (): void => {
      running.delete(child)
      clearTimeout(limit)
      clearTimeout(linger)
      job.signal?.removeEventListener('abort', abort)
      // A child has no pipes when file descriptors ran out.
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy()
      child.unref()
      const end = result ?? { kind: 'failed', why: 'ended without a word' }
      resolve(end.kind === 'exited' ? { ...end, stdout: Buffer.concat(stdout).toString(), stderr: stderr.toString() } : end)
    }
    const end = (why: NonNullable<typeof result>): void => {
      // The first reason counts, with one exception: a child that exited has still failed when the pipe held too much output.
      if (result === undefined || (result.kind === 'exited' && why.kind === 'flood')) result = why
      killGroup(child)
      // A process that left the group may hold the pipes open for ever, so they are closed after a while. setImmediate lets Node first read
      // what is in them, also when the event loop is late.
      linger ??= setTimeout(() => setImmediate(settle), lingerMs)
    }
    const abort = (): void => end({ kind: 'aborted' })
    const limit = job.timeoutMs === undefined ? undefined : setTimeout(end, Math.min(job.timeoutMs, longestTimerMs), { kind: 'timeout' })

    job.signal?.addEventListener('abort', abort)
    child.on('error', (error) => {
      result ??= failed(name, error)
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
    // EPIPE is no failure: a program need not read its input.
    child.stdin?.on('error', ignore).end(job.stdin ?? '')
  })

const ignore = (): void => {}

const killGroup = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is empty: all of its processes have ended.
  }
}

/** Why a child failed, in a few words for the log; `undefined` when it exited with 0. */
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
