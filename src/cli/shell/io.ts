/** Everything a command may touch of its process, so that tests hand it another one. */

import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import type { Env } from '../../config/env.ts'
import { exit, Fault } from '../../core/fault.ts'

export type Io = {
  readonly stdout: (text: string) => void
  /** Bytes as they are, on stdout. */
  readonly bytes: (data: Uint8Array) => void
  readonly stderr: (text: string) => void
  /** All of standard input. */
  readonly stdin: () => Promise<string>
  /** Asks who sits at the terminal; absent where nobody does. */
  readonly ask?: (question: string) => Promise<string>
  readonly env: Env
  /** Whether stdout is a terminal. */
  readonly isTty: boolean
  readonly colour: boolean
}

/** The process's own. */
export const processIo = (): Io => {
  const { stdin, stdout, stderr, env } = process
  const isTty = stdout.isTTY === true
  const write = writer(stdout)
  return {
    stdout: write,
    bytes: write,
    stderr: writer(stderr),
    stdin: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of stdin) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks).toString('utf8')
    },
    ...(stdin.isTTY === true && stderr.isTTY === true ? { ask: askOver(stdin, stderr) } : {}),
    env,
    isTty,
    colour: wantsColour(env, isTty),
  }
}

/** A reader that went away (`| head`) is no fault of ours: what follows is dropped. */
const writer = (stream: NodeJS.WriteStream): ((data: string | Uint8Array) => void) => {
  let open = true
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') open = false
  })
  return (data) => {
    if (open) stream.write(data)
  }
}

/** Asks over these streams; throws a Fault when Ctrl-C or Ctrl-D is the answer. */
export const askOver =
  (input: Readable, output: Writable) =>
  async (question: string): Promise<string> => {
    const terminal = createInterface({ input, output })
    try {
      return await terminal.question(question)
    } catch {
      // It rejects for nothing else.
      output.write('\n')
      throw new Fault('cancelled', 'cancelled: nothing was done', { exitCode: exit.cancelled })
    } finally {
      terminal.close()
    }
  }

/** Colour where the environment does not say otherwise (no-color.org, force-color.org, CLICOLOR). */
export const wantsColour = (env: Env, isTty: boolean): boolean => {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true
  return isTty && env.TERM !== 'dumb' && env.CLICOLOR !== '0'
}
