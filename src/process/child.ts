/** The one way this program starts another: argv without a shell, bounded in time and output, never a rejection. */

import { type ChildProcess, spawn } from 'node:child_process'
import { cut, printable } from '../core/text.ts'
import { markChild } from './strays.ts'

export type Env = { readonly [name: string]: string | undefined }

export type ChildJob = {
  readonly argv: readonly string[]
  /** The child's whole environment, but for the mark that tells whose it is: nothing is inherited. */
  readonly env: Env
  readonly stdin?: string
  readonly cwd?: string
  /** Without it, `signal` is the only limit. */
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
/** Children that still run: when this process exits without waiting for them, it kills them. */
const running = new Set<ChildProcess>()

process.on('exit', () => {
  for (const child of running) killGroup(child)
})

/** What a child may know of an environment: where programs and the home are, language and time zone; no secret. */
export const baseEnv = (from: Env): Env => Object.fromEntries(inherited.map((name) => [name, from[name]]))

/** A stranger's text as an environment value: without NUL, which no environment can hold, and short of the kernel's limit. */
export const envValue = (text: string): string => cut(text.replaceAll('\0', ''), 1024)

/** Runs one program to its end, and with it whatever it started: its process group at once, what left the group soon after. */
export const runChild = async (job: ChildJob): Promise<ChildResult> => {
  if (job.signal?.aborted) return { kind: 'aborted' }
  const name = job.argv[0] ?? ''
  const mark = markChild()
  try {
    // detached: a process group of its own, so that a kill reaches what the program itself started.
    const options = { cwd: job.cwd, env: { ...job.env, ...mark.env }, detached: true, stdio: 'pipe' } as const
    return await watch(spawn(name, job.argv.slice(1), options), name, job)
  } catch (thrown) {
    return failed(name, thrown)
  } finally {
    mark.lift()
  }
}

// The code alone: messages of spawn quote the argument or variable that it refused.
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
      // Out of file descriptors, a child has no pipes at all.
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy()
      child.unref()
      const end = result ?? { kind: 'failed', why: 'ended without a word' }
      resolve(end.kind === 'exited' ? { ...end, stdout: Buffer.concat(stdout).toString(), stderr: stderr.toString() } : end)
    }
    const end = (why: NonNullable<typeof result>): void => {
      // The first reason counts, with one exception: an exit is no success when too much output was still in the pipe.
      if (result === undefined || (result.kind === 'exited' && why.kind === 'flood')) result = why
      killGroup(child)
      // A process that left the group may hold the pipes open for ever, so they are closed after a while. setImmediate lets what lies in them
      // be read first, also where the loop is late.
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
    // EPIPE is no failure: a program need not read what it is given.
    child.stdin?.on('error', ignore).end(job.stdin ?? '')
  })

const ignore = (): void => {}

const killGroup = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is empty: everything has ended.
  }
}

/** Why a child did not do its work, in a few words for the log; `undefined` when it exited with 0. */
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
